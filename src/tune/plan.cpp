#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/tune.h"
#include "core/files/folder.h"
#include "core/files/whole_file.h"
#include "core/json.h"
#include "core/random.h"
#include "core/text.h"
#include "data/tables/fingerprint.h"
#include "nets/kinds.h"
#include "run/advice.h"
#include "tune/searches.h"
#include "tune/space.h"

namespace agentnet {
namespace {

constexpr std::uint64_t kFewestEpochs = 2;    // at the first rung
constexpr std::uint64_t kDraws = 0x74756e65;  // "tune": keeps these draws apart from those of splits
constexpr double kShareToStay = 0.1;          // of the epochs, or a search is not worth its while
constexpr std::size_t kMostTrials = 10'000;
constexpr std::size_t kAttempts = 50;  // at a point that is new and does not contradict itself

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string time_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return seconds < 5400 ? fmt::format("{:.1f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

SearchSpace space_of(const TuneOptions& options, const Dataset& data, const SettingsLayers& layers,
                     std::vector<std::string>& notes) {
  const std::string kind = layers.data_settings().model.kind;
  const std::vector<std::string> names = space_names();
  std::error_code error;
  if (std::ranges::find(names, options.space) == names.end() &&
      std::filesystem::is_regular_file(options.space, error)) {
    return {read_text(options.space), options.space, kind};
  }
  SearchSpace space(space_text(options.space, data, kind), "space " + options.space, kind);
  if (options.space.starts_with("paper-")) return space;
  std::vector<std::string> fixed;
  for (const Dimension& dimension : space.dimensions()) {
    if (layers.has(dimension.key)) fixed.push_back(dimension.key);
  }
  for (const std::string& key : fixed) space.remove(key);
  if (!fixed.empty()) notes.push_back(fmt::format("not searched, since it is set: {}", join_text(fixed, ", ")));
  if (space.dimensions().empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("nothing is left to search in the space {}", options.space),
                "set fewer settings, or name another space with --space");
  }
  return space;
}

std::string shown_value(const Json& value) {
  return value.is_string()         ? value.get<std::string>()
         : value.is_number_float() ? fmt::format("{}", value.get<double>())
                                   : value.dump();
}

class Drawing {
 public:
  Drawing(const Dataset& data, const SettingsLayers& layers, const TuneOptions& options,
          std::vector<std::string>& notes)
      : data_(data),
        layers_(layers),
        options_(options),
        notes_(notes),
        space_(space_of(options, data, layers, notes)) {}

  std::vector<Trial> trials() {
    if (options_.grid) {
      for (const Point& point : space_.grid()) add(point);
      if (left_out_ > 0) {
        notes_.push_back(fmt::format("{} points of the grid contradict themselves and are left out; the first: {}",
                                     left_out_, reason_->what()));
      }
    } else {
      draw();
    }
    if (trials_.empty()) throw Error(ErrorKind::kUsage, reason_->what(), reason_->hint());
    return std::move(trials_);
  }

 private:
  void draw() {
    std::size_t attempts = 0;
    for (std::uint64_t number = 0; trials_.size() < options_.trials && attempts < kAttempts; ++number) {
      RandomSequence random(options_.seed, Purpose::kSplit, kDraws, number);
      attempts = add(space_.draw(random)) ? 0 : attempts + 1;
    }
    if (trials_.size() < options_.trials && !trials_.empty()) {
      notes_.push_back(fmt::format("the space has not many more than {} points: no other was found in {} draws",
                                   trials_.size(), kAttempts));
    }
  }

  // False for a point that is there already, or whose settings contradict each other.
  bool add(const Point& point) {
    if (!seen_.insert(point.text()).second) return false;
    Trial trial;
    try {
      trial.settings = with_point(layers_, point).resolve(data_);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) throw;
      if (!reason_) reason_ = error;
      ++left_out_;
      return false;
    }
    trial.number = trials_.size();
    trial.fitted = builtin_kinds().at(trial.settings.model.kind).fitter != nullptr;
    for (const auto& [dimension, value] : point.values) trial.drawn.emplace_back(dimension->key, shown_value(value));
    trials_.push_back(std::move(trial));
    return true;
  }

