// What the makers of built-in sets share: their arguments, and the steps that all of them take.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/graph.h"
#include "core/checked.h"
#include "core/random.h"
#include "data/synthetic/synthetic.h"

namespace agentnet {

// The values of a set's parameters, given or by default, all within their ranges.
class SyntheticArguments {
 public:
  // Checks what follows the question mark against the parameters.
  SyntheticArguments(const SyntheticHelp& set, std::string_view text);

  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  [[nodiscard]] bool given(const std::string& name) const { return given_.contains(name); }
  [[nodiscard]] std::uint64_t whole(const std::string& name) const;
  [[nodiscard]] std::uint32_t small(const std::string& name) const;  // whose range fits
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] const std::string& word(const std::string& name) const { return values_.at(name); }
  [[nodiscard]] std::uint64_t graphs() const { return whole("graphs"); }
  [[nodiscard]] std::uint64_t seed() const { return whole("seed"); }

  // Throws Error (kUsage) if graphs of so many nodes each would be too much.
  void check_size(CheckedSize nodes_per_graph) const;
  [[noreturn]] void fail(const std::string& message, const std::string& hint) const;

 private:
  std::string name_;
  std::map<std::string, std::string> values_, given_;
};

// A set of whole graphs, classes by number.
[[nodiscard]] Dataset classified(std::vector<std::string> classes);
// Adds a graph of that class.
void add_graph(Dataset& data, GraphParts parts, std::size_t label, const NodeNotes& notes = {});

// Labels 0 .. classes - 1, each equally often (to within one), in random order.
[[nodiscard]] std::vector<std::size_t> balanced_labels(std::uint64_t graphs, std::size_t classes,
                                                       RandomSequence& random);

// So many nodes, and no edges yet.
[[nodiscard]] GraphParts undirected_graph(std::uint64_t nodes);
void join(GraphParts& parts, std::uint32_t u, std::uint32_t v);

// The same graph with its nodes numbered in random order; node categories, one column of them, go along. With
// `keep_first`, node 0 stays node 0.
[[nodiscard]] GraphParts renumbered(GraphParts parts, RandomSequence& random, bool keep_first = false);

// The makers; synthetic.cpp has the table.
[[nodiscard]] Dataset make_four_cycles(const SyntheticArguments& arguments);
[[nodiscard]] Dataset make_skip_links(const SyntheticArguments& arguments);
[[nodiscard]] Dataset make_2wl(const SyntheticArguments& arguments);
[[nodiscard]] Dataset make_ladder(const SyntheticArguments& arguments);
[[nodiscard]] Dataset make_motif(const SyntheticArguments& arguments);
[[nodiscard]] Dataset make_trees(const SyntheticArguments& arguments);
[[nodiscard]] Dataset make_triangle(const SyntheticArguments& arguments);
[[nodiscard]] Dataset make_path_end(const SyntheticArguments& arguments);
[[nodiscard]] Dataset make_two_parts(const SyntheticArguments& arguments);
[[nodiscard]] Dataset make_cycles(const SyntheticArguments& arguments);
[[nodiscard]] Dataset make_triangle_density(const SyntheticArguments& arguments);

// The names of the motifs that make_motif can plant.
[[nodiscard]] std::vector<std::string> motif_names();

}  // namespace agentnet
