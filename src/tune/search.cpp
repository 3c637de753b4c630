#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/tune.h"
#include "classic/baselines.h"
#include "core/files/claims.h"
#include "core/files/folder.h"
#include "core/files/whole_file.h"
#include "core/json.h"
#include "core/thread_pool.h"
#include "run/run.h"
#include "train/trainer.h"
#include "tune/best.h"
#include "tune/importance.h"
#include "tune/searches.h"

namespace agentnet {
namespace {

constexpr double kPollSeconds = 0.25;  // between looks at what others do

// What a trial had come to at a rung.
struct RungScore {
  double score = kUndefined;
  std::uint64_t epochs = 0;
  double seconds = 0;
  std::string failed;
};

std::filesystem::path score_file(const SearchPlace& place, std::size_t trial, std::size_t rung) {
  return place.folder / tune_file::kScores / fmt::format("trial-{:03}-rung-{}.json", trial, rung);
}

std::filesystem::path trial_folder(const SearchPlace& place, std::size_t trial) {
  return place.folder / tune_file::kTrials / fmt::format("trial-{:03}", trial);
}

void write_score(const std::filesystem::path& path, const RungScore& score) {
  make_folder(path.parent_path());
  const Json json = {{"score", std::isfinite(score.score) ? Json(score.score) : Json(nullptr)},
                     {"epochs", score.epochs},
                     {"seconds", score.seconds},
                     {"failed", score.failed}};
  write_whole_file(path, json.dump() + "\n", FileSystem::real());
}

std::optional<RungScore> read_score(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  const std::optional<Json> json = parse_json_if_valid(std::string{std::istreambuf_iterator<char>(file), {}});
  RungScore score;
  try {
    if (!json || !json->is_object()) throw Error(ErrorKind::kData, "not the score of a trial");
    if (!json->at("score").is_null()) read_member(*json, "score", score.score);
    read_member(*json, "epochs", score.epochs);
    read_member(*json, "seconds", score.seconds);
    read_member(*json, "failed", score.failed);
  } catch (const std::exception& e) {
    throw Error(ErrorKind::kData, fmt::format("{}: {}", path.string(), e.what()),
                "remove the file, then --resume: the trial goes on from its checkpoint");
  }
  return score;
}

// A search with the scores that are there, by rung.
class Standings {
 public:
  Standings(const SearchPlace& place, const TunePlan& plan, Metric metric)
      : place_(place), plan_(plan), metric_(metric), scores_(plan.rungs.size()) {}

  // Reads what is new. Rungs are filled one after the other.
  void refresh() {
    while (true) {
      bool is_new = false;
      for (const std::size_t trial : open()) {
        auto score = read_score(score_file(place_, trial, rung_));
        if (!score) continue;
        is_new = is_new || !score->failed.empty();  // then another trial may go on in its place
        scores_[rung_].emplace(trial, std::move(*score));
      }
      if (is_new) continue;
      if (!open().empty() || rung_ + 1 == plan_.rungs.size()) return;
      ++rung_;
    }
  }

  [[nodiscard]] std::size_t rung() const { return rung_; }
  [[nodiscard]] bool complete() const { return rung_ + 1 == plan_.rungs.size() && open().empty(); }
  [[nodiscard]] std::vector<std::size_t> open() const {
    std::vector<std::size_t> trials = members_of(rung_);
    std::erase_if(trials, [&](std::size_t trial) { return scores_[rung_].contains(trial); });
    return trials;
  }
  [[nodiscard]] std::size_t done_of_rung() const { return scores_[rung_].size(); }
  [[nodiscard]] std::size_t of_rung() const { return members_of(rung_).size(); }

  // Who trains up to this rung: networks that are still in, and at the last one also what is fitted as a whole.
  [[nodiscard]] std::vector<std::size_t> members_of(std::size_t rung) const {
    std::vector<std::size_t> trials;
    if (rung > 0) {
      trials = going_on(rung);
    }
    for (const Trial& trial : plan_.trials) {
      if (trial.fitted ? rung + 1 == plan_.rungs.size() : rung == 0) trials.push_back(trial.number);
    }
    std::sort(trials.begin(), trials.end());
    return trials;
  }

