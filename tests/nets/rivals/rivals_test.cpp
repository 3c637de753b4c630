// Networks on the tape against what their published code computed: every recorded case of a network that there is must
// pass, in its own precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/thread_pool.h"
#include "nets/kinds.h"
#include "nets/rivals/recipes.h"
#include "nets/taped/taped_network.h"
#include "support/rival_case.h"
#include "support/shared_dir.h"

namespace agentnet {
namespace {

template <class S>
std::shared_ptr<const Network<S>> make(const NetworkConfig& config) {
  const NetworkKind& kind = builtin_kinds().at(config.kind);
  if constexpr (std::is_same_v<S, double>) {
    return kind.make_double(config);
  } else {
    return kind.make_float(config);
  }
}

// log softmax of rows of C.
std::vector<double> log_probabilities(std::vector<double> scores, std::size_t C) {
  for (std::size_t first = 0; first < scores.size(); first += C) {
    double most = scores[first], sum = 0;
    for (std::size_t c = 0; c < C; ++c) most = std::max(most, scores[first + c]);
    for (std::size_t c = 0; c < C; ++c) sum += std::exp(scores[first + c] - most);
    for (std::size_t c = 0; c < C; ++c) scores[first + c] -= most + std::log(sum);
  }
  return scores;
}

// The mean over graphs, or with weight 1 the sum.
template <class S>
double cross_entropy(const RivalCase& rival, std::size_t graphs, std::size_t C, double weight, Matrix<const S> y,
                     Matrix<S> dy) {
  double total = 0;
  for (std::size_t g = 0; g < graphs; ++g) {
    const S* row = y.row(static_cast<Index>(g));
    const auto label = static_cast<std::size_t>(rival.targets.values[g]);
    const std::vector<double> log_p = log_probabilities({row, row + C}, C);
    total -= log_p[label] * weight;
    for (std::size_t c = 0; c < C; ++c) {
      const double d = (std::exp(log_p[c]) - (c == label ? 1 : 0)) * weight;
      dy.row(static_cast<Index>(g))[c] = static_cast<S>(d);
    }
  }
  return total;
}

double entries_with_target(const RivalCase& rival) {
  double labelled = 0;
  for (const double t : rival.targets.values) labelled += std::isnan(t) ? 0 : 1;
  return labelled;
}

// Sum over entries that are not blank of f(y, t) = {loss, derivative}, divided by `labelled`.
template <class S, class F>
double sum_loss(const RivalCase& rival, std::size_t graphs, std::size_t C, double labelled, Matrix<const S> y,
                Matrix<S> dy, const F& f) {
  double total = 0;
  for (std::size_t g = 0; g < graphs; ++g) {
    for (std::size_t c = 0; c < C; ++c) {
      const double t = rival.targets.values[g * C + c];
      if (std::isnan(t)) continue;
      const auto [loss, d] = f(static_cast<double>(y.row(static_cast<Index>(g))[c]), t);
      total += loss / labelled;
      dy.row(static_cast<Index>(g))[c] = static_cast<S>(d / labelled);
    }
  }
  return total;
}

template <class S>
LossFunction<S> loss_of(const RivalCase& rival, std::size_t C) {
  return [&rival, C](std::size_t, std::size_t graphs, Matrix<const S> y, Matrix<S> dy) {
    const double labelled = entries_with_target(rival);
    const auto distance = [](double x, double t) {
      return std::pair(std::abs(x - t), x > t ? 1.0 : x < t ? -1.0 : 0.0);
    };
    switch (rival.loss) {
      case RivalLoss::kCrossEntropy:
      case RivalLoss::kLogLikelihood:
        return cross_entropy<S>(rival, graphs, C, 1 / static_cast<double>(graphs), y, dy);
      case RivalLoss::kCrossEntropySum:
        return cross_entropy<S>(rival, graphs, C, 1, y, dy);
      case RivalLoss::kBinaryCrossEntropy:
        return sum_loss<S>(rival, graphs, C, labelled, y, dy, [](double x, double t) {
          return std::pair(std::max(x, 0.0) - x * t + std::log1p(std::exp(-std::abs(x))), 1 / (1 + std::exp(-x)) - t);
        });
      case RivalLoss::kSquaredError:
        return sum_loss<S>(rival, graphs, C, labelled, y, dy,
                           [](double x, double t) { return std::pair((x - t) * (x - t), 2 * (x - t)); });
      case RivalLoss::kAbsoluteError:
        return sum_loss<S>(rival, graphs, C, labelled, y, dy, distance);
      case RivalLoss::kAbsoluteErrorSum:
        return sum_loss<S>(rival, graphs, C, 1, y, dy, distance);
    }
    throw std::logic_error("a loss without a case");
  };
}

template <class S>
std::vector<double> widened(const std::vector<S>& values) {
  return {values.begin(), values.end()};
}

// Arrays by their published names, in the flat buffer of a layout and back.
template <class S>
std::vector<S> flat(const ParameterLayout& layout, const RivalTensors& tensors, const RivalRecipe& recipe,
                    const std::set<std::string>& unreached) {
  std::vector<S> values(layout.size());
  std::set<std::string> filled;
  for (const auto& [name, tensor] : tensors) {
    const Parameter* p = layout.find(recipe.our_name(name));
    if (p == nullptr && unreached.contains(name)) continue;
    if (p == nullptr) throw std::logic_error("there is no parameter for " + name);
    if (p->size != tensor.values.size()) throw std::logic_error("the parameter for " + name + " has another size");
    std::copy(tensor.values.begin(), tensor.values.end(), values.begin() + static_cast<std::ptrdiff_t>(p->offset));
    filled.insert(p->name);
  }
  for (const Parameter& p : layout.all()) {
    if (!filled.contains(p.name)) throw std::logic_error("the case has nothing for " + p.name);
  }
  return values;
}

template <class S>
std::map<std::string, std::vector<double>> by_name(const ParameterLayout& layout, const std::vector<S>& values,
                                                   const RivalTensors& names, const RivalRecipe& recipe) {
  std::map<std::string, std::vector<double>> all;
  for (const auto& [name, tensor] : names) {
    if (const Parameter* p = layout.find(recipe.our_name(name))) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(p->offset);
      all[name] = {first, first + static_cast<std::ptrdiff_t>(p->size)};
    }
  }
  return all;
}

// The first `kept` of the columns.
std::vector<double> first_columns(const std::vector<double>& rows, std::size_t columns, std::size_t kept) {
  std::vector<double> out;
  for (std::size_t i = 0; i < rows.size(); i += columns) {
    for (std::size_t c = 0; c < kept; ++c) out.push_back(rows[i + c]);
  }
  return out;
}

// [M R, C] as [R, M, C]
std::vector<double> runs_outside(const std::vector<double>& rows, std::size_t runs, std::size_t C) {
  std::vector<double> out(rows.size());
  const std::size_t M = runs * C > 0 ? rows.size() / (runs * C) : 0;
  for (std::size_t m = 0; m < M; ++m) {
    for (std::size_t r = 0; r < runs; ++r) {
      for (std::size_t c = 0; c < C; ++c) out[(r * M + m) * C + c] = rows[(m * runs + r) * C + c];
    }
  }
  return out;
}

template <class S>
class Replay {
 public:
  Replay(const RivalCase& rival, const RivalRecipe& recipe)
      : rival_(rival),
        recipe_(recipe),
        network_(make<S>(recipe.config)),
        runner_(dynamic_cast<const TapedNetwork<S>&>(*network_), pool_),
        graphs_(rival.views()),
        ids_(graphs_.size(), 0) {}

