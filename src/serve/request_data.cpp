#include "serve/request_data.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "agentnet/error.h"
#include "core/json.h"
#include "core/text.h"
#include "data/formats/formats.h"
#include "data/io/input.h"
#include "data/molecules/molecule.h"
#include "data/syntax/csv.h"
#include "http/request.h"
#include "predict/reading.h"
#include "serve/problem.h"

namespace agentnet {
namespace {

constexpr const char* kName = "request";     // of the source in messages: "request:3:17: ..."
constexpr std::uint64_t kEdgesPerNode = 16;  // of the largest graph
constexpr std::size_t kPart = 4096;          // rows
constexpr std::uint64_t kManyRows = 256;     // from here on, molecules are read by several threads

struct ContentType {
  std::string_view type;
  const char* format;  // empty: JSON of several forms
  const char* name;    // of a file of this kind: its ending says something to readers
};
constexpr std::array kContentTypes = {ContentType{"application/json", "", kName},
                                      ContentType{"application/x-ndjson", "jsonl", kName},
                                      ContentType{"application/ndjson", "jsonl", kName},
                                      ContentType{"application/jsonl", "jsonl", kName},
                                      ContentType{"application/x-jsonlines", "jsonl", kName},
                                      ContentType{"text/csv", "smiles", "request.csv"},
                                      ContentType{"text/tab-separated-values", "smiles", "request.tsv"},
                                      ContentType{"chemical/x-daylight-smiles", "smiles", "request.smi"}};
// These say nothing: the text is looked at. The last is what curl says if it is not told.
constexpr std::array<std::string_view, 4> kAnyText = {"", "text/plain", "application/octet-stream",
                                                      "application/x-www-form-urlencoded"};

std::string_view without_parameters(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  while (content_type.ends_with(' ')) content_type.remove_suffix(1);
  return content_type;
}

bool is_graph(const Json& json) {
  return json.is_object() && (json.contains("edge_index") || json.contains("num_nodes") || json.contains("node_feat") ||
                              json.contains("x"));
}

char first_character(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  return at == std::string_view::npos ? '\0' : text[at];
}

// Reads one source after another for a model, and counts.
class RequestReader {
 public:
  RequestReader(const ServedModel& model, const ServeOptions& options) : model_(model), options_(options) {}

  void read(const char* name, std::string text, const std::string& format, DataOptions reading) {
    reading.format = format;
    reading.threads = 1;
    reading.max_atoms = static_cast<int>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(std::max(1, reading.max_atoms)), options_.nodes));
    if (options_.threads > 1 && std::count(text.begin(), text.end(), '\n') > static_cast<std::ptrdiff_t>(kManyRows)) {
      reading.threads = options_.threads;
    }
    const Input input = Input::from_text(name, std::move(text));
    const Format& chosen = format_by_name(format);
    if (chosen.read_parts == nullptr) return take(chosen.read(input, reading));
    const std::size_t rows = std::min(kPart, options_.rows + 1);
    static_cast<void>(chosen.read_parts(input, reading, rows, [&](Dataset&& part) { take(std::move(part)); }));
  }

  // The usual way of reading, but for what the model's card says of columns that this table has not.
  [[nodiscard]] DataOptions settled(const char* name, const std::string& text, const std::string& format) const {
    DataOptions asked;
    asked.format = format;
    DataOptions reading = model_.reading;
    reading.format = format;
    settle_columns(Input::from_text(name, text), asked, reading);
    return reading;
  }

  void read_smiles(const std::vector<std::string>& smiles) {
    if (!model_.molecules) {
      throw Problem(422, fmt::format("the model {} was not trained on molecules", model_.name),
                    can_read_smiles() ? "send graphs in JSON" : "and this program was built without RDKit");
    }
    check_rows(smiles.size());
    std::string text = "smiles\n";
    // A line of nothing would be no row.
    for (const std::string& one : smiles) text += (one.empty() ? "\"\"" : csv_field(one, CsvFor::kPrograms)) + "\n";
    DataOptions reading = model_.reading;
    reading.smiles_column = "smiles";
    reading.id_column.clear();
    read("request.csv", std::move(text), "smiles", reading);
    if (data_.rows != smiles.size()) throw Problem(500, "the server has lost rows");
  }

  void read_graphs(const Json& list) {
    check_rows(list.size());
    std::string text;
    for (const Json& graph : list) {
      if (!graph.is_object()) {
        throw Problem(400, "a list of graphs has something else in it: " + shown(graph),
                      "give an object for each graph");
      }
      text += graph.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    }
    read(kName, std::move(text), "jsonl", model_.reading);
  }

  void read_list(const Json& list) {
    if (list.empty()) throw Problem(400, "the list is empty", "send at least one graph");
    if (!list[0].is_string()) return read_graphs(list);
    std::vector<std::string> smiles;
    for (const Json& text : list) {
      if (!text.is_string()) throw Problem(400, "some of the list are texts, and some are not");
      smiles.push_back(text.get<std::string>());
    }
    read_smiles(smiles);
  }

