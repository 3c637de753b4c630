#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "agentnet/compare.h"
#include "agentnet/error.h"
#include "classic/baselines.h"
#include "core/files/claims.h"
#include "core/files/folder.h"
#include "core/files/whole_file.h"
#include "core/json.h"
#include "core/text.h"
#include "core/thread_pool.h"
#include "data/splits/groups.h"
#include "data/splits/splits.h"
#include "data/tables/fingerprint.h"
#include "run/cv_results.h"
#include "run/run.h"
#include "run/run_folder.h"
#include "train/trainer.h"

namespace agentnet {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kConfig = "cv.toml";
constexpr const char* kOptions = "cv.json";
constexpr const char* kResults = "results.json";
constexpr const char* kTable = "results.csv";
constexpr const char* kClaims = "claims";
constexpr std::chrono::milliseconds kPoll(250);  // between looks at what others do

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Classes to stratify by; empty if there are none.
std::vector<double> labels_of(const Dataset& data) {
  const bool one_question = data.schema.task == Task::kMultilabel && data.graphs.num_targets() == 1;
  std::vector<double> labels;
  if (data.schema.task != Task::kClassification && !one_question) return labels;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) labels.push_back(data.graphs.targets(g)[0]);
  return labels;
}

// A split of several folds that the user named.
std::vector<Split> given_folds(const Dataset& data, const std::string& spec, std::uint64_t seed) {
  std::vector<Split> splits;
  const bool one_fold = spec.starts_with("scaffold") && !spec.starts_with("scaffold-kfold");
  if (!one_fold) splits = make_splits(data, spec, seed);
  if (splits.size() > 1) return splits;
  throw Error(ErrorKind::kUsage,
              fmt::format("the split {} has one fold, cross-validation needs several", in_quotes(spec)),
              "leave it out for folds of the protocol's kind, or train and test once with agentnet train");
}

// Sets a tenth of the training part aside, with its share of every class.
void set_aside_a_tenth(Split& split, const std::vector<double>& labels, std::uint64_t seed) {
  constexpr SplitFractions kNineToOne{.train = 0.9, .valid = 0.1, .test = 0};
  const std::vector<std::size_t> all = std::move(split.train);
  std::vector<double> theirs;
  theirs.reserve(all.size());
  for (const std::size_t g : all) theirs.push_back(labels.empty() ? 0 : labels[g]);
  const Split inner =
      labels.empty() ? random_split(all.size(), kNineToOne, seed) : stratified_split(theirs, kNineToOne, seed);
  split.train.clear();
  for (const std::size_t i : inner.train) split.train.push_back(all[i]);
  for (const std::size_t i : inner.valid) split.valid.push_back(all[i]);
}

// Everything outside the held-out fold is learned from, and the fold itself is looked at after every epoch.
void hold_out_as_valid(Split& split) {
  split.train.insert(split.train.end(), split.valid.begin(), split.valid.end());
  std::sort(split.train.begin(), split.train.end());
  split.valid = std::exchange(split.test, {});
}

void check_parts(const Split& split, std::size_t fold, bool fair) {
  const char* empty = split.train.empty()           ? "to train on"
                      : split.valid.empty() && fair ? "to choose the epoch by"
                      : split.valid.empty()         ? "to test on"
                      : split.test.empty() && fair  ? "to test on"
                                                    : nullptr;
  if (empty == nullptr) return;
  throw Error(ErrorKind::kUsage, fmt::format("fold {} has no graphs {}", fold, empty),
              "use fewer folds, other folds or more graphs");
}

// What the folder of a cross-validation holds that is ours; what is not stays.
void remove_results(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const Protocol protocol : protocols_named("all")) {
    const std::filesystem::path runs = folder / protocol_name(protocol);
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(runs, ignored)) {
      if (entry.path().filename().string().starts_with("fold-")) found.push_back(entry.path());
    }
    for (const std::filesystem::path& run : found) std::filesystem::remove_all(run, ignored);
    std::filesystem::remove(runs, ignored);  // if nothing else is in it
  }
  std::filesystem::remove_all(folder / kClaims, ignored);
  for (const char* name : {kResults, kTable, kConfig, kOptions}) std::filesystem::remove(folder / name, ignored);
}

