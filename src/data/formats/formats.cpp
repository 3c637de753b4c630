#include "data/formats/formats.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"
#include "data/formats/detect.h"
#include "data/formats/foreign.h"
#include "data/formats/network_readers.h"
#include "data/huge/mapped_set.h"
#include "data/io/head.h"
#include "data/synthetic/synthetic.h"
#include "data/tables/features.h"
#include "data/tables/wrong_values.h"
#include "graph/set_arrays.h"
#include "graph/set_file.h"

namespace agentnet {
namespace {

std::string names_of_formats() {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.emplace_back(format.name);
  return join_text(names, ", ");
}

}  // namespace

std::span<const Format> formats() {
  // Folders first, then single files, the surest signs before the weaker ones.
  static constexpr std::array kAll = {
      Format{"tu", "TU folder or archive: NAME_A.txt, NAME_graph_indicator.txt, ...", "", looks_like_tu, read_tu,
             write_tu},
      Format{"ogb", "OGB raw folder or archive: raw/edge.csv.gz, ..., split/, mapping/", "", looks_like_ogb, read_ogb,
             nullptr},
      Format{"csv", "three tables: graphs.csv, nodes.csv, edges.csv", "", looks_like_csv_triple, read_csv_triple,
             write_csv_triple},
      Format{"agentset", "our own mapped file: opens at once, whatever its size", "agentset", looks_like_mapped,
             read_mapped_set, write_mapped_set},
      Format{"graphml",
             "GraphML: graphs with typed attributes of nodes, edges and graphs, in XML; a file or a folder of them",
             "graphml", looks_like_graphml, read_graphml, write_graphml},
      Format{"gexf", "GEXF: Gephi's graphs with attributes, in XML", "", looks_like_gexf, read_gexf, nullptr},
      Format{"gml", "GML: graphs with attributes, as networkx and igraph write them", "", looks_like_gml, read_gml,
             nullptr},
      Format{"graph6", "graph6, sparse6, digraph6: a graph per line, six bits per character", "", looks_like_graph6,
             read_graph6, nullptr},
      Format{"nodelink", "JSON in node-link form: nodes and links with attributes, as networkx writes it", "",
             looks_like_node_link, read_node_link, nullptr},
      Format{"matrixmarket", "MatrixMarket: a square sparse matrix, its entries are the edges", "",
             looks_like_matrix_market, read_matrix_market, nullptr},
      Format{"metis", "METIS: numbers of nodes and edges, then per node its neighbours from 1", "", looks_like_metis,
             read_metis, nullptr},
      Format{"jsonl", "a JSON object per line: edge_index, node_feat, edge_attr, num_nodes, y, id, pos", "jsonl",
             looks_like_jsonl, read_jsonl, write_jsonl, read_jsonl_in_parts},
      Format{"smiles",
             "a table (commas, tabs or semicolons; .smi) with a column of SMILES strings and columns of targets", "",
             looks_like_smiles_csv, read_smiles_csv, nullptr, read_smiles_csv_in_parts},
      Format{"gin", "GIN text: number of graphs, then per node its tag, degree and neighbours", "txt", looks_like_gin,
             read_gin, write_gin},
      Format{"edgelist", "one graph: two node ids per line, # comments (SNAP)", "edgelist", looks_like_edge_list,
             read_edge_list, write_edge_list},
  };
  return kAll;
}

const Format& format_by_name(std::string_view name) {
  std::vector<std::string> names;
  for (const Format& format : formats()) {
    if (name == format.name) return format;
    names.emplace_back(format.name);
  }
  const auto meant = closest_match(name, names);
  throw Error(ErrorKind::kUsage, fmt::format("there is no format {}", in_quotes(name)),
              meant ? fmt::format("did you mean {}?", *meant) : fmt::format("formats are {}", names_of_formats()));
}

const Format* find_format(const Input& input, std::string_view smiles_column) {
  std::string_view name;
  std::string head;
  if (input.members().size() == 1) {
    name = input.members()[0];
    head = head_of(input);
    if (head.empty()) throw Error(ErrorKind::kData, fmt::format("{} is empty", input.place(name)), "check the file");
  }
  const Sample sample{input, name, head, smiles_column};
  for (const Format& format : formats()) {
    if (format.detect(sample)) return &format;
  }
  return nullptr;
}

const Format& format_for(const Input& input, const DataOptions& options) {
  refuse_foreign(input, input.head());
  if (!options.format.empty()) return format_by_name(options.format);
  if (const Format* const found = find_format(input, options.smiles_column)) return *found;
  const std::string_view head = input.head();
  const bool may_be_table = !input.is_folder() && head.find_first_of(",;\t") < head.find('\n');
  throw Error(ErrorKind::kData, fmt::format("cannot tell the format of {}", input.name()),
              fmt::format("{}name it with --format: {}",
                          may_be_table ? "name the column of SMILES strings with --smiles-column if it is a table of "
                                         "molecules; else "
                                       : "",
                          names_of_formats()));
}

namespace {

const Format& format_to_write(const std::filesystem::path& path, std::string_view name) {
  std::vector<std::string> written;
  for (const Format& format : formats()) {
    if (format.write != nullptr) written.emplace_back(format.name);
  }
  const std::string hint = fmt::format("formats that are written: {}", join_text(written, ", "));
  if (!name.empty()) {
    const Format& format = format_by_name(name);
    if (format.write == nullptr) {
      throw Error(ErrorKind::kUsage, fmt::format("the format {} is read, but not written", name), hint);
    }
    return format;
  }
  const std::filesystem::path plain = without_compression(path.string());
  if (plain.extension() == ".graph") return format_by_name("agentset");
  for (const Format& format : formats()) {
    if (format.write != nullptr && *format.ending != 0 && plain.extension() == fmt::format(".{}", format.ending)) {
      return format;
    }
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("the name {} does not say which format to write", in_quotes(path.string())),
              fmt::format("name it with --to; {}", hint));
}

}  // namespace

std::vector<std::string> write_data(const Dataset& data, const std::filesystem::path& path, std::string_view format,
                                    bool replace) {
  const Format& chosen = format_to_write(path, format);
  std::error_code ignored;
  if (!replace && std::filesystem::exists(path, ignored)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} exists already", path.string()),
                "choose another name, or replace it with --force");
  }
  // A mapped set may not have been checked as a whole; here all of it is read.
  const bool mapped = data.graphs.arrays().mapping != nullptr;
  if (mapped) check_contents(data.graphs, data.source);
  for (const auto& wrong : {unlisted_category(data), wrong_target(data)}) {
    if (!wrong) continue;
    const char* const hint = "write the data before it is adapted to a model";
    if (wrong->unseen && !mapped) throw Error(ErrorKind::kUsage, wrong->what, hint);
    throw Error(ErrorKind::kData, fmt::format("{}: {}", data.source, wrong->what),
                wrong->unseen ? fmt::format("convert the data again, or {}", hint) : "correct the data");
  }
  return chosen.write(data, path);
}

