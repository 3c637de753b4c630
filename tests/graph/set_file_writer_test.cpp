// Graph set files that are written piece by piece, and what they hold beyond what a set in memory has.
#include "graph/set_file_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/files/checksum.h"
#include "graph/hub_order.h"
#include "graph/narrow.h"
#include "graph/set_arrays.h"
#include "graph/set_file.h"
#include "graph/set_stream.h"
#include "graph/wl_hash.h"
#include "support/faulty_files.h"
#include "support/graphs.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> files_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

// Two nodes with an edge, in pieces.
void write_pair(const std::filesystem::path& path, FileSystem& fs = FileSystem::real()) {
  SetFileWriter writer(path, fs);
  const std::vector<std::uint64_t> ends = {0, 2}, offsets = {0, 1, 2};
  const std::vector<std::uint32_t> neighbours = {1, 0};
  writer.add("first_node", bytes_of(ends));
  const auto offset_section = writer.reserve("offsets", 24);
  const auto neighbour_section = writer.begin("neighbours");
  for (std::size_t i = 0; i < 2; ++i) {
    writer.write(neighbour_section, std::span(neighbours).subspan(i, 1));
    writer.write(offset_section, std::span(offsets).subspan(i, 1));
  }
  writer.write(offset_section, std::span(offsets).subspan(2));
  writer.add("first_edge", bytes_of(ends));
  writer.finish({});
}

TEST(SetFileWriter, PiecesInAnyOrderMakeTheSameFileAsAWholeSet) {
  const TempFolder folder;
  write_pair(folder / "pair");
  EXPECT_NO_THROW(static_cast<void>(open_set_file(folder / "pair", kAnySize)));
  const SetFile file = open_set_file(folder / "pair");
  EXPECT_THAT(file.graphs.view(0).neighbours_of(0), ElementsAre(1));
  EXPECT_THAT(file.graphs.view(0).neighbours_of(1), ElementsAre(0));
  EXPECT_NE(file.graphs.view(0).file, nullptr);
}

TEST(SetFileWriter, WhateverCallFailsNothingIsThereAndNothingIsLeft) {
  const TempFolder folder;
  FaultyFiles good;
  write_pair(folder / "good", good);
  const auto renamed = std::find(good.calls.begin(), good.calls.end(), "rename") - good.calls.begin();
  std::filesystem::remove(folder / "good");
  for (int call = 0; call <= renamed; ++call) {
    FaultyFiles fs(call, ENOSPC);
    EXPECT_THROW(write_pair(folder / "pair", fs), Error) << call;
    EXPECT_THAT(files_in(folder.path()), ElementsAre()) << call;
    EXPECT_EQ(fs.descriptors, 0) << call;
  }
}

TEST(SetFileWriter, WhatAKilledWriterLeftGoesWithTheNextOne) {
  const TempFolder folder;
  write_text(folder / "pair.agentnet-tmp-999999999-0", "half a file");  // no process has this number
  write_text(folder / ("pair.agentnet-tmp-" + std::to_string(::getpid()) + "-77"), "somebody at work");
  write_text(folder / "pair.agentnet-tmp-notes", "not ours");
  write_pair(folder / "pair");
  auto files = files_in(folder.path());
  std::ranges::sort(files);
  EXPECT_THAT(
      files, ElementsAre("pair", "pair.agentnet-tmp-" + std::to_string(::getpid()) + "-77", "pair.agentnet-tmp-notes"));
}

TEST(SetFileWriter, AnUnfinishedFileIsNotThere) {
  const TempFolder folder;
  {
    SetFileWriter writer(folder / "set");
    const auto section = writer.reserve("offsets", 8);
    EXPECT_THROW(writer.finish({}), std::logic_error);
    EXPECT_THROW(writer.write(section, bytes_of(std::vector<char>(9))), std::logic_error);
    EXPECT_THROW(writer.add("a_name_that_is_long", {}), std::invalid_argument);
  }
  EXPECT_THAT(files_in(folder.path()), ElementsAre());
}

