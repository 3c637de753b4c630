// Edge lists that are sorted on disk: the same files as those that are read into memory.
#include "data/huge/convert_edges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/random.h"
#include "data/formats/readers.h"
#include "data/huge/edge_scan.h"
#include "data/huge/edge_sorter.h"
#include "data/huge/mapped_set.h"
#include "graph/set_arrays.h"
#include "graph/set_file.h"
#include "support/archives.h"
#include "support/faulty_files.h"
#include "support/read_text.h"
#include "support/same_sets.h"
#include "support/shared_dir.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::uint64_t kLittle = 1 << 16;  // a buffer of 2048 pairs

std::string message_of(const std::function<void()>& f) {
  try {
    f();
    return "accepted";
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint();
  }
}

// The first difference between the arrays of two files; empty if there is none.
std::string different_arrays(const std::filesystem::path& a, const std::filesystem::path& b) {
  const SetFile first = open_set_file(a), second = open_set_file(b);
  const SetArrays &x = first.graphs.arrays(), &y = second.graphs.arrays();
  const auto same = [](const auto& one, const auto& other) { return std::ranges::equal(one.all(), other.all()); };
  if (!same(x.first_node, y.first_node)) return "first_node";
  if (!same(x.first_edge, y.first_edge)) return "first_edge";
  if (!same(x.offsets, y.offsets)) return "offsets";
  if (!same(x.neighbours, y.neighbours)) return "neighbours";
  if (!same(x.wide_neighbours, y.wide_neighbours)) return "wide_neighbours";
  if (!same(x.edge_rows, y.edge_rows)) return "edge_rows";
  if (!same(x.node_dense, y.node_dense)) return "node_dense";
  if (!same(x.node_categories, y.node_categories)) return "node_categories";
  if (!same(x.targets, y.targets)) return "targets";
  if (!same(x.hubs, y.hubs) || !same(x.first_hub, y.first_hub)) return "hubs";
  if (!same(x.hub_entries, y.hub_entries) || !same(x.hub_neighbours, y.hub_neighbours)) return "hub lists";
  return first.metadata == second.metadata ? "" : "metadata: " + first.metadata + " and " + second.metadata;
}

class ConvertEdgeLists : public ::testing::Test {
 protected:
  // Converts the list both ways and compares; returns what the one in bounded memory did.
  ConvertedEdges both(const std::filesystem::path& list, Direction direction = Direction::kAsFormat,
                      std::uint64_t memory = kLittle) {
    DataOptions options;
    options.direction = direction;
    static_cast<void>(write_mapped_set(read_edge_list(Input::open(list), options), folder_ / "memory.graph"));
    ConvertEdges convert;
    convert.memory = memory;
    convert.direction = direction;
    convert.replace = true;
    const ConvertedEdges result = convert_edge_list(Input::open(list), folder_ / "disk.graph", convert);
    EXPECT_EQ(different_arrays(folder_ / "memory.graph", folder_ / "disk.graph"), "");
    EXPECT_NO_THROW(static_cast<void>(open_set_file(folder_ / "disk.graph", kAnySize)));
    return result;
  }
  ConvertedEdges both_of_text(const std::string& text, Direction direction = Direction::kAsFormat,
                              std::uint64_t memory = kLittle) {
    write_text(folder_ / "list.txt", text);
    return both(folder_ / "list.txt", direction, memory);
  }
  std::string error(const std::string& text, std::uint64_t memory = kLittle) {
    return message_of([&] {
      ConvertEdges convert;
      convert.memory = memory;
      static_cast<void>(convert_edge_list(Input::from_text("file", text), folder_ / "x.graph", convert));
    });
  }

  TempFolder folder_;
};