Dataset read_data(const std::string& source, const DataOptions& options) {
  if (source.starts_with(kSyntheticPrefix)) {
    Dataset data = make_synthetic(source);
    if (!options.keep.empty()) {
      throw Error(ErrorKind::kUsage, fmt::format("{} has no column {}", source, in_quotes(options.keep[0])),
                  "built-in sets have no further columns");
    }
    apply_options(data, options);
    return data;
  }
  const Input input = open_source(source, unpack_limit(options));
  const Format& format = format_for(input, options);
  Dataset data = format.read(input, options);
  require_kept_columns(data, options);
  return data;
}

namespace {

// "DIR/ENZYMES_" of a file of a TU set that has its two necessary files beside it.
std::optional<std::string> tu_prefix(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 8> kKinds = {
      "A.txt",           "graph_indicator.txt", "graph_labels.txt", "graph_attributes.txt",
      "node_labels.txt", "node_attributes.txt", "edge_labels.txt",  "edge_attributes.txt"};
  const std::string name = path.filename().string();
  for (const std::string_view kind : kKinds) {
    if (!name.ends_with(kind) || name.size() == kind.size() || name[name.size() - kind.size() - 1] != '_') continue;
    const std::string prefix = name.substr(0, name.size() - kind.size());
    const auto beside = [&](const char* other) {
      return std::filesystem::is_regular_file(path.parent_path() / (prefix + other));
    };
    if (beside("A.txt") && beside("graph_indicator.txt")) return prefix;
  }
  return std::nullopt;
}

// The files of that set alone: others may lie beside them.
Input tu_files(const std::filesystem::path& path, const std::string& prefix, UnpackLimit limit) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || !name.starts_with(prefix) || !name.ends_with(".txt")) continue;
    const Input file = Input::open(entry.path(), limit);
    members.emplace_back(name, read_all(*file.stream(), entry.path().string()));
  }
  return Input::from_texts(folder.string(), std::move(members));
}

}  // namespace

Input open_source(const std::string& source, UnpackLimit limit) {
  if (const auto prefix = tu_prefix(source)) return tu_files(source, *prefix, limit);
  return Input::open(source, limit);
}

UnpackLimit unpack_limit(const DataOptions& options) {
  return {.ratio = static_cast<std::uint64_t>(std::max(1, options.max_unpack_ratio))};
}

void require_kept_columns(const Dataset& data, const DataOptions& options) {
  for (const std::string& name : options.keep) {
    if (data.columns.contains(name)) continue;
    throw Error(ErrorKind::kUsage, fmt::format("{} has no column {} to keep", data.source, in_quotes(name)),
                fmt::format("the format {} has no further columns", data.format));
  }
}

}  // namespace agentnet
