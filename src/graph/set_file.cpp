#include "graph/set_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "agentnet/error.h"
#include "core/checked.h"
#include "core/files/checksum.h"
#include "core/files/mapped_file.h"
#include "core/text.h"
#include "graph/hub_lists.h"
#include "graph/set_arrays.h"
#include "graph/set_file_layout.h"
#include "graph/set_file_writer.h"

namespace agentnet {
namespace {

constexpr std::uint64_t kMostNarrowNodes = std::uint64_t{1} << 32;

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
  f("node_row", set.node_row);
  f("node_categories", set.node_categories);
  f("edge_dense", set.edge_dense);
  f("edge_categories", set.edge_categories);
  f("targets", set.targets);
  f("first_id", set.first_id);
  f("id_text", set.id_text);
  f("positions", set.positions);
  f("marks", set.marks);
  f("wide_neighbours", set.wide_neighbours);
  f("labels", set.labels);
  f("first_hub", set.first_hub);
  f("hubs", set.hubs);
  f("hub_entries", set.hub_entries);
  f("hub_neighbours", set.hub_neighbours);
  f("wide_hub_lists", set.wide_hub_neighbours);
  f("hub_labels", set.hub_labels);
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
  SetHeader header;
  std::map<std::string, std::pair<std::span<const std::byte>, std::uint64_t>> sections;  // name -> bytes, checksum
};

Contents read_header(const File& file) {
  Contents contents{};
  file.check(file.bytes.size() >= sizeof(SetHeader), "too short for a graph set");
  std::memcpy(&contents.header, file.bytes.data(), sizeof(SetHeader));
  const SetHeader& header = contents.header;
  file.check(std::string_view(header.magic.data(), header.magic.size()) == kSetMagic, "not an agentnet graph set");
  if (header.version == 0 || header.version > kSetVersion) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: graph set of version {}, this program knows versions 1 to {}", file.place,
                            header.version, kSetVersion),
                "use a newer agentnet");
  }
  file.check(header.file_size == file.bytes.size(),
             fmt::format("the file has {} bytes, but its header says {}", file.bytes.size(), header.file_size));
  file.check(header.sections <= kMostSections, fmt::format("{} sections are too many", header.sections));
  const std::size_t table_end = sizeof(SetHeader) + header.sections * sizeof(SetSection);
  file.check(file.bytes.size() >= table_end + sizeof(std::uint64_t), "the table of sections is cut");
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, file.bytes.data() + table_end, sizeof(checksum));
  file.check(checksum == xxh3_64(file.bytes.first(table_end)), "the header is damaged: its checksum does not match");

  for (std::size_t s = 0; s < header.sections; ++s) {
    SetSection section{};
    std::memcpy(&section, file.bytes.data() + sizeof(SetHeader) + s * sizeof(SetSection), sizeof(SetSection));
    file.check(section.name.back() == 0, fmt::format("the name of section {} has no end", s));
    const std::string name = section.name.data();
    const auto end = checked_add(section.offset, section.bytes);
    file.check(section.offset % kSetAlignment == 0 && end && *end <= file.bytes.size(),
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
  const bool wide = !set.wide_neighbours.empty();
  expect("neighbours", set.neighbours.size(), wide ? 0 : edges);
  if (wide) expect("wide_neighbours", set.wide_neighbours.size(), edges);
  if (!set.first_row.empty()) {
    expect("first_row", set.first_row.size(), CheckedSize(graphs) + 1);
    expect("edge_rows", set.edge_rows.size(), edges + graphs);
  } else {
    expect("edge_rows", set.edge_rows.size(), 0);
  }
  const CheckedSize rows = set.num_rows();
  const auto width = [](int w) { return CheckedSize(static_cast<std::uint64_t>(w)); };
  if (!set.node_row.empty()) expect("node_row", set.node_row.size(), width(set.node_dense_width));
  expect("node_dense", set.node_dense.size(),
         set.node_row.empty() ? nodes * width(set.node_dense_width) : CheckedSize(0));
  expect("node_categories", set.node_categories.size(), nodes * width(set.node_category_width));
  expect("edge_dense", set.edge_dense.size(), rows * width(set.edge_dense_width));
  expect("edge_categories", set.edge_categories.size(), rows * width(set.edge_category_width));
  expect("targets", set.targets.size(), CheckedSize(graphs) * width(set.num_targets));
  if (!set.first_id.empty()) expect("first_id", set.first_id.size(), CheckedSize(graphs) + 1);
  expect("id_text", set.id_text.size(), set.first_id.empty() ? 0 : set.first_id[graphs]);
  if (!set.positions.empty()) expect("positions", set.positions.size(), nodes * 3);
  if (!set.marks.empty()) expect("marks", set.marks.size(), nodes);
  if (!set.labels.empty()) expect("labels", set.labels.size(), edges * width(set.node_category_width));
  std::size_t hubs = 0;
  CheckedSize entries = 0;
  if (!set.first_hub.empty()) {
    expect("first_hub", set.first_hub.size(), CheckedSize(graphs) + 1);
    expect("hubs", set.hubs.size(), set.first_hub[graphs]);
    hubs = set.hubs.size();
    expect("hub_entries", set.hub_entries.size(), CheckedSize(hubs) + 1);
    entries = set.hub_entries[hubs];
  } else {
    expect("hubs", set.hubs.size(), 0);
    expect("hub_entries", set.hub_entries.size(), 0);
  }
  expect("hub_neighbours", set.hub_neighbours.size(), wide ? 0 : entries);
  expect("wide_hub_lists", set.wide_hub_neighbours.size(), wide ? entries : 0);
  expect("hub_labels", set.hub_labels.size(), set.labels.empty() ? 0 : entries * width(set.node_category_width));
}

void check_ascending(const File& file, const char* name, std::span<const std::uint64_t> values) {
  if (values.empty()) return;
  file.check(values[0] == 0, fmt::format("section {} does not begin with 0", in_quotes(name)));
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] < values[i - 1]) file.fail(fmt::format("section {} descends at {}", in_quotes(name), i));
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
  const auto check_lists = [&](const auto& all) {
    const auto neighbours = all.subspan(set.first_edge[g], edges);
    for (std::uint64_t u = 0; u < nodes; ++u) {
      for (std::uint64_t e = offsets[u]; e < offsets[u + 1]; ++e) {
        if (neighbours[e] < nodes && (e == offsets[u] || neighbours[e - 1] < neighbours[e])) continue;
        file.fail(fmt::format("graph {}, node {}: neighbour {} is out of range or out of order", g, u, neighbours[e]));
      }
    }
  };
  if (set.wide_neighbours.empty()) {
    check_lists(set.neighbours.all());
  } else {
    check_lists(set.wide_neighbours.all());
  }
  file.check(nodes <= kMostNarrowNodes || edges == 0 || !set.wide_neighbours.empty(),
             fmt::format("graph {} has {} nodes, too many for narrow neighbour lists", g, nodes));
  if (set.first_row.empty()) return;
  const auto rows = set.edge_rows.all().subspan(set.first_edge[g] + g, edges + 1);
  check_ascending(file, "edge_rows", rows);
  for (std::uint64_t e = 0; e < edges; ++e) {
    if (rows[e] == rows[e + 1]) file.fail(fmt::format("graph {}: entry {} has no row of its own", g, e));
  }
  file.check(rows[edges] == set.first_row[g + 1] - set.first_row[g],
             fmt::format("graph {} has other edge rows than it says", g));
}

