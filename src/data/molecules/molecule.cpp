#include "data/molecules/molecule.h"

#include <GraphMol/ChemTransforms/ChemTransforms.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <RDGeneral/RDLog.h>
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/text.h"

namespace agentnet {
namespace {

using RDKit::Atom;
using RDKit::Bond;
using RDKit::ROMol;

// RDKit tells why a string is no SMILES only in its error log, a global that is empty unless a program opens it.
// Parsing holds this lock shared; reading such a reason holds it alone.
std::shared_mutex error_log;

// OGB numbers the values lowest .. highest from 0 and gives all others the next number.
int in_list(int value, int lowest, int highest) {
  return value >= lowest && value <= highest ? value - lowest : highest - lowest + 1;
}

int hybridization_number(Atom::HybridizationType type) {
  switch (type) {
    case Atom::SP:
      return 0;
    case Atom::SP2:
      return 1;
    case Atom::SP3:
      return 2;
    case Atom::SP3D:
      return 3;
    case Atom::SP3D2:
      return 4;
    default:
      return 5;
  }
}

int bond_type_number(Bond::BondType type) {
  switch (type) {
    case Bond::SINGLE:
      return 0;
    case Bond::DOUBLE:
      return 1;
    case Bond::TRIPLE:
      return 2;
    case Bond::AROMATIC:
      return 3;
    default:
      return 4;
  }
}

int bond_stereo_number(Bond::BondStereo stereo) {
  switch (stereo) {
    case Bond::STEREOZ:
      return 1;
    case Bond::STEREOE:
      return 2;
    case Bond::STEREOCIS:
      return 3;
    case Bond::STEREOTRANS:
      return 4;
    case Bond::STEREOANY:
      return 5;
    default:
      return 0;
  }
}

GraphParts parts_of(const ROMol& molecule) {
  GraphParts parts;
  parts.num_nodes = molecule.getNumAtoms();
  parts.undirected = true;
  const RDKit::RingInfo& rings = *molecule.getRingInfo();

  parts.node_categories.reserve(parts.num_nodes * atom_schema().categories.size());
  for (const Atom* atom : molecule.atoms()) {
    parts.node_categories.insert(
        parts.node_categories.end(),
        {in_list(atom->getAtomicNum(), 1, 118), in_list(atom->getChiralTag(), Atom::CHI_UNSPECIFIED, Atom::CHI_OTHER),
         in_list(static_cast<int>(atom->getTotalDegree()), 0, 10), in_list(atom->getFormalCharge(), -5, 5),
         in_list(static_cast<int>(atom->getTotalNumHs()), 0, 8),
         in_list(static_cast<int>(atom->getNumRadicalElectrons()), 0, 4),
         hybridization_number(atom->getHybridization()), atom->getIsAromatic() ? 1 : 0,
         rings.numAtomRings(atom->getIdx()) != 0 ? 1 : 0});
  }

  const std::size_t num_bonds = molecule.getNumBonds();
  parts.from.reserve(num_bonds);
  parts.to.reserve(num_bonds);
  parts.edge_categories.reserve(num_bonds * bond_schema().categories.size());
  for (const Bond* bond : molecule.bonds()) {
    parts.from.push_back(bond->getBeginAtomIdx());
    parts.to.push_back(bond->getEndAtomIdx());
    parts.edge_categories.insert(parts.edge_categories.end(),
                                 {bond_type_number(bond->getBondType()), bond_stereo_number(bond->getStereo()),
                                  bond->getIsConjugated() ? 1 : 0});
  }
  return parts;
}

// RDKit tries all ways to place double bonds on the unspecified atoms of aromatic rings: 20 of them take minutes.
constexpr std::size_t kMostUnspecified = 10;
constexpr std::size_t kBytesPerAtom = 32, kBytesBeside = 4096;

// What is wrong before RDKit sees it: its parser takes a byte that is not ASCII for the end of the string, and drops
// the rest without a word.
std::optional<std::string> wrong_at_sight(std::string_view smiles, int max_atoms) {
  const std::size_t begin = smiles.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "no atoms";
  const std::size_t end = std::min(smiles.find_first_of(" \t", begin), smiles.size());
  for (std::size_t i = begin; i < end; ++i) {
    if (smiles[i] < '!' || smiles[i] > '~') {
      return "character " + std::to_string(i + 1) + " is none that SMILES uses";
    }
  }
  const auto most = static_cast<std::size_t>(max_atoms);
  if (const std::size_t count = count_atoms(smiles); count > most) {
    return fmt::format("{} atoms, more than {}; --max-atoms allows more, which takes long", count, most);
  }
  // Names and extensions are as long as they like to be, up to a point.
  if (smiles.size() > kBytesPerAtom * most + kBytesBeside) {
    return fmt::format("{} characters, too many for {} atoms (--max-atoms)", smiles.size(), most);
  }
  const std::string_view atoms = smiles.substr(begin, end - begin);
  std::size_t unspecified = static_cast<std::size_t>(std::count(atoms.begin(), atoms.end(), '*'));
  for (std::size_t i = 0; (i = atoms.find("#0", i)) != std::string_view::npos; i += 2) ++unspecified;
  if (unspecified > kMostUnspecified) {
    return "more than " + std::to_string(kMostUnspecified) + " unspecified atoms (*)";
  }
  return std::nullopt;
}

// "[12:00:00] SMILES Parse Error: unclosed ring for input: 'C1CC'\n..." -> "unclosed ring"
std::string reason_in(std::string_view log) {
  constexpr std::string_view kLead = "Parse Error: ";
  const std::size_t lead = log.find(kLead);
  if (lead == std::string_view::npos) return "not a SMILES string";
  log.remove_prefix(lead + kLead.size());
  log = log.substr(0, log.find('\n'));
  for (const std::string_view tail : {" for input:", " while parsing:"}) log = log.substr(0, log.find(tail));
  return printable(log);
}

std::string why_no_smiles(const std::string& smiles) {
  std::ostringstream text;
  const std::unique_lock alone(error_log);
  const RDLogger before = std::exchange(rdErrorLog, std::make_shared<boost::logging::rdLogger>(&text));
  try {
    const std::unique_ptr<ROMol> ignored(RDKit::SmilesToMol(smiles));
  } catch (...) {
    rdErrorLog = before;
    throw;
  }
  rdErrorLog = before;
  return reason_in(text.str());
}

using ParsedOrReason = std::variant<std::unique_ptr<ROMol>, std::string>;

ParsedOrReason parse(const std::string& smiles, int max_atoms) {
  if (auto wrong = wrong_at_sight(smiles, max_atoms)) return *std::move(wrong);
  try {
    std::unique_ptr<ROMol> molecule;
    {
      const std::shared_lock together(error_log);
      molecule.reset(RDKit::SmilesToMol(smiles));
    }
    if (molecule == nullptr) return why_no_smiles(smiles);
    if (molecule->getNumAtoms() == 0) return "no atoms";
    return molecule;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // the check of valences and aromatic rings
    return printable(error.what());
  }
}

// The piece with most atoms; null if there is only one. The pieces are not checked anew: valences and rings of a piece
// are those it had in the whole.
boost::shared_ptr<ROMol> largest_piece(const ROMol& molecule) {
  const auto pieces = RDKit::MolOps::getMolFrags(molecule);
  if (pieces.size() < 2) return nullptr;
  return *std::max_element(pieces.begin(), pieces.end(),
                           [](const auto& a, const auto& b) { return a->getNumAtoms() < b->getNumAtoms(); });
}

// Tasks long enough that picking one up costs nothing, short enough to share out.
constexpr std::size_t kChunk = 64;

template <class Result, class F>
std::vector<Result> for_all(std::span<const std::string> smiles, ThreadPool& pool, const F& f) {
  std::vector<Result> results(smiles.size());
  pool.run((smiles.size() + kChunk - 1) / kChunk, [&](std::size_t chunk, int /*worker*/) {
    const std::size_t end = std::min(smiles.size(), (chunk + 1) * kChunk);
    for (std::size_t i = chunk * kChunk; i < end; ++i) results[i] = f(smiles[i]);
  });
  return results;
}

}  // namespace

bool can_read_smiles() { return true; }

MoleculeOrReason molecule_from_smiles(const std::string& smiles, int max_atoms, Pieces pieces) {
  ParsedOrReason parsed = parse(smiles, max_atoms);
  if (auto* reason = std::get_if<std::string>(&parsed)) return std::move(*reason);
  const ROMol& molecule = *std::get<std::unique_ptr<ROMol>>(parsed);
  if (pieces == Pieces::kLargest && smiles.find('.') != std::string::npos) {
    if (const auto largest = largest_piece(molecule)) return Molecule{parts_of(*largest), true};
  }
  return Molecule{parts_of(molecule)};
}

std::vector<MoleculeOrReason> molecules_from_smiles(std::span<const std::string> smiles, ThreadPool& pool,
                                                    int max_atoms, Pieces pieces) {
  return for_all<MoleculeOrReason>(smiles, pool,
                                   [=](const std::string& s) { return molecule_from_smiles(s, max_atoms, pieces); });
}

std::optional<std::string> murcko_scaffold(const std::string& smiles, int max_atoms) {
  const ParsedOrReason parsed = parse(smiles, max_atoms);
  const auto* molecule = std::get_if<std::unique_ptr<ROMol>>(&parsed);
  if (molecule == nullptr) return std::nullopt;
  // What RDKit's Python function MurckoScaffoldSmiles does, but that a scaffold whose valences are off is taken as it
  // is: cutting side chains off an atom can do that to a sound molecule.
  const std::unique_ptr<ROMol> scaffold(RDKit::MurckoDecompose(**molecule));
  scaffold->clearComputedProps();
  scaffold->updatePropertyCache(false);
  RDKit::MolOps::symmetrizeSSSR(*scaffold);
  RDKit::SmilesWriteParams how;
  how.doIsomericSmiles = false;
  return RDKit::MolToSmiles(*scaffold, how);
}

std::vector<std::optional<std::string>> murcko_scaffolds(std::span<const std::string> smiles, ThreadPool& pool,
                                                         int max_atoms) {
  return for_all<std::optional<std::string>>(
      smiles, pool, [max_atoms](const std::string& s) { return murcko_scaffold(s, max_atoms); });
}

}  // namespace agentnet
