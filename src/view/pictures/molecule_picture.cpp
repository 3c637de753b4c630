#include "view/pictures/molecule_picture.h"

#include <GraphMol/Depictor/RDDepictor.h>
#include <GraphMol/MolDraw2D/MolDraw2DSVG.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/RWMol.h>

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <string_view>

namespace agentnet {
namespace {

RDKit::Bond::BondType type_of(BondKind kind) {
  switch (kind) {
    case BondKind::kDouble:
      return RDKit::Bond::DOUBLE;
    case BondKind::kTriple:
      return RDKit::Bond::TRIPLE;
    case BondKind::kAromatic:
      return RDKit::Bond::AROMATIC;
    case BondKind::kSingle:
    case BondKind::kUnknown:
      break;
  }
  return RDKit::Bond::SINGLE;
}

using Mol = std::shared_ptr<RDKit::RWMol>;

Mol built(const DrawnMolecule& molecule) {
  auto mol = std::make_shared<RDKit::RWMol>();
  for (const DrawnAtom& drawn : molecule.atoms) {
    auto* atom = new RDKit::Atom(drawn.atomic_number);  // NOLINT: the molecule takes it
    atom->setFormalCharge(drawn.charge);
    atom->setNumExplicitHs(static_cast<unsigned>(std::max(drawn.hydrogens, 0)));
    atom->setNoImplicit(true);  // hydrogens that the data does not name are none of our business
    mol->addAtom(atom, false, true);
  }
  for (const DrawnBond& bond : molecule.bonds) {
    if (bond.from == bond.to || mol->getBondBetweenAtoms(bond.from, bond.to) != nullptr) continue;
    mol->addBond(bond.from, bond.to, type_of(bond.kind));
    if (bond.kind != BondKind::kAromatic) continue;
    mol->getBondBetweenAtoms(bond.from, bond.to)->setIsAromatic(true);
    mol->getAtomWithIdx(bond.from)->setIsAromatic(true);
    mol->getAtomWithIdx(bond.to)->setIsAromatic(true);
  }
  mol->updatePropertyCache(false);
  RDKit::MolOps::symmetrizeSSSR(*mol);  // the small rings: fused ones are drawn side by side
  return mol;
}

// Alternating single and double bonds where that is possible; else aromatic bonds keep their dashes.
Mol with_double_bonds(const Mol& mol) {
  auto copy = std::make_shared<RDKit::RWMol>(*mol);
  try {
    RDKit::MolOps::Kekulize(*copy);
    return copy;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return mol;
  }
}

int lines_of(const RDKit::RWMol& mol, const DrawnBond& drawn) {
  const RDKit::Bond* bond = mol.getBondBetweenAtoms(drawn.from, drawn.to);
  if (bond == nullptr) return 1;  // from an atom to itself
  switch (bond->getBondType()) {
    case RDKit::Bond::DOUBLE:
      return 2;
    case RDKit::Bond::TRIPLE:
      return 3;
    case RDKit::Bond::AROMATIC:
      return 4;
    default:
      return 1;
  }
}

RDKit::DrawColour drawn(const Rgb& colour) { return {colour.r, colour.g, colour.b}; }

// Finding the rings of a graph that is no molecule, such as one in which all nodes are joined, could take forever.
bool has_too_many_rings(const DrawnMolecule& molecule) {
  constexpr std::size_t kMostRings = 100;
  return molecule.bonds.size() > molecule.atoms.size() + kMostRings;
}

// What stands between <svg ...> and </svg>.
std::optional<std::string> inside(const std::string& svg) {
  const std::size_t open = svg.find("<svg");
  const std::size_t begin = svg.find('>', open);
  const std::size_t end = svg.rfind("</svg>");
  if (open == std::string::npos || begin == std::string::npos || end == std::string::npos) return std::nullopt;
  return svg.substr(begin + 1, end - begin - 1);
}

std::string drawing_of(const DrawnMolecule& molecule, int width, int height) {
  const Mol mol = with_double_bonds(built(molecule));
  RDDepict::compute2DCoords(*mol, nullptr, /*canonOrient=*/true);

  std::vector<int> atoms, bonds;
  std::map<int, RDKit::DrawColour> atom_colours, bond_colours;
  std::map<int, double> radii;
  for (std::size_t i = 0; i < molecule.atoms.size(); ++i) {
    constexpr double kRadius = 0.42;  // of a bond's length, which is 1.5
    atoms.push_back(static_cast<int>(i));
    atom_colours[static_cast<int>(i)] = drawn(molecule.atoms[i].colour);
    radii[static_cast<int>(i)] = kRadius;
  }
  for (const DrawnBond& bond : molecule.bonds) {
    const RDKit::Bond* found = mol->getBondBetweenAtoms(bond.from, bond.to);
    if (found == nullptr || !bond.colour) continue;
    bonds.push_back(static_cast<int>(found->getIdx()));
    bond_colours[static_cast<int>(found->getIdx())] = drawn(*bond.colour);
  }

  RDKit::MolDraw2DSVG drawer(width, height);
  RDKit::MolDrawOptions& options = drawer.drawOptions();
  options.prepareMolsBeforeDrawing = false;  // which would check valences
  options.clearBackground = false;
  options.padding = 0.08;
  options.fixedBondLength = 42;  // at most: small molecules are not blown up
  options.bondLineWidth = 2;
  RDKit::assignBWPalette(options.atomColourPalette);  // colours are for values
  drawer.drawMolecule(*mol, "", &atoms, &bonds, &atom_colours, &bond_colours, &radii);
  drawer.finishDrawing();
  return drawer.getDrawingText();
}

}  // namespace

bool can_draw_molecules() { return true; }

std::optional<MoleculePlan> plan_molecule(const DrawnMolecule& molecule) {
  constexpr double kBondLength = 1.5;  // RDKit's
  if (molecule.atoms.size() > kMostPlanned || has_too_many_rings(molecule)) return std::nullopt;
  try {
    const Mol mol = with_double_bonds(built(molecule));
    RDDepict::compute2DCoords(*mol, nullptr, /*canonOrient=*/true);
    MoleculePlan plan;
    for (const RDGeom::Point3D& at : mol->getConformer().getPositions()) {
      plan.places.push_back({at.x / kBondLength, at.y / kBondLength});
    }
    for (const DrawnBond& bond : molecule.bonds) plan.lines.push_back(lines_of(*mol, bond));
    return plan;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<std::string> draw_molecule(const DrawnMolecule& molecule, int width, int height) {
  if (has_too_many_rings(molecule)) return std::nullopt;
  try {
    return inside(drawing_of(molecule, width, height));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace agentnet