  const Dataset& data_;
  const SettingsLayers& layers_;
  const TuneOptions& options_;
  std::vector<std::string>& notes_;
  SearchSpace space_;
  std::set<std::string> seen_;
  std::vector<Trial> trials_;
  std::optional<Error> reason_;
  std::size_t left_out_ = 0;
};

std::size_t count_networks(const std::vector<Trial>& trials, std::size_t first) {
  return static_cast<std::size_t>(
      std::count_if(trials.begin(), trials.begin() + static_cast<std::ptrdiff_t>(std::min(first, trials.size())),
                    [](const Trial& trial) { return !trial.fitted; }));
}

void set_rungs(TunePlan& plan) {
  const auto network = std::ranges::find(plan.trials, false, &Trial::fitted);
  const std::size_t networks = count_networks(plan.trials, plan.trials.size());
  const TrainConfig& train = (network != plan.trials.end() ? *network : plan.trials.front()).settings.train;
  plan.rungs = networks == 0 ? std::vector<std::uint64_t>{1}
                             : rungs_for(train.epochs, networks, plan.options.keep, train.evaluate_every);
}

// Seconds of an epoch on one thread, the mean over some of the networks.
double measure_epoch(const TunePlan& plan, const Dataset& data, std::size_t learned) {
  constexpr std::size_t kMostMeasured = 8;
  std::vector<const Trial*> networks;
  for (const Trial& trial : plan.trials) {
    if (!trial.fitted) networks.push_back(&trial);
  }
  if (networks.empty()) return 0;
  const std::size_t measured = std::min(kMostMeasured, networks.size());
  double seconds = 0;
  for (std::size_t i = 0; i < measured; ++i) {
    const Settings& settings = networks[i * networks.size() / measured]->settings;
    TrainConfig one_epoch = settings.train;
    one_epoch.epochs = 1;
    seconds += measure_step_seconds(data, *builtin_kinds().make(settings.model), settings.train, 1) *
               static_cast<double>(training_steps(one_epoch, learned));
  }
  return seconds / static_cast<double>(measured);
}

// Fewer trials, then fewer epochs, until the search is foretold to end in time.
void fit_into_budget(TunePlan& plan, const Dataset& data, int at_once, std::vector<std::string>& notes) {
  const double budget = plan.options.budget;
  if (!(budget > 0)) return;
  const std::vector<SearchPlace> places = search_places("", plan, data);
  const double epoch = measure_epoch(plan, data, places.front().split.train.size()) *
                       static_cast<double>(places.size()) / std::max(1, at_once);
  if (epoch <= 0) return;
  const auto needed = [&] {
    return epoch * static_cast<double>(
                       epochs_in_all(plan.rungs, count_networks(plan.trials, plan.trials.size()), plan.options.keep));
  };
  const double asked = needed();
  if (asked <= budget) return;
  const std::size_t trials = plan.trials.size(), fewest = std::min(trials, std::max<std::size_t>(plan.options.keep, 2));
  while (!plan.options.grid && plan.trials.size() > fewest && needed() > budget) {
    plan.trials.pop_back();
    set_rungs(plan);
  }
  if (plan.trials.size() < trials) {
    notes.push_back(fmt::format("{} of {} trials fit into the budget of {}; all would take {}", plan.trials.size(),
                                trials, time_text(budget), time_text(asked)));
  }
  if (needed() <= budget) return;
  const double share = budget / needed();
  if (share < kShareToStay) {
    throw Error(ErrorKind::kUsage,
                fmt::format("a search of {} trials would take {}, the budget is {}", plan.trials.size(),
                            time_text(needed()), time_text(budget)),
                "give more with --budget (0: no limit), or fewer --epochs, or a smaller space");
  }
  for (Trial& trial : plan.trials) {
    if (trial.fitted) continue;
    std::uint64_t& epochs = trial.settings.train.epochs;
    epochs = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share * static_cast<double>(epochs)));
  }
  const std::uint64_t before = plan.rungs.back();
  set_rungs(plan);
  notes.push_back(
      fmt::format("{} of {} epochs fit into the budget of {}", plan.rungs.back(), before, time_text(budget)));
}

void check_options(const TuneOptions& options) {
  if (options.trials == 0 || options.trials > kMostTrials || options.keep == 0) {
    throw Error(ErrorKind::kUsage, "a search needs at least one trial and 'keep' of at least one",
                fmt::format("give from 1 to {} trials, and keep 3", kMostTrials));
  }
}

