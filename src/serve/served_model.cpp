#include "serve/served_model.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "core/files/checksum.h"
#include "core/files/mapped_file.h"
#include "core/text.h"
#include "data/molecules/molecule.h"
#include "predict/reading.h"

namespace agentnet {
namespace {

std::string version_of(const std::filesystem::path& path) {
  const MappedFile file = MappedFile::open(path);
  std::string version = xxh3_64_hex(file.bytes());
  file.check();
  return version;
}

}  // namespace

bool is_model_name(std::string_view name) {
  const auto allowed = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= 100 && name != "." && name != ".." &&
         std::all_of(name.begin(), name.end(), allowed);
}

ServedModelPointer load_served_model(const std::string& name, const std::filesystem::path& path) {
  if (!is_model_name(name)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} cannot be the name of a model that is served", in_quotes(name)),
                fmt::format("name it with letters, digits, dots and dashes: NAME={}", path.string()));
  }
  // The version is that of the bytes that were loaded: if the file changes meanwhile, it is loaded once more.
  std::string version = version_of(path);
  Model model = Model::load(path);
  for (int i = 0; i < 3; ++i) {
    const std::string now = version_of(path);
    if (now == version) break;
    version = now;
    model = Model::load(path);
  }
  auto served = std::make_shared<ServedModel>(ServedModel{.name = name,
                                                          .path = path,
                                                          .version = std::move(version),
                                                          .model = std::move(model),
                                                          .schema = {},
                                                          .outputs = {},
                                                          .reading = {}});
  served->schema = schema_of(served->model);
  served->task = task_of(served->model);
  served->outputs = output_names(served->model);
  DataOptions asked;
  asked.task = Task::kNone;
  served->reading = reading_options(served->model, asked);
  const auto& atoms = atom_schema().categories;
  const auto& nodes = served->schema.nodes.categories;
  served->molecules = can_read_smiles() && std::any_of(nodes.begin(), nodes.end(), [&](const CategoryColumn& column) {
                        return std::any_of(atoms.begin(), atoms.end(),
                                           [&](const CategoryColumn& atom) { return atom.name == column.name; });
                      });
  return served;
}

ServedModels::Stamp ServedModels::stamp_of(const std::filesystem::path& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {found.st_mtim.tv_sec, found.st_mtim.tv_nsec, static_cast<std::uint64_t>(found.st_size),
          static_cast<std::uint64_t>(found.st_ino)};
}

void ServedModels::add(const std::string& name, const std::filesystem::path& path) {
  if (find(name) != nullptr && !name.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("two models are called {}", in_quotes(name)),
                fmt::format("give one another name: other-{}={}", name, path.string()));
  }
  const Stamp stamp = stamp_of(path);
  ServedModelPointer model = load_served_model(name, path);
  const std::lock_guard lock(mutex_);
  entries_.push_back({std::move(model), stamp});
}

ServedModelPointer ServedModels::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  if (name.empty()) return entries_.empty() ? nullptr : entries_.front().model;
  for (const Entry& entry : entries_) {
    if (entry.model->name == name) return entry.model;
  }
  return nullptr;
}

std::vector<ServedModelPointer> ServedModels::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<ServedModelPointer> models;
  for (const Entry& entry : entries_) models.push_back(entry.model);
  return models;
}

std::vector<ModelReload> ServedModels::reload(bool all) {
  const std::lock_guard one_at_a_time(reloading_);
  std::vector<Entry> before;
  {
    const std::lock_guard lock(mutex_);
    before = entries_;
  }
  std::vector<ModelReload> done;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const ServedModel& old = *before[i].model;
    const Stamp stamp = stamp_of(old.path);
    // A file that was taken away may come back: that is how some programs replace one.
    if (!all && (stamp == before[i].stamp || stamp == Stamp())) continue;
    ModelReload reload = {.name = old.name, .loaded = false, .problem = {}};
    ServedModelPointer loaded;
    try {
      loaded = load_served_model(old.name, old.path);
      reload.loaded = true;
    } catch (const std::exception& error) {
      reload.problem = error.what();
    }
    const bool same = loaded != nullptr && loaded->version == old.version;
    {
      const std::lock_guard lock(mutex_);
      if (loaded != nullptr && !same) entries_[i].model = std::move(loaded);
      entries_[i].stamp = stamp;
    }
    if (!same || all) done.push_back(std::move(reload));
  }
  return done;
}

}  // namespace agentnet
