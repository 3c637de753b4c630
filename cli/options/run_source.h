// The folder of a run where a command takes a model: its model, and the data and split that it was made with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agentnet/predict.h"
#include "agentnet/settings.h"
#include "options/data_options.h"

namespace CLI {
class App;
}

namespace agentnet {

struct Console;

// Of every command that asks a model.
inline constexpr const char* kRunOrModel = "RUN|MODEL";
inline constexpr const char* kRunOrModelHelp = "the folder of a run, or a model file";

[[nodiscard]] bool is_run_folder(const std::string& run_or_model);

// The model file: what was named, or that of the run. Throws Error (kUsage) for a folder that holds no run.
[[nodiscard]] std::filesystem::path model_file_of(const std::string& run_or_model);

// For a command that was given no data: throws Error unless a run, which has its own, was named. `example` is what to
// type instead, behind "agentnet".
void require_run(const std::string& run_or_model, const std::string& example);

// A run's own data and split.
struct RunSource {
  Settings settings;
  Dataset data;
  Split split;
};

// Reads them; `keep` are further columns of the data to keep as text. Rows that are not graphs are left out, which was
// said when the run was made. Throws Error (kMismatch) if the data is not what it was then.
[[nodiscard]] RunSource read_run_source(const std::string& run, const DataArguments& arguments, const Console& console,
                                        const std::vector<std::string>& keep = {});

// The walks of a run's own test, for whatever the command line does not say otherwise: the same numbers as in its
// summary.json.
void take_walks_of_run(const CLI::App& app, const Settings& settings, PredictOptions& options);

// The option that says how data is read or split, if one was given: a run's own data is read and split as it was.
// Throws Error (kUsage) that names it.
void refuse_reading_options(const CLI::App& app);

}  // namespace agentnet
