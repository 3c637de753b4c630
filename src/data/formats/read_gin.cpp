// GIN text: the number of graphs; per graph a line "n label" and n lines "tag degree neighbour...", 0-based, each
// undirected edge in both rows. Some sets put further numbers behind the neighbours of a row: node attributes.
#include <fmt/core.h>

#include "data/formats/readers.h"
#include "data/io/lines.h"
#include "data/tables/builder.h"

namespace agentnet {
namespace {

constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 32;

class GinReader {
 public:
  GinReader(const Input& input, const DataOptions& options)
      : lines_(input, input.only_member()), source_(input.name()), set_(options), kind_(options.node_features) {
    static_cast<void>(choose_targets({"class"}, options.targets, source_));
    set_.targets.set_names({"class"});
    set_.targets.set_classes();
  }

  Dataset read() {
    next_line([] { return "the number of graphs"; });
    Fields first(lines_);
    const std::uint64_t graphs = first.count("number of graphs");
    first.expect_end("the number of graphs");
    for (std::uint64_t g = 0; g < graphs; ++g) read_graph(g, graphs);
    if (lines_.next_nonempty()) {
      lines_.fail_line(fmt::format("the file goes on after the last of its {} graphs", graphs),
                       "correct the number of graphs in its first line");
    }
    return std::move(set_).finish(source_, "gin");
  }

 private:
  // `what` makes the name of what should be there: only a file that ends too early needs it.
  template <class What>
  void next_line(const What& what) {
    if (!lines_.next_nonempty()) lines_.fail_at_end(fmt::format("the file ends where {} should be", what()));
  }

  void read_graph(std::uint64_t g, std::uint64_t graphs) {
    next_line([&] { return fmt::format("graph {} of {}", g + 1, graphs); });
    Fields head(lines_);
    const char* count_at = head.position();
    GraphParts parts;
    parts.num_nodes = head.count("number of nodes");
    if (parts.num_nodes == 0) lines_.fail(count_at, "the graph has no nodes", "leave empty graphs out");
    if (parts.num_nodes >= kMostNodes) lines_.fail(count_at, "the graph has more than 2^32 nodes", "split the graph");
    set_.targets.add(0, head.text("label"));
    head.expect_end("the number of nodes and the label");
    const std::string where = lines_.where(count_at);
    for (std::uint64_t u = 0; u < parts.num_nodes; ++u) read_node(u, parts);
    set_.add(std::move(parts), {}, [&] { return where; });
  }

  void read_node(std::uint64_t u, GraphParts& parts) {
    next_line([&] { return fmt::format("node {} of {}", u, parts.num_nodes); });
    if (read_plain_row(u, parts)) return;
    Fields row(lines_);
    const auto fail_at = [&](const char* at) {
      return [this, at](std::string_view message, std::string_view hint) { lines_.fail(at, message, hint); };
    };
    if (set_.nodes.size() == 0) {
      set_.nodes.add({"tag"}, FeatureKind::kCategories);
      if (kind_ == FeatureKind::kAuto) set_.nodes.drop_if_constant();
    }
    const char* tag_at = row.position();
    const std::string_view tag = row.text("tag");
    parts.node_dense.push_back(set_.nodes.value(0, tag, fail_at(tag_at)));
    const std::uint64_t degree = row.count("degree");
    for (std::uint64_t i = 0; i < degree; ++i) {
      const char* at = row.position();
      if (row.at_end()) {
        lines_.fail(at, fmt::format("the node lists {} neighbours, but its degree is {}", i, degree),
                    "correct the degree or the list");
      }
      const std::uint64_t v = row.count("neighbour");
      if (v >= parts.num_nodes) {
        lines_.fail(at,
                    fmt::format("neighbour {} is not a node: the graph's nodes are 0 to {}", v, parts.num_nodes - 1),
                    "number the nodes of every graph from 0");
      }
      parts.to.push_back(static_cast<std::uint32_t>(v));
    }
    parts.from.resize(parts.to.size(), static_cast<std::uint32_t>(u));
    read_attributes(row, u, parts, fail_at);
  }

  // A row of short numbers with single spaces, as almost all are, in one go. False, with nothing done, for any other:
  // it may still be right, or read_node() says what is wrong.
  bool read_plain_row(std::uint64_t u, GraphParts& parts) {
    constexpr std::uint64_t kLargestTag = 1000000;  // as a float it is exact, and no word (columns.h)
    if (set_.nodes.size() != 1) return false;
    const char* at = lines_.line().data();
    const char* end = at + lines_.line().size();
    std::uint64_t tag = 0, degree = 0, neighbour = 0;
    const auto read_number = [&](std::uint64_t& value) {
      const std::ptrdiff_t digits = leading_digits(at, end, value);
      at += digits;
      return digits > 0;
    };
    if (!read_number(tag) || tag > kLargestTag || at == end || *at++ != ' ' || !read_number(degree)) return false;
    const std::size_t before = parts.to.size();
    if (degree > static_cast<std::uint64_t>(end - at) / 2) return false;
    parts.to.resize(before + degree);
    std::uint32_t* out = parts.to.data() + before;
    bool good = true;
    for (std::uint64_t i = 0; i < degree && good; ++i) {
      good = at != end && *at++ == ' ' && read_number(neighbour) && neighbour < parts.num_nodes;
      out[i] = static_cast<std::uint32_t>(neighbour);
    }
    if (!good || at != end) {
      parts.to.resize(before);
      return false;
    }
    parts.node_dense.push_back(static_cast<float>(tag));
    parts.from.resize(parts.to.size(), static_cast<std::uint32_t>(u));
    return true;
  }

  template <class FailAt>
  void read_attributes(Fields& row, std::uint64_t u, GraphParts& parts, const FailAt& fail_at) {
    std::size_t c = 1;
    for (; !row.at_end(); ++c) {
      const char* at = row.position();
      if (c >= set_.nodes.size()) {
        if (set_.size() > 0 || u > 0) {  // the first node decides
          lines_.fail(
              at,
              fmt::format("the row has more than its tag, degree, neighbours and {} attributes", set_.nodes.size() - 1),
              "correct the degree, or give every node the same attributes");
        }
        set_.nodes.add({fmt::format("attribute{}", c - 1)}, FeatureKind::kDense);
      }
      const std::string_view text = row.text("attribute");
      parts.node_dense.push_back(set_.nodes.value(c, text, fail_at(at)));
    }
    if (c < set_.nodes.size()) {
      lines_.fail(row.position(),
                  fmt::format("the node has {} attributes, those before it have {}", c - 1, set_.nodes.size() - 1),
                  "give every node the same attributes");
    }
  }

  Lines lines_;
  std::string source_;
  SetBuilder set_;
  FeatureKind kind_;  // said to be categories, tags stay even where all are the same
};

}  // namespace

Dataset read_gin(const Input& input, const DataOptions& options) { return GinReader(input, options).read(); }

}  // namespace agentnet
