// The mapped file of a graph set: what opening costs, and every way in which the file can be bad.
#include "graph/set_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/files/checksum.h"
#include "graph/set_arrays.h"
#include "support/graphs.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kHeader = 48, kSection = 48, kPage = 4096;
constexpr const char* kHint = "copy the file again, or convert the data again";

// Graphs that fill every section: all kinds of features, repeated edges, ids, positions, marks.
GraphSet full_set(std::size_t graphs) {
  GraphSet set;
  RandomSequence random(5, Purpose::kData);
  for (std::size_t g = 0; g < graphs; ++g) {
    GraphParts parts = cycle_graph(4);
    parts.from.push_back(0);  // again, in the same direction
    parts.to.push_back(1);
    const Graph graph(with_features(
        parts, random, {.node_dense = 2, .node_categories = {3}, .edge_dense = 1, .edge_categories = {2, 2}}));
    const std::vector<float> positions(12, 0.5F);
    const std::vector<std::uint8_t> marks = {0, 1, 0, 1};
    const double target = static_cast<double>(g);
    set.add(graph, {&target, 1}, "graph" + std::to_string(g), {positions, marks});
  }
  return set;
}

class SetFiles : public ::testing::Test {
 protected:
  SetFiles() {
    write_set_file(path_, full_set(3), "{\"a\":1}", {{"extra", std::as_bytes(std::span(kExtra))}});
    bytes_ = read_text(path_);
  }

  // What opening or, if that works, checking the bytes throws.
  static std::string error_of(std::string bytes) {
    // Sections are read where they are, so that they must lie where a mapping would put them.
    std::vector<std::uint64_t> aligned((bytes.size() + 7) / 8);
    if (!bytes.empty()) std::memcpy(aligned.data(), bytes.data(), bytes.size());
    const auto span = std::as_bytes(std::span(aligned)).first(bytes.size());
    try {
      static_cast<void>(open_set_bytes(span, nullptr, "set"));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      EXPECT_FALSE(error.hint().empty());
      return error.what();
    }
    try {
      static_cast<void>(open_set_bytes(span, nullptr, "set", kAnySize));
      return "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      EXPECT_EQ(error.hint(), kHint);
      return std::string("opened, but: ") + error.what();
    }
  }

  [[nodiscard]] std::size_t num_sections() const { return read<std::uint32_t>(bytes_, 12); }
  [[nodiscard]] std::string name(std::size_t s) const { return bytes_.c_str() + kHeader + s * kSection; }
  [[nodiscard]] std::size_t section(const std::string& wanted) const {
    for (std::size_t s = 0; s < num_sections(); ++s) {
      if (name(s) == wanted) return s;
    }
    throw std::out_of_range(wanted);
  }
  // Where the table has the offset (or, 8 further, the size) of a section.
  [[nodiscard]] std::size_t entry(const std::string& wanted) const { return kHeader + section(wanted) * kSection + 16; }
  [[nodiscard]] std::size_t offset(const std::string& wanted) const {
    return read<std::uint64_t>(bytes_, entry(wanted));
  }

  template <class T>
  static T read(const std::string& bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
  }
  template <class T>
  static std::string with(std::string bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof(T));
    return bytes;
  }
  // The checksums made to match again: damage that only a look at the values finds.
  static std::string resealed(std::string bytes) {
    const std::size_t sections = read<std::uint32_t>(bytes, 12), end = kHeader + sections * kSection;
    const auto part = [&](std::size_t at, std::size_t size) {
      return std::as_bytes(std::span(bytes)).subspan(at, size);
    };
    for (std::size_t s = 0; s < sections; ++s) {
      const std::size_t at = kHeader + s * kSection + 16;
      const auto begin = read<std::uint64_t>(bytes, at), size = read<std::uint64_t>(bytes, at + 8);
      if (begin <= bytes.size() && size <= bytes.size() - begin)
        bytes = with(bytes, at + 16, xxh3_64(part(begin, size)));
    }
    return with(bytes, end, xxh3_64(part(0, end)));
  }

  static constexpr std::array<char, 3> kExtra = {'x', 'y', 'z'};
  TempFolder folder_;
  std::string path_ = (folder_ / "set").string();
  std::string bytes_;
};