bool is_cv(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / kConfig) || std::filesystem::exists(folder / kOptions);
}

Error damaged_options(const std::filesystem::path& folder, const std::string& what) {
  return {ErrorKind::kData, fmt::format("{}: {}", (folder / kOptions).string(), what),
          "start again in another folder, or with --force"};
}

Json read_options(const std::filesystem::path& folder) {
  static_cast<void>(cv_config_file(folder));
  std::optional<Json> json = parse_json_if_valid(read_text(folder / kOptions));
  if (!json || !json->is_object()) throw damaged_options(folder, "not the options of a cross-validation");
  return std::move(*json);
}

std::string description(Protocol protocol, const ProtocolFolds& folds, const Settings& settings, std::uint64_t epoch) {
  const TrainConfig& train = settings.train;
  const auto rollouts = [](int count) { return fmt::format("{} rollout{}", count, count == 1 ? "" : "s"); };
  const std::string start = fmt::format("{}, each held out once. ", folds.in_words);
  if (builtin_kinds().at(settings.model.kind).fitter != nullptr) {
    return start +
           "The model is fitted to the training graphs of the fold, whatever it chooses is chosen inside of "
           "them, and tested once on the held-out fold. No choice has seen the test graphs.";
  }
  if (protocol == Protocol::kFair) {
    return start + fmt::format(
                       "{} chooses the epoch; the model learns from the remaining graphs and is tested once on "
                       "the held-out fold ({}). No choice has seen the test graphs.",
                       folds.own_valid ? "The validation part of the given split"
                                       : "Of the other graphs, a tenth that is set aside",
                       rollouts(train.test_rollouts));
  }
  return start + fmt::format(
                     "The model learns from all other graphs and is tested on the held-out fold after every {} "
                     "({}); the result is the mean over folds at the single epoch where this mean is best, {} "
                     "of {}. The test graphs choose the epoch: the figure is optimistic.",
                     train.evaluate_every == 1 ? "epoch" : fmt::format("{} epochs", train.evaluate_every),
                     rollouts(train.rollouts), epoch, train.epochs);
}

// "fold 0", "folds 0, 3 and 5".
std::string fold_numbers(const std::vector<FoldResult>& folds) {
  std::string text = folds.size() == 1 ? "fold" : "folds";
  for (std::size_t i = 0; i < folds.size(); ++i) {
    text += (i == 0 ? " " : i + 1 == folds.size() ? " and " : ", ") + std::to_string(folds[i].fold);
  }
  return text;
}

class CrossValidation {
 public:
  CrossValidation(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                  const CvOptions& options, const CvControl& control)
      : folder_(folder),
        settings_(settings),
        data_(data),
        options_(options),
        control_(control),
        claims_(folder / kClaims) {
    for (const Protocol protocol : options.protocols) {
      folds_.push_back(protocol_folds(data, protocol, options, settings.split_seed));
      asked_.push_back(folds_asked_for(folds_.back().splits.size()));
    }
  }