TEST_F(ConvertEdgeLists, ListsOfEveryKindAreTheSameAsInMemory) {
  const std::vector<std::string> lists = {
      "0\t1\n1\t2\n2\t0\n",
      "0 1",
      "# a comment\n0\t1\n% another\n1 0\n1\t2\n\n",
      "7 3\n3 12\n",
      "# Nodes: 6 Edges: 2\n0 1\n3 1\n",
      "# Nodes: 3\n",
      "# Nodes: 3\n1 2\n2 3\n",
      "# Nodes: many\n0 5\n",
      "0 5\n# Nodes: 9\n",
      "# Nodes: 4000000000\n0 1\n",
      "0,1\n1, 2\n2 ,0\n",
      "from,to\n5,1\n1,5\n",
      "0 0\n0 1\n0 1\n",
      "\xEF\xBB\xBF# Nodes: 2\r\n0\t1\r\n",
      "\xEF\xBB\xBF"
      "0\t1\r\n1\t2\r\n",
      "  3   4  \n\t5\t\t6\t\n   \n6 3 \n",
      "000000000000000000000007 1\n00012345678 2\n12345678 123456\n123456 1\n",
      "0 1\n1 2\n# written by agentnet. Direction: as listed\n2 3\n",
      "# Direction: as listed\n0 1\n2 1\n",
      "100 200\n" + std::string(3000, '0') + "1 2\n",
      "# " + std::string(20000, 'x') + "\n0 1\n",
  };
  for (const std::string& list : lists) {
    SCOPED_TRACE(list.substr(0, 60));
    for (const Direction direction : {Direction::kAsFormat, Direction::kDirected, Direction::kUndirected}) {
      both_of_text(list, direction, list.starts_with("00000") ? 1 << 23 : kLittle);
    }
  }
}

TEST_F(ConvertEdgeLists, ManyRunsAreTheSameAsInMemory) {
  RandomSequence random(3, Purpose::kTest);
  for (const std::uint64_t ids : {10ULL, 3000ULL, 100000ULL}) {
    std::string text = ids == 3000 ? "# Nodes: 3001\n" : "";
    for (int e = 0; e < 40000; ++e) {
      // Few ids with many edges: hubs, and parts that do not fit.
      const std::uint64_t a = random.below(4) == 0 ? random.below(3) : random.below(ids), b = random.below(ids);
      text += std::to_string(a) + (e % 3 == 0 ? "\t" : " ") + std::to_string(b) + "\n";
    }
    for (const Direction direction : {Direction::kDirected, Direction::kUndirected}) {
      EXPECT_GT(both_of_text(text, direction).runs, 10U);
      EXPECT_EQ(both_of_text(text, direction, 1 << 24).runs, 0U);
    }
  }
}

// The ids grow from run to run, then one of them is the only one.
TEST_F(ConvertEdgeLists, IdsThatGrowAndALonelyHubAreTheSameAsInMemory) {
  std::string text;
  for (int e = 0; e < 20000; ++e) text += std::to_string(e) + " " + std::to_string(e * 2) + "\n";
  for (int e = 0; e < 20000; ++e) text += "5 " + std::to_string(e) + "\n";
  for (int e = 0; e < 9000; ++e) text += "6 6\n";
  EXPECT_GT(both_of_text(text, Direction::kDirected).runs, 10U);
  EXPECT_GT(both_of_text(text, Direction::kUndirected).runs, 10U);
}

TEST_F(ConvertEdgeLists, PackedListsAreTheSame) {
  std::string text;
  for (int e = 0; e < 5000; ++e) text += std::to_string(e) + "\t" + std::to_string((e * 7) % 5000) + "\n";
  for (const char* ending : {".gz", ".xz", ".zst"}) {
    write_text(folder_ / (std::string("list.txt") + ending), packed(text, ending));
    both(folder_ / (std::string("list.txt") + ending));
  }
}