// A star whose middle is a hub, and a cycle, with labels.
void write_star(const std::filesystem::path& path, std::uint64_t leaves, std::uint64_t memory) {
  SetStream stream(path, {leaves + 1, 3});
  for (std::uint64_t v = 1; v <= leaves; ++v) stream.add(0, v);
  for (std::uint64_t v = 1; v <= leaves; ++v) stream.add(v, 0);
  stream.end_graph();
  for (std::uint64_t v = 0; v < 3; ++v) {
    stream.add(v, v == 0 ? 1 : 0);
    stream.add(v, v == 2 ? 1 : 2);
  }
  stream.end_graph();
  std::vector<std::int32_t> categories;
  for (std::uint64_t v = 0; v < leaves + 4; ++v) categories.push_back(static_cast<std::int32_t>(v % 7));
  stream.add_labels(std::vector<std::uint8_t>(categories.begin(), categories.end()));
  stream.writer().add("node_categories", bytes_of(categories));
  stream.finish({.node_categories = 1}, "{}", memory);
}

TEST(SetStream, HubsHaveTheirListsOnceMoreInTheirOwnOrder) {
  const TempFolder folder;
  constexpr std::uint64_t kLeaves = 5000;
  for (const std::uint64_t memory : {1U << 24, 1U}) {  // the list at once, and a piece at a time
    write_star(folder / "star", kLeaves, memory);
    EXPECT_NO_THROW(static_cast<void>(open_set_file(folder / "star", kAnySize)));
    const SetFile file = open_set_file(folder / "star");
    const GraphView star = file.graphs.view(0);
    ASSERT_THAT(star.hubs.nodes, ElementsAre(0));
    const HubOrder order(0, kLeaves);
    for (std::uint64_t i = 0; i < kLeaves; ++i) {
      ASSERT_EQ(star.hubs.neighbours[star.hubs.first[0] + i], order(i) + 1);
      ASSERT_EQ(star.hubs.labels[star.hubs.first[0] + i], (order(i) + 1) % 7);
    }
    EXPECT_EQ(file.graphs.view(1).hubs.nodes.size(), 0U);
    EXPECT_EQ(file.graphs.view(1).labels[0], (kLeaves + 2) % 7);
  }
  // The same as what a set in memory is written with.
  const SetFile streamed = open_set_file(folder / "star");
  const std::vector<std::size_t> both = {0, 1};
  write_set_file(folder / "again", streamed.graphs.subset(both), "{}");
  const SetFile again = open_set_file(folder / "again");
  EXPECT_TRUE(
      std::ranges::equal(again.graphs.arrays().hub_neighbours.all(), streamed.graphs.arrays().hub_neighbours.all()));
  EXPECT_TRUE(again.graphs.arrays().labels.empty()) << "a subset is a new set";
  write_set_file(folder / "same", streamed.graphs, "{}");
  EXPECT_NO_THROW(static_cast<void>(open_set_file(folder / "same", kAnySize)));
  EXPECT_FALSE(open_set_file(folder / "same").graphs.arrays().hub_labels.empty());
}

