// Options of CRaWl, PNA, GSN, DGN, CIN and HIMP: what is refused, and what a set of graphs decides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "agentnet/error.h"
#include "core/json.h"
#include "nets/kinds.h"

namespace agentnet {
namespace {

void make(const std::string& kind, const std::string& options) {
  static_cast<void>(builtin_kinds().make({.kind = kind, .options = options, .shape = {.outputs = 2}}));
}

TEST(WalkOptions, ThatContradictEachOtherAreRefused) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"pna", R"({"hidden": 64, "towers": 5})"},
      {"pna", R"({"aggregators": []})"},
      {"pna", R"({"aggregators": ["median"]})"},
      {"pna", R"({"scalers": ["none"]})"},
      {"dgn", R"({"aggregators": ["dir0-dx"]})"},
      {"dgn", R"({"aggregators": ["dir17-dx"]})"},
      {"dgn", R"({"aggregators": ["dir1"]})"},
      {"dgn", R"({"layer": "towers", "hidden": 64})"},
      {"crawl", R"({"steps": 5})"},
      {"crawl", R"({"eval_steps": 4})"},
      {"crawl", R"({"kernel": 2})"},
      {"gsn", R"({"also_read": [5]})"},
      {"gsn", R"({"cycle_values": ["3 2 1"]})"},
      {"cin", R"({"read_dims": []})"},
      {"cin", R"({"read_dims": [0, 0]})"},
      {"cin", R"({"read_dims": [3]})"},
      {"himp", R"({"dropout": 1.5})"},
  };
  for (const auto& [kind, options] : bad) {
    try {
      make(kind, options);
      ADD_FAILURE() << kind << " took " << options;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage) << kind << " " << options;
      EXPECT_FALSE(error.hint().empty()) << kind << " " << options;
    }
  }
  for (const char* kind : {"pna", "dgn", "crawl", "gsn", "cin", "himp"}) EXPECT_NO_THROW(make(kind, "{}")) << kind;
}

// A triangle, and a path of three nodes.
GraphSet small_set() {
  GraphSet set;
  for (const bool closed : {true, false}) {
    GraphParts parts;
    parts.num_nodes = 3;
    parts.from = {0, 1};
    parts.to = {1, 2};
    if (closed) {
      parts.from.push_back(2);
      parts.to.push_back(0);
    }
    parts.undirected = true;
    set.add(Graph(std::move(parts)), std::vector<double>{closed ? 1.0 : 0.0});
  }
  return set;
}

Json advised(const char* kind, const char* option, const GraphSet* set) {
  for (const OptionChoice& choice : builtin_kinds().at(kind).advise({.graphs = 2, .mean_nodes = 3, .set = set})) {
    if (choice.option == option) return parse_json(choice.value, "advice");
  }
  return nullptr;
}

TEST(WalkOptions, ComeFromTheSet) {
  const GraphSet set = small_set();
  const double delta = (4 * std::log(3.0) + 2 * std::log(2.0)) / 6;
  EXPECT_NEAR(advised("pna", "mean_log_degree", &set).get<double>(), delta, 1e-5);
  EXPECT_NEAR(advised("dgn", "mean_log_degree", &set).get<double>(), delta, 1e-5);
  const Json cycles = advised("gsn", "cycle_values", &set);
  ASSERT_EQ(cycles.size(), 6U);  // of 3 to 8 nodes
  EXPECT_EQ(cycles[0], "0 1");
  EXPECT_EQ(cycles[1], "0");
  EXPECT_EQ(advised("gsn", "clique_values", &set)[0], "0 1");
  for (const char* kind : {"pna", "gsn"}) {
    EXPECT_TRUE(builtin_kinds().at(kind).advise({.graphs = 2, .mean_nodes = 3}).empty()) << kind;
  }
}

TEST(WalkOptions, OfADenseSetCountShorterCyclesAndCliques) {
  GraphParts parts;
  parts.num_nodes = 40;
  parts.undirected = true;
  for (std::uint32_t u = 0; u < 40; ++u) {
    for (std::uint32_t v = u + 1; v < 40; ++v) {
      parts.from.push_back(u);
      parts.to.push_back(v);
    }
  }
  GraphSet set;
  set.add(Graph(std::move(parts)), std::vector<double>{0.0});
  EXPECT_EQ(advised("gsn", "max_cycle", &set), 4);  // 40^5 / 10 cycles of 5 nodes are too many
  EXPECT_EQ(advised("gsn", "max_clique", &set), 5);
  EXPECT_EQ(advised("gsn", "cycle_values", &set)[0], "741");  // 39 * 38 / 2 triangles at each node
}

}  // namespace
}  // namespace agentnet
