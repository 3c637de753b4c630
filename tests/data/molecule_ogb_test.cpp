// ogbg_molhiv both as SMILES and as the arrays and the split that OGB made of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "data/io/lines.h"
#include "data/molecules/molecule.h"
#include "support/shared_dir.h"

namespace agentnet {
namespace {

#ifdef AGENTNET_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

class MolhivTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_read_smiles()) GTEST_SKIP() << "built without RDKit";
    const auto shared = shared_dir();
    if (!shared) GTEST_SKIP() << kNoSharedDir;
    folder_ = *shared / "data" / "ogbg_molhiv";
    if (!std::filesystem::is_directory(folder_)) GTEST_SKIP() << "no data/ogbg_molhiv in the shared folder";

    Lines lines = open("mapping/mol.csv.gz");
    ASSERT_TRUE(lines.next());
    ASSERT_EQ(lines.line(), "HIV_active,smiles");
    while (lines.next()) smiles_.emplace_back(lines.line().substr(lines.line().find(',') + 1));
    ASSERT_EQ(smiles_.size(), 41127U);
  }

  [[nodiscard]] Lines open(const std::string& name) const {
    const Input input = Input::open(folder_ / name);
    return {input, input.members().at(0)};
  }

  [[nodiscard]] std::vector<std::vector<int>> table(const std::string& name) const {
    Lines lines = open(name);
    std::vector<std::vector<int>> rows;
    while (lines.next()) {
      Fields fields(lines, ',');
      auto& row = rows.emplace_back();
      while (!fields.at_end()) row.push_back(static_cast<int>(fields.integer("field")));
    }
    return rows;
  }

  // Compares molecules 0, step, 2 step ...
  void compare_every(std::size_t step) const {
    const auto num_nodes = table("raw/num-node-list.csv.gz"), num_edges = table("raw/num-edge-list.csv.gz");
    const auto nodes = table("raw/node-feat.csv.gz"), edges = table("raw/edge.csv.gz");
    const auto bonds = table("raw/edge-feat.csv.gz");
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < smiles_.size(); i += step) chosen.push_back(smiles_[i]);
    ThreadPool pool(2);
    const auto molecules = molecules_from_smiles(chosen, pool);

    std::size_t node = 0, edge = 0, equal = 0;
    for (std::size_t i = 0; i < smiles_.size(); ++i) {
      if (i % step == 0) {
        ASSERT_TRUE(std::holds_alternative<Molecule>(molecules[i / step])) << smiles_[i];
        const GraphParts& p = std::get<Molecule>(molecules[i / step]).parts;
        const bool same = p.num_nodes == static_cast<std::size_t>(num_nodes[i][0]) &&
                          p.from.size() == static_cast<std::size_t>(num_edges[i][0]) &&
                          equal_rows(p.node_categories, nodes, node, 9) &&
                          equal_rows(p.edge_categories, bonds, edge, 3) && equal_ends(p, edges, edge);
        EXPECT_TRUE(same) << "molecule " << i << ": " << smiles_[i];
        equal += same ? 1 : 0;
      }
      node += static_cast<std::size_t>(num_nodes[i][0]);
      edge += static_cast<std::size_t>(num_edges[i][0]);
    }
    EXPECT_EQ(equal, chosen.size());
  }

  std::filesystem::path folder_;
  std::vector<std::string> smiles_;

 private:
  static bool equal_rows(const std::vector<std::int32_t>& ours, const std::vector<std::vector<int>>& theirs,
                         std::size_t first, std::size_t width) {
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (ours[i] != theirs.at(first + i / width).at(i % width)) return false;
    }
    return true;
  }
  static bool equal_ends(const GraphParts& p, const std::vector<std::vector<int>>& theirs, std::size_t first) {
    for (std::size_t e = 0; e < p.from.size(); ++e) {
      const auto& row = theirs.at(first + e);
      if (static_cast<int>(p.from[e]) != row.at(0) || static_cast<int>(p.to[e]) != row.at(1)) return false;
    }
    return true;
  }
};

TEST_F(MolhivTest, ASampleOfMoleculesHasOgbsAtomsAndBonds) { compare_every(27); }

TEST_F(MolhivTest, AllMoleculesHaveOgbsAtomsAndBonds) {
  if (kSanitized) GTEST_SKIP() << "the sample is enough under a sanitizer";
  compare_every(1);
}

// The rule of OGB and MoleculeNet: the largest groups first, of two equally large ones the one whose first molecule
// comes later. (No string of this set has stereochemistry, so it does not tell whether scaffolds should have any.)
TEST_F(MolhivTest, GroupsOfOneScaffoldGiveOgbsSplit) {
  if (kSanitized) GTEST_SKIP() << "takes too long under a sanitizer";
  ThreadPool pool(2);
  const auto scaffolds = murcko_scaffolds(smiles_, pool);
  std::map<std::string, std::vector<int>> by_scaffold;
  for (std::size_t i = 0; i < smiles_.size(); ++i) by_scaffold[scaffolds[i].value()].push_back(static_cast<int>(i));
  std::vector<std::vector<int>> groups;
  for (auto& [scaffold, group] : by_scaffold) groups.push_back(std::move(group));
  std::sort(groups.begin(), groups.end(),
            [](const auto& a, const auto& b) { return std::pair(a.size(), a[0]) > std::pair(b.size(), b[0]); });

  const auto n = static_cast<double>(smiles_.size());
  std::set<int> train, valid, test;
  for (const auto& group : groups) {
    const auto with_train = static_cast<double>(train.size() + group.size());
    auto& part = with_train <= 0.8 * n                                       ? train
                 : with_train + static_cast<double>(valid.size()) <= 0.9 * n ? valid
                                                                             : test;
    part.insert(group.begin(), group.end());
  }
  for (const auto& [name, part] : {std::pair("train", &train), std::pair("valid", &valid), std::pair("test", &test)}) {
    std::set<int> official;
    for (const auto& row : table(std::string("split/scaffold/") + name + ".csv.gz")) official.insert(row.at(0));
    EXPECT_TRUE(*part == official) << name;
  }
}

}  // namespace
}  // namespace agentnet
