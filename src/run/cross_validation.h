// Cross-validation: a number for a set of graphs and settings, by one of three protocols or all of them.
//
//   FOLDER/cv.toml      the settings; each fold trains with train.seed + its number
//   FOLDER/cv.json      protocols, folds, and a checksum of the data
//   FOLDER/gin/fold-0   a run folder (train/run.h) per protocol and fold
//   FOLDER/results.json, results.csv   at the end
//
// It can be stopped at any moment and taken up again, and runs with any number of jobs and threads: the results are the
// same, byte for byte.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "agentnet/data.h"
#include "core/files/atomic_file.h"
#include "run/cv_results.h"
#include "run/run.h"
#include "run/settings.h"

namespace agentnet {

struct CvOptions {
  std::vector<Protocol> protocols = {Protocol::kGin};
  std::size_t folds = 10;
  std::string split;  // of several folds, as make_splits() reads it, to be used instead of `folds`; empty: none
  bool operator==(const CvOptions&) const = default;
};

// The folds of a protocol, as a run takes them. For gin and agentnet the held-out fold is the part `valid`, evaluated
// after every epoch; for fair it is the part `test`, and `valid` is a tenth of the rest, or what the split of the
// options has there.
struct ProtocolFolds {
  std::string spec;        // as make_splits() reads it
  std::string in_words;    // "10 stratified folds"
  bool own_valid = false;  // fair: the split came with validation parts
  std::vector<Split> splits;
};

// The same for the same seed. Throws Error: kUsage for a split of one fold, a part without graphs, or more folds than
// graphs; what make_splits() throws.
[[nodiscard]] ProtocolFolds protocol_folds(const Dataset& data, Protocol protocol, const CvOptions& options,
                                           std::uint64_t seed);

// Throws Error (kUsage) for training options that a protocol excludes: where an epoch is chosen over all folds, all of
// them must get there.
void check_protocols(const CvOptions& options, const TrainConfig& train);

// Throws Error (kUsage) if a fold cannot be trained on with these settings.
void check_folds(const CvOptions& options, const Settings& settings, const Dataset& data);

// Makes the folder and writes cv.toml and cv.json. Throws Error (kUsage) if there is something in it, unless `replace`
// is set and that is a cross-validation, whose files are then removed.
void make_cv_folder(const std::filesystem::path& folder, const Settings& settings, const CvOptions& options,
                    const Dataset& data, bool replace, FileSystem& fs = FileSystem::real());

// Where its settings are, and its options. Throw Error: kUsage if the folder holds no cross-validation, kData if it
// is damaged, kMismatch if the data is not the same any more.
[[nodiscard]] std::filesystem::path cv_config_file(const std::filesystem::path& folder);
[[nodiscard]] CvOptions read_cv_options(const std::filesystem::path& folder);
void check_cv_data(const std::filesystem::path& folder, const Dataset& data);

struct CvProgress {
  Protocol protocol = Protocol::kGin;
  std::size_t folds_done = 0, folds = 0;  // of this protocol
  double fraction = 0;                    // of everything
  double seconds_left = 0;
};

// What has no influence on the result. The functions are called from several threads, but never two at once.
struct CvControl {
  int threads = 1;
  int jobs = 0;                    // folds at a time; 0: as many as there are threads or folds
  double checkpoint_seconds = 60;  // in each fold
  bool safe_csv = false;           // as in RunControl
  FileSystem* fs = &FileSystem::real();
  std::function<void(const std::string&)> say = {};
  std::function<void(Protocol, std::size_t fold, const RunResult&)> on_fold = {};  // a fold has been run to its end
  std::function<void(const CvProgress&)> on_progress = {};
  std::function<bool()> should_stop = {};  // all folds then keep a checkpoint, and the result is `interrupted`
};

// Runs what is not yet done in a folder of make_cv_folder(), and writes the results. Throws what run_training() throws,
// with the fold's name in front; the folder can be resumed after every error.
[[nodiscard]] CvResult cross_validate(const std::filesystem::path& folder, const Settings& settings,
                                      const Dataset& data, const CvOptions& options, const CvControl& control);

}  // namespace agentnet
