// Sets from arrays: borrowed where they can be, and the same graphs as any other way of making them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "agentnet/agentnet.h"
#include "capi/handles.h"
#include "core/random.h"
#include "graph/set_arrays.h"
#include "support/same_sets.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

struct Arrays {
  std::vector<std::int64_t> nodes = {0}, edges = {0};
  std::vector<std::uint32_t> from, to;
  std::vector<float> node_dense, edge_dense;
  std::vector<std::int32_t> node_categories, edge_categories;
  bool undirected = false;
  int given_back = 0;

  [[nodiscard]] agentnet_arrays c() const {
    agentnet_arrays a = {};
    a.size = sizeof(a);
    a.graphs = nodes.size() - 1;
    a.node_offsets = nodes.data();
    a.edge_offsets = edges.data();
    a.from = from.data();
    a.to = to.data();
    a.undirected = undirected ? 1 : 0;
    const auto width = [](const auto& values, std::int64_t rows) {
      return rows > 0 ? static_cast<std::int32_t>(values.size() / static_cast<std::size_t>(rows)) : 0;
    };
    a.node_dense_columns = width(node_dense, nodes.back());
    a.node_category_columns = width(node_categories, nodes.back());
    a.edge_dense_columns = width(edge_dense, edges.back());
    a.edge_category_columns = width(edge_categories, edges.back());
    a.node_dense = node_dense.data();
    a.node_categories = node_categories.data();
    a.edge_dense = edge_dense.data();
    a.edge_categories = edge_categories.data();
    return a;
  }
};

void give_back(void* owner) { ++static_cast<Arrays*>(owner)->given_back; }

// Two graphs: a path 0 - 1 - 2 with every edge in both directions and in order, and a node by itself.
Arrays path_and_point() {
  Arrays a;
  a.nodes = {0, 3, 4};
  a.edges = {0, 4, 4};
  a.from = {0, 1, 1, 2};
  a.to = {1, 0, 2, 1};
  a.node_dense = {0.5F, 1, 2, 3};
  a.node_categories = {0, 1, 1, 0};
  a.edge_dense = {1, 1, 2, 2};
  return a;
}

struct Made {
  agentnet_set* set = nullptr;
  agentnet_error* error = nullptr;
  int status = 0;

