#include "graph/set_file.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "agentnet/error.h"
#include "core/atomic_file.h"
#include "core/checked.h"
#include "core/checksum.h"
#include "core/mapped_file.h"
#include "core/text.h"
#include "graph/set_arrays.h"

namespace agentnet {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the mapped file holds the numbers of a little-endian machine");

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kAlignment = 4096;
constexpr std::size_t kName = 16;
constexpr std::uint32_t kMostSections = 256;
constexpr std::string_view kMetadata = "metadata";

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version, sections;
  std::uint64_t file_size;
  std::array<std::uint32_t, 5> widths;
  std::uint32_t zero;
};
static_assert(sizeof(Header) == 48);

struct Section {
  std::array<char, kName> name;
  std::uint64_t offset, bytes, checksum, zero;
};
static_assert(sizeof(Section) == 48);

// Calls f(name, array) for every array of a set.
template <class Arrays, class F>
void for_each_array(Arrays& set, const F& f) {
  f("first_node", set.first_node);
  f("first_edge", set.first_edge);
  f("offsets", set.offsets);
  f("neighbours", set.neighbours);
  f("first_row", set.first_row);
  f("edge_rows", set.edge_rows);
  f("node_dense", set.node_dense);
  f("node_categories", set.node_categories);
  f("edge_dense", set.edge_dense);
  f("edge_categories", set.edge_categories);
  f("targets", set.targets);
  f("first_id", set.first_id);
  f("id_text", set.id_text);
  f("positions", set.positions);
  f("marks", set.marks);
}

constexpr std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

template <class T>
std::span<const std::byte> bytes_of(const T& object) {
  return std::as_bytes(std::span(&object, 1));
}

// Complaints about one file.
struct File {
  std::span<const std::byte> bytes;
  std::string place;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kData, fmt::format("{}: {}", place, what), "copy the file again, or convert the data again");
  }
  void check(bool holds, const std::string& what) const {
    if (!holds) fail(what);
  }
};

struct Contents {
  Header header;
  std::map<std::string, std::pair<std::span<const std::byte>, std::uint64_t>> sections;  // name -> bytes, checksum
};

Contents read_header(const File& file) {
  Contents contents{};
  file.check(file.bytes.size() >= sizeof(Header), "too short for a graph set");
  std::memcpy(&contents.header, file.bytes.data(), sizeof(Header));
  const Header& header = contents.header;
  file.check(std::string_view(header.magic.data(), header.magic.size()) == kSetMagic, "not an agentnet graph set");
  if (header.version != kVersion) {
    throw Error(
        ErrorKind::kData,
        fmt::format("{}: graph set of version {}, this program knows version {}", file.place, header.version, kVersion),
        "use a newer agentnet");
  }
  file.check(header.file_size == file.bytes.size(),
             fmt::format("the file has {} bytes, but its header says {}", file.bytes.size(), header.file_size));
  file.check(header.sections <= kMostSections, fmt::format("{} sections are too many", header.sections));
  const std::size_t table_end = sizeof(Header) + header.sections * sizeof(Section);
  file.check(file.bytes.size() >= table_end + sizeof(std::uint64_t), "the table of sections is cut");
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, file.bytes.data() + table_end, sizeof(checksum));
  file.check(checksum == xxh3_64(file.bytes.first(table_end)), "the header is damaged: its checksum does not match");

  for (std::size_t s = 0; s < header.sections; ++s) {
    Section section{};
    std::memcpy(&section, file.bytes.data() + sizeof(Header) + s * sizeof(Section), sizeof(Section));
    file.check(section.name.back() == 0, fmt::format("the name of section {} has no end", s));
    const std::string name = section.name.data();
    const auto end = checked_add(section.offset, section.bytes);
    file.check(section.offset % kAlignment == 0 && end && *end <= file.bytes.size(),
               fmt::format("section {} lies outside the file", in_quotes(name)));
    const bool is_new =
        contents.sections.try_emplace(name, file.bytes.subspan(section.offset, section.bytes), section.checksum).second;
    file.check(is_new, fmt::format("section {} is there twice", in_quotes(name)));
  }
  return contents;
}

// Takes the section of an array out of `contents`.
template <class T>
void take(const File& file, Contents& contents, const char* name, Array<T>& array) {
  const auto found = contents.sections.find(name);
  if (found == contents.sections.end()) return;
  const std::span<const std::byte> bytes = found->second.first;
  file.check(bytes.size() % sizeof(T) == 0, fmt::format("section {} is cut", in_quotes(name)));
  if (!bytes.empty()) {
    array = Array<T>::borrowed({reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)});
  }
  contents.sections.erase(found);
}

