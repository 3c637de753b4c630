#include "paper/public_data.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "core/files/atomic_file.h"
#include "core/json.h"
#include "data/io/lines.h"

namespace agentnet {
namespace {

using Path = std::filesystem::path;

constexpr std::array<const char*, 4> kPacked = {"", ".xz", ".gz", ".zst"};

bool is_there(const Path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// The same set under other roofs.
std::vector<std::string> names_of(const std::string& name) {
  if (name == "PTC") return {"PTC", "PTC_MR"};
  if (name == "ogbg-molhiv") return {"ogbg-molhiv", "ogbg_molhiv"};
  if (name == "ogbg-molpcba") return {"ogbg-molpcba", "ogbg_molpcba", "pcba"};
  if (name == "ogbg-ppa") return {"ogbg-ppa", "ogbg_ppa", "ogbg_ppi_medium"};
  if (name == "QM9") return {"QM9", "qm9", "QM9-subset"};
  if (name == "ZINC") return {"ZINC", "zinc"};
  return {name};
}

std::optional<Path> first_packed(const Path& path) {
  for (const char* ending : kPacked) {
    if (const Path packed = path.string() + ending; is_there(packed)) return packed;
  }
  return std::nullopt;
}

// `folder` itself, and the set's own folder in it.
std::vector<Path> folders_of(const std::string& name, const Path& folder) {
  std::vector<Path> all = {folder};
  for (const std::string& own : names_of(name)) all.push_back(folder / own);
  return all;
}

// Rewrites lines of JSON into `target`.
class JsonLinesFile {
 public:
  explicit JsonLinesFile(const Path& target) : file_(target) {}

  void add(const Path& source, const std::function<void(Json&, const Lines&)>& change) {
    const Input input = Input::open(source);
    Lines lines(input, input.only_member());
    while (lines.next_nonempty()) {
      std::optional<Json> graph = parse_json_if_valid(lines.line());
      if (!graph || !graph->is_object()) lines.fail_line("this is no JSON object");
      change(*graph, lines);
      const std::string text = graph->dump() + "\n";
      file_.write(text.data(), text.size());
    }
  }
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
};

std::optional<std::array<Path, 3>> zinc_files(const Path& folder) {
  for (const Path& place : folders_of("ZINC", folder)) {
    const auto train = first_packed(place / "zinc_train.jsonl"), valid = first_packed(place / "zinc_val.jsonl"),
               test = first_packed(place / "zinc_test.jsonl");
    if (train && valid && test) return std::array{*train, *valid, *test};
  }
  return std::nullopt;
}

std::optional<Path> qm9_file(const Path& folder) {
  for (const Path& place : folders_of("QM9", folder)) {
    for (const char* name : {"qm9.jsonl", "QM9.jsonl", "qm9_3000.jsonl"}) {
      if (const auto found = first_packed(place / name)) return found;
    }
  }
  return std::nullopt;
}

void join_zinc(const std::array<Path, 3>& files, const Path& target) {
  constexpr std::array<const char*, 3> kParts = {"train", "valid", "test"};
  JsonLinesFile out(target);
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    out.add(files[part], [&](Json& graph, const Lines&) { graph["split"] = kParts[part]; });
  }
  out.commit();
}

void name_properties(const Path& file, const Path& target) {
  constexpr std::array<const char*, 12> kProperties = {"mu",   "alpha", "homo", "lumo", "gap",  "r2",
                                                       "zpve", "u0",    "u298", "h298", "g298", "cv"};
  JsonLinesFile out(target);
  out.add(file, [&](Json& graph, const Lines& lines) {
    const Json values = graph.value("y", Json());
    if (!values.is_array() || values.size() != kProperties.size()) {
      lines.fail_line(fmt::format("key y is not a list of the {} properties of QM9", kProperties.size()));
    }
    for (std::size_t p = 0; p < kProperties.size(); ++p) graph[kProperties[p]] = values[p];
    graph.erase("y");
  });
  out.commit();
}

Error missing(const std::string& name, const Path& folder) {
  std::string how = fmt::format("agentnet fetch {} gets it, or name the folder that has it with --data", name);
  if (name == "ZINC") {
    how = "name a folder with zinc_train.jsonl, zinc_val.jsonl and zinc_test.jsonl (docs/paper.md) with --data";
  } else if (name == "QM9") {
    how = "name a folder with qm9.jsonl (docs/paper.md) with --data";
  } else if (name == "PTC") {
    how = "agentnet fetch PTC_MR gets it, or name the folder that has it with --data";
  }
  return {ErrorKind::kUsage, fmt::format("the set {} is not in {}", name, folder.string()), how};
}

}  // namespace

std::optional<std::string> public_set_as_it_is(const std::string& name, const Path& folder) {
  if (name == "ZINC" || name == "QM9") return std::nullopt;
  for (const std::string& own : names_of(name)) {
    for (const char* ending : {".zip", ".tar.gz", ".tar.xz"}) {
      if (const Path archive = folder / (own + ending); is_there(archive)) return archive.string();
    }
    if (const auto text = first_packed(folder / (own + ".txt"))) return text->string();
    const Path inner = folder / own;
    if (const auto text = first_packed(inner / (own + ".txt"))) return text->string();
    if (is_there(inner / "TU")) return (inner / "TU").string();
    if (is_there(inner)) return inner.string();
  }
  return std::nullopt;
}

std::string find_public_set(const std::string& name, const Path& folder, const Path& made) {
  if (const auto found = public_set_as_it_is(name, folder)) return *found;
  const Path target = made / (name == "ZINC" ? "zinc.jsonl" : "qm9.jsonl");
  const auto make = [&](const auto& files, const auto& write) {
    if (!files) throw missing(name, folder);
    if (!is_there(target)) {
      std::error_code error;
      std::filesystem::create_directories(made, error);
      write(*files, target);
    }
    return target.string();
  };
  if (name == "ZINC") return make(zinc_files(folder), join_zinc);
  if (name == "QM9") return make(qm9_file(folder), name_properties);
  throw missing(name, folder);
}

}  // namespace agentnet