  explicit Made(Arrays& arrays, const char* schema = nullptr, const char* options = nullptr) {
    const agentnet_arrays a = arrays.c();
    status = agentnet_set_from_arrays(&a, schema, options, give_back, &arrays, &set, &error);
  }
  ~Made() {
    agentnet_set_free(set);
    agentnet_error_free(error);
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  [[nodiscard]] std::string message() const { return agentnet_error_message(error); }
};

TEST(SetsFromArrays, AreTheGraphsThatTheArraysDescribe) {
  Arrays arrays = path_and_point();
  const Made made(arrays);
  ASSERT_EQ(made.status, AGENTNET_OK) << made.message();
  EXPECT_EQ(described(*made.set->data),
            "none \n"
            "nodes category0{0,1} dense0\n"
            "edges dense0\n"
            ": 0[0 0.5] 1[1 1] 2[1 2]; 0>1[1] 1>0[1] 1>2[2] 2>1[2];\n"
            ": 0[0 3];;\n");
}

TEST(SetsFromArrays, BorrowListsThatAreInOrderAndFeatures) {
  Arrays arrays = path_and_point();
  {
    const Made made(arrays);
    ASSERT_EQ(made.status, AGENTNET_OK) << made.message();
    const SetArrays& set = made.set->data->graphs.arrays();
    EXPECT_EQ(set.neighbours.data(), arrays.to.data());
    EXPECT_EQ(set.node_dense.data(), arrays.node_dense.data());
    EXPECT_EQ(set.node_categories.data(), arrays.node_categories.data());
    EXPECT_EQ(set.edge_dense.data(), arrays.edge_dense.data());
    EXPECT_EQ(arrays.given_back, 0);
  }
  EXPECT_EQ(arrays.given_back, 1);
}

TEST(SetsFromArrays, AreTheSameWhateverTheOrderOfTheEdges) {
  Arrays sorted = path_and_point(), shuffled = sorted, once = sorted;
  shuffled.from = {2, 0, 1, 1};
  shuffled.to = {1, 1, 2, 0};
  shuffled.edge_dense = {2, 1, 2, 1};
  once.edges = {0, 2, 2};
  once.from = {0, 2};
  once.to = {1, 1};
  once.edge_dense = {1, 2};
  once.undirected = true;
  const Made a(sorted), b(shuffled), c(once);
  ASSERT_EQ(b.status, AGENTNET_OK) << b.message();
  ASSERT_EQ(c.status, AGENTNET_OK) << c.message();
  EXPECT_EQ(described(*b.set->data), described(*a.set->data));
  EXPECT_EQ(described(*c.set->data), described(*a.set->data));
}

TEST(SetsFromArrays, KeepTheRowsOfEdgesThatAreListedTwice) {
  Arrays arrays = path_and_point();
  arrays.edges = {0, 5, 5};
  arrays.from = {0, 0, 1, 1, 2};
  arrays.to = {1, 1, 0, 2, 1};
  arrays.edge_dense = {1, 7, 1, 2, 2};
  const Made made(arrays);
  ASSERT_EQ(made.status, AGENTNET_OK) << made.message();
  EXPECT_THAT(described(*made.set->data), HasSubstr("0>1[1][7] 1>0[1] 1>2[2] 2>1[2]"));
}

TEST(SetsFromArrays, OwnTheirArraysUntilTheLastSetThatUsesThemIsGone) {
  Arrays arrays = path_and_point();
  agentnet_set* labelled = nullptr;
  {
    const Made made(arrays);
    const std::vector<double> labels = {0, 1};
    ASSERT_EQ(agentnet_set_with_targets(made.set, R"({"task": "regression", "targets": ["y"]})", labels.data(),
                                        &labelled, nullptr),
              AGENTNET_OK);
  }
  EXPECT_EQ(arrays.given_back, 0);
  EXPECT_THAT(described(*labelled->data), HasSubstr("0[0 0.5] 1[1 1] 2[1 2]; 0>1[1] 1>0[1] 1>2[2] 2>1[2]; 0\n"));
  agentnet_set_free(labelled);
  EXPECT_EQ(arrays.given_back, 1);
}

TEST(SetsFromArrays, GetAConstantIfNodesHaveNoFeatures) {
  Arrays arrays = path_and_point();
  arrays.node_dense = {};
  arrays.node_categories = {};
  const Made plain(arrays), degree(arrays, nullptr, R"({"degree": true})");
  ASSERT_EQ(plain.status, AGENTNET_OK) << plain.message();
  EXPECT_THAT(described(*plain.set->data), HasSubstr("nodes constant\n"));
  EXPECT_THAT(described(*degree.set->data), HasSubstr("nodes degree{0,1,2}\n"));
}

TEST(SetsFromArrays, AreWrittenOverACopyWhenAModelNumbersCategoriesInAnotherWay) {
  Arrays arrays = path_and_point();
  const Made first(arrays, R"({"nodes": {"dense": ["d"], "categories": [{"name": "c", "values": ["A", "B"]}]},
                               "edges": {"dense": ["w"]}})");
  const Made other(arrays, R"({"nodes": {"dense": ["d"], "categories": [{"name": "c", "values": ["B", "A"]}]},
                               "edges": {"dense": ["w"]}})");
  agentnet_set* joined = nullptr;
  ASSERT_EQ(agentnet_set_join(first.set, other.set, &joined, nullptr), AGENTNET_OK);
  EXPECT_EQ(described(*joined->data),
            "none \nnodes c{A,B} d\nedges w\n"
            ": 0[A 0.5] 1[B 1] 2[B 2]; 0>1[1] 1>0[1] 1>2[2] 2>1[2];\n: 0[A 3];;\n"
            ": 0[B 0.5] 1[A 1] 2[A 2]; 0>1[1] 1>0[1] 1>2[2] 2>1[2];\n: 0[B 3];;\n");
  EXPECT_EQ(arrays.node_categories, (std::vector<std::int32_t>{0, 1, 1, 0}));
  agentnet_set_free(joined);
}