TEST_F(SetFiles, OpensToTheSameArrays) {
  const SetFile file = open_set_file(path_);
  const GraphSet expected = full_set(3);
  EXPECT_EQ(file.metadata, "{\"a\":1}");
  EXPECT_EQ(file.extras.at("extra").size(), 3U);
  ASSERT_EQ(file.graphs.size(), 3U);
  for (std::size_t g = 0; g < 3; ++g) {
    const GraphView a = file.graphs.view(g), b = expected.view(g);
    ASSERT_EQ(a.num_edges(), b.num_edges());
    EXPECT_TRUE(std::ranges::equal(std::span(a.neighbours, a.num_edges()), std::span(b.neighbours, b.num_edges())));
    EXPECT_TRUE(
        std::ranges::equal(std::span(a.edge_rows, a.num_edges() + 1), std::span(b.edge_rows, b.num_edges() + 1)));
    EXPECT_EQ(file.graphs.id(g), expected.id(g));
    EXPECT_EQ(file.graphs.targets(g)[0], expected.targets(g)[0]);
    EXPECT_THAT(file.graphs.notes(g).marks, ElementsAre(0, 1, 0, 1));
  }
  EXPECT_TRUE(std::ranges::equal(file.graphs.arrays().edge_categories.all(), expected.arrays().edge_categories.all()));
  EXPECT_TRUE(std::ranges::equal(file.graphs.arrays().node_dense.all(), expected.arrays().node_dense.all()));
  EXPECT_NO_THROW(static_cast<void>(open_set_file(path_, kAnySize)));
}

TEST_F(SetFiles, AMappedSetCanGrow) {
  GraphSet set = open_set_file(path_).graphs;
  const GraphSet more = full_set(4);
  const std::vector<std::size_t> chosen = {2, 0};
  EXPECT_EQ(set.subset(chosen).id(0), "graph2");
  const double target = 7;
  RandomSequence random(6, Purpose::kData);
  const std::vector<float> positions(12, 0.5F);
  const std::vector<std::uint8_t> marks(4);
  set.add(Graph(with_features(cycle_graph(4), random,
                              {.node_dense = 2, .node_categories = {3}, .edge_dense = 1, .edge_categories = {2, 2}})),
          {&target, 1}, "new", {positions, marks});
  EXPECT_EQ(set.size(), 4U);
  EXPECT_EQ(set.targets(3)[0], 7);
  EXPECT_EQ(open_set_file(path_).graphs.size(), 3U);
}

// Times that this process touched a page that was not mapped yet. One such time may map 16 pages of a file.
long page_faults() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

TEST_F(SetFiles, OpeningTouchesAFewPagesWhateverTheSize) {
  write_set_file(path_, full_set(20000), "{}");
  static_cast<void>(open_set_file(path_));  // what the program itself needs is there from now on
  const long before = page_faults();
  const SetFile file = open_set_file(path_);
  static_cast<void>(file.graphs.view(10000).neighbours_of(2)[0]);
  EXPECT_LE(page_faults() - before, 64);  // reading all of it takes twice as many at least
  EXPECT_GT(std::filesystem::file_size(path_), 16 * 120 * kPage);
}

TEST_F(SetFiles, AFileCutAnywhereIsRefused) {
  for (std::size_t length = 0; length < bytes_.size(); length += length < 1000 ? 1 : 997) {
    const std::string error = error_of(bytes_.substr(0, length));
    EXPECT_THAT(error, ::testing::StartsWith("set: ")) << length;
  }
  EXPECT_EQ(error_of(bytes_.substr(0, 47)), "set: too short for a graph set");
  EXPECT_EQ(error_of(bytes_.substr(0, 4096)),
            "set: the file has 4096 bytes, but its header says " + std::to_string(bytes_.size()));
}

TEST_F(SetFiles, DamageToAnyByteOfTheHeaderIsRefused) {
  const std::size_t end = kHeader + num_sections() * kSection + 8;
  for (std::size_t at = 0; at < end; ++at) {
    EXPECT_THAT(error_of(with(bytes_, at, static_cast<char>(bytes_[at] ^ 4))), ::testing::StartsWith("set: ")) << at;
  }
  EXPECT_EQ(error_of(with(bytes_, 0, 'A')), "set: not an agentnet graph set");
  EXPECT_EQ(error_of(with(bytes_, 24, '\x7f')), "set: the header is damaged: its checksum does not match");
}

