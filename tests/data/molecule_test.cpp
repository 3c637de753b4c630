#include "data/molecules/molecule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "agentnet/graph.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;

class MoleculeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_read_smiles()) GTEST_SKIP() << "built without RDKit";
  }
};

GraphParts parts(const std::string& smiles) {
  MoleculeOrReason result = molecule_from_smiles(smiles);
  if (const auto* reason = std::get_if<std::string>(&result)) throw std::runtime_error(smiles + ": " + *reason);
  return std::get<Molecule>(std::move(result)).parts;
}

std::string reason(const std::string& smiles) {
  const MoleculeOrReason result = molecule_from_smiles(smiles);
  return std::holds_alternative<Molecule>(result) ? "a molecule" : std::get<std::string>(result);
}

std::vector<int> row(const std::vector<std::int32_t>& table, std::size_t i, std::size_t width) {
  const auto first = table.begin() + static_cast<std::ptrdiff_t>(i * width);
  return {first, first + static_cast<std::ptrdiff_t>(width)};
}
std::vector<int> atom(const GraphParts& p, std::size_t i) { return row(p.node_categories, i, 9); }
std::vector<int> bond(const GraphParts& p, std::size_t i) { return row(p.edge_categories, i, 3); }

TEST(MoleculeSchema, HasTheColumnsOfOgbAndTheirSizes) {
  std::vector<std::pair<std::string, std::size_t>> columns;
  for (const auto* schema : {&atom_schema(), &bond_schema()}) {
    EXPECT_TRUE(schema->dense.empty());
    for (const CategoryColumn& column : schema->categories) columns.emplace_back(column.name, column.values.size());
  }
  EXPECT_THAT(columns,
              ElementsAre(std::pair("atomic_num", 119U), std::pair("chirality", 5U), std::pair("degree", 12U),
                          std::pair("formal_charge", 12U), std::pair("num_h", 10U), std::pair("num_radical", 6U),
                          std::pair("hybridization", 6U), std::pair("is_aromatic", 2U), std::pair("is_in_ring", 2U),
                          std::pair("bond_type", 5U), std::pair("bond_stereo", 6U), std::pair("is_conjugated", 2U)));
  EXPECT_EQ(atom_schema().categories[0].values[117], "117");
}

TEST(MoleculeWithoutRdkit, SaysWhichPackageIsMissing) {
  if (can_read_smiles()) GTEST_SKIP() << "built with RDKit";
  ThreadPool pool(1);
  const std::vector<std::string> smiles = {"C"};
  for (const auto& call : std::vector<std::function<void()>>{
           [] { static_cast<void>(molecule_from_smiles("C")); }, [] { static_cast<void>(murcko_scaffold("C")); },
           [&] { static_cast<void>(molecules_from_smiles(smiles, pool)); },
           [&] { static_cast<void>(murcko_scaffolds(smiles, pool)); }}) {
    try {
      call();
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_STREQ(error.what(), "this agentnet was built without RDKit, which reads SMILES");
      EXPECT_THAT(error.hint(), ::testing::HasSubstr("librdkit-dev"));
    }
  }
}

TEST_F(MoleculeTest, EthanolHasThreeAtomsAndEachBondOnce) {
  const GraphParts p = parts("CCO");
  EXPECT_EQ(p.num_nodes, 3U);
  EXPECT_TRUE(p.undirected);
  EXPECT_THAT(p.from, ElementsAre(0, 1));
  EXPECT_THAT(p.to, ElementsAre(1, 2));
  EXPECT_THAT(atom(p, 0), ElementsAre(5, 0, 4, 5, 3, 0, 2, 0, 0));
  EXPECT_THAT(atom(p, 1), ElementsAre(5, 0, 4, 5, 2, 0, 2, 0, 0));
  EXPECT_THAT(atom(p, 2), ElementsAre(7, 0, 2, 5, 1, 0, 2, 0, 0));
  EXPECT_THAT(bond(p, 0), ElementsAre(0, 0, 0));
  EXPECT_EQ(Graph(p).num_edges(), 4U);
}

