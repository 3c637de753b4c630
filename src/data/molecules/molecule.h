// Molecules out of SMILES strings, through RDKit, with the features that OGB's molecule sets use: 9 numbers per
// atom and 3 per bond (ogb.utils.features; docs/data.md lists them).
//
// A build without RDKit (option AGENTNET_RDKIT) has every function of this header; those that would need it throw
// Error (kUsage), which names the package.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/graph.h"
#include "core/thread_pool.h"

namespace agentnet {

[[nodiscard]] bool can_read_smiles();  // whether this build has RDKit

// The feature columns of atoms and bonds. A value is spelled as its number in OGB's list of that column; the last
// one of most columns stands for everything that the list does not name.
[[nodiscard]] const FeatureSchema& atom_schema();
[[nodiscard]] const FeatureSchema& bond_schema();

struct Molecule {
  GraphParts parts;  // nodes are RDKit's atoms without explicit hydrogens; each bond stands once, `undirected`
  bool cut = false;  // there were further pieces, which were left out
};

// A molecule; or, if the string means none, why: what RDKit's parser or its check of valences and aromatic rings says.
using MoleculeOrReason = std::variant<Molecule, std::string>;

// The atoms that a SMILES string writes out, hydrogens in brackets included, or a few more where it is no SMILES
// string. Takes no RDKit.
[[nodiscard]] std::size_t count_atoms(std::string_view smiles);

// As DataOptions::max_atoms.
inline constexpr int kMaxAtoms = 600;

// May be called by several threads at once. What follows a space or a tab is a name or an extension, as in RDKit. A
// string of more than `max_atoms` atoms, or too long for so many, means no molecule: RDKit would take minutes.
enum class Pieces { kAll, kLargest };  // of a molecule in several pieces; of equal ones, the first is the largest
[[nodiscard]] MoleculeOrReason molecule_from_smiles(const std::string& smiles, int max_atoms = kMaxAtoms,
                                                    Pieces pieces = Pieces::kAll);

// One result per string, in their order.
[[nodiscard]] std::vector<MoleculeOrReason> molecules_from_smiles(std::span<const std::string> smiles, ThreadPool& pool,
                                                                  int max_atoms = kMaxAtoms,
                                                                  Pieces pieces = Pieces::kAll);

// The canonical SMILES of the rings and what connects them (Bemis and Murcko), by which a scaffold split groups
// molecules; empty for a molecule without rings, nothing for a string that means no molecule. Stereochemistry does not
// count. May be called by several threads at once.
[[nodiscard]] std::optional<std::string> murcko_scaffold(const std::string& smiles, int max_atoms = kMaxAtoms);

// One result per string, in their order.
[[nodiscard]] std::vector<std::optional<std::string>> murcko_scaffolds(std::span<const std::string> smiles,
                                                                       ThreadPool& pool, int max_atoms = kMaxAtoms);

}  // namespace agentnet