  [[nodiscard]] std::vector<TrialResult> results() const {
    std::vector<TrialResult> all;
    for (const Trial& trial : plan_.trials) {
      TrialResult& result = all.emplace_back();
      result.number = trial.number;
      result.drawn = trial.drawn;
      for (std::size_t rung = 0; rung < scores_.size(); ++rung) {
        const auto at = scores_[rung].find(trial.number);
        if (at == scores_[rung].end()) continue;
        result.scores.push_back(at->second.score);
        result.epochs = at->second.epochs;
        result.seconds = at->second.seconds;
        result.failed = at->second.failed;
      }
    }
    return all;
  }

  // The best first: those that went further, and of these the better score.
  [[nodiscard]] std::vector<std::size_t> ranking() const {
    std::vector<std::size_t> all;
    for (std::size_t rung = scores_.size(); rung-- > 0;) {
      std::vector<std::size_t> trials;
      for (const auto& [trial, score] : scores_[rung]) {
        if (std::ranges::find(all, trial) == all.end()) trials.push_back(trial);
      }
      sort_by_score(trials, rung);
      all.insert(all.end(), trials.begin(), trials.end());
    }
    return all;
  }

 private:
  // The best of the rung before. One that cannot be trained up to this rung gives its place to the next best.
  [[nodiscard]] std::vector<std::size_t> going_on(std::size_t rung) const {
    std::vector<std::size_t> ranked = networks_in(rung - 1);
    const std::size_t places = survivors(ranked.size(), plan_.options.keep);
    std::erase_if(ranked, [&](std::size_t trial) { return !scores_[rung - 1].at(trial).failed.empty(); });
    sort_by_score(ranked, rung - 1);
    std::vector<std::size_t> trials;
    for (std::size_t i = 0, good = 0; i < ranked.size() && good < places; ++i) {
      const auto at = scores_[rung].find(ranked[i]);
      good += at != scores_[rung].end() && !at->second.failed.empty() ? 0 : 1;
      trials.push_back(ranked[i]);
    }
    return trials;
  }
  [[nodiscard]] std::vector<std::size_t> networks_in(std::size_t rung) const {
    std::vector<std::size_t> trials;
    for (const auto& [trial, score] : scores_[rung]) {
      if (!plan_.trials[trial].fitted) trials.push_back(trial);
    }
    return trials;
  }
  // Of equals the first drawn.
  void sort_by_score(std::vector<std::size_t>& trials, std::size_t rung) const {
    std::stable_sort(trials.begin(), trials.end(), [&](std::size_t a, std::size_t b) {
      return is_better(metric_, scores_[rung].at(a).score, scores_[rung].at(b).score);
    });
  }

  const SearchPlace& place_;
  const TunePlan& plan_;
  Metric metric_;
  std::vector<std::map<std::size_t, RungScore>> scores_;
  std::size_t rung_ = 0;
};

class Worker {
 public:
  Worker(const std::filesystem::path& folder, const TunePlan& plan, const Dataset& data, const TuneControl& control)
      : folder_(folder),
        plan_(plan),
        data_(data),
        control_(control),
        metric_(metric_of(plan.trials.front().settings.train.metric, data.schema.task)),
        places_(search_places(folder, plan, data)) {
    for (const SearchPlace& place : places_) {
      standings_.emplace_back(place, plan, metric_);
      claims_.push_back(std::make_unique<ClaimFolder>(place.folder / tune_file::kClaims));
    }
  }

  TuneResult run() {
    const int jobs = std::clamp(control_.jobs > 0 ? control_.jobs : control_.threads, 1, 1024);
    ThreadPool pool(jobs);
    pool.run(static_cast<std::size_t>(jobs), [&](std::size_t, int) {
      try {
        work(std::max(1, control_.threads / jobs));
      } catch (...) {
        stopped_ = true;  // the other trials keep a checkpoint and end as well
        throw;
      }
    });
    TuneResult result;
    result.metric = metric_name(metric_);
    result.higher_is_better = higher_is_better(metric_);
    result.constant_name = constant_baseline_name(data_.schema.task);
    result.rungs = plan_.rungs;
    count(result);
    result.interrupted = stopped_;
    if (result.interrupted) return result;
    for (std::size_t s = 0; s < places_.size(); ++s) result.searches.push_back(read_search(s));
    std::vector<double> tests;
    for (const SearchResult& search : result.searches) tests.push_back(score_named(search.test, result.metric));
    result.test = fold_statistics(tests);
    write_whole_file(folder_ / tune_file::kTable, tuning_csv(result), FileSystem::real());
    write_whole_file(folder_ / tune_file::kResults, tuning_json(result, plan_, data_), FileSystem::real());
    for (const auto& claims : claims_) claims->remove_dead();
    return result;
  }

