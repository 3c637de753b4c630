// What nodes and edges are called in pictures and tables, and which of them are atoms and bonds.
//
// A set is one of molecules if its atoms are told by name: it was read from SMILES or in OGB's layout (atom_schema() of
// data/molecule.h), its node labels are element symbols, C among them, or the caller says which label is which element.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agentnet/data.h"

namespace agentnet {

enum class BondKind { kUnknown, kSingle, kDouble, kTriple, kAromatic };

// What the caller says of sets whose labels are mere numbers, "C" for the next value or "0=C" for the value 0. Names
// without a value stand for the values 0, 1, 2, ... if the column has only such, else for its values in their order.
struct MoleculeNames {
  std::vector<std::string> atoms;  // elements, of the first categorical column of nodes
  std::vector<std::string> bonds;  // single, double, triple, aromatic; of the first one of edges
};

class Spelling {
 public:
  // `schema` is that of the graphs: after fit_to_model(), the model's. Throws Error (kUsage) for names that are none,
  // or too few of them.
  explicit Spelling(const Schema& schema, const MoleculeNames& names = {});

  [[nodiscard]] bool is_molecules() const { return atom_column_.has_value(); }

  // The element, else the value of the first categorical column; empty if there is none.
  [[nodiscard]] std::string node(const GraphView& graph, std::uint64_t node) const;
  // The value of the first categorical column of an entry of the neighbour lists; empty if there is none.
  [[nodiscard]] std::string edge(const GraphView& graph, std::uint64_t entry) const;
  // How a neighbour across this edge is marked in a substructure: "=O" double, "#" triple, ":" aromatic, nothing
  // for a single bond or an edge without labels, "[label]" for others.
  [[nodiscard]] std::string sign(const GraphView& graph, std::uint64_t entry) const;

  // A value of a categorical column of nodes: elements and charges as such, others as the set spells them.
  [[nodiscard]] std::string value(std::size_t column, std::int32_t category) const;
  [[nodiscard]] const std::vector<CategoryColumn>& node_columns() const { return nodes_; }

  [[nodiscard]] int atomic_number(const GraphView& graph, std::uint64_t node) const;  // 0: no element
  [[nodiscard]] int charge(const GraphView& graph, std::uint64_t node) const;
  [[nodiscard]] int hydrogens(const GraphView& graph, std::uint64_t node) const;  // that are no nodes, as far as known
  [[nodiscard]] BondKind bond(const GraphView& graph, std::uint64_t entry) const;

 private:
  void find_atoms(const MoleculeNames& names);
  void find_bonds(const MoleculeNames& names);

  std::vector<CategoryColumn> nodes_, edges_;
  std::optional<std::size_t> atom_column_, charge_column_, hydrogen_column_, bond_column_;
  std::vector<int> elements_;    // [values of the atom column]
  std::vector<BondKind> bonds_;  // [values of the bond column]
};

// "C" for 6; empty for what is no element.
[[nodiscard]] std::string element_symbol(int atomic_number);

}  // namespace agentnet
