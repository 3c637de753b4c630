// What must hold of any bytes given as a SMILES string.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

#include "agentnet/graph.h"
#include "core/text.h"
#include "data/molecules/molecule.h"

namespace agentnet {

// Returns whether the bytes mean a molecule. If they do, its graph can be built, its features are in their vocabularies
// and it has a scaffold; if not, there is a reason that can be printed.
inline bool check_smiles(std::span<const std::byte> bytes) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
  };
  const std::string smiles(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const MoleculeOrReason result = molecule_from_smiles(smiles);
  require(murcko_scaffold(smiles).has_value() == std::holds_alternative<Molecule>(result), "a scaffold of no molecule");
  if (const auto* reason = std::get_if<std::string>(&result)) {
    require(!reason->empty() && printable(*reason) == *reason, "the reason cannot be shown");
    return false;
  }
  const GraphParts& parts = std::get<Molecule>(result).parts;
  const auto require_known = [&](const std::vector<std::int32_t>& values, const FeatureSchema& schema) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& column = schema.categories[i % schema.categories.size()];
      require(values[i] >= 0 && static_cast<std::size_t>(values[i]) < column.values.size(), "an unknown category");
    }
  };
  require_known(parts.node_categories, atom_schema());
  require_known(parts.edge_categories, bond_schema());
  require(Graph(parts).num_nodes() > 0, "no atoms");
  return true;
}

}  // namespace agentnet
