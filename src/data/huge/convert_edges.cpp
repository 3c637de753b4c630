#include "data/huge/convert_edges.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "agentnet/error.h"
#include "data/formats/ids_seen.h"
#include "data/huge/edge_scan.h"
#include "data/huge/edge_sorter.h"
#include "data/huge/node_files.h"
#include "data/tables/schema_json.h"
#include "graph/set_stream.h"

namespace agentnet {
namespace {

struct OneWay {};  // a comment behind the first edges says that they go one way

// How the memory is shared while a list is read: sorting, the ids that occur, text; then the first is free again.
std::uint64_t for_sorting(std::uint64_t memory) { return memory / 2; }
std::uint64_t for_ids(std::uint64_t memory) { return memory / 4; }
std::size_t for_text(std::uint64_t memory) {
  return std::clamp<std::uint64_t>(memory / 32, std::size_t{1} << 12, std::size_t{1} << 20);
}

class Conversion {
 public:
  Conversion(const Input& input, std::filesystem::path out, const ConvertEdges& options)
      : input_(input), out_(std::move(out)), options_(options) {}

  ConvertedEdges run() {
    require_new_set_file(out_, options_.replace);
    if (options_.constant && !options_.node_numbers.empty()) {
      throw Error(ErrorKind::kUsage, "a constant does not go with a file of node features",
                  "add a column of ones to the file");
    }
    for (const auto& file : {options_.node_labels, options_.node_numbers}) {
      if (!file.empty()) static_cast<void>(Input::open(file));  // better now than after hours
    }
    std::error_code ignored;
    if (input_.is_plain_file()) input_bytes_ = std::filesystem::file_size(input_.name(), ignored);
    both_ways_ = options_.direction != Direction::kDirected;
    try {
      read();
    } catch (const OneWay&) {
      both_ways_ = false;
      read();
    }
    sorter_->finish();
    number_nodes();
    write();
    return result_;
  }

 private:
  void tell(const char* phase, std::uint64_t done, std::uint64_t total) const {
    if (options_.tell) options_.tell(phase, done, total);
  }

  void read() {
    seen_.reset();
    sorter_.reset();
    seen_.emplace(for_ids(options_.memory));
    sorter_.emplace(out_, for_sorting(options_.memory), *options_.files);
    sorter_->mark(*seen_, !both_ways_);
    const bool may_turn = both_ways_ && options_.direction == Direction::kAsFormat;
    const std::string place = input_.place(input_.only_member());
    const auto stream = input_.stream();
    facts_ = scan_edge_list(
        *stream, place,
        [&](std::span<const Edge> edges, std::uint64_t bytes, const EdgeListFacts& facts) {
          if (may_turn && !facts.both_ways) throw OneWay();
          if (facts.largest >= seen_->room() && facts.declared <= facts.largest) too_far_apart(facts.largest, place);
          for (const Edge& edge : edges) {
            sorter_->add(edge.from, edge.to);
            if (both_ways_ && edge.from != edge.to) sorter_->add(edge.to, edge.from);
          }
          tell("reading", bytes, input_bytes_);
        },
        for_text(options_.memory));
    result_.listed = facts_.listed;
  }

  // As read_edge_list() does, but that there may be more than 2^32 nodes.
  void number_nodes() {
    const std::uint64_t declared = facts_.declared;
    const bool plausible = declared <= (std::uint64_t{1} << 20) || declared / 64 <= facts_.listed;
    result_.runs = sorter_->num_runs();
    if (declared > facts_.largest && plausible) {
      result_.nodes = declared;
      by_rank_ = false;
      return;
    }
    if (facts_.listed == 0) {
      throw Error(ErrorKind::kData, fmt::format("{}: the graph has no nodes", facts_.end), "leave empty graphs out");
    }
    if (seen_->overflowed()) too_far_apart(facts_.largest, input_.name());
    result_.nodes = seen_->count();
    by_rank_ = result_.nodes != facts_.largest + 1;
  }

  [[noreturn]] void too_far_apart(std::uint64_t largest, const std::string& place) const {
    const std::uint64_t megabytes = (largest / 8 * 4 >> 20) + 1;
    throw NeedsMemory(fmt::format("{}: the largest id is {}, and --memory has room for ids below {} only", place,
                                  largest, seen_->room()),
                      megabytes < (std::uint64_t{1} << 20)
                          ? fmt::format("allow for more, such as --memory {}M, or number the nodes from 0", megabytes)
                          : "number the nodes from 0");
  }