TEST_F(MoleculeTest, AromaticRingsAndChargesAreSeen) {
  const GraphParts p = parts("[O-]c1ccccc1");
  EXPECT_THAT(atom(p, 0), ElementsAre(7, 0, 1, 4, 0, 0, 1, 0, 0));
  EXPECT_THAT(atom(p, 1), ElementsAre(5, 0, 3, 5, 0, 0, 1, 1, 1));
  EXPECT_THAT(bond(p, 0), ElementsAre(0, 0, 1));
  EXPECT_THAT(bond(p, 1), ElementsAre(3, 0, 1));
  EXPECT_EQ(p.from.size(), 7U);
}

// The sets of OGB at hand have no stereochemistry: it is checked here.
TEST_F(MoleculeTest, MirrorImagesDifferInTheirChiralCentre) {
  EXPECT_EQ(atom(parts("C[C@H](N)C(=O)O"), 1)[1], 2);   // counter-clockwise
  EXPECT_EQ(atom(parts("C[C@@H](N)C(=O)O"), 1)[1], 1);  // clockwise
  EXPECT_EQ(atom(parts("CC(N)C(=O)O"), 1)[1], 0);
  EXPECT_EQ(atom(parts("C[C@H](C)O"), 1)[1], 0) << "two arms are the same, so this is no centre";
}

TEST_F(MoleculeTest, DoubleBondsKnowTheirSides) {
  EXPECT_THAT(bond(parts("C/C=C/C"), 1), ElementsAre(1, 2, 0));   // E
  EXPECT_THAT(bond(parts("C/C=C\\C"), 1), ElementsAre(1, 1, 0));  // Z
  EXPECT_THAT(bond(parts("CC=CC"), 1), ElementsAre(1, 0, 0));
}

TEST_F(MoleculeTest, WhatOgbDoesNotListGetsTheLastNumber) {
  EXPECT_EQ(atom(parts("*"), 0)[0], 118);                 // no element
  EXPECT_EQ(atom(parts("*"), 0)[6], 5);                   // no hybridization
  EXPECT_EQ(atom(parts("[U+6]"), 0)[3], 11);              // charge
  EXPECT_EQ(atom(parts("Cl[Pt@SP1](F)(Br)I"), 1)[1], 4);  // square planar
  EXPECT_EQ(bond(parts("N->[Cu]"), 0)[0], 4);             // dative
}

TEST_F(MoleculeTest, EveryValueIsInItsVocabulary) {
  for (const char* smiles : {"*", "[U+6]", "[CH3]", "FS(F)(F)(F)(F)F", "N->[Cu]", "Cl[Pt@SP1](F)(Br)I", "[235U]"}) {
    const GraphParts p = parts(smiles);
    for (std::size_t i = 0; i < p.node_categories.size(); ++i) {
      EXPECT_LT(p.node_categories[i], static_cast<int>(atom_schema().categories[i % 9].values.size())) << smiles;
    }
    for (std::size_t i = 0; i < p.edge_categories.size(); ++i) {
      EXPECT_LT(p.edge_categories[i], static_cast<int>(bond_schema().categories[i % 3].values.size())) << smiles;
    }
  }
}

TEST_F(MoleculeTest, ExplicitHydrogensAreNoNodes) { EXPECT_EQ(parts("[H]O[H]").num_nodes, 1U); }

TEST_F(MoleculeTest, SeveralComponentsAreOneGraph) {
  const GraphParts p = parts("[Na+].[Cl-]");
  EXPECT_EQ(p.num_nodes, 2U);
  EXPECT_TRUE(p.from.empty());
}

