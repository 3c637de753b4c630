// The models of a server: loaded from files, found by name, and loaded again when their files change, while requests
// that have begun go on with what they began with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/model.h"

namespace agentnet {

// A model as it is asked. Nothing of it changes: any number of threads may hold it.
struct ServedModel {
  std::string name;
  std::filesystem::path path;
  std::string version;  // of its bytes: 16 hexadecimal digits
  Model model;
  Schema schema;
  Task task = Task::kNone;
  std::vector<std::string> outputs;  // names of classes or targets
  DataOptions reading;               // how its data is read, without targets
  bool molecules = false;            // it was trained on molecules: a SMILES string is a graph
};

using ServedModelPointer = std::shared_ptr<const ServedModel>;

// Throws Error as Model::load() does, kMismatch for a model without a schema, and kUsage for a name that does not fit
// into an address.
[[nodiscard]] ServedModelPointer load_served_model(const std::string& name, const std::filesystem::path& path);

// Names are letters, digits and . _ -, so that they stand in an address as they are.
[[nodiscard]] bool is_model_name(std::string_view name);

// What happened to one model when the files were looked at.
struct ModelReload {
  std::string name;
  bool loaded = false;
  std::string problem;  // why it was not: the old one goes on
};

// All functions may be called by any number of threads.
class ServedModels {
 public:
  // The first is the one that a request gets that names none. Throws Error as load_served_model() does, and kUsage for
  // a name that is there already.
  void add(const std::string& name, const std::filesystem::path& path);

  // Null if there is none of this name; an empty name: the first.
  [[nodiscard]] ServedModelPointer find(std::string_view name) const;
  [[nodiscard]] std::vector<ServedModelPointer> all() const;  // in the order in which they were added

  // Loads those whose files have changed since they were looked at the last time, or all. A file that is not whole is
  // left for the next change; a file that holds the same bytes is no change.
  std::vector<ModelReload> reload(bool all);

 private:
  // What says that a file is another one than before.
  struct Stamp {
    std::int64_t seconds = 0, nanoseconds = 0;
    std::uint64_t size = 0, inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  [[nodiscard]] static Stamp stamp_of(const std::filesystem::path& path);

  struct Entry {
    ServedModelPointer model;
    Stamp stamp;
  };
  mutable std::mutex mutex_;
  std::mutex reloading_;
  std::vector<Entry> entries_;
};

}  // namespace agentnet