 private:
  // A trial at a rung of a search, or, without a trial, the end of the search.
  struct Piece {
    std::size_t search = 0, rung = 0;
    std::optional<std::size_t> trial;
    std::unique_ptr<Claim> claim;
  };

  // Until nothing is left to do, here or elsewhere.
  void work(int threads) {
    while (!stop_asked_for()) {
      bool all_done = false;
      std::optional<Piece> piece = next(all_done);
      if (all_done) return;
      if (!piece) {
        wait();
      } else if (!piece->trial) {
        finish(piece->search, threads);
      } else {
        run_piece(*piece, threads);
      }
    }
  }

  // What nobody is at; none if others are at all that can be done now.
  std::optional<Piece> next(bool& all_done) {
    const std::lock_guard lock(mutex_);
    all_done = true;
    for (std::size_t s = 0; s < places_.size(); ++s) {
      Standings& standings = standings_[s];
      standings.refresh();
      if (standings.complete()) {
        if (search_is_finished(places_[s])) continue;
        all_done = false;
        if (auto claim = claims_[s]->claim("best")) {
          if (search_is_finished(places_[s])) continue;
          return Piece{s, 0, std::nullopt, std::move(claim)};
        }
        continue;
      }
      all_done = false;
      for (const std::size_t trial : standings.open()) {
        auto claim = claims_[s]->claim(fmt::format("trial-{:03}", trial));
        if (claim == nullptr) continue;
        // Whoever had it may have ended just now, or is slow to notice that it lost its claim.
        if (std::filesystem::exists(score_file(places_[s], trial, standings.rung()))) continue;
        if (is_at_work_in(trial_folder(places_[s], trial))) continue;
        return Piece{s, standings.rung(), trial, std::move(claim)};
      }
    }
    return std::nullopt;
  }

  void wait() {
    std::unique_lock lock(mutex_);
    report();
    changed_.wait_for(lock, std::chrono::duration<double>(kPollSeconds));
  }

  void run_piece(const Piece& piece, int threads) {
    const SearchPlace& place = places_[piece.search];
    const Trial& trial = plan_.trials[*piece.trial];
    const std::optional<RungScore> score = train(place, trial, piece, threads);
    if (!score) return;  // it was interrupted, or somebody else has it now
    write_score(score_file(place, trial.number, piece.rung), *score);
    {
      const std::lock_guard lock(mutex_);
      if (control_.say) control_.say(line_of(piece, *score));
      report();
    }
    changed_.notify_all();
  }

  [[nodiscard]] std::string line_of(const Piece& piece, const RungScore& score) const {
    const std::string fold = plan_.options.nested ? fmt::format("fold {} ", piece.search) : "";
    const std::string start =
        fmt::format("{}trial {}: {} epoch{}", fold, *piece.trial, score.epochs, score.epochs == 1 ? "" : "s");
    if (!score.failed.empty()) return fmt::format("{}, given up: {}", start, score.failed);
    return fmt::format("{}, valid {} {:.4f}", start, metric_name(metric_), score.score);
  }

  // The best so far, if the first `rung` epochs are done, or the run has ended before.
  [[nodiscard]] std::optional<RungScore> score_so_far(const std::filesystem::path& run, std::uint64_t rung,
                                                      bool ended) const {
    RungScore score;
    for (const EpochRecord& record : read_run_history(run)) {
      if (record.epoch > rung) break;
      score.epochs = record.epoch;
      score.seconds = record.seconds;
      if (record.metric && is_better(metric_, *record.metric, score.score)) score.score = *record.metric;
    }
    if (score.epochs < rung && !ended) return std::nullopt;
    return score;
  }

