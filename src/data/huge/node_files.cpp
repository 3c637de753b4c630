#include "data/huge/node_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/io/input.h"
#include "data/io/lines.h"

namespace agentnet {
namespace {

void require_memory(const std::filesystem::path& path, std::uint64_t bytes, std::uint64_t memory) {
  if (bytes <= memory) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: the values of all nodes take {} MB, more than the memory that is left for them",
                          path.string(), bytes >> 20),
              fmt::format("allow for more, such as --memory {}M", (3 * bytes >> 20) + 64));
}

// Calls f(node, fields) for every line that is no comment and belongs to a node; returns the number of others.
template <class F>
std::uint64_t for_each_node(Lines& lines, const NodeOfId& find, const F& f) {
  std::uint64_t unused = 0;
  while (lines.next_nonempty()) {
    const char first = lines.line()[lines.line().find_first_not_of(" \t")];
    if (first == '#' || first == '%') continue;
    Fields row(lines);
    const std::uint64_t id = row.count("node id");
    const auto node = find(id);
    if (!node) ++unused;
    f(node, row);
  }
  return unused;
}

}  // namespace

NodeLabels read_node_labels(const std::filesystem::path& path, std::uint64_t nodes, const NodeOfId& find,
                            std::uint64_t memory) {
  constexpr std::int32_t kNone = -1;
  require_memory(path, nodes * sizeof(std::int32_t), memory);
  const Input input = Input::open(path);
  Lines lines(input, input.only_member());
  NodeLabels labels;
  labels.numbers.assign(nodes, kNone);
  std::unordered_map<std::string, std::int32_t> known;
  const auto number_of = [&](std::string text) {
    const auto [entry, is_new] = known.try_emplace(std::move(text), static_cast<std::int32_t>(known.size()));
    if (is_new) labels.values.push_back(entry->first);
    return entry->second;
  };
  labels.unused_lines = for_each_node(lines, find, [&](std::optional<std::uint64_t> node, Fields& row) {
    const char* at = row.position();
    std::string_view text(at, static_cast<std::size_t>(lines.line().data() + lines.line().size() - at));
    text = text.substr(0, text.find_last_not_of(" \t") + 1);
    if (text.empty()) lines.fail(at, "the line ends where its label should be");
    if (valid_utf8_prefix(text) != text.size()) {
      lines.fail(at, "the label " + in_quotes(text) + " is not UTF-8", "save the file as UTF-8");
    }
    if (!node) return;
    if (known.size() >= std::numeric_limits<std::int32_t>::max()) {
      lines.fail(at, "there are too many different labels", "give nodes with the same meaning the same label");
    }
    std::int32_t& number = labels.numbers[*node];
    const std::int32_t given = number_of(std::string(text));
    if (number != kNone && number != given) {
      lines.fail(at,
                 fmt::format("the node has the label {} already, and now {}",
                             in_quotes(labels.values[static_cast<std::size_t>(number)]), in_quotes(text)),
                 "leave one of them");
    }
    number = given;
  });
  if (std::ranges::find(labels.numbers, kNone) != labels.numbers.end()) {
    std::ranges::replace(labels.numbers, kNone, number_of(""));
  }

  std::vector<std::int32_t> order(labels.values.size()), rank(labels.values.size());
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](std::int32_t a, std::int32_t b) {
    const std::string &text_a = labels.values[static_cast<std::size_t>(a)],
                      &text_b = labels.values[static_cast<std::size_t>(b)];
    const auto number_a = to_integer(text_a), number_b = to_integer(text_b);
    if (number_a && number_b && *number_a != *number_b) return *number_a < *number_b;
    if (number_a.has_value() != number_b.has_value()) return number_a.has_value();
    return text_a < text_b;
  };
  std::ranges::sort(order, before);
  std::vector<std::string> values;
  for (const std::int32_t old : order) {
    rank[static_cast<std::size_t>(old)] = static_cast<std::int32_t>(values.size());
    values.push_back(labels.values[static_cast<std::size_t>(old)]);
  }
  labels.values = std::move(values);
  for (std::int32_t& number : labels.numbers) number = rank[static_cast<std::size_t>(number)];
  return labels;
}

NodeNumbers read_node_numbers(const std::filesystem::path& path, std::uint64_t nodes, const NodeOfId& find,
                              std::uint64_t memory) {
  const Input input = Input::open(path);
  Lines lines(input, input.only_member());
  NodeNumbers result;
  std::vector<float> values;
  constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
  result.unused_lines = for_each_node(lines, find, [&](std::optional<std::uint64_t> node, Fields& row) {
    values.clear();
    while (!row.at_end()) {
      const char* at = row.position();
      const auto value = static_cast<float>(row.number("feature"));
      if (!std::isfinite(value)) lines.fail(at, "the feature is too large for a float", "scale the column");
      values.push_back(value);
    }
    if (values.empty()) lines.fail(row.position(), "the line ends where its first feature should be");
    if (result.width == 0) {
      result.width = values.size();
      require_memory(path, nodes * result.width * sizeof(float), memory);
      result.rows.assign(nodes * result.width, kMissing);
    }
    if (values.size() != result.width) {
      lines.fail_line(fmt::format("the line has {} features, but the first one {}", values.size(), result.width));
    }
    if (!node) return;
    float* to = result.rows.data() + *node * result.width;
    if (!std::isnan(*to)) lines.fail_line("the node has its features already", "leave one of the lines");
    std::ranges::copy(values, to);
  });
  if (result.width == 0) lines.fail_at_end("there are no features", "give a line \"id x1 x2 ...\" for every node");
  for (std::uint64_t n = 0; n < nodes; ++n) {
    if (!std::isnan(result.rows[n * result.width])) continue;
    throw Error(ErrorKind::kData,
                fmt::format("{}: node {} (counted from 0 in the order of ids) has no line", lines.place(), n),
                "give a line for every node");
  }
  return result;
}

}  // namespace agentnet
