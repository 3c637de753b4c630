// The reader of golden cases: what it refuses, and that its comparison can fail.
#include "support/golden_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/files/safetensors.h"
#include "nets/agentnet/parameters.h"
#include "support/environment.h"
#include "support/shared_dir.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ResultOf;
using testing::SizeIs;
using testing::StartsWith;

std::filesystem::path committed_case(const std::string& name) {
  return committed_golden_dir() / (name + ".safetensors");
}

// Whoever computes exactly what was recorded.
GoldenAnswer perfect_answer(const GoldenCase& golden) {
  GoldenAnswer answer;
  answer.positions = golden.positions;
  answer.step_readouts = golden.step_readouts;
  answer.outputs = golden.final_output;  // log-softmax changes nothing on what is one already
  answer.loss = golden.loss_value;
  answer.gradient.resize(golden.parameters.size());
  for (const GoldenGradient& g : golden.gradients) {
    std::copy(g.values.begin(), g.values.end(), answer.gradient.begin() + static_cast<std::ptrdiff_t>(g.offset));
  }
  answer.node_feature_gradients = golden.node_feature_gradients;
  answer.edge_feature_gradients = golden.edge_feature_gradients;
  return answer;
}

TEST(GoldenCase, EveryKindOfWrongAnswerIsAMismatch) {
  const GoldenCase golden = load_golden_case(committed_case("09_qm9_f64"));
  EXPECT_THAT(golden_mismatches(golden, perfect_answer(golden)), IsEmpty());

  const auto wrong = [&](const std::function<void(GoldenAnswer&)>& spoil) {
    GoldenAnswer answer = perfect_answer(golden);
    spoil(answer);
    return golden_mismatches(golden, answer);
  };
  using A = GoldenAnswer&;
  EXPECT_THAT(wrong([](A a) { a.positions[3][2] += 1; }), ElementsAre(StartsWith("positions: agent 2 ")));
  EXPECT_THAT(wrong([](A a) { a.positions.pop_back(); }), ElementsAre(StartsWith("positions: ")));
  EXPECT_THAT(wrong([](A a) { a.step_readouts[5] += 1e-7; }), ElementsAre(StartsWith("step readouts: 1 of ")));
  EXPECT_THAT(wrong([](A a) { a.outputs[0] += 1e-7; }), ElementsAre(StartsWith("output: ")));
  EXPECT_THAT(wrong([](A a) { a.outputs.clear(); }), ElementsAre(StartsWith("output: 0 values instead of ")));
  EXPECT_THAT(wrong([](A a) { a.loss += 1e-7; }), ElementsAre(StartsWith("loss: ")));
  EXPECT_THAT(wrong([](A a) { a.gradient.pop_back(); }), ElementsAre(StartsWith("gradient: ")));
  EXPECT_THAT(wrong([](A a) { a.node_feature_gradients->at(1)[3] += 1e-7; }),
              ElementsAre(StartsWith("gradient of node features of graph 1: ")));
  EXPECT_THAT(wrong([](A a) { a.edge_feature_gradients->at(0)[3] += 1e-7; }),
              ElementsAre(StartsWith("gradient of edge features of graph 0: ")));
}