  CvResult run() {
    std::optional<FolderLock> lock;
    if (!control_.worker) lock.emplace(folder_);
    CvResult result;
    result.metric = settings_.train.metric;
    result.constant_name = constant_baseline_name(data_.schema.task);
    for (const std::vector<std::size_t>& folds : asked_) result.of += folds.size();
    for (std::size_t p = 0; p < folds_.size() && !stopped_; ++p) run_protocol(p);
    result.done = done_in_all_;
    result.out_of_time = out_of_time_ && done_in_all_ < result.of;
    result.interrupted = !result.out_of_time && done_in_all_ < result.of;
    if (result.interrupted) return result;
    bool all_complete = true;
    for (std::size_t p = 0; p < folds_.size(); ++p) {
      const std::vector<std::size_t> complete = complete_folds(p);
      all_complete = all_complete && complete.size() == folds_[p].splits.size();
      if (!complete.empty()) result.protocols.push_back(read_protocol(p, complete));
    }
    if (result.protocols.empty()) return result;
    write_whole_file(folder_ / kTable, results_csv(result), FileSystem::real());
    write_whole_file(folder_ / kResults, results_json(result, settings_, data_), FileSystem::real());
    if (all_complete) claims_.remove_dead();
    return result;
  }

 private:
  // In their order, each once.
  [[nodiscard]] std::vector<std::size_t> folds_asked_for(std::size_t folds) const {
    std::vector<std::size_t> asked = control_.only;
    if (asked.empty()) {
      asked.resize(folds);
      std::iota(asked.begin(), asked.end(), std::size_t{0});
    }
    std::ranges::sort(asked);
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    if (asked.back() < folds) return asked;
    throw Error(ErrorKind::kUsage, fmt::format("there is no fold {}: folds are 0 to {}", asked.back(), folds - 1));
  }

  // Of this cross-validation, whoever has run them.
  [[nodiscard]] std::vector<std::size_t> complete_folds(std::size_t p) const {
    std::vector<std::size_t> complete;
    for (std::size_t fold = 0; fold < folds_[p].splits.size(); ++fold) {
      const std::filesystem::path place = fold_folder(folder_, options_.protocols[p], fold);
      if (!run_is_complete(place)) continue;
      check_same(place, settings_of(p, fold), folds_[p].splits[fold]);
      complete.push_back(fold);
    }
    return complete;
  }

  [[nodiscard]] Settings settings_of(std::size_t p, std::size_t fold) const {
    Settings settings = settings_;
    settings.split = folds_[p].spec;
    settings.train.seed += fold;
    return settings;
  }

  void run_protocol(std::size_t p) {
    const std::size_t folds = folds_[p].splits.size();
    protocol_ = p;
    done_ = 0;
    fractions_.assign(folds, 0);
    fold_done_.assign(folds, 0);
    const auto most = static_cast<int>(std::min<std::size_t>(asked_[p].size(), 1024));
    const int jobs = std::clamp(control_.jobs > 0 ? control_.jobs : control_.threads, 1, most);
    ThreadPool pool(jobs);
    std::vector<std::size_t> open = asked_[p];
    while (true) {  // others may be at some folds, and may die
      try_folds(p, open, pool, std::max(1, control_.threads / jobs));
      std::erase_if(open, [&](std::size_t fold) { return fold_done_[fold] != 0; });
      if (open.empty() || !control_.wait || stop_asked_for()) return;
      std::this_thread::sleep_for(kPoll);
    }
  }

  void try_folds(std::size_t p, const std::vector<std::size_t>& folds, ThreadPool& pool, int threads) {
    pool.run_in_order(folds, [&](std::size_t fold, int) {
      try {
        run_fold(p, fold, threads);
      } catch (const Error& e) {
        stopped_ = true;  // the other folds keep a checkpoint and end as well
        throw Error(e.kind(), fmt::format("{}: {}", fold_name(p, fold), e.what()), e.hint());
      } catch (...) {
        stopped_ = true;
        throw;
      }
    });
  }

