#include "view/pictures/molecule_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "agentnet/error.h"
#include "data/molecules/molecule.h"
#include "graph/find_edge.h"
#include "view/explained.h"
#include "view/pictures/picture.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

// As MUTAG has it: labels are numbers. A nitro group on a ring; edges 0 aromatic, 1 single, 2 double.
GraphParts nitrobenzene() {
  GraphParts parts;
  parts.num_nodes = 9;
  parts.undirected = true;
  parts.from = {0, 1, 2, 3, 4, 5, 0, 6, 6};
  parts.to = {1, 2, 3, 4, 5, 0, 6, 7, 8};
  parts.node_categories = {0, 0, 0, 0, 0, 0, 1, 2, 2};
  parts.edge_categories = {0, 0, 0, 0, 0, 0, 1, 2, 2};
  return parts;
}

Schema numbers() {
  Schema schema;
  schema.nodes.categories = {{"label", {"0", "1", "2"}}};
  schema.edges.categories = {{"label", {"0", "1", "2"}}};
  return schema;
}

MoleculeNames mutag_names() { return {{"C", "N", "O", "F"}, {"aromatic", "single", "double", "triple"}}; }

TEST(Spelling, NumbersGetTheNamesOfElements) {
  const Graph graph(nitrobenzene());
  const GraphView view = graph.view();
  const Spelling spelling(numbers(), mutag_names());
  EXPECT_TRUE(spelling.is_molecules());
  EXPECT_EQ(spelling.node(view, 6), "N");
  EXPECT_EQ(spelling.atomic_number(view, 7), 8);
  EXPECT_EQ(spelling.bond(view, *find_edge(view, 6, 8)), BondKind::kDouble);
  EXPECT_EQ(spelling.sign(view, *find_edge(view, 0, 1)), ":");
  const Spelling assigned(numbers(), {{"1=N", "0=C"}, {}});
  EXPECT_EQ(assigned.node(view, 0), "C");
  EXPECT_EQ(assigned.node(view, 7), "2");  // not named
  EXPECT_EQ(assigned.atomic_number(view, 7), 0);
  EXPECT_EQ(assigned.sign(view, *find_edge(view, 6, 8)), "[2]");
  const Spelling plain(numbers());
  EXPECT_FALSE(plain.is_molecules());
  EXPECT_EQ(plain.node(view, 6), "1");
}

TEST(Spelling, MissingNumbersDoNotShiftTheNames) {
  Schema schema = numbers();
  schema.nodes.categories[0].values = {"0", "3"};  // a set without N and O
  GraphParts parts;
  parts.num_nodes = 2;
  parts.node_categories = {0, 1};
  const Graph graph(parts);
  EXPECT_EQ(Spelling(schema, mutag_names()).node(graph.view(), 1), "F");
  schema.nodes.categories[0].values = {"carbon", "fluorine"};  // in their order
  EXPECT_EQ(Spelling(schema, {{"C", "F"}, {}}).node(graph.view(), 1), "F");
}

TEST(Spelling, WrongNamesAreErrorsWithAWayOut) {
  const auto fails = [](const MoleculeNames& names, const std::string& what, const std::string& hint) {
    try {
      const Spelling spelling(numbers(), names);
      ADD_FAILURE() << what;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), HasSubstr(what));
      EXPECT_THAT(error.hint(), HasSubstr(hint));
    }
  };
  fails({{"C", "N"}, {}}, "--atoms has 2 names, but column 'label' has 3 values: 0, 1, 2", "name them all");
  fails({{"C", "N", "Carbon"}, {}}, "'Carbon' is no element", "C, N, Cl");
  fails({{"7=C"}, {}}, "column 'label' has no value '7'", "VALUE=NAME");
  fails({{}, {"single", "duoble", "triple"}}, "'duoble' is no kind of bond", "did you mean double?");
  try {
    const Spelling spelling(Schema{}, {{"C"}, {}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("these graphs have none"));
  }
}

TEST(Spelling, ElementSymbolsAreMoleculesByThemselves) {
  Schema schema;
  schema.nodes.categories = {{"atom", {"C", "Cl", "O"}}};
  EXPECT_TRUE(Spelling(schema).is_molecules());
  schema.nodes.categories[0].values = {"U", "V", "W"};  // letters, rather
  EXPECT_FALSE(Spelling(schema).is_molecules());
  schema.nodes.categories[0].values = {"A", "B", "C"};
  EXPECT_FALSE(Spelling(schema).is_molecules());
}