  std::optional<RungScore> train(const SearchPlace& place, const Trial& trial, const Piece& piece, int threads) {
    const std::filesystem::path run = trial_folder(place, trial.number);
    const bool last = piece.rung + 1 == plan_.rungs.size();
    const std::uint64_t epochs = trial.fitted ? 1 : plan_.rungs[piece.rung];
    if (!last) {
      if (auto score = score_so_far(run, epochs, /*ended=*/false)) return score;
    }
    Split seen = place.split;
    seen.test.clear();
    std::atomic<bool> reached = false;
    RunControl control;
    control.threads = threads;
    control.on_epoch = [&](const EpochRecord& record) { reached = reached || (!last && record.epoch >= epochs); };
    control.should_stop = [&] { return reached || !piece.claim->held() || stop_asked_for(); };
    make_folder(run);
    try {
      const RunResult result = run_training(run, settings_in_fold(trial, place.fold), data_, seen, control);
      if (!piece.claim->held()) return std::nullopt;
      return score_so_far(run, epochs, result.ending != Ending::kInterrupted);
    } catch (const Error& error) {
      if (!is_divergence(error)) {
        throw Error(error.kind(), fmt::format("trial {}: {}", trial.number, error.what()), error.hint());
      }
      RungScore score;
      score.failed = error.what();
      return score;
    }
  }

  // The only look at the test part.
  void finish(std::size_t s, int threads) {
    std::size_t best = 0;
    std::string failed;
    {
      const std::lock_guard lock(mutex_);
      best = standings_[s].ranking().front();
      failed = standings_[s].results()[best].failed;
    }
    if (!failed.empty()) {
      throw Error(ErrorKind::kFailure, fmt::format("no trial could be trained to the end; the last reason: {}", failed),
                  "search among lower learning rates, and look for extreme values in the data");
    }
    test_best(places_[s], plan_.trials[best], data_, threads);
  }

  SearchResult read_search(std::size_t s) {
    SearchResult search;
    search.trials = standings_[s].results();
    search.ranking = standings_[s].ranking();
    search.importance = importance_of(search.trials, plan_, metric_);
    read_best(places_[s], data_, search);
    return search;
  }

  bool stop_asked_for() {
    if (stopped_) return true;
    const std::lock_guard lock(asking_);
    if (control_.should_stop && control_.should_stop()) stopped_ = true;
    return stopped_;
  }

  // With the lock.
  void count(TuneResult& result) const {
    for (std::size_t s = 0; s < places_.size(); ++s) {
      std::size_t networks = 0;
      for (const Trial& trial : plan_.trials) networks += trial.fitted ? 0 : 1;
      result.of += plan_.trials.size() - networks;
      for (std::size_t rung = 0; rung < plan_.rungs.size();
           ++rung, networks = survivors(networks, plan_.options.keep)) {
        result.of += networks;
      }
      for (std::size_t rung = 0; rung < standings_[s].rung(); ++rung)
        result.done += standings_[s].members_of(rung).size();
      result.done += standings_[s].done_of_rung();
    }
    result.of = std::max(result.of, result.done);  // more, where one took the place of another
  }

  void report() {
    if (!control_.on_progress) return;
    TuneProgress progress;
    progress.folds = places_.size();
    progress.rungs = plan_.rungs.size();
    while (progress.fold + 1 < places_.size() && standings_[progress.fold].complete()) ++progress.fold;
    const Standings& standings = standings_[progress.fold];
    progress.rung = standings.rung();
    progress.done = standings.done_of_rung();
    progress.of = standings.of_rung();
    TuneResult counted;
    count(counted);
    progress.fraction = static_cast<double>(counted.done) / static_cast<double>(std::max<std::size_t>(1, counted.of));
    control_.on_progress(progress);
  }

  const std::filesystem::path& folder_;
  const TunePlan& plan_;
  const Dataset& data_;
  const TuneControl& control_;
  const Metric metric_;
  const std::vector<SearchPlace> places_;
  std::vector<std::unique_ptr<ClaimFolder>> claims_;  // by search
  std::atomic<bool> stopped_ = false;
  std::mutex asking_;

  std::mutex mutex_;  // guards what follows, and the caller's functions but should_stop
  std::condition_variable changed_;
  std::vector<Standings> standings_;  // by search
};

}  // namespace

TuneResult tune(const std::filesystem::path& folder, const TunePlan& plan, const Dataset& data,
                const TuneControl& control) {
  return Worker(folder, plan, data, control).run();
}

TuneResult resume_tuning(const std::filesystem::path& folder, const TuneControl& control) {
  const Dataset data = read_data(tune_data_settings(folder), control.threads);
  return tune(folder, read_tuning(folder, data), data, control);
}

}  // namespace agentnet