  void run_fold(std::size_t p, std::size_t fold, int threads) {
    if (stop_asked_for()) return;
    const std::filesystem::path place = fold_folder(folder_, options_.protocols[p], fold);
    const Split& split = folds_[p].splits[fold];
    const Settings settings = settings_of(p, fold);
    const auto is_done = [&] {
      if (!run_is_complete(place)) return false;
      check_same(place, settings, split);
      const std::lock_guard lock(mutex_);
      done(fold, /*here=*/0);
      return true;
    };
    if (is_done()) return;
    const std::unique_ptr<Claim> claim =
        claims_.claim(fmt::format("{}-fold-{}", protocol_name(options_.protocols[p]), fold));
    // Whoever had it may have ended just now, or is slow to notice that it lost its claim.
    if (claim == nullptr || is_done() || (control_.worker && is_at_work_in(place))) return;
    make_folder(place);
    RunControl control;
    control.threads = threads;
    control.checkpoint_seconds = control_.checkpoint_seconds;
    control.safe_csv = control_.safe_csv;
    control.should_stop = [&] { return !claim->held() || stop_asked_for(); };
    control.say = [&](const std::string& line) {
      const std::lock_guard lock(mutex_);
      if (control_.say) control_.say(fmt::format("{}: {}", fold_name(p, fold), line));
    };
    double before = -1;  // what earlier sessions have done of this fold
    control.on_step = [&](const RunProgress& progress) {
      const auto all = static_cast<double>(progress.steps_in_all);
      const double fraction = static_cast<double>(progress.steps) / all;
      if (before < 0) before = fraction - 1 / all;
      const std::lock_guard lock(mutex_);
      done_here_ += fraction - std::max(before, fractions_[fold]);
      fractions_[fold] = fraction;
      report();
    };
    const RunResult result = run_training(place, settings, data_, split, control,
                                          {.epoch_matters = options_.protocols[p] == Protocol::kFair});
    if (result.ending == Ending::kInterrupted || !claim->held()) return;
    const std::lock_guard lock(mutex_);
    done(fold, 1 - fractions_[fold]);
    if (control_.on_fold) control_.on_fold(options_.protocols[p], fold, result);
  }

  // A complete run is taken as it is, so it had better be of this cross-validation.
  void check_same(const std::filesystem::path& place, const Settings& settings, const Split& split) const {
    const std::filesystem::path file = run_config_file(place);
    const char* other = !says(read_text(file), file.string(), settings) ? "settings"
                        : read_run_split(place, data_) != split         ? "folds"
                                                                        : nullptr;
    if (other == nullptr) return;
    throw Error(ErrorKind::kMismatch, fmt::format("{} was run with other {}", place.string(), other),
                "undo the change, or start again in another folder");
  }

  [[nodiscard]] std::string fold_name(std::size_t p, std::size_t fold) const {
    return fmt::format("{} fold {}", protocol_name(options_.protocols[p]), fold);
  }

  bool stop_asked_for() {
    if (stopped_) return true;
    const std::lock_guard lock(mutex_);
    if (control_.should_stop && control_.should_stop()) stopped_ = true;
    if (control_.max_seconds > 0 && seconds() >= control_.max_seconds) out_of_time_ = stopped_ = true;
    return stopped_;
  }

  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  // With the lock.
  void done(std::size_t fold, double here) {
    done_here_ += here;
    fractions_[fold] = 1;
    fold_done_[fold] = 1;
    ++done_;
    ++done_in_all_;
    report();
  }
  void report() const {
    if (!control_.on_progress) return;
    CvProgress progress;
    progress.protocol = options_.protocols[protocol_];
    progress.folds_done = done_;
    progress.folds = asked_[protocol_].size();
    double sum = 0;
    for (const double fraction : fractions_) sum += fraction;
    const auto protocols = static_cast<double>(folds_.size()), folds = static_cast<double>(progress.folds);
    progress.fraction = (static_cast<double>(protocol_) + sum / folds) / protocols;
    const double here = done_here_ / folds / protocols;
    if (here > 0) progress.seconds_left = seconds() / here * (1 - progress.fraction);
    if (control_.max_seconds > 0) {
      progress.seconds_left = std::clamp(control_.max_seconds - seconds(), 0.0, progress.seconds_left);
    }
    control_.on_progress(progress);
  }