TEST_F(ConvertEdgeLists, WhatIsWrongIsNamedWithItsPlace) {
  const std::string many(5000, '\n');
  EXPECT_THAT(error("0 1\n1 x\n"),
              StartsWith("file:2:3: the second node id should be a whole number from 0, but is 'x'"));
  EXPECT_THAT(error("0 1\n" + many + "-1 0\n"),
              StartsWith("file:5002:1: the first node id should be a whole number from 0, but is '-1'"));
  EXPECT_THAT(error("0 1\n2\n"), StartsWith("file:2:2: the line ends where its second node id should be"));
  EXPECT_THAT(error("0 1\n2 \n"), StartsWith("file:2:3: the line ends where its second node id should be"));
  EXPECT_THAT(error("0 1\n1 2 3\n"), StartsWith("file:2:5: there is more on the line than two node ids"));
  EXPECT_THAT(error("0 1\n1 2x\n"), StartsWith("file:2:3: the second node id"));
  EXPECT_THAT(error("0 1\n1,2\n"), StartsWith("file:2:1: the first node id"));
  EXPECT_THAT(error("0,1\n1 2\n"), StartsWith("file:2:1: the first node id"));
  EXPECT_THAT(error("0 1\n0 18446744073709551616\n"), StartsWith("file:2:3: the second node id"));
  EXPECT_THAT(error("a,b,c,d\n0,1,2,3\n"), StartsWith("file:1:1: the names should be those of two node ids"));
  EXPECT_EQ(error("# nothing\n"), "file:2:1: the graph has no nodes | leave empty graphs out");
  EXPECT_EQ(error(""), "file:1:1: the graph has no nodes | leave empty graphs out");
  EXPECT_EQ(error("0 1 0.5\n"),
            "file:1:5: a list with weights is converted in memory | leave --memory out, or leave the weights out of "
            "the list");
  EXPECT_THAT(error("0 1\n18446744073709551615 3\n"),
              StartsWith("file: the largest id is 18446744073709551615, and --memory has room for ids below 131072"));
}

TEST_F(ConvertEdgeLists, ALittleMoreMemoryHasRoomForTheLargestId) {
  EXPECT_THAT(error("0 1000000\n"), HasSubstr("such as --memory 1M"));
  both_of_text("0 1000000\n", Direction::kAsFormat, 1 << 20);
}

TEST_F(ConvertEdgeLists, AnExistingFileStaysUnlessItMayBeReplaced) {
  write_text(folder_ / "x.graph", "precious");
  EXPECT_EQ(error("0 1\n"),
            (folder_ / "x.graph").string() + " exists already | choose another name, or replace it with --force");
  EXPECT_EQ(read_text(folder_ / "x.graph"), "precious");
}

TEST_F(ConvertEdgeLists, LabelsAndNumbersOfNodesComeFromFilesBesideTheList) {
  write_text(folder_ / "list.txt", "10 20\n20 30\n30 40\n");
  write_text(folder_ / "labels", "# id label\n10 blue sky \n40 7\n30 blue sky\n99 nowhere\n");
  write_text(folder_ / "numbers", "20 0.5 1\n10 1.5 -1\n40 0 0\n30 2 3\n");
  ConvertEdges convert;
  convert.node_labels = folder_ / "labels";
  convert.node_numbers = folder_ / "numbers";
  convert.label = "web";
  const auto result = convert_edge_list(Input::open(folder_ / "list.txt"), folder_ / "out.graph", convert);
  EXPECT_EQ(result.unused_lines, 1U);
  EXPECT_EQ(described(read_data(folder_ / "out.graph", {})),
            "classification class{web}\nnodes label{7,,blue sky} x0 x1\nedges\n"
            ": 0[blue sky 1.5 -1] 1[ 0.5 1] 2[blue sky 2 3] 3[7 0 0]; 0>1 1>0 1>2 2>1 2>3 3>2; web\n");
  EXPECT_NO_THROW(static_cast<void>(open_set_file(folder_ / "out.graph", kAnySize)));
  const SetFile file = open_set_file(folder_ / "out.graph");
  EXPECT_THAT(file.graphs.arrays().labels.all(), ElementsAre(1, 2, 2, 1, 0, 2));
}

