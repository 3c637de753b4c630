#include "run/run_folder.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>

#include "agentnet/error.h"
#include "core/files/atomic_file.h"
#include "core/files/folder.h"
#include "core/json.h"
#include "data/tables/fingerprint.h"
#include "run/metrics_log.h"
#include "run/tensorboard.h"

namespace agentnet {
namespace {

bool is_run(const std::filesystem::path& folder) { return std::filesystem::exists(folder / run_file::kConfig); }

// In the order in which they are removed.
constexpr std::array kOwn = {run_file::kCheckpoints, run_file::kModel, run_file::kMetrics,
                             "metrics.csv",          kEventsFile,      run_file::kSummary,
                             run_file::kPredictions, kReportFile,      run_file::kLog,
                             run_file::kSplits,      run_file::kConfig};

// What a run was about to write when it was killed.
bool is_leftover(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return std::any_of(kOwn.begin(), kOwn.end(), [&](const char* own) {
    return name.starts_with(std::string(own) + kTemporarySuffix) && is_temporary_name(name);
  });
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  std::filesystem::directory_iterator at(folder, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) files.push_back(at->path());
  if (!error) return files;
  throw Error(ErrorKind::kFailure, fmt::format("cannot read the folder {}: {}", folder.string(), error.message()),
              "choose a place that you may read and write");
}

// The config goes last: as long as it is there, the folder is a run's, and can be replaced. Whoever still writes a file
// keeps it.
void remove_run(const std::filesystem::path& folder) {
  remove_abandoned_files(folder);
  for (const char* name : kOwn) {
    std::error_code error;
    std::filesystem::remove_all(folder / name, error);
    if (!error) continue;
    throw Error(ErrorKind::kFailure, fmt::format("cannot remove {}: {}", (folder / name).string(), error.message()),
                "remove it yourself, or choose another folder");
  }
}

}  // namespace

void make_run_folder(const std::filesystem::path& folder, bool replace) {
  std::error_code error;
  if (std::filesystem::exists(folder, error)) {
    if (!std::filesystem::is_directory(folder, error)) {
      throw Error(ErrorKind::kUsage, fmt::format("{} is a file, a run needs a folder", folder.string()),
                  "choose another name");
    }
    const std::vector<std::filesystem::path> files = files_in(folder);
    if (!is_run(folder) && !std::all_of(files.begin(), files.end(), is_leftover)) {
      throw Error(ErrorKind::kUsage, fmt::format("the folder {} exists and holds something else", folder.string()),
                  "choose another name");
    }
    if (is_run(folder) && !replace) {
      throw Error(
          ErrorKind::kUsage, fmt::format("the folder {} holds a run already", folder.string()),
          fmt::format("go on with it (--resume {}), replace it (--force) or choose another name", folder.string()));
    }
    const FolderLock lock(folder);  // nothing goes from under a run that is under way
    remove_run(folder);
  }
  make_folder(folder);
}

std::filesystem::path run_config_file(const std::filesystem::path& folder) {
  if (!is_run(folder)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} holds no run: there is no {} in it", folder.string(), run_file::kConfig),
                "give the folder that agentnet train -o made");
  }
  return folder / run_file::kConfig;
}

Dataset read_run_data(const std::filesystem::path& folder, int threads) {
  SettingsLayers layers;
  layers.file(run_config_file(folder));
  return read_data(layers.data_settings(), threads);
}

Settings read_run_settings(const std::filesystem::path& folder, const Dataset& data) {
  SettingsLayers layers;
  layers.file(run_config_file(folder));
  return layers.resolve(data);
}

std::filesystem::path run_model_file(const std::filesystem::path& folder) { return folder / run_file::kModel; }

std::vector<EpochRecord> read_run_history(const std::filesystem::path& folder) {
  return read_metrics(folder / run_file::kMetrics, std::numeric_limits<std::uint64_t>::max());
}

void check_run_data(const std::filesystem::path& folder, const Dataset& data) {
  std::ifstream file(folder / run_file::kSummary);
  const auto summary = parse_json_if_valid(std::string{std::istreambuf_iterator<char>(file), {}});
  if (!summary || !summary->contains("data") || summary->at("data") == fingerprint(data)) return;
  throw Error(ErrorKind::kMismatch, fmt::format("the run in {} was made with other data", folder.string()),
              "put the data of the run back, or name the data to show after the run");
}

bool has_run_split(const std::filesystem::path& folder) { return std::filesystem::exists(folder / run_file::kSplits); }

Split read_run_split(const std::filesystem::path& folder, const Dataset& data) {
  try {
    return make_splits(data, "file:" + (folder / run_file::kSplits).string(), 0).front();
  } catch (const Error& e) {
    throw Error(ErrorKind::kMismatch,
                fmt::format("the run's split does not fit the data of {} graphs: {}", data.graphs.size(), e.what()),
                "undo the change of the data, or start a new run in another folder");
  }
}

}  // namespace agentnet
