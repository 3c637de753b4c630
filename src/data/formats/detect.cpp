#include "data/formats/detect.h"

#include <algorithm>
#include <string>
#include <vector>

#include "data/formats/smiles_table.h"
#include "data/io/lines.h"
#include "graph/set_file.h"

namespace agentnet {
namespace {

bool any_member_ends_in(const Sample& sample, std::string_view ending) {
  const auto& names = sample.input.members();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return name.ends_with(ending); });
}

// The first lines, without a byte-order mark; the last one may be cut.
std::vector<std::string_view> first_lines(std::string_view head, std::size_t most) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  std::vector<std::string_view> lines;
  while (!head.empty() && lines.size() < most) {
    std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(head.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

// How many whole numbers the line consists of; -1 if of anything else.
int whole_numbers(std::string_view line) {
  int count = 0;
  while (true) {
    const std::size_t first = line.find_first_not_of(" \t,;");
    if (first == std::string_view::npos) return count;
    line.remove_prefix(first);
    const std::string_view word = line.substr(0, line.find_first_of(" \t,;"));
    if (!to_integer(word)) return -1;
    line.remove_prefix(word.size());
    ++count;
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

}  // namespace

bool looks_like_tu(const Sample& sample) { return any_member_ends_in(sample, "_A.txt"); }

bool looks_like_ogb(const Sample& sample) { return any_member_ends_in(sample, "num-node-list.csv"); }

bool looks_like_csv_triple(const Sample& sample) {
  return any_member_ends_in(sample, "edges.csv") &&
         (any_member_ends_in(sample, "nodes.csv") || any_member_ends_in(sample, "graphs.csv"));
}

bool looks_like_mapped(const Sample& sample) { return sample.head.starts_with(kSetMagic); }

bool looks_like_jsonl(const Sample& sample) {
  if (sample.name.empty()) return false;
  std::string_view text = sample.head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return sample.name.ends_with(".jsonl") || trimmed(text).starts_with('{');
}

bool looks_like_gml(const Sample& sample) {
  if (sample.name.ends_with(".gml")) return true;
  // "graph [", perhaps behind "Creator ..." and comments.
  for (const std::string_view line : first_lines(sample.head, 20)) {
    const std::string_view text = trimmed(line);
    if (!text.starts_with("graph")) continue;
    const std::string_view rest = trimmed(text.substr(5));
    return rest.empty() || rest.starts_with('[');
  }
  return false;
}

bool looks_like_gexf(const Sample& sample) {
  return sample.name.ends_with(".gexf") || sample.head.find("<gexf") != std::string_view::npos;
}

bool looks_like_graph6(const Sample& sample) {
  for (const std::string_view ending : {".g6", ".s6", ".d6", ".graph6", ".sparse6", ".digraph6"}) {
    if (sample.name.ends_with(ending)) return true;
  }
  return sample.head.starts_with(">>graph6<<") || sample.head.starts_with(">>sparse6<<") ||
         sample.head.starts_with(">>digraph6<<");
}

// An object, or a list of them, with the keys of node-link form and none of ours.
bool looks_like_node_link(const Sample& sample) {
  const std::string_view text = trimmed(sample.head);
  if (!text.starts_with('{') && !text.starts_with('[')) return false;
  const auto has = [&](std::string_view key) { return text.find(key) != std::string_view::npos; };
  return has("\"nodes\"") && !has("\"edge_index\"") && !has("\"num_nodes\"");
}

bool looks_like_graphml(const Sample& sample) {
  // A folder of them, one graph or several in each.
  const auto& names = sample.input.members();
  if (names.size() > 1) {
    return std::all_of(names.begin(), names.end(), [](const std::string& name) { return name.ends_with(".graphml"); });
  }
  return sample.name.ends_with(".graphml") || sample.head.find("<graphml") != std::string_view::npos;
}

bool looks_like_matrix_market(const Sample& sample) {
  return sample.name.ends_with(".mtx") || sample.head.starts_with("%%MatrixMarket");
}

bool looks_like_metis(const Sample& sample) {
  return sample.name.ends_with(".metis") || sample.name.ends_with(".graph");
}

bool looks_like_smiles_csv(const Sample& sample) {
  // A table with SMILES in another column than the named one is one as well: its reader says which columns there are.
  const auto has_smiles = [&](std::string_view column) {
    return smiles_table_form(sample.name, sample.head, column).smiles.has_value();
  };
  return !sample.name.empty() &&
         (has_smiles(sample.smiles_column) || (!sample.smiles_column.empty() && has_smiles("")));
}

bool looks_like_gin(const Sample& sample) {
  const auto lines = first_lines(sample.head, 2);
  if (lines.size() < 2 || whole_numbers(lines[0]) != 1) return false;
  // "n label": a label may be a word.
  const std::size_t space = lines[1].find_first_of(" \t");
  return space != std::string_view::npos && to_integer(lines[1].substr(0, space)).has_value();
}

bool looks_like_edge_list(const Sample& sample) {
  auto lines = first_lines(sample.head, 100);
  std::erase_if(lines, [](std::string_view line) {
    const std::string_view text = trimmed(line);
    return text.empty() || text.starts_with('#') || text.starts_with('%');
  });
  if (lines.empty()) return sample.head.starts_with('#') && sample.name.ends_with(".txt");
  const std::string_view line = lines[0];
  const std::size_t second = line.find_first_of(" \t,");
  if (second == std::string_view::npos || !to_integer(line.substr(0, second))) return false;
  const std::string_view rest = line.substr(line.find_first_not_of(" \t,", second) == std::string_view::npos
                                                ? line.size()
                                                : line.find_first_not_of(" \t,", second));
  return to_integer(rest.substr(0, rest.find_first_of(" \t,"))).has_value();
}

}  // namespace agentnet