TEST_F(ConvertEdgeLists, NodeFilesThatMakeNoSenseAreRefused) {
  write_text(folder_ / "list.txt", "10 20\n");
  const auto error_with = [&](const std::string& labels, const std::string& numbers) {
    ConvertEdges convert;
    convert.replace = true;
    write_text(folder_ / "nodes", labels + numbers);
    (labels.empty() ? convert.node_numbers : convert.node_labels) = folder_ / "nodes";
    const std::string text = message_of(
        [&] { static_cast<void>(convert_edge_list(Input::open(folder_ / "list.txt"), folder_ / "o.graph", convert)); });
    return text.starts_with(folder_.path().string()) ? text.substr((folder_ / "nodes").string().size()) : text;
  };
  EXPECT_THAT(error_with("10 a\n10 b\n", ""), StartsWith(":2:4: the node has the label 'a' already, and now 'b'"));
  EXPECT_THAT(error_with("10\n", ""), StartsWith(":1:3: the line ends where its label should be"));
  EXPECT_THAT(error_with("x a\n", ""), StartsWith(":1:1: the node id should be a whole number"));
  EXPECT_THAT(error_with("10 \xff\n", ""), StartsWith(":1:4: the label '\\xff' is not UTF-8"));
  EXPECT_THAT(error_with("", "10 1\n20 nan\n"), StartsWith(":2:4: the feature should be a finite number"));
  EXPECT_THAT(error_with("", "10 1\n20 1 2\n"), StartsWith(":2:1: the line has 2 features, but the first one 1"));
  EXPECT_THAT(error_with("", "10 1\n10 2\n"), StartsWith(":2:1: the node has its features already"));
  EXPECT_THAT(error_with("", "10 1\n"), StartsWith(": node 1 (counted from 0 in the order of ids) has no line"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "o.graph"));
}

TEST_F(ConvertEdgeLists, WhateverCallOfTheSystemFailsNothingIsLeft) {
  std::string text;
  for (int e = 0; e < 4000; ++e) text += std::to_string(e % 40) + " " + std::to_string(e % 37) + "\n";
  const Input input = Input::from_text("file", text);
  ConvertEdges convert;
  convert.memory = kLittle;
  FaultyFiles good;
  convert.files = &good;
  EXPECT_GT(convert_edge_list(input, folder_ / "good.graph", convert).runs, 1U);
  std::filesystem::remove(folder_ / "good.graph");
  const auto renamed = std::find(good.calls.begin(), good.calls.end(), "rename") - good.calls.begin();
  for (int call = 0; call <= renamed; ++call) {
    if (good.calls[static_cast<std::size_t>(call)] == "close" && call < renamed - 1) continue;  // of the scratch file
    FaultyFiles fs(call, ENOSPC);
    convert.files = &fs;
    EXPECT_THAT(message_of([&] { static_cast<void>(convert_edge_list(input, folder_ / "x.graph", convert)); }),
                HasSubstr("No space left on device | free some space, or write to another disk"))
        << call;
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << call;
    EXPECT_EQ(fs.descriptors, 0);
  }
}

TEST_F(ConvertEdgeLists, WhoeverIsToldOfTheProgressMayStopIt) {
  std::string text;
  for (int e = 0; e < 40000; ++e) text += std::to_string(e) + " " + std::to_string(e / 2) + "\n";
  write_text(folder_ / "list.txt", text);
  std::set<std::string> phases;
  for (const char* stop : {"", "reading", "writing"}) {
    ConvertEdges convert;
    convert.memory = kLittle;
    convert.tell = [&](const char* phase, std::uint64_t done, std::uint64_t total) {
      EXPECT_LE(done, std::max(total, done));
      phases.insert(phase);
      if (phase == std::string(stop)) throw Error(ErrorKind::kInterrupted, "stopped");
    };
    const std::string message = message_of(
        [&] { static_cast<void>(convert_edge_list(Input::open(folder_ / "list.txt"), folder_ / "x.graph", convert)); });
    EXPECT_EQ(message, *stop == 0 ? "accepted" : "stopped | ");
    std::filesystem::remove(folder_ / "x.graph");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
  }
  EXPECT_THAT(phases, ::testing::IsSupersetOf({"reading", "writing"}));
}

