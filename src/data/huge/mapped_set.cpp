#include "data/huge/mapped_set.h"

#include <fmt/core.h>

#include <cstring>

#include "agentnet/error.h"
#include "core/json.h"
#include "core/text.h"
#include "data/tables/features.h"
#include "data/tables/wrong_values.h"
#include "graph/set_arrays.h"
#include "graph/set_file.h"

namespace agentnet {
namespace {

enum Part : std::uint8_t { kNoPart, kTrain, kValid, kTest };
constexpr const char* kSplitSection = "split";

std::vector<std::uint8_t> parts_of(const Split& split, std::size_t graphs) {
  std::vector<std::uint8_t> parts(graphs, kNoPart);
  for (const std::size_t g : split.train) parts.at(g) = kTrain;
  for (const std::size_t g : split.valid) parts.at(g) = kValid;
  for (const std::size_t g : split.test) parts.at(g) = kTest;
  return parts;
}

[[noreturn]] void damaged(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", place, what), "copy the file again, or convert the data again");
}

Split split_of(std::span<const std::byte> parts, std::size_t graphs, const std::string& place) {
  Split split;
  if (parts.size() != graphs) damaged(place, fmt::format("the split is damaged: it has {} graphs", parts.size()));
  for (std::size_t g = 0; g < parts.size(); ++g) {
    const auto part = std::to_integer<std::uint8_t>(parts[g]);
    if (part > kTest) damaged(place, fmt::format("graph {}: its part of the split is damaged", g));
    if (part == kTrain) split.train.push_back(g);
    if (part == kValid) split.valid.push_back(g);
    if (part == kTest) split.test.push_back(g);
  }
  return split;
}

// A text column as two sections: where each text ends, and all texts.
struct TextSections {
  std::vector<std::uint64_t> ends;
  std::string text;
};

TextSections sections_of(const std::vector<std::string>& values) {
  TextSections sections;
  for (const std::string& value : values) {
    sections.text += value;
    sections.ends.push_back(sections.text.size());
  }
  return sections;
}

std::vector<std::string> texts_of(std::span<const std::byte> ends, std::span<const std::byte> text, std::size_t graphs,
                                  const std::string& place) {
  std::vector<std::string> values;
  std::uint64_t begin = 0;
  for (std::size_t g = 0; g < graphs; ++g) {
    std::uint64_t end = begin;
    if (ends.size() == graphs * sizeof(end)) std::memcpy(&end, ends.data() + g * sizeof(end), sizeof(end));
    if (ends.size() != graphs * sizeof(end) || end < begin || end > text.size()) {
      damaged(place, fmt::format("graph {}: a text column is damaged", g));
    }
    values.emplace_back(reinterpret_cast<const char*>(text.data()) + begin, end - begin);
    begin = end;
  }
  return values;
}

// Calls f, turning what the JSON library throws into an error about the file.
template <class F>
auto reading(const std::string& place, const F& f) {
  try {
    return f();
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::kData, fmt::format("{}: the metadata is damaged: {}", place, printable(error.what())),
                "convert the data again");
  }
}

void check_widths(const Schema& schema, const SetArrays& set, const std::string& place) {
  const auto agree = [](std::size_t names, int width) { return names == static_cast<std::size_t>(width); };
  const bool edges = set.num_edges() == 0 || (agree(schema.edges.dense.size(), set.edge_dense_width) &&
                                              agree(schema.edges.categories.size(), set.edge_category_width));
  const bool fitting_targets =
      schema.task == Task::kNone ||
      (schema.task == Task::kClassification ? schema.targets.size() == 1 : !schema.targets.empty());
  if (!edges || !fitting_targets || !agree(schema.targets.size(), set.num_targets) ||
      !agree(schema.nodes.dense.size(), set.node_dense_width) ||
      !agree(schema.nodes.categories.size(), set.node_category_width)) {
    throw Error(ErrorKind::kData, fmt::format("{}: the metadata names other columns than the file has", place),
                "convert the data again");
  }
}

// A plain file is mapped, anything else comes into memory and is checked right away.
SetFile open_input(const Input& input, std::uint64_t check_up_to) {
  if (input.is_plain_file()) return open_set_file(input.name(), check_up_to);
  const std::string place = input.place(input.only_member());
  const auto text = std::make_shared<std::string>(read_all(*input.stream(), place));
  const auto bytes = std::as_bytes(std::span<const char>(*text));
  return open_set_bytes(bytes, text, place, kAnySize);
}

}  // namespace

LeftOut write_mapped_set(const Dataset& data, const std::filesystem::path& path) {
  if (without_compression(path.string()) != path.string()) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: a mapped set is not packed", path.string()),
                "leave the ending out, or pack the file afterwards: it is read all the same");
  }
  Json metadata = parse_json(schema_to_json(data.schema), "schema");
  std::map<std::string, std::span<const std::byte>> extras;
  std::vector<std::uint8_t> parts;
  if (data.official) {
    parts = parts_of(*data.official, data.graphs.size());
    extras[kSplitSection] = std::as_bytes(std::span(parts));
  }
  std::vector<TextSections> texts;
  texts.reserve(data.columns.size());
  metadata["columns"] = Json::array();
  for (const auto& [name, values] : data.columns) {
    const std::size_t number = texts.size();
    const TextSections& sections = texts.emplace_back(sections_of(values));
    extras[fmt::format("ends{}", number)] = std::as_bytes(std::span(sections.ends));
    extras[fmt::format("text{}", number)] = std::as_bytes(std::span(sections.text));
    metadata["columns"].push_back(name);
  }
  write_set_file(path, data.graphs, metadata.dump(), extras);
  return {};
}

Dataset read_mapped_set(const Input& input, const DataOptions& options) {
  const std::string place = input.name();
  const bool reads_all = options.degree || options.constant || options.distances;
  SetFile file = open_input(input, reads_all ? kAnySize : options.check_up_to);
  const Json metadata = parse_json(file.metadata, place + ": metadata");
  Dataset data;
  data.source = place;
  data.format = "agentset";
  data.schema = schema_from_json(file.metadata, place);
  const auto names = reading(place, [&] { return metadata.at("columns").get<std::vector<std::string>>(); });
  data.graphs = std::move(file.graphs);
  SetArrays& set = data.graphs.arrays();
  check_widths(data.schema, set, place);
  if (file.checked) {
    if (const auto wrong = unlisted_category(data)) damaged(place, wrong->what);
  }
  if (file.checked || options.task != Task::kNone) {
    // They are used as class numbers: those that were checked are kept, whatever becomes of the file.
    static_cast<void>(set.targets.own());
    if (const auto wrong = wrong_target(data)) damaged(place, wrong->what);
  }
  if (options.official && file.extras.contains(kSplitSection)) {
    const auto section = file.extras.at(kSplitSection);
    data.official = split_of(section, data.graphs.size(), place);
  }
  for (const std::string& wanted : options.keep) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found == names.end()) {
      throw Error(
          ErrorKind::kUsage, fmt::format("{} has no column {}", place, in_quotes(wanted)),
          names.empty() ? "convert the data again with --keep" : fmt::format("it has {}", join_text(names, ", ")));
    }
    const auto number = found - names.begin();
    const auto section = [&](const char* name) {
      const auto entry = file.extras.find(fmt::format("{}{}", name, number));
      return entry == file.extras.end() ? std::span<const std::byte>() : entry->second;
    };
    data.columns[wanted] = texts_of(section("ends"), section("text"), data.graphs.size(), place);
  }
  apply_options(data, options);
  return data;
}

}  // namespace agentnet