TEST_F(MoleculeTest, AStringThatIsNoMoleculeGetsAReason) {
  EXPECT_EQ(reason(""), "no atoms");
  EXPECT_EQ(reason("   "), "no atoms");
  EXPECT_EQ(reason("C1CC"), "unclosed ring");
  EXPECT_EQ(reason("C(C"), "extra open parentheses");
  EXPECT_EQ(reason("C)C"), "extra close parentheses");
  EXPECT_EQ(reason("not a molecule"), "syntax error");
  EXPECT_EQ(reason("[Xx]"), "syntax error");
  EXPECT_EQ(reason("CN(C)(C)(C)C"), "Explicit valence for atom # 1 N, 5, is greater than permitted");
  EXPECT_THAT(reason("c1cccc1"), ::testing::HasSubstr("kekulize"));
}

// RDKit by itself reads "CCé" as "CC".
TEST_F(MoleculeTest, AForeignCharacterIsNotTakenForTheEnd) {
  EXPECT_EQ(reason("CC\xc3\xa9"), "character 3 is none that SMILES uses");
  EXPECT_EQ(reason(std::string("C\0C", 3)), "character 2 is none that SMILES uses");
  EXPECT_EQ(reason(" C\xc3\xa9"), "character 3 is none that SMILES uses");
  EXPECT_EQ(reason("C\nC"), "character 2 is none that SMILES uses");
}

// RDKit by itself thinks for minutes.
TEST_F(MoleculeTest, ManyUnspecifiedAtomsAreRefused) {
  EXPECT_EQ(parts("C1" + std::string(10, '*') + "C1").num_nodes, 12U);
  EXPECT_EQ(reason("C1" + std::string(11, '*') + "C:1"), "more than 10 unspecified atoms (*)");
}

TEST_F(MoleculeTest, ANameAfterASpaceIsLeftOut) {
  EXPECT_EQ(parts("CCO alcohol").num_nodes, 3U);
  EXPECT_EQ(parts("CCO\t\xc3\xa9thanol").num_nodes, 3U);
}

TEST_F(MoleculeTest, ManyGiveTheSameOnAnyNumberOfThreads) {
  std::vector<std::string> smiles;
  for (std::size_t i = 0; i < 400; ++i) {
    // Every seventh is bad: their reasons are found while others are parsed.
    smiles.push_back(i % 7 == 3 ? "C1CC" + std::string(i, 'C') : "c1ccccc1" + std::string(i % 50, 'C'));
  }
  ThreadPool one(1), three(3);
  const auto expected = molecules_from_smiles(smiles, one);
  const auto results = molecules_from_smiles(smiles, three);
  ASSERT_EQ(results.size(), smiles.size());
  for (std::size_t i = 0; i < smiles.size(); ++i) {
    ASSERT_EQ(results[i].index(), expected[i].index()) << smiles[i];
    if (i % 7 == 3) {
      EXPECT_EQ(std::get<std::string>(results[i]), "unclosed ring");
    } else {
      EXPECT_EQ(std::get<Molecule>(results[i]).parts.num_nodes, 6 + i % 50);
      EXPECT_EQ(std::get<Molecule>(results[i]).parts.node_categories,
                std::get<Molecule>(expected[i]).parts.node_categories);
    }
  }
}

TEST_F(MoleculeTest, AScaffoldIsTheRingsAndWhatJoinsThem) {
  EXPECT_EQ(murcko_scaffold("CC(C)Cc1ccc(cc1)C(C)C(=O)O"), "c1ccccc1");
  EXPECT_EQ(murcko_scaffold("c1ccccc1CCC1CC1O"), "c1ccc(CCC2CC2)cc1");
  EXPECT_EQ(murcko_scaffold("CCO"), "");
  EXPECT_EQ(murcko_scaffold("C1CC"), std::nullopt);
}

TEST_F(MoleculeTest, AScaffoldDoesNotDependOnTheSpellingNorOnStereochemistry) {
  EXPECT_EQ(murcko_scaffold("C1CCNC(C1)c1ccccc1"), murcko_scaffold("c1ccc(cc1)C1CCCCN1"));
  EXPECT_EQ(murcko_scaffold("C1CCN[C@@H](C1)c1ccccc1"), murcko_scaffold("C1CCN[C@H](C1)c1ccccc1"));
}

}  // namespace
}  // namespace agentnet