void check_parts(const std::vector<SearchPlace>& places, const std::string& split) {
  for (const SearchPlace& place : places) {
    const char* missing = place.split.train.empty()   ? "to train on"
                          : place.split.valid.empty() ? "to compare trials by"
                          : place.split.test.empty()  ? "to test the best on"
                                                      : nullptr;
    if (missing == nullptr) continue;
    throw Error(ErrorKind::kUsage, fmt::format("the split {} has no graphs {}", in_quotes(split), missing),
                "a search needs three parts: --split random:0.8,0.1,0.1, or --nested");
  }
}

Json read_plan(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / tune_file::kPlan)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} holds no search: there is no {} in it", folder.string(), tune_file::kPlan),
                "give the folder that agentnet tune -o made");
  }
  const std::optional<Json> json = parse_json_if_valid(read_text(folder / tune_file::kPlan));
  if (json && json->is_object()) return *json;
  throw Error(ErrorKind::kData, fmt::format("{}: not the plan of a search", (folder / tune_file::kPlan).string()),
              "start again in another folder, or with --force");
}

// Runs `read`, whose errors are the file's.
template <class Read>
auto out_of_plan(const std::filesystem::path& folder, const Read& read) {
  try {
    return read();
  } catch (const Json::exception& e) {
    throw Error(ErrorKind::kData, fmt::format("{}: {}", (folder / tune_file::kPlan).string(), e.what()),
                "start again in another folder, or with --force");
  }
}

void remove_search(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const char* name : {tune_file::kResults, tune_file::kTable, "trials.svg"}) {
    std::filesystem::remove(folder / name, ignored);
  }
  for (const char* name : {tune_file::kTrials, tune_file::kScores, tune_file::kBest, tune_file::kClaims}) {
    std::filesystem::remove_all(folder / name, ignored);
  }
  for (std::size_t fold = 0;; ++fold) {
    const std::filesystem::path place = folder / fmt::format("fold-{}", fold);
    if (!std::filesystem::exists(place, ignored)) break;
    std::filesystem::remove_all(place, ignored);
  }
  std::filesystem::remove(folder / tune_file::kPlan,
                          ignored);  // last: as long as it is there, the folder is a search's
}

}  // namespace

std::vector<std::uint64_t> rungs_for(std::uint64_t epochs, std::size_t trials, std::size_t keep,
                                     std::uint64_t evaluate_every) {
  std::vector<std::uint64_t> rungs = {epochs};
  if (keep < 2) return rungs;
  const std::uint64_t every = std::max<std::uint64_t>(1, evaluate_every);
  std::uint64_t before = epochs;
  for (std::size_t left = trials; left >= keep; left /= keep) {
    before = (before + keep - 1) / keep;
    const std::uint64_t rung = (before + every - 1) / every * every;  // an epoch that is evaluated
    if (rung < kFewestEpochs || rung >= rungs.front()) break;
    rungs.insert(rungs.begin(), rung);
  }
  return rungs;
}

std::uint64_t epochs_in_all(const std::vector<std::uint64_t>& rungs, std::size_t trials, std::size_t keep) {
  std::uint64_t sum = 0, before = 0;
  for (const std::uint64_t rung : rungs) {
    sum += trials * (rung - before);
    before = rung;
    trials = survivors(trials, keep);
  }
  return sum;
}

std::vector<SearchPlace> search_places(const std::filesystem::path& folder, const TunePlan& plan, const Dataset& data) {
  const Settings& settings = plan.trials.front().settings;
  std::vector<SearchPlace> places;
  if (!plan.options.nested) {
    places.push_back({folder, 0, make_split(data, settings.split, settings.split_seed)});
    return places;
  }
  const CvOptions cv{.protocols = {Protocol::kFair}, .folds = plan.options.folds, .split = settings.split};
  ProtocolFolds folds = protocol_folds(data, Protocol::kFair, cv, settings.split_seed);
  for (std::size_t f = 0; f < folds.splits.size(); ++f) {
    places.push_back({folder / fmt::format("fold-{}", f), f, std::move(folds.splits[f])});
  }
  return places;
}

Settings settings_in_fold(const Trial& trial, std::size_t fold) {
  Settings settings = trial.settings;
  settings.train.seed += fold;
  return settings;
}