TEST_F(SetFiles, DamageToAnySectionIsFoundAndNamed) {
  ASSERT_EQ(num_sections(), 17U);
  for (std::size_t s = 0; s < num_sections(); ++s) {
    const std::size_t at = offset(name(s)), size = read<std::uint64_t>(bytes_, entry(name(s)) + 8);
    // The first value: the last ones of some sections are looked at when the file is opened.
    const std::string opened = name(s) == "metadata" ? "" : "opened, but: ";  // the metadata are read at once
    const std::string expected = opened + "set: section '" + name(s) + "' is damaged: its checksum does not match";
    EXPECT_EQ(error_of(with(bytes_, at, static_cast<char>(bytes_[at] ^ 1))), expected);
    EXPECT_NE(error_of(with(bytes_, at + size - 1, static_cast<char>(bytes_[at + size - 1] ^ 1))), "accepted")
        << name(s);
  }
}

TEST_F(SetFiles, AnotherVersionIsNamed) {
  try {
    std::string newer = with(bytes_, 8, std::uint32_t{3});
    static_cast<void>(open_set_bytes(std::as_bytes(std::span(newer)), nullptr, "set"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "set: graph set of version 3, this program knows versions 1 to 2");
    EXPECT_EQ(error.hint(), "use a newer agentnet");
  }
}

TEST_F(SetFiles, TheFirstVersionIsReadAsWell) {
  EXPECT_EQ(error_of(resealed(with(bytes_, 8, std::uint32_t{1}))), "accepted");
  EXPECT_EQ(error_of(with(bytes_, 8, std::uint32_t{0})),
            "set: graph set of version 0, this program knows versions 1 to 2");
}

TEST_F(SetFiles, TablesThatMakeNoSenseAreRefused) {
  const auto changed = [&](std::size_t at, auto value) { return error_of(resealed(with(bytes_, at, value))); };
  const std::size_t offsets = entry("offsets");
  EXPECT_EQ(error_of(with(bytes_, 12, std::uint32_t{257})), "set: 257 sections are too many");
  EXPECT_EQ(error_of(with(with(bytes_.substr(0, 100), 16, std::uint64_t{100}), 12, std::uint32_t{2})),
            "set: the table of sections is cut");
  EXPECT_EQ(changed(offsets, std::uint64_t{1} << 40), "set: section 'offsets' lies outside the file");
  EXPECT_EQ(changed(offsets, ~std::uint64_t{0}), "set: section 'offsets' lies outside the file");
  EXPECT_EQ(changed(offsets, std::uint64_t{4097}), "set: section 'offsets' lies outside the file");
  EXPECT_EQ(changed(offsets + 8, ~std::uint64_t{0}), "set: section 'offsets' lies outside the file");
  EXPECT_EQ(changed(offsets + 8, std::uint64_t{9}), "set: section 'offsets' is cut");
  EXPECT_EQ(changed(offsets - 1, 'x'), "set: the name of section 2 has no end");
  std::array<char, 16> first_node{};
  std::memcpy(first_node.data(), "first_node", 10);
  EXPECT_EQ(changed(offsets - 16, first_node), "set: section 'first_node' is there twice");
}

TEST_F(SetFiles, SectionsThatDoNotFitEachOtherAreRefused) {
  const auto length = [&](const char* section, std::uint64_t bytes) {
    return error_of(resealed(with(bytes_, entry(section) + 8, bytes)));
  };
  const auto message = [](const char* section, int found, int asked) {
    return "set: section '" + std::string(section) + "' has " + std::to_string(found) +
           " values, but the others ask for " + std::to_string(asked);
  };
  EXPECT_EQ(length("first_edge", 8), message("first_edge", 1, 4));
  EXPECT_EQ(length("offsets", 8), message("offsets", 1, 15));
  EXPECT_EQ(length("neighbours", 4), message("neighbours", 1, 24));
  EXPECT_EQ(length("first_row", 8), message("first_row", 1, 4));
  EXPECT_EQ(length("edge_rows", 8), message("edge_rows", 1, 27));
  EXPECT_EQ(length("node_dense", 4), message("node_dense", 1, 24));
  EXPECT_EQ(length("node_categories", 4), message("node_categories", 1, 12));
  EXPECT_EQ(length("edge_dense", 4), message("edge_dense", 1, 30));
  EXPECT_EQ(length("edge_categories", 4), message("edge_categories", 1, 60));
  EXPECT_EQ(length("targets", 0), message("targets", 0, 3));
  EXPECT_EQ(length("first_id", 8), message("first_id", 1, 4));
  EXPECT_EQ(length("id_text", 1), message("id_text", 1, 18));
  EXPECT_EQ(length("positions", 4), message("positions", 1, 36));
  EXPECT_EQ(length("marks", 1), message("marks", 1, 12));
  EXPECT_EQ(length("first_node", 0), "set: section 'first_node' is missing");
  // The number of nodes itself.
  EXPECT_EQ(error_of(resealed(with(bytes_, offset("first_node") + 24, ~std::uint64_t{0}))),
            "set: section 'offsets' has 15 values, but the others ask for too many");
}

TEST_F(SetFiles, WidthsThatDoNotFitAreRefused) {
  const auto width = [&](std::size_t i, std::uint32_t value) {
    return error_of(resealed(with(bytes_, 24 + 4 * i, value)));
  };
  EXPECT_EQ(width(0, 3), "set: section 'node_dense' has 24 values, but the others ask for 36");
  EXPECT_EQ(width(1, 0), "set: section 'node_categories' has 12 values, but the others ask for 0");
  EXPECT_EQ(width(2, 2), "set: section 'edge_dense' has 30 values, but the others ask for 60");
  EXPECT_EQ(width(3, 1), "set: section 'edge_categories' has 60 values, but the others ask for 30");
  EXPECT_EQ(width(4, 2), "set: section 'targets' has 3 values, but the others ask for 6");
  EXPECT_EQ(width(0, 0x80000000U), "set: a width is out of range");
}

TEST_F(SetFiles, ValuesThatMakeNoSenseAreFoundBehindMatchingChecksums) {
  const auto changed = [&](const char* section, std::size_t value, auto bytes) {
    return error_of(resealed(with(bytes_, offset(section) + value * sizeof(bytes), bytes)));
  };
  const std::string opened = "opened, but: set: ";
  EXPECT_EQ(changed("first_node", 0, std::uint64_t{1}), opened + "section 'first_node' does not begin with 0");
  EXPECT_EQ(changed("first_node", 1, std::uint64_t{99}), opened + "section 'first_node' descends at 2");
  EXPECT_EQ(changed("first_node", 1, std::uint64_t{0}), opened + "graph 0 has no nodes");
  EXPECT_EQ(changed("first_edge", 1, std::uint64_t{9}), opened + "graph 0 has 9 edges, but its offsets end at 8");
  EXPECT_EQ(changed("offsets", 1, std::uint64_t{99}), opened + "section 'offsets' descends at 2");
  EXPECT_EQ(changed("neighbours", 0, std::uint32_t{4}),
            opened + "graph 0, node 0: neighbour 4 is out of range or out of order");
  EXPECT_EQ(changed("neighbours", 1, std::uint32_t{1}),
            opened + "graph 0, node 0: neighbour 1 is out of range or out of order");
  EXPECT_EQ(changed("edge_rows", 1, std::uint64_t{99}), opened + "section 'edge_rows' descends at 2");
  EXPECT_EQ(changed("first_row", 1, std::uint64_t{11}), opened + "graph 0 has other edge rows than it says");
  EXPECT_EQ(changed("first_id", 1, std::uint64_t{99}), opened + "section 'first_id' descends at 2");
  EXPECT_EQ(changed("node_dense", 5, std::numeric_limits<float>::quiet_NaN()),
            opened + "section 'node_dense' holds nan");
  EXPECT_EQ(changed("edge_dense", 5, std::numeric_limits<float>::infinity()),
            opened + "section 'edge_dense' holds inf");
  EXPECT_EQ(changed("positions", 5, -std::numeric_limits<float>::infinity()),
            opened + "section 'positions' holds -inf");
  EXPECT_EQ(changed("node_categories", 0, std::int32_t{-1}), opened + "section 'node_categories' holds -1");
  EXPECT_EQ(changed("edge_categories", 0, std::int32_t{-7}), opened + "section 'edge_categories' holds -7");
}

TEST_F(SetFiles, AFileThatCannotBeWrittenLeavesTheOldOne) {
  EXPECT_THROW(write_set_file(folder_ / "no/such/folder", full_set(1), "{}"), Error);
  EXPECT_EQ(read_text(path_), bytes_);
}

}  // namespace
}  // namespace agentnet