  [[nodiscard]] ProtocolResult read_protocol(std::size_t p, const std::vector<std::size_t>& complete) const {
    ProtocolResult result;
    result.protocol = options_.protocols[p];
    result.folds_from = folds_[p].spec;
    result.rollouts = result.protocol == Protocol::kFair ? settings_.train.test_rollouts : settings_.train.rollouts;
    result.of = folds_[p].splits.size();
    read_folds(folder_, complete, metric_from_name(settings_.train.metric), data_.schema.task, result);
    result.description = description(result.protocol, folds_[p], settings_, result.epoch);
    if (complete.size() < result.of) {
      result.description += fmt::format(" Stands on {} of {}: the others have not been run to their end.",
                                        fold_numbers(result.folds), result.of);
    }
    return result;
  }

  const std::filesystem::path& folder_;
  const Settings& settings_;
  const Dataset& data_;
  const CvOptions& options_;
  const CvControl& control_;
  ClaimFolder claims_;
  std::vector<ProtocolFolds> folds_;             // by protocol
  std::vector<std::vector<std::size_t>> asked_;  // by protocol, numbers of folds
  std::atomic<bool> stopped_ = false, out_of_time_ = false;
  const Clock::time_point start_ = Clock::now();

  std::mutex mutex_;  // guards what follows, and the caller's functions
  std::size_t protocol_ = 0, done_ = 0, done_in_all_ = 0;
  std::vector<double> fractions_;  // by fold
  std::vector<char> fold_done_;
  double done_here_ = 0;  // folds' worth of work of this session
};

}  // namespace

ProtocolFolds protocol_folds(const Dataset& data, Protocol protocol, const CvOptions& options, std::uint64_t seed) {
  const std::vector<double> labels = labels_of(data);
  const bool fair = protocol == Protocol::kFair;
  ProtocolFolds folds;
  if (!options.split.empty()) {
    folds.spec = options.split;
    folds.splits = given_folds(data, options.split, seed);
    folds.in_words = fmt::format("The {} folds of the given split {}", folds.splits.size(), options.split);
  } else if (protocol == Protocol::kAgentnet || labels.empty()) {
    folds.spec = fmt::format("kfold:{}", options.folds);
    folds.splits = k_folds(data.graphs.size(), options.folds, seed);
    folds.in_words = fmt::format("{} shuffled folds ({})", options.folds,
                                 labels.empty() ? "there are no classes to stratify by" : "not stratified");
  } else {
    folds.spec = fmt::format("stratified-kfold:{}", options.folds);
    folds.splits = stratified_k_folds(labels, options.folds, seed);
    folds.in_words = fmt::format("{} stratified folds", options.folds);
  }
  if (options.split.empty() && keeps_duplicates_together(data, folds.spec)) {
    keep_together(duplicate_groups(data), folds.splits);
  }
  folds.own_valid = fair && std::none_of(folds.splits.begin(), folds.splits.end(),
                                         [](const Split& split) { return split.valid.empty(); });
  for (std::size_t f = 0; f < folds.splits.size(); ++f) {
    Split& split = folds.splits[f];
    if (!fair) {
      hold_out_as_valid(split);
    } else if (split.valid.empty()) {
      set_aside_a_tenth(split, labels, seed + f);
    }
    check_parts(split, f, fair);
  }
  return folds;
}

void check_folds(const CvOptions& options, const Settings& settings, const Dataset& data) {
  for (const Protocol protocol : options.protocols) {
    for (const Split& split : protocol_folds(data, protocol, options, settings.split_seed).splits) {
      check_training(data, split, settings.train);
    }
  }
}