  RivalAnswer run() {
    const std::size_t C = network_->outputs();
    const auto parameters = flat<S>(network_->parameters(), rival_.parameters, recipe_, rival_.unreached);
    auto buffers = flat<S>(network_->buffers(), rival_.buffers_before, recipe_, untouched_buffers());
    prepared_.prepare(parameters, buffers);
    runner_.use(prepared_);
    const RecordedDraws training = draws_of(rival_, false), evaluation = draws_of(rival_, true);

    RivalAnswer answer;
    std::vector<S> gradient(parameters.size());
    runner_.replay(&training);
    answer.loss = runner_.gradients({graphs_, ids_}, {.training = true}, loss_of<S>(rival_, C), gradient);
    answer.output = shown(runner_.seen().outputs);
    answer.auxiliary_output = shown_runs(runner_.seen().auxiliary);
    answer.gradients = by_name(network_->parameters(), gradient, rival_.parameters, recipe_);
    add_input_gradients(answer);
    runner_.update_buffers(buffers);
    answer.buffers_after = by_name(network_->buffers(), buffers, rival_.buffers_after, recipe_);
    for (const std::string& name : untouched_buffers()) {
      answer.buffers_after.try_emplace(name, rival_.buffers_before.at(name).values);
    }

    runner_.replay(&evaluation);
    std::vector<S> outputs(graphs_.size() * C);
    runner_.outputs({graphs_, ids_}, {}, outputs, nullptr);
    answer.evaluation_output = shown(outputs);
    answer.auxiliary_evaluation_output = shown_runs(runner_.seen().auxiliary);
    return answer;
  }