TEST(Spelling, KnowsOgbsNumbers) {
  if (!can_read_smiles()) GTEST_SKIP() << "this build has no RDKit";
  const auto parsed = molecule_from_smiles("C[N+](=O)[O-]");
  const Graph graph(std::get<Molecule>(parsed).parts);
  const GraphView view = graph.view();
  Schema schema;
  schema.nodes = atom_schema();
  schema.edges = bond_schema();
  const Spelling spelling(schema);
  EXPECT_EQ(spelling.node(view, 0), "C");
  EXPECT_EQ(spelling.node(view, 1), "N");
  EXPECT_EQ(spelling.charge(view, 1), 1);
  EXPECT_EQ(spelling.charge(view, 3), -1);
  EXPECT_EQ(spelling.hydrogens(view, 0), 3);
  EXPECT_EQ(spelling.bond(view, *find_edge(view, 1, 2)), BondKind::kDouble);
  EXPECT_EQ(spelling.value(3, 6), "+1");
}

TEST(MoleculePicture, DrawsANitroGroupWithoutCharges) {
  if (!can_draw_molecules()) GTEST_SKIP() << "this build has no RDKit";
  const Graph graph(nitrobenzene());
  const GraphView view = graph.view();
  Explanation e = made_explanation(view);
  e.influence[8] = 4.5;
  const Spelling spelling(numbers(), mutag_names());
  const Picture picture =
      draw_picture({view, e, spelling, {}, "nitrobenzene", "", "class 1"}, {Quantity::kVisits, Quantity::kInfluence});
  EXPECT_TRUE(picture.molecule);
  EXPECT_EQ(picture.why_no_molecule, "");
  elements_of(picture.svg);  // well-formed
  // Both ends of both scales are on the page: the ground of atoms 8 (visits 8, influence 4.5) and 0 (influence -4.5).
  std::string upper = picture.svg;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  const ColourScale influence = node_scale(e, Quantity::kInfluence);
  for (const Rgb& colour : {node_scale(e, Quantity::kVisits).at(8), influence.at(4.5), influence.at(-4.5)}) {
    std::string text = hex(colour);
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
    EXPECT_THAT(upper, HasSubstr(text));
  }
}

TEST(MoleculePicture, OddMoleculesAreDrawnToo) {
  if (!can_draw_molecules()) GTEST_SKIP() << "this build has no RDKit";
  const auto draw = [](const DrawnMolecule& molecule) {
    const auto svg = draw_molecule(molecule, 300, 200);
    ASSERT_TRUE(svg);
    elements_of("<g>" + *svg + "</g>");
  };
  draw({{{6, 0, 0, {}}}, {}});                                         // one atom
  draw({{{6, 0, 4, {}}, {0, 0, 0, {}}}, {}});                          // two pieces, one no element
  draw({{{8, 0, 0, {}}, {8, 0, 0, {}}, {8, 0, 0, {}}, {8, 0, 0, {}}},  // oxygen with six bonds
        {{0, 1, BondKind::kDouble, {}}, {0, 2, BondKind::kDouble, {}}, {0, 3, BondKind::kDouble, {}}}});
  draw({{{6, 0, 0, {}}, {6, 0, 0, {}}}, {{0, 1, BondKind::kAromatic, Rgb{1, 0, 0}}}});  // aromatic, but no ring
  draw({{{6, 0, 0, {}}, {6, 0, 0, {}}},
        {{0, 0, BondKind::kSingle, {}},
         {0, 1, BondKind::kSingle, {}},
         {1, 0, BondKind::kSingle, {}}}});  // a loop and a bond twice
}

TEST(MoleculePicture, AGraphOfAtomsThatIsTooLargeIsDrawnPlainAndSaysWhy) {
  GraphParts parts;
  parts.num_nodes = 400;
  parts.node_categories.assign(400, 0);
  const Graph graph(parts);
  const GraphView view = graph.view();
  const Explanation e = made_explanation(view);
  const Spelling spelling(numbers(), mutag_names());
  const Picture picture = draw_picture({view, e, spelling, {}, "", "", ""}, {Quantity::kVisits});
  EXPECT_FALSE(picture.molecule);
  EXPECT_NE(picture.why_no_molecule, "");
}

}  // namespace
}  // namespace agentnet