TEST(SetStream, CopiesThatDifferFromWhatTheyAreCopiesOfAreFound) {
  const TempFolder folder;
  write_star(folder / "star", 2000, 1 << 20);
  const std::string bytes = read_text(folder / "star");
  const auto error = [&](const char* section, std::uint64_t at) {
    std::string damaged = bytes;
    const std::uint64_t sections = static_cast<unsigned char>(bytes[12]), end = 48 + 48 * sections;
    for (std::uint64_t s = 0; s < sections; ++s) {
      char* entry = damaged.data() + 48 + 48 * s;
      std::uint64_t offset = 0, size = 0;
      std::memcpy(&offset, entry + 16, 8);
      std::memcpy(&size, entry + 24, 8);
      if (std::string(entry) == section) damaged[offset + at] ^= 1;
      const std::uint64_t sum = xxh3_64(std::as_bytes(std::span(damaged)).subspan(offset, size));
      std::memcpy(entry + 32, &sum, 8);
    }
    const std::uint64_t sum = xxh3_64(std::as_bytes(std::span(damaged)).first(end));
    std::memcpy(damaged.data() + end, &sum, 8);
    write_text(folder / "damaged", damaged);
    try {
      static_cast<void>(open_set_file(folder / "damaged", kAnySize));
    } catch (const Error& found) {
      return std::string(found.what()).substr((folder / "damaged").string().size());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(error("hub_neighbours", 40), ": graph 0: hub 0 has another list than its node");
  EXPECT_EQ(error("hub_labels", 40), ": graph 0: hub 0 has another list than its node");
  EXPECT_EQ(error("labels", 40), ": graph 0: the label beside entry 40 is not that of its node");
  EXPECT_EQ(error("hubs", 0), ": graph 0: node 0 has a long list and is no hub");
  EXPECT_EQ(error("hub_entries", 8), ": section 'hub_neighbours' has 2000 values, but the others ask for 2001");
  EXPECT_EQ(error("first_hub", 8), ": graph 0: node 0 has a long list and is no hub");
  EXPECT_EQ(error("first_hub", 16), ": section 'hubs' has 1 values, but the others ask for 0");
}

// More than 2^32 nodes, nearly all of them without edges: the offsets are a hole of 34 GB, of which the disk has a
// page.
TEST(WideSetFiles, GraphsOfMoreThan32BitsHaveWideIds) {
  const TempFolder folder;
  const auto path = folder / "wide";
  constexpr std::uint64_t kNodes = (std::uint64_t{1} << 32) + 5, kPage = 4096;
  const std::uint64_t offsets_at = 3 * kPage, offsets_bytes = 8 * (kNodes + 1);
  const std::uint64_t entries_at = (offsets_at + offsets_bytes + kPage - 1) / kPage * kPage;
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(fd, 0);
  if (::ftruncate(fd, static_cast<off_t>(entries_at + kPage)) != 0) {
    ::close(fd);
    GTEST_SKIP() << "the file system has no room for a file of 34 GB, not even for a hole";
  }
  std::string head(48, '\0');
  const auto put = [&](std::size_t at, auto value) { std::memcpy(head.data() + at, &value, sizeof(value)); };
  std::memcpy(head.data(), "agentset", 8);
  put(8, std::uint32_t{2});
  put(12, std::uint32_t{4});
  put(16, entries_at + kPage);
  const auto section = [&](const char* name, std::uint64_t offset, std::uint64_t bytes) {
    const std::size_t at = head.size();
    head.resize(at + 48);
    std::memcpy(head.data() + at, name, std::strlen(name));
    put(at + 16, offset);
    put(at + 24, bytes);
  };
  section("first_node", kPage, 16);
  section("first_edge", 2 * kPage, 16);
  section("offsets", offsets_at, offsets_bytes);
  section("wide_neighbours", entries_at, 16);
  const std::uint64_t sum = xxh3_64(std::as_bytes(std::span(head)));
  const auto write_at = [&](std::uint64_t at, const auto& values) {
    const auto size = values.size() * sizeof(values[0]);
    ASSERT_EQ(::pwrite(fd, values.data(), size, static_cast<off_t>(at)), static_cast<ssize_t>(size));
  };
  write_at(0, head);
  write_at(head.size(), std::array{sum});
  write_at(kPage, std::array<std::uint64_t, 2>{0, kNodes});
  write_at(2 * kPage, std::array<std::uint64_t, 2>{0, 2});
  write_at(offsets_at + 8 * kNodes, std::array<std::uint64_t, 1>{2});  // the last node has both entries
  write_at(entries_at, std::array<std::uint64_t, 2>{7, kNodes - 2});
  struct stat status = {};
  ::fstat(fd, &status);
  ::close(fd);
  if (status.st_blocks > 2048) GTEST_SKIP() << "the file system has no holes";

  const SetFile file = open_set_file(path);
  const GraphView graph = file.graphs.view(0);
  EXPECT_EQ(graph.num_nodes, kNodes);
  EXPECT_EQ(graph.num_edges(), 2U);
  EXPECT_EQ(graph.degree(kNodes - 1), 2U);
  EXPECT_EQ(graph.degree(kNodes - 2), 0U);
  EXPECT_EQ(graph.neighbour(graph.offsets[kNodes - 1] + 1), kNodes - 2);
  EXPECT_EQ(graph.neighbours, nullptr);
  for (const auto& use : std::vector<std::function<void()>>{
           [&] { static_cast<void>(wl_hash(graph, 1)); },
           [&] { static_cast<void>(file.graphs.subset(std::vector<std::size_t>{0})); }}) {
    try {
      use();
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), HasSubstr("more than 2^32 nodes"));
    }
  }
}

}  // namespace
}  // namespace agentnet
