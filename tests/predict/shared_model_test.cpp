// One const Model, many callers.
#include <gtest/gtest.h>

#include <thread>

#include "agentnet/explain.h"
#include "agentnet/predict.h"
#include "data/synthetic/synthetic.h"
#include "support/small_model.h"

namespace agentnet {
namespace {

TEST(SharedModel, EightCallersOfDifferentOptionsGetTheAnswersThatEachGetsAlone) {
  const Dataset data = make_synthetic("synthetic:cycles?graphs=12");
  const Model model = small_model(data.schema);
  const auto views = data.graphs.views();
  const auto options_of = [](int caller) {
    PredictOptions options;
    options.rollouts = 1 + caller % 3;
    options.threads = 1 + caller % 4;
    options.seed = static_cast<std::uint64_t>(caller / 2);
    options.greedy = caller % 2 == 1;
    return options;
  };
  const auto explained = [&](int caller) {
    ExplainOptions options;
    options.walks = options_of(caller);
    return explain(model, std::span(views).first(3), options).back().influence;
  };
  std::vector<std::vector<double>> alone_said, alone_explained;
  {
    const Model same = small_model(data.schema);  // whose weights nobody has prepared yet
    for (int caller = 0; caller < 8; ++caller) {
      alone_said.push_back(predict(same, views, options_of(caller)).mean);
      alone_explained.push_back(explained(caller));
    }
  }
  const Model fresh = small_model(data.schema);
  std::vector<std::vector<double>> said(8), why(8);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&, caller] {
      for (int repeat = 0; repeat < 3; ++repeat) {
        said[static_cast<std::size_t>(caller)] = predict(fresh, views, options_of(caller)).mean;
        why[static_cast<std::size_t>(caller)] = explained(caller);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(said, alone_said);
  EXPECT_EQ(why, alone_explained);
}

}  // namespace
}  // namespace agentnet