#ifndef AGENTNET_SANITIZED
TEST_F(ConvertEdgeLists, MemoryStaysWithinTheLimit) {
  RandomSequence random(3, Purpose::kTest);
  std::string text;
  for (int e = 0; e < 1500000; ++e) {
    text += std::to_string(random.below(900000)) + "\t" + std::to_string(random.below(900000)) + "\n";
  }
  write_text(folder_ / "list.txt", text);
  text = {};
  constexpr long kMegabytes = 16;  // 48 MB of pairs
  const auto peak = [&](bool convert_it) {
    const pid_t child = ::fork();
    if (child == 0) {
      ConvertEdges convert;
      convert.memory = kMegabytes << 20;
      if (convert_it) {
        static_cast<void>(convert_edge_list(Input::open(folder_ / "list.txt"), folder_ / "x.graph", convert));
      }
      ::_exit(0);
    }
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    EXPECT_EQ(status, 0);
    return usage.ru_maxrss / 1024;
  };
  const long nothing = peak(false);
  EXPECT_LE(peak(true) - nothing, kMegabytes + 2);
}
#endif

TEST(EdgeSorter, WidePairsAndNarrowOnesComeInOneOrder) {
  const TempFolder folder;
  RandomSequence random(5, Purpose::kTest);
  for (const int first_wide : {0, 100, 9000}) {
    EdgeSorter sorter(folder / "x", kLittle);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;
    for (int i = 0; i < 20000; ++i) {
      const bool wide = i >= first_wide && i % 3 == 0;
      const std::uint64_t from = wide ? random.next_u64() >> 2 : random.below(50), to = random.next_u32();
      sorter.add(from, to);
      expected.emplace_back(from, to);
    }
    sorter.finish();
    EXPECT_GT(sorter.num_runs(), 1U);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
    sorter.merge([&](std::span<const Edge> edges) {
      for (const Edge& edge : edges) found.emplace_back(edge.from, edge.to);
    });
    std::ranges::sort(expected);
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    EXPECT_EQ(found, expected);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "the scratch file has no name";
}

// However the text is cut into blocks.
TEST(EdgeScan, BlocksOfAnySizeGiveTheSameEdges) {
  const std::string text =
      "# Nodes: 5\n0\t1\n1234567 12345678\n123456789012345 1234567890123456\r\n\n 3 4\n% x\n9999999999999999999 1";
  const auto scan = [&](std::size_t block) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
    const Input input = Input::from_text("file", text);
    const auto stream = input.stream();
    const auto facts = scan_edge_list(
        *stream, "file",
        [&](std::span<const Edge> some, std::uint64_t, const EdgeListFacts&) {
          for (const Edge& edge : some) edges.emplace_back(edge.from, edge.to);
        },
        block);
    EXPECT_EQ(facts.listed, edges.size());
    EXPECT_EQ(facts.declared, 5U);
    EXPECT_EQ(facts.largest, 9999999999999999999U);
    return edges;
  };
  using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  const Pairs expected = {
      {0, 1}, {1234567, 12345678}, {123456789012345, 1234567890123456}, {3, 4}, {9999999999999999999U, 1}};
  for (std::size_t block = 64; block < 200; ++block) EXPECT_EQ(scan(block), expected) << block;
}

class PublishedListOnDisk : public ConvertEdgeLists, public ::testing::WithParamInterface<const char*> {};

TEST_P(PublishedListOnDisk, IsTheSameAsInMemory) {
  const auto shared = shared_dir();
  if (!shared) GTEST_SKIP() << kNoSharedDir;
  const auto path = *shared / "data" / "GRAPHS" / GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  EXPECT_GT(both(path, Direction::kAsFormat, 1 << 23).runs, 2U);
}

INSTANTIATE_TEST_SUITE_P(Snap, PublishedListOnDisk,
                         ::testing::Values("ego-Twitter-undirected.txt.xz", "web-NotreDame.txt.xz"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
                           return name;
                         });

}  // namespace
}  // namespace agentnet