TEST(SetsFromArrays, NameTheGraphAndTheRowOfWhatDoesNotFit) {
  const auto refused = [](const std::function<void(Arrays&)>& change, const char* words, int code = AGENTNET_DATA) {
    Arrays arrays = path_and_point();
    change(arrays);
    const Made made(arrays);
    EXPECT_EQ(made.status, code) << words;
    EXPECT_THAT(made.message(), HasSubstr(words));
    EXPECT_EQ(arrays.given_back, 0) << "arrays of a call that failed stay the caller's";
    EXPECT_EQ(made.set, nullptr);
  };
  refused([](Arrays& a) { a.to[3] = 3; }, "graph 0: edge 3 goes from node 2 to node 3");
  refused([](Arrays& a) { a.node_dense[3] = std::numeric_limits<float>::quiet_NaN(); },
          "graph 1, node 0: 'dense0' is nan");
  refused([](Arrays& a) { a.edge_dense[2] = std::numeric_limits<float>::infinity(); },
          "graph 0, edge 2: 'dense0' is inf");
  refused([](Arrays& a) { a.node_categories[1] = -1; }, "graph 0, node 1: 'category0' is -1");
  refused([](Arrays& a) { a.nodes = {0, 4, 4}; }, "graph 1 has no nodes");
  refused([](Arrays& a) { a.nodes = {0, 3, 2}; }, "node_offsets falls from 3 to 2 at graph 1");
  refused([](Arrays& a) { a.edges = {1, 4, 4}; }, "edge_offsets begins with 1");
  refused([](Arrays& a) { a.nodes = {0}; }, "there are no graphs");
}

TEST(SetsFromArrays, RefuseSchemasThatDoNotBelongToThem) {
  const auto message = [](const char* schema) {
    Arrays arrays = path_and_point();
    const Made made(arrays, schema);
    EXPECT_EQ(made.status, AGENTNET_USAGE);
    return made.message();
  };
  EXPECT_THAT(message(R"({"nodes": {"dense": ["a"]}})"), HasSubstr("names 1 dense and 0 categorical node columns"));
  EXPECT_THAT(message(R"({"nodes": {"dense": ["a"], "categories": [{"name": "a", "values": ["x", "y"]}]},
                          "edges": {"dense": ["w"]}})"),
              HasSubstr("two node columns are called 'a'"));
  EXPECT_THAT(message("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(message(R"({"nodes": {"categories": [3]}})"), HasSubstr("not as expected"));
}

TEST(SetsFromArrays, ComeBackAsTheArraysOfTheEngine) {
  Arrays arrays = path_and_point();
  const Made made(arrays);
  agentnet_set_view view = {};
  view.size = sizeof(view);
  ASSERT_EQ(agentnet_set_arrays(made.set, &view, nullptr), AGENTNET_OK);
  EXPECT_EQ(view.graphs, 2U);
  EXPECT_EQ(view.nodes, 4U);
  EXPECT_EQ(view.edges, 4U);
  EXPECT_THAT(std::vector<std::uint64_t>(view.offsets, view.offsets + 6), testing::ElementsAre(0, 1, 3, 4, 0, 0));
  EXPECT_EQ(view.neighbours, arrays.to.data());
  EXPECT_EQ(view.first_row, nullptr);
}

}  // namespace
}  // namespace agentnet