void check_labels(const File& file, const GraphView& graph, std::size_t g) {
  const auto width = static_cast<std::uint64_t>(graph.node_categories.width);
  for (std::uint64_t e = 0; e < graph.num_edges(); ++e) {
    const auto categories = graph.node_categories.row(graph.neighbour(e));
    for (std::uint64_t c = 0; c < width; ++c) {
      if (graph.labels[e * width + c] == categories[c]) continue;
      file.fail(fmt::format("graph {}: the label beside entry {} is not that of its node", g, e));
    }
  }
}

// Every node with a long list is a hub, and its list is the same in another order.
void check_hubs(const File& file, const GraphView& graph, std::size_t g) {
  std::size_t next = 0;
  const auto width = static_cast<std::uint64_t>(graph.node_categories.width);
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    const std::uint64_t degree = graph.degree(u);
    if (degree <= kLongList) continue;
    file.check(next < graph.hubs.nodes.size() && graph.hubs.nodes[next] == u,
               fmt::format("graph {}: node {} has a long list and is no hub", g, u));
    const std::uint64_t first = graph.hubs.first[next], last = graph.hubs.first[next + 1];  // ascending, as was checked
    file.check(last - first == degree, fmt::format("graph {}: hub {} has another list than its node", g, u));
    const HubOrder order(u, degree);
    for (std::uint64_t i = 0; i < degree; ++i) {
      const std::uint64_t entry = graph.offsets[u] + order(i), at = first + i;
      const std::uint64_t v =
          graph.hubs.wide_neighbours != nullptr ? graph.hubs.wide_neighbours[at] : graph.hubs.neighbours[at];
      bool same = v == graph.neighbour(entry);
      for (std::uint64_t c = 0; graph.hubs.labels != nullptr && c < width; ++c) {
        same = same && graph.hubs.labels[at * width + c] == graph.labels[entry * width + c];
      }
      if (!same) file.fail(fmt::format("graph {}: hub {} has another list than its node", g, u));
    }
    ++next;
  }
  file.check(next == graph.hubs.nodes.size(), fmt::format("graph {} has hubs without a long list", g));
}

