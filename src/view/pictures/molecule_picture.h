// RDKit's drawing of a molecule, its atoms and bonds on coloured ground. A build without RDKit has these functions, and
// draws nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "view/pictures/colour_scale.h"
#include "view/pictures/spelling.h"

namespace agentnet {

struct DrawnAtom {
  int atomic_number = 0;  // 0: drawn as *
  int charge = 0;
  int hydrogens = 0;
  Rgb colour;
};

struct DrawnBond {
  std::uint32_t from = 0, to = 0;
  BondKind kind = BondKind::kUnknown;  // drawn as a single bond
  std::optional<Rgb> colour;           // none: no ground
};

struct DrawnMolecule {
  std::vector<DrawnAtom> atoms;
  std::vector<DrawnBond> bonds;
};

[[nodiscard]] bool can_draw_molecules();  // whether this build has RDKit

// SVG elements for a box of this size with its upper left corner in the origin; nothing if RDKit cannot draw it.
// Valences are not looked at: data need not be chemistry, and sets without charges write a nitro group as N(=O)=O or
// N(=O)O.
[[nodiscard]] std::optional<std::string> draw_molecule(const DrawnMolecule& molecule, int width, int height);

// Where RDKit puts the atoms on paper, and its bonds, for who draws them himself.
struct MoleculePlan {
  std::vector<std::array<double, 2>> places;  // [atoms] y upwards; a bond has the length 1
  std::vector<int> lines;                     // [bonds] 1, 2, 3; 4: aromatic, and nobody knows which are double
};
// Nothing if RDKit cannot, or of more than so many atoms.
inline constexpr std::size_t kMostPlanned = 300;
[[nodiscard]] std::optional<MoleculePlan> plan_molecule(const DrawnMolecule& molecule);

}  // namespace agentnet