  [[nodiscard]] std::optional<std::uint64_t> node_of(std::uint64_t id) const {
    if (!by_rank_ && id < result_.nodes) return id;
    if (by_rank_ && seen_->contains(id)) return seen_->rank(id);
    return std::nullopt;
  }

  void write() {
    SetStream stream(out_, {result_.nodes}, *options_.files);
    std::uint64_t done = 0;
    std::uint64_t last = 0, from = by_rank_ ? seen_->rank(0) : 0;  // the node of id `last`
    sorter_->merge([&](std::span<const Edge> edges) {
      if (by_rank_) {
        for (const Edge& edge : edges) {
          if (edge.from != last) from = seen_->rank(last = edge.from);
          stream.add(from, seen_->rank(edge.to));
        }
      } else {
        for (const Edge& edge : edges) stream.add(edge.from, edge.to);
      }
      tell("writing", done += edges.size(), sorter_->total_pairs());
    });
    stream.end_graph();
    sorter_.reset();
    result_.entries = stream.num_entries();

    Schema schema;
    SetWidths widths;
    add_features(stream, schema, widths);
    if (!options_.label.empty()) {
      schema.task = Task::kClassification;
      schema.targets = {"class"};
      schema.classes = {options_.label};
      widths.targets = 1;
      const std::array<double, 1> target = {0};
      stream.writer().add("targets", std::as_bytes(std::span(target)));
    }
    tell("long lists", 0, 0);
    stream.finish(widths, set_metadata(schema), options_.memory / 2);
  }

  void add_features(SetStream& stream, Schema& schema, SetWidths& widths) {
    const NodeOfId find = [this](std::uint64_t id) { return node_of(id); };
    if (!options_.node_labels.empty()) {
      tell("labels", 0, 0);
      NodeLabels labels = read_node_labels(options_.node_labels, result_.nodes, find, options_.memory / 2);
      result_.unused_lines += labels.unused_lines;
      stream.writer().add("node_categories", std::as_bytes(std::span(labels.numbers)));
      widths.node_categories = 1;
      if (labels.values.size() <= 255) {
        const std::vector<std::uint8_t> bytes(labels.numbers.begin(), labels.numbers.end());
        stream.add_labels(bytes);
      }
      schema.nodes.categories.push_back({"label", std::move(labels.values)});
    }
    if (!options_.node_numbers.empty()) {
      tell("features", 0, 0);
      NodeNumbers numbers = read_node_numbers(options_.node_numbers, result_.nodes, find, options_.memory / 3);
      result_.unused_lines += numbers.unused_lines;
      for (std::size_t c = 0; c < numbers.width; ++c) {
        schema.nodes.dense.push_back(numbers.width == 1 ? "x" : fmt::format("x{}", c));
      }
      widths.node_dense = static_cast<int>(numbers.width);
      stream.writer().add("node_dense", std::as_bytes(std::span(numbers.rows)));
    } else if (options_.constant || widths.node_categories == 0) {
      schema.nodes.dense = {"constant"};
      widths.node_dense = 1;
      stream.add_constant_feature();
    }
  }

  const Input& input_;
  std::filesystem::path out_;
  const ConvertEdges& options_;
  std::uint64_t input_bytes_ = 0;
  bool both_ways_ = true, by_rank_ = false;
  std::optional<IdsSeen> seen_;
  std::optional<EdgeSorter> sorter_;
  EdgeListFacts facts_;
  ConvertedEdges result_;
};

}  // namespace

void require_new_set_file(const std::filesystem::path& out, bool replace) {
  if (without_compression(out.string()) != out.string()) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: a mapped set is not packed", out.string()),
                "leave the ending out, or pack the file afterwards: it is read all the same");
  }
  std::error_code ignored;
  if (!replace && std::filesystem::exists(out, ignored)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} exists already", out.string()),
                "choose another name, or replace it with --force");
  }
}

ConvertedEdges convert_edge_list(const Input& input, const std::filesystem::path& out, const ConvertEdges& options) {
  return Conversion(input, out, options).run();
}

}  // namespace agentnet