// Whether the lengths of the arrays fit each other. Looks at the last entries of the first_ arrays only.
void check_lengths(const File& file, const SetArrays& set) {
  const auto expect = [&](const char* name, std::size_t found, CheckedSize expected) {
    file.check(expected.equals(found),
               fmt::format("section {} has {} values, but the others ask for {}", in_quotes(name), found,
                           expected.valid() ? std::to_string(expected.value()) : "too many"));
  };
  file.check(!set.first_node.empty(), "section 'first_node' is missing");
  const std::size_t graphs = set.num_graphs();
  expect("first_edge", set.first_edge.size(), CheckedSize(graphs) + 1);
  const CheckedSize nodes = set.num_nodes(), edges = set.num_edges();
  expect("offsets", set.offsets.size(), nodes + graphs);
  expect("neighbours", set.neighbours.size(), edges);
  if (!set.first_row.empty()) {
    expect("first_row", set.first_row.size(), CheckedSize(graphs) + 1);
    expect("edge_rows", set.edge_rows.size(), edges + graphs);
  } else {
    expect("edge_rows", set.edge_rows.size(), 0);
  }
  const CheckedSize rows = set.num_rows();
  const auto width = [](int w) { return CheckedSize(static_cast<std::uint64_t>(w)); };
  expect("node_dense", set.node_dense.size(), nodes * width(set.node_dense_width));
  expect("node_categories", set.node_categories.size(), nodes * width(set.node_category_width));
  expect("edge_dense", set.edge_dense.size(), rows * width(set.edge_dense_width));
  expect("edge_categories", set.edge_categories.size(), rows * width(set.edge_category_width));
  expect("targets", set.targets.size(), CheckedSize(graphs) * width(set.num_targets));
  if (!set.first_id.empty()) expect("first_id", set.first_id.size(), CheckedSize(graphs) + 1);
  expect("id_text", set.id_text.size(), set.first_id.empty() ? 0 : set.first_id[graphs]);
  if (!set.positions.empty()) expect("positions", set.positions.size(), nodes * 3);
  if (!set.marks.empty()) expect("marks", set.marks.size(), nodes);
}

void check_ascending(const File& file, const char* name, std::span<const std::uint64_t> values) {
  if (values.empty()) return;
  file.check(values[0] == 0, fmt::format("section {} does not begin with 0", in_quotes(name)));
  for (std::size_t i = 1; i < values.size(); ++i) {
    file.check(values[i] >= values[i - 1], fmt::format("section {} descends at {}", in_quotes(name), i));
  }
}

void check_graph(const File& file, const SetArrays& set, std::size_t g) {
  const std::uint64_t nodes = set.first_node[g + 1] - set.first_node[g];
  const std::uint64_t edges = set.first_edge[g + 1] - set.first_edge[g];
  const auto offsets = set.offsets.all().subspan(set.first_node[g] + g, nodes + 1);
  file.check(nodes > 0, fmt::format("graph {} has no nodes", g));
  check_ascending(file, "offsets", offsets);
  file.check(offsets[nodes] == edges,
             fmt::format("graph {} has {} edges, but its offsets end at {}", g, edges, offsets[nodes]));
  const auto neighbours = set.neighbours.all().subspan(set.first_edge[g], edges);
  for (std::uint64_t u = 0; u < nodes; ++u) {
    for (std::uint64_t e = offsets[u]; e < offsets[u + 1]; ++e) {
      file.check(neighbours[e] < nodes && (e == offsets[u] || neighbours[e - 1] < neighbours[e]),
                 fmt::format("graph {}, node {}: neighbour {} is out of range or out of order", g, u, neighbours[e]));
    }
  }
  if (set.first_row.empty()) return;
  const auto rows = set.edge_rows.all().subspan(set.first_edge[g] + g, edges + 1);
  check_ascending(file, "edge_rows", rows);
  file.check(rows[edges] == set.first_row[g + 1] - set.first_row[g],
             fmt::format("graph {} has other edge rows than it says", g));
}

void check_contents(const File& file, const SetArrays& set) {
  check_ascending(file, "first_node", set.first_node.all());
  check_ascending(file, "first_edge", set.first_edge.all());
  check_ascending(file, "first_row", set.first_row.all());
  check_ascending(file, "first_id", set.first_id.all());
  for (std::size_t g = 0; g < set.num_graphs(); ++g) check_graph(file, set, g);
  const auto check_values = [&](const char* name, const auto& array, const auto& good) {
    for (const auto value : array.all()) {
      file.check(good(value), fmt::format("section {} holds {}", in_quotes(name), value));
    }
  };
  const auto finite = [](float value) { return std::isfinite(value); };
  const auto not_negative = [](std::int32_t value) { return value >= 0; };
  check_values("node_dense", set.node_dense, finite);
  check_values("edge_dense", set.edge_dense, finite);
  check_values("positions", set.positions, finite);
  check_values("node_categories", set.node_categories, not_negative);
  check_values("edge_categories", set.edge_categories, not_negative);
}