TEST(GoldenCase, AnErrorInAnyTrainableParametersGradientIsAMismatch) {
  const GoldenCase golden = load_golden_case(committed_case("03_simple_f64"));
  const ParameterLayout layout = agentnet_layout(golden.config);
  for (const Parameter& p : layout.all()) {
    GoldenAnswer answer = perfect_answer(golden);
    answer.gradient[p.offset + p.size - 1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(golden_mismatches(golden, answer).size(), p.trainable ? 1U : 0U) << p.name;
  }
}

TEST(GoldenCase, RoundingNoiseIsComparedByItsSizeOnly) {
  const GoldenCase golden = load_golden_case(committed_case("09_qm9_f64"));
  const std::size_t at = agentnet_layout(golden.config).at("move.key.0.bias").offset;
  GoldenAnswer answer = perfect_answer(golden);
  answer.gradient[at] = 1e-13;
  EXPECT_THAT(golden_mismatches(golden, answer), IsEmpty());
  answer.gradient[at] = 1e-6;
  EXPECT_THAT(golden_mismatches(golden, answer), ElementsAre(StartsWith("gradient of key.1.bias")));
}

TEST(GoldenCase, SinglePrecisionHasTheTolerancesOfTheNotes) {
  const GoldenCase golden = load_golden_case(committed_case("20_edgefeat_mean_f32"));
  EXPECT_DOUBLE_EQ(forward_tolerance(golden, {1.0, -4.0}), 4e-5);
  EXPECT_DOUBLE_EQ(gradient_tolerance(golden, {0.5, -2.0}), 1e-4 * (2.0 + 1e-3 * golden.largest_gradient));
}

TEST(GoldenCase, AskingForADrawThatWasNotRecordedThrows) {
  const GoldenCase golden = load_golden_case(committed_case("10_nopool_sum_f32"));
  const auto [graph, agent, step, node] = golden.noise.draws().begin()->first;
  EXPECT_EQ(golden.noise.noise(graph, agent, step, node), golden.noise.draws().begin()->second.value);
  EXPECT_THROW((void)golden.noise.noise(graph, agent, golden.config.steps + 1, node), Error);
  EXPECT_THROW((void)golden.noise.start(golden.graphs.size(), 0), Error);
}

TEST(GoldenCase, EvalWithTestArgmaxRunsColdAndWithoutGradients) {
  const GoldenCase golden = load_golden_case(committed_case("13_eval_argmax_f32"));
  EXPECT_EQ(golden.config.temperature, 1e-6);
  EXPECT_FALSE(golden.has_gradients);
  EXPECT_THAT(golden.gradients, IsEmpty());
}

TEST(GoldenCase, TheCommittedCasesRunWithoutReferenceData) {
  const TempFolder empty;
  const Environment no_folder("AGENTNET_GOLDEN_DIR", ""), no_data("AGENTNET_SHARED_DIR", (empty / "absent").string());
  const auto files = golden_files();
  EXPECT_THAT(files, SizeIs(8));
  EXPECT_THAT(files, Each(ResultOf([](const auto& path) { return path.parent_path(); }, committed_golden_dir())));
}

TEST(GoldenCase, ANamedFolderRunsBesideTheCommittedCases) {
  const TempFolder folder;
  const Environment named("AGENTNET_GOLDEN_DIR", folder.path().string());
  EXPECT_THROW((void)golden_files(), Error) << "a folder without cases is a mistake";
  std::filesystem::copy_file(committed_case("25_ogb_f64"), folder / "other.safetensors");
  const auto files = golden_files();
  EXPECT_THAT(files, SizeIs(9));
  EXPECT_EQ(files.back(), folder / "other.safetensors");
  const Environment absent("AGENTNET_GOLDEN_DIR", (folder / "absent").string());
  EXPECT_THROW((void)golden_files(), Error);
}

// A clone has no others, so what is missing here is not compared with the authors' numbers anywhere.
TEST(GoldenCase, TheCommittedCasesCoverTheVariants) {
  const Environment no_folder("AGENTNET_GOLDEN_DIR", ""), no_data("AGENTNET_SHARED_DIR", "absent");
  std::vector<GoldenCase> cases;
  for (const auto& file : golden_files()) cases.push_back(load_golden_case(file));
  const auto some = [&](const std::function<bool(const GoldenCase&)>& is) {
    return std::any_of(cases.begin(), cases.end(), is);
  };
  using G = const GoldenCase&;
  for (const bool twofold : {false, true}) {
    EXPECT_TRUE(some([&](G g) { return g.double_precision == twofold && g.has_gradients; }));
  }
  for (const auto loss : {GoldenLoss::kCrossEntropy, GoldenLoss::kBinaryCrossEntropy, GoldenLoss::kSquaredError}) {
    EXPECT_TRUE(some([&](G g) { return g.loss == loss && g.has_gradients; }));
  }
  for (const auto reduce : {Reduce::kLog, Reduce::kSum, Reduce::kMean}) {
    EXPECT_TRUE(some([&](G g) { return g.config.reduce == reduce && g.has_gradients; }));
  }
  EXPECT_TRUE(some([](G g) { return g.config.attention && g.config.exploration == Exploration::kShared; }));
  EXPECT_TRUE(some([](G g) { return !g.config.attention && g.config.exploration == Exploration::kAgent; }));
  EXPECT_TRUE(some([](G g) { return g.config.moves == MovePolicy::kRandom; }));
  EXPECT_TRUE(some([](G g) { return g.config.edge_features > 0 && !g.config.edge_kernel; }));
  EXPECT_TRUE(some([](G g) { return g.config.edge_kernel && g.config.head_mlp; }));
  EXPECT_TRUE(some([](G g) { return !g.config.node_categories.empty() && !g.config.edge_categories.empty(); }));
  EXPECT_TRUE(some([](G g) { return !g.config.global_communication; }));
  EXPECT_TRUE(some([](G g) { return !g.config.input_mlp && g.config.slope != AgentNetConfig{}.slope; }));
  EXPECT_TRUE(some([](G g) { return !g.has_gradients; }));
}

// What is said of a copy of a case with other settings or metadata.
std::string complaint_about(const std::filesystem::path& original,
                            const std::function<void(nlohmann::json&)>& change_settings,
                            const std::map<std::string, std::string>& change_metadata = {}) {
  const SafetensorsFile file = SafetensorsFile::open(original);
  std::map<std::string, std::string> metadata = file.metadata();
  nlohmann::json settings = nlohmann::json::parse(metadata.at("config"));
  change_settings(settings);
  metadata["config"] = settings.dump();
  for (const auto& [key, value] : change_metadata) metadata[key] = value;
  std::vector<TensorData> tensors;
  for (const TensorInfo& t : file.tensors()) tensors.push_back({t.name, t.dtype, t.shape, t.data});
  const TempFolder folder;
  write_safetensors(folder / "changed.safetensors", tensors, metadata);
  try {
    (void)load_golden_case(folder / "changed.safetensors");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(GoldenCase, SettingsThatOurModelDoesNotHaveAreRefused) {
  const auto original = committed_case("10_nopool_sum_f32");
  using J = nlohmann::json&;
  EXPECT_EQ(complaint_about(original, [](J) {}), "none");
  EXPECT_THAT(complaint_about(original, [](J j) { j["post_ln"] = true; }),
              HasSubstr("our model has no post_ln = true"));
  EXPECT_THAT(complaint_about(original, [](J j) { j["activation_function"] = "gelu"; }),
              HasSubstr("our model has no activation_function = \"gelu\""));
  EXPECT_THAT(complaint_about(original, [](J j) { j["reduce"] = "max"; }),
              HasSubstr("our model has no reduce = \"max\""));
  EXPECT_THAT(complaint_about(original, [](J j) { j["dropout"] = 0.5; }), HasSubstr("our model has no dropout = 0.5"));
  EXPECT_THAT(complaint_about(original, [](J j) { j["brand_new"] = 3; }), HasSubstr("our model has no brand_new = 3"));
  EXPECT_THAT(complaint_about(original, [](J j) { j.erase("reduce"); }), HasSubstr("no setting reduce"));
}

TEST(GoldenCase, AFileThatContradictsItselfIsRefused) {
  const auto original = committed_case("10_nopool_sum_f32");
  using J = nlohmann::json&;
  EXPECT_THAT(complaint_about(original, [](J j) { j["hidden_units"] = 8; }), HasSubstr("shape"));
  EXPECT_THAT(complaint_about(original, [](J j) { j["num_agents"] = 4; }), HasSubstr("start positions do not fit"));
  // Our model would have no exploration bias then, but the file has gradients of its parameters.
  EXPECT_THAT(complaint_about(original, [](J j) { j["bias_attention"] = false; }),
              HasSubstr("the reference uses its parameter"));
  EXPECT_THAT(complaint_about(original, [](J) {}, {{"loss", "bce"}}), HasSubstr("regression"));
  EXPECT_THAT(complaint_about(original, [](J) {}, {{"format", "agentnet-golden-2"}}),
              HasSubstr("its format is agentnet-golden-2"));
}

}  // namespace
}  // namespace agentnet