 private:
  // Statistics of norms that the published code makes and never runs; a network need not have them.
  [[nodiscard]] std::set<std::string> untouched_buffers() const {
    std::set<std::string> names;
    for (const auto& [name, before] : rival_.buffers_before) {
      if (before == rival_.buffers_after.at(name)) names.insert(name);
    }
    return names;
  }
  [[nodiscard]] std::vector<double> shown(const std::vector<S>& scores) const {
    const bool logarithms = rival_.loss == RivalLoss::kLogLikelihood;
    return logarithms ? log_probabilities(widened(scores), network_->outputs()) : widened(scores);
  }
  [[nodiscard]] std::vector<double> shown_runs(const std::vector<S>& scores) const {
    if (scores.empty()) return {};
    return runs_outside(shown(scores), rival_.option<std::size_t>("num_runs"), network_->outputs());
  }
  void add_input_gradients(RivalAnswer& answer) const {
    const auto& seen = runner_.seen();
    if (const auto x = rival_.input_gradients.find("x"); x != rival_.input_gradients.end()) {
      const std::size_t nodes = x->second.extent(0), columns = seen.d_nodes.size() / nodes;
      answer.input_gradients["x"] = first_columns(widened(seen.d_nodes), columns, x->second.extent(1));
    }
    if (const auto e = rival_.input_gradients.find("edge_attr"); e != rival_.input_gradients.end()) {
      const std::size_t columns = e->second.extent(1);
      std::vector<double> in_file(e->second.values.size());
      std::size_t at = 0;
      for (const auto& rows : rival_.edge_rows) {
        for (const std::size_t row : rows) {
          for (std::size_t c = 0; c < columns; ++c) in_file[row * columns + c] = seen.d_edges.at(at++);
        }
      }
      answer.input_gradients["edge_attr"] = std::move(in_file);
    }
  }

  const RivalCase& rival_;
  const RivalRecipe& recipe_;
  ThreadPool pool_{2};
  std::shared_ptr<const Network<S>> network_;
  TapedPrepared<S> prepared_;
  TapedRunner<S> runner_;
  std::vector<GraphView> graphs_;
  std::vector<std::uint64_t> ids_;
};

std::vector<std::filesystem::path> all_files() {
  const auto files = rival_files();
  return files ? *files : std::vector<std::filesystem::path>{};
}

class Rivals : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Rivals, ComputeWhatTheirPublishedCodeComputed) {
  const RivalCase rival = load_rival_case(GetParam());
  const auto recipe = recipe_of(rival);
  if (!rival.enumerations.empty()) return;  // no network: NodeSets.AreThoseThatThePublishedCodeLists compares it
  ASSERT_TRUE(recipe) << "there is no network that is " << rival.model;
  const RivalAnswer answer =
      rival.double_precision ? Replay<double>(rival, *recipe).run() : Replay<float>(rival, *recipe).run();
  EXPECT_THAT(rival_mismatches(rival, answer), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Recorded, Rivals, testing::ValuesIn(all_files()),
                         [](const auto& file) { return file.param.stem().string(); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Rivals);

TEST(RivalFiles, AreThere) {
  if (!rival_files()) GTEST_SKIP() << kNoSharedDir;
  EXPECT_FALSE(rival_files()->empty());
}

}  // namespace
}  // namespace agentnet