  // A document, if the text is one and not graphs in lines.
  bool read_document(const std::string& text) {
    const bool list = first_character(text) == '[';
    if (!list && !may_be_envelope(text)) return false;
    const Json json = parse_json(text, kName, ErrorKind::kData, {.depth = 64, .bytes = options_.body_bytes});
    if (json.is_array()) {
      read_list(json);
    } else if (is_graph(json)) {
      read_graphs(Json::array({json}));
    } else if (json.contains("smiles")) {
      read_list(json["smiles"].is_array() ? json["smiles"] : Json::array({json["smiles"]}));
    } else if (json.contains("graphs") && json["graphs"].is_array()) {
      read_list(json["graphs"]);
    } else {
      throw Problem(400, "the object has none of edge_index, num_nodes, node_feat, graphs and smiles",
                    R"(send {"smiles": ["CCO"]}, or {"graphs": [{"edge_index": [[0, 1], [1, 0]]}]})");
    }
    return true;
  }

  RequestData finish() && { return std::move(data_); }

 private:
  // An object with another shape than a graph in one line: reading it as a whole decides.
  static bool may_be_envelope(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    text.remove_prefix(std::min(begin, text.size()));
    std::string_view line = text.substr(0, text.find('\n'));
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    if (!line.ends_with('}')) return true;
    // Keys of ours anywhere in the first line; a word of this spelling in another place costs time and nothing else.
    const auto has = [&](std::string_view key) { return line.find(key) != std::string_view::npos; };
    return (has("\"smiles\"") || has("\"graphs\"")) && text.size() - line.size() < 4;
  }

  void check_rows(std::uint64_t rows) const {
    if (rows <= options_.rows) return;
    throw Problem(413, fmt::format("a request may have {} rows", options_.rows), "send the rows in several requests");
  }

  void take(Dataset part) {
    data_.rows += part.num_rows();
    check_rows(data_.rows);
    for (std::size_t g = 0; g < part.graphs.size(); ++g) {
      const GraphView graph = part.graphs.view(g);
      if (graph.num_nodes <= options_.nodes && graph.num_edges() <= kEdgesPerNode * options_.nodes) continue;
      throw Problem(413, fmt::format("row {} has {} nodes and {} edges; a graph may have {} and {}",
                                     part.rows.empty() ? g : part.rows[g], graph.num_nodes, graph.num_edges(),
                                     options_.nodes, kEdgesPerNode * options_.nodes));
    }
    if (part.rows.empty()) {
      for (std::size_t g = 0; g < part.graphs.size(); ++g) part.rows.push_back(g);
    }
    if (part.graphs.size() > 0) static_cast<void>(fit_to_schema(part, model_.schema));
    data_.parts.push_back(std::move(part));
  }

  const ServedModel& model_;
  const ServeOptions& options_;
  RequestData data_;
};

// The format that the text looks like: one that a single text can be in, and that readers take from memory.
std::string detected_format(const ServedModel& model, const std::string& text) {
  const Input input = Input::from_text(kName, text);
  const Format* const found = find_format(input, model.reading.smiles_column);
  if (found != nullptr && std::string_view(found->name) != "agentset") return found->name;
  // One column of SMILES strings, or of SMILES strings and names, in which nothing tells that it is.
  if (found == nullptr && model.molecules && text.find('\0') == std::string::npos) return "smi";
  throw Problem(415, "the body is of no kind that is known here",
                "say what it is in Content-Type: application/json, application/x-ndjson or text/csv");
}

}  // namespace

RequestData read_request(const ServedModel& model, std::string_view content_type, std::string body,
                         const ServeOptions& options) {
  if (first_character(body) == '\0' && body.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Problem(400, "the request has no body", "send graphs, or SMILES strings");
  }
  RequestReader reader(model, options);
  content_type = without_parameters(content_type);
  const auto* const said = std::find_if(kContentTypes.begin(), kContentTypes.end(),
                                        [&](const ContentType& type) { return same_letters(type.type, content_type); });
  const bool any = std::any_of(kAnyText.begin(), kAnyText.end(),
                               [&](std::string_view type) { return same_letters(type, content_type); });
  if (said == kContentTypes.end() && !any) {
    throw Problem(415, fmt::format("bodies of the type {} are not read here", in_quotes(std::string(content_type))),
                  "send application/json, application/x-ndjson, text/csv or text/plain");
  }
  std::string format = any ? "" : said->format;
  const char* name = any ? kName : said->name;
  const char first = first_character(body);
  if (format.empty() && (first == '{' || first == '[')) {
    if (reader.read_document(body)) return std::move(reader).finish();
    format = "jsonl";
  }
  if (format.empty() && !any) throw Problem(400, "the body is no JSON", "it begins with { or [");
  if (format.empty()) format = detected_format(model, body);
  if (format == "smi") {
    name = "request.smi";
    format = "smiles";
  }
  const DataOptions reading = reader.settled(name, body, format);
  reader.read(name, std::move(body), format, reading);
  return std::move(reader).finish();
}

RequestData read_texts(const ServedModel& model, const std::vector<std::string>& texts, const ServeOptions& options) {
  if (texts.empty()) throw Problem(400, "there is no row", "send at least one");
  RequestReader reader(model, options);
  const auto is_json = [](const std::string& text) { return first_character(text) == '{'; };
  const auto count = std::count_if(texts.begin(), texts.end(), is_json);
  if (count == 0) {
    reader.read_smiles(texts);
  } else if (count == static_cast<std::ptrdiff_t>(texts.size())) {
    Json graphs = Json::array();
    for (const std::string& text : texts) {
      graphs.push_back(parse_json(text, kName, ErrorKind::kData, {.depth = 16, .bytes = options.body_bytes}));
    }
    reader.read_graphs(graphs);
  } else {
    throw Problem(400, "some rows are graphs in JSON, others are not", "send them in two requests");
  }
  return std::move(reader).finish();
}

}  // namespace agentnet