void check_protocols(const CvOptions& options, const TrainConfig& train) {
  for (const Protocol protocol : options.protocols) {
    if (protocol == Protocol::kFair) continue;
    const auto refuse = [&](const char* why, const char* hint) {
      throw Error(ErrorKind::kUsage, fmt::format("protocol {}: {}", protocol_name(protocol), why), hint);
    };
    if (train.patience > 0) {
      refuse("train.patience would end folds at different epochs, and one epoch is chosen for all of them",
             "set it to 0, or use --protocol fair");
    }
    if (train.schedule == Schedule::kPlateau) {
      refuse("the plateau schedule would lower the learning rate by what the held-out fold says",
             "choose another schedule, or use --protocol fair");
    }
  }
}

void make_cv_folder(const std::filesystem::path& folder, const Settings& settings, const CvOptions& options,
                    const Dataset& data, bool replace) {
  std::error_code error;
  const std::string name = folder.string();
  if (std::filesystem::exists(folder, error)) {
    if (!std::filesystem::is_directory(folder, error)) {
      throw Error(ErrorKind::kUsage, fmt::format("{} is a file, a cross-validation needs a folder", name),
                  "choose another name");
    }
    remove_abandoned_files(folder);
    const bool empty = std::filesystem::is_empty(folder, error);
    if (!empty && !is_cv(folder)) {
      throw Error(ErrorKind::kUsage, fmt::format("the folder {} exists and holds something else", name),
                  "choose another name");
    }
    if (!empty && !replace) {
      throw Error(ErrorKind::kUsage, fmt::format("the folder {} holds a cross-validation already", name),
                  fmt::format("go on with it (--resume {}), replace it (--force) or choose another name", name));
    }
    const FolderLock lock(folder);
    remove_results(folder);
  }
  make_folder(folder);
  Json json;
  json["protocols"] = Json::array();
  for (const Protocol protocol : options.protocols) json["protocols"].push_back(protocol_name(protocol));
  json["folds"] = options.folds;
  json["split"] = options.split;
  json["data"] = fingerprint(data);
  write_whole_file(
      folder / kConfig,
      "# Settings of a cross-validation: agentnet cv --resume takes them from here, cv.json has its options.\n"
      "# Fold N trains with train.seed + N.\n" +
          to_toml(settings),
      FileSystem::real());
  write_whole_file(folder / kOptions, json.dump(2) + "\n", FileSystem::real());
}

std::filesystem::path cv_config_file(const std::filesystem::path& folder) {
  for (const char* name : {kConfig, kOptions}) {
    if (std::filesystem::exists(folder / name)) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("{} holds no cross-validation: there is no {} in it", folder.string(), name),
                "give the folder that agentnet cv -o made");
  }
  return folder / kConfig;
}

CvOptions read_cv_options(const std::filesystem::path& folder) {
  const Json json = read_options(folder);
  try {
    CvOptions options;
    options.protocols.clear();
    for (const Json& name : json.at("protocols")) {
      options.protocols.push_back(protocols_named(name.get<std::string>()).front());
    }
    read_member(json, "folds", options.folds);
    read_member(json, "split", options.split);
    return options;
  } catch (const std::exception& e) {  // of read_member, of names, or nlohmann
    throw damaged_options(folder, e.what());
  }
}

void check_cv_data(const std::filesystem::path& folder, const Dataset& data) {
  if (read_options(folder).value("data", Json()) == fingerprint(data)) return;
  throw Error(ErrorKind::kMismatch,
              fmt::format("the data {} is not what {} was begun with", data.source, folder.string()),
              "bring the old data back, or start again in another folder");
}

CvResult cross_validate(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                        const CvOptions& options, const CvControl& control) {
  check_protocols(options, settings.train);
  return CrossValidation(folder, settings, data, options, control).run();
}

CvResult resume_cross_validation(const std::filesystem::path& folder, const CvControl& control) {
  SettingsLayers layers;
  layers.file(cv_config_file(folder));
  const Dataset data = read_data(layers.data_settings(), control.threads);
  check_cv_data(folder, data);
  return cross_validate(folder, layers.resolve(data), data, read_cv_options(folder), control);
}

}  // namespace agentnet
