// Stands for molecule.cpp in a build without RDKit.
#include "agentnet/error.h"
#include "data/molecules/molecule.h"

namespace agentnet {
namespace {

[[noreturn]] void throw_no_rdkit() {
  throw Error(
      ErrorKind::kUsage, "this agentnet was built without RDKit, which reads SMILES",
      "use the Debian package or a build with librdkit-dev and libboost-dev; what its agentnet convert writes to "
      "NAME.agentset can be read here");
}

}  // namespace

bool can_read_smiles() { return false; }

MoleculeOrReason molecule_from_smiles(const std::string& /*smiles*/, int /*max_atoms*/, Pieces /*pieces*/) {
  throw_no_rdkit();
}

std::vector<MoleculeOrReason> molecules_from_smiles(std::span<const std::string> /*smiles*/, ThreadPool& /*pool*/,
                                                    int /*max_atoms*/, Pieces /*pieces*/) {
  throw_no_rdkit();
}

std::optional<std::string> murcko_scaffold(const std::string& /*smiles*/, int /*max_atoms*/) { throw_no_rdkit(); }

std::vector<std::optional<std::string>> murcko_scaffolds(std::span<const std::string> /*smiles*/, ThreadPool& /*pool*/,
                                                         int /*max_atoms*/) {
  throw_no_rdkit();
}

}  // namespace agentnet