TunePlan plan_tuning(const Dataset& data, const SettingsLayers& layers, const TuneOptions& options, int threads,
                     int jobs, std::vector<std::string>& notes) {
  check_options(options);
  TunePlan plan;
  plan.options = options;
  if (options.grid) plan.options.keep = 1;
  SettingsLayers own = layers;
  if (options.nested && layers.data_settings().split.empty()) {
    const CvOptions cv{.protocols = {Protocol::kFair}, .folds = options.folds, .split = {}};
    own.flag("data.split", protocol_folds(data, Protocol::kFair, cv, layers.data_settings().split_seed).spec,
             "--nested");
  }
  plan.trials = Drawing(data, own, options, notes).trials();
  set_rungs(plan);
  check_parts(search_places("", plan, data), plan.trials.front().settings.split);
  fit_into_budget(plan, data, jobs > 0 ? std::min(jobs, threads) : threads, notes);
  return plan;
}

void make_tune_folder(const std::filesystem::path& folder, const TunePlan& plan, const Dataset& data, bool replace) {
  std::error_code error;
  if (std::filesystem::exists(folder, error)) {
    const bool ours = std::filesystem::exists(folder / tune_file::kPlan, error);
    if (!std::filesystem::is_directory(folder, error) || (!std::filesystem::is_empty(folder, error) && !ours)) {
      throw Error(ErrorKind::kUsage, fmt::format("{} exists and holds something else", folder.string()),
                  "choose another name");
    }
    if (ours && !replace) {
      throw Error(
          ErrorKind::kUsage, fmt::format("the folder {} holds a search already", folder.string()),
          fmt::format("go on with it (--resume {}), replace it (--force) or choose another name", folder.string()));
    }
    if (ours) remove_search(folder);
  }
  make_folder(folder);
  Json json;
  json["options"] = {{"trials", plan.options.trials}, {"budget_seconds", plan.options.budget},
                     {"space", plan.options.space},   {"grid", plan.options.grid},
                     {"nested", plan.options.nested}, {"folds", plan.options.folds},
                     {"keep", plan.options.keep},     {"seed", plan.options.seed}};
  json["rungs"] = plan.rungs;
  json["data"] = fingerprint(data);
  json["trials"] = Json::array();
  for (const Trial& trial : plan.trials) {
    Json drawn = Json::object();
    for (const auto& [key, value] : trial.drawn) drawn[key] = value;
    json["trials"].push_back({{"drawn", drawn}, {"settings", parse_json(to_json(trial.settings), "settings")}});
  }
  write_whole_file(folder / tune_file::kPlan, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n",
                   FileSystem::real());
}

Settings tune_data_settings(const std::filesystem::path& folder) {
  const Json plan = read_plan(folder);
  return out_of_plan(folder, [&] {
    SettingsLayers layers;
    layers.json(plan.at("trials").at(0).at("settings").dump(), (folder / tune_file::kPlan).string());
    return layers.data_settings();
  });
}

TunePlan read_tuning(const std::filesystem::path& folder, const Dataset& data) {
  const Json json = read_plan(folder);
  return out_of_plan(folder, [&] {
    if (json.at("data") != fingerprint(data)) {
      throw Error(ErrorKind::kMismatch,
                  fmt::format("the data {} is not what {} was begun with", data.source, folder.string()),
                  "bring the old data back, or start again in another folder");
    }
    TunePlan plan;
    const Json& options = json.at("options");
    read_member(options, "trials", plan.options.trials);
    read_member(options, "budget_seconds", plan.options.budget);
    read_member(options, "space", plan.options.space);
    read_member(options, "grid", plan.options.grid);
    read_member(options, "nested", plan.options.nested);
    read_member(options, "folds", plan.options.folds);
    read_member(options, "keep", plan.options.keep);
    read_member(options, "seed", plan.options.seed);
    read_member(json, "rungs", plan.rungs);
    for (const Json& entry : json.at("trials")) {
      Trial& trial = plan.trials.emplace_back();
      trial.number = plan.trials.size() - 1;
      for (const auto& [key, value] : entry.at("drawn").items())
        trial.drawn.emplace_back(key, value.get<std::string>());
      SettingsLayers layers;
      layers.json(entry.at("settings").dump(), (folder / tune_file::kPlan).string());
      trial.settings = layers.resolve(data);
      trial.fitted = builtin_kinds().at(trial.settings.model.kind).fitter != nullptr;
    }
    if (plan.trials.empty() || plan.rungs.empty() || !std::ranges::is_sorted(plan.rungs) || plan.options.keep == 0) {
      throw Error(ErrorKind::kData, fmt::format("{}: not the plan of a search", (folder / tune_file::kPlan).string()),
                  "start again in another folder, or with --force");
    }
    return plan;
  });
}

}  // namespace agentnet
