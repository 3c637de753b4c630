#include "classic/learners/linear_learner.h"

#include <linear.h>

#include <array>
#include <memory>
#include <mutex>
#include <string>

#include "agentnet/error.h"
#include "classic/learners/scorer_targets.h"

namespace agentnet {
namespace {

void say_nothing(const char* /*text*/) {}

int solver_for(LinearLoss loss) {
  switch (loss) {
    case LinearLoss::kLogistic:
      return L2R_LR;
    case LinearLoss::kHinge:
      return L2R_L2LOSS_SVC;
    case LinearLoss::kSquared:
      break;
  }
  return L2R_L2LOSS_SVR;  // with p = 0, squared errors
}

// The rows as liblinear wants them: columns from 1, the bias as the last of them, and an entry of column -1 at the end.
struct Nodes {
  Nodes(const LinearTable& table, const Labelled& labelled) {
    const int bias = static_cast<int>(table.columns) + 1;
    for (const std::size_t r : labelled.rows) {
      starts.push_back(all.size());
      for (const SparseEntry& entry : table.rows.row(r)) {
        if (entry.column >= table.columns) break;
        all.push_back({static_cast<int>(entry.column) + 1, table.factor[r] * static_cast<double>(entry.value)});
      }
      all.push_back({bias, 1});
      all.push_back({-1, 0});
    }
    for (const std::size_t start : starts) rows.push_back(all.data() + start);
  }
  std::vector<feature_node> all;
  std::vector<std::size_t> starts;
  std::vector<feature_node*> rows;
};

struct ModelDeleter {
  void operator()(model* m) const { free_and_destroy_model(&m); }
};

}  // namespace

bool has_liblinear() { return true; }

LinearScore fit_linear(const LinearTable& table, const Labelled& labelled, const LinearOptions& options) {
  static std::once_flag once;
  std::call_once(once, [] { set_print_string_function(say_nothing); });
  LinearScore score{std::vector<float>(table.columns, 0.0F), 0};
  const bool numbers = options.loss == LinearLoss::kSquared;
  if (labelled.rows.empty()) return score;
  if (!numbers && !has_both_answers(labelled)) {
    score.bias = static_cast<float>(log_odds(labelled));
    return score;
  }
  Nodes nodes(table, labelled);
  std::vector<double> y = labelled.targets;
  problem data{};
  data.l = static_cast<int>(labelled.rows.size());
  data.n = static_cast<int>(table.columns) + 1;
  data.y = y.data();
  data.x = nodes.rows.data();
  data.bias = 1;
  const AnswerWeights answers = answer_weights(labelled, options.balanced && !numbers);
  std::array<int, 2> labels = {0, 1};
  std::array<double, 2> weights = {answers.no, answers.yes};
  parameter wanted{};
  wanted.solver_type = solver_for(options.loss);
  wanted.C = options.cost;
  wanted.eps = 0.001;
  wanted.p = 0;
  if (options.balanced && !numbers) {
    wanted.nr_weight = 2;
    wanted.weight_label = labels.data();
    wanted.weight = weights.data();
  }
  if (const char* wrong = check_parameter(&data, &wanted)) {
    throw Error(ErrorKind::kFailure, std::string("liblinear: ") + wrong, "choose other options of the model");
  }
  const std::unique_ptr<model, ModelDeleter> fitted(train(&data, &wanted));
  // Weights are for the label that liblinear met first.
  const double sign = !numbers && fitted->label[0] == 0 ? -1 : 1;
  for (std::size_t c = 0; c < table.columns; ++c) score.weights[c] = static_cast<float>(sign * fitted->w[c]);
  score.bias = static_cast<float>(sign * fitted->w[table.columns]);
  return score;
}

}  // namespace agentnet