std::pair<std::span<const std::byte>, std::shared_ptr<const void>> mapped(const std::filesystem::path& path) {
  auto file = std::make_shared<MappedFile>(MappedFile::open(path));
  const std::span<const std::byte> bytes = file->bytes();
  return {bytes, std::move(file)};
}

}  // namespace

void write_set_file(const std::filesystem::path& path, const GraphSet& graphs, std::string_view metadata,
                    const std::map<std::string, std::span<const std::byte>>& extras) {
  const SetArrays& set = graphs.arrays();
  std::vector<std::pair<std::string, std::span<const std::byte>>> contents;
  for_each_array(set, [&](const char* name, const auto& array) {
    if (!array.empty()) contents.emplace_back(name, std::as_bytes(array.all()));
  });
  contents.emplace_back(kMetadata, std::as_bytes(std::span(metadata)));
  contents.insert(contents.end(), extras.begin(), extras.end());

  const std::size_t table_end = sizeof(Header) + contents.size() * sizeof(Section);
  std::vector<Section> table;
  std::size_t end = aligned(table_end + sizeof(std::uint64_t));
  for (const auto& [name, bytes] : contents) {
    if (name.size() >= kName) throw std::invalid_argument("the section name " + name + " is too long");
    Section section{};
    std::copy(name.begin(), name.end(), section.name.begin());
    section.offset = end;
    section.bytes = bytes.size();
    section.checksum = xxh3_64(bytes);
    table.push_back(section);
    end = aligned(end + bytes.size());
  }
  Header header{};
  std::copy(kSetMagic.begin(), kSetMagic.end(), header.magic.begin());
  header.version = kVersion;
  header.sections = static_cast<std::uint32_t>(table.size());
  header.file_size = end;
  const auto width = [](int w) { return static_cast<std::uint32_t>(w); };
  header.widths = {width(set.node_dense_width), width(set.node_category_width), width(set.edge_dense_width),
                   width(set.edge_category_width), width(set.num_targets)};

  std::vector<std::byte> head;
  const auto append = [&head](std::span<const std::byte> bytes) {
    head.insert(head.end(), bytes.begin(), bytes.end());
  };
  append(bytes_of(header));
  append(std::as_bytes(std::span(table)));
  append(bytes_of(xxh3_64(head)));

  AtomicFile file(path);
  const std::vector<std::byte> padding(kAlignment);
  const auto write = [&](std::span<const std::byte> bytes) {
    file.write(bytes.data(), bytes.size());
    file.write(padding.data(), aligned(bytes.size()) - bytes.size());
  };
  write(head);
  for (const auto& [name, bytes] : contents) write(bytes);
  file.commit();
}

SetFile open_set_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& place) {
  const File file{bytes, place};
  Contents contents = read_header(file);
  auto arrays = std::make_unique<SetArrays>();
  const auto width = [&](std::size_t i) {
    const auto checked = checked_cast<int>(contents.header.widths[i]);
    file.check(checked.has_value(), "a width is out of range");
    return *checked;
  };
  arrays->node_dense_width = width(0);
  arrays->node_category_width = width(1);
  arrays->edge_dense_width = width(2);
  arrays->edge_category_width = width(3);
  arrays->num_targets = width(4);
  for_each_array(*arrays, [&](const char* name, auto& array) { take(file, contents, name, array); });
  check_lengths(file, *arrays);
  arrays->file = std::move(owner);

  SetFile set;
  for (const auto& [name, section] : contents.sections) {
    const auto& content = section.first;
    if (name == kMetadata) {
      set.metadata.assign(reinterpret_cast<const char*>(content.data()), content.size());
    } else {
      set.extras.emplace(name, content);
    }
  }
  set.graphs = GraphSet(std::move(arrays));
  return set;
}

SetFile open_set_file(const std::filesystem::path& path) {
  auto [bytes, owner] = mapped(path);
  return open_set_bytes(bytes, std::move(owner), path.string());
}

void check_set_bytes(std::span<const std::byte> bytes, const std::string& place) {
  const File file{bytes, place};
  for (const auto& [name, section] : read_header(file).sections) {
    file.check(xxh3_64(section.first) == section.second,
               fmt::format("section {} is damaged: its checksum does not match", in_quotes(name)));
  }
  check_contents(file, open_set_bytes(bytes, nullptr, place).graphs.arrays());
}

void check_set_file(const std::filesystem::path& path) {
  const auto [bytes, owner] = mapped(path);
  check_set_bytes(bytes, path.string());
}

}  // namespace agentnet
