// Stands for molecule_picture.cpp in a build without RDKit.
#include "view/pictures/molecule_picture.h"

namespace agentnet {

bool can_draw_molecules() { return false; }

std::optional<std::string> draw_molecule(const DrawnMolecule& /*molecule*/, int /*width*/, int /*height*/) {
  return std::nullopt;
}

std::optional<MoleculePlan> plan_molecule(const DrawnMolecule& /*molecule*/) { return std::nullopt; }

}  // namespace agentnet