void check_contents(const File& file, const GraphSet& graphs) {
  const SetArrays& set = graphs.arrays();
  check_ascending(file, "first_node", set.first_node.all());
  check_ascending(file, "first_edge", set.first_edge.all());
  check_ascending(file, "first_row", set.first_row.all());
  check_ascending(file, "first_id", set.first_id.all());
  for (std::size_t g = 0; g < set.num_graphs(); ++g) check_graph(file, set, g);
  const auto check_values = [&](const char* name, const auto& array, const auto& good) {
    for (const auto value : array.all()) {
      if (!good(value)) file.fail(fmt::format("section {} holds {}", in_quotes(name), value));
    }
  };
  const auto finite = [](float value) { return std::isfinite(value); };
  const auto not_negative = [](std::int32_t value) { return value >= 0; };
  check_values("node_dense", set.node_dense, finite);
  check_values("node_row", set.node_row, finite);
  check_values("edge_dense", set.edge_dense, finite);
  check_values("positions", set.positions, finite);
  check_values("node_categories", set.node_categories, not_negative);
  check_values("edge_categories", set.edge_categories, not_negative);
  check_ascending(file, "first_hub", set.first_hub.all());
  check_ascending(file, "hub_entries", set.hub_entries.all());
  for (std::size_t g = 0; g < set.num_graphs(); ++g) {
    const GraphView graph = graphs.view(g);
    if (!set.labels.empty()) check_labels(file, graph, g);
    if (!set.first_hub.empty()) check_hubs(file, graph, g);
  }
}

constexpr std::size_t kHubSections = 5;

void write_hubs(SetFileWriter& writer, const SetArrays& set) {
  HubNodes hubs;
  for (std::size_t g = 0; g < set.num_graphs(); ++g) {
    const std::uint64_t nodes = set.first_node[g + 1] - set.first_node[g];
    const auto offsets = set.offsets.all().subspan(set.first_node[g] + g, nodes + 1);
    for (std::uint64_t u = 0; u < nodes; ++u) {
      hubs.consider(u, set.first_edge[g] + offsets[u], offsets[u + 1] - offsets[u]);
    }
    hubs.end_graph();
  }
  const auto reading = [](const auto& array, std::size_t width) {
    return [&array, width](std::uint64_t first, std::uint64_t count, std::byte* out) {
      const auto bytes = std::as_bytes(array.all().subspan(first * width, count * width));
      std::ranges::copy(bytes, out);
    };
  };
  const bool wide = !set.wide_neighbours.empty();
  const auto width = static_cast<std::size_t>(set.node_category_width);
  HubNodes::Read neighbours = reading(set.neighbours, 1);
  if (wide) neighbours = reading(set.wide_neighbours, 1);
  HubNodes::Read labels;
  if (!set.labels.empty()) labels = reading(set.labels, width);
  constexpr auto kAnyMemory = std::numeric_limits<std::uint64_t>::max() / 2;
  hubs.write(writer, wide, neighbours, labels, width, kAnyMemory);
}

}  // namespace

void write_set_file(const std::filesystem::path& path, const GraphSet& graphs, std::string_view metadata,
                    const std::map<std::string, std::span<const std::byte>>& extras, FileSystem& fs) {
  const SetArrays& set = graphs.arrays();
  std::size_t sections = extras.size() + 1 + kHubSections;
  for_each_array(set, [&](const char*, const auto& array) { sections += array.empty() ? 0 : 1; });
  SetFileWriter writer(path, fs, sections);
  for_each_array(set, [&](const char* name, const auto& array) {
    if (!array.empty()) writer.add(name, std::as_bytes(array.all()));
  });
  if (set.first_hub.empty()) write_hubs(writer, set);
  writer.add(kMetadataSection, std::as_bytes(std::span(metadata)));
  for (const auto& [name, bytes] : extras) writer.add(name, bytes);
  writer.finish(
      {set.node_dense_width, set.node_category_width, set.edge_dense_width, set.edge_category_width, set.num_targets});
}

void check_contents(const GraphSet& graphs, const std::string& place) { check_contents(File{{}, place}, graphs); }

SetFile open_set_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& place,
                       std::uint64_t check_up_to) {
  const File file{bytes, place};
  Contents contents = read_header(file);
  const bool check_all = bytes.size() <= check_up_to;
  for (const auto& [name, section] : contents.sections) {
    if (!check_all && name != kMetadataSection) continue;  // the metadata are read right here
    file.check(xxh3_64(section.first) == section.second,
               fmt::format("section {} is damaged: its checksum does not match", in_quotes(name)));
  }
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
  arrays->file = owner != nullptr ? std::move(owner) : std::make_shared<char>();  // never null for a file
  constexpr std::uint64_t kFewNodes = std::uint64_t{1} << 20, kFewValues = std::uint64_t{1} << 24;
  const CheckedSize values = CheckedSize(arrays->num_nodes()) * CheckedSize(arrays->node_row.size());
  if (arrays->num_nodes() <= kFewNodes && values.valid() && values.value() <= kFewValues) arrays->spread_node_row();

  SetFile set;
  for (const auto& [name, section] : contents.sections) {
    const auto& content = section.first;
    if (name == kMetadataSection) {
      set.metadata.assign(reinterpret_cast<const char*>(content.data()), content.size());
    } else {
      set.extras.emplace(name, content);
    }
  }
  set.graphs = GraphSet(std::move(arrays));
  if (check_all) check_contents(file, set.graphs);
  set.checked = check_all;
  return set;
}

SetFile open_set_file(const std::filesystem::path& path, std::uint64_t check_up_to) {
  const auto file = std::make_shared<MappedFile>(MappedFile::open(path));
  try {
    SetFile set = open_set_bytes(file->bytes(), file, path.string(), check_up_to);
    set.graphs.arrays().mapping = file.get();
    return set;
  } catch (const Error&) {
    file->check();  // which knows better, if the file was changed meanwhile
    throw;
  }
}

}  // namespace agentnet
