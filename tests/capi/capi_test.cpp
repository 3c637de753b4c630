// The C API as a caller sees it: what comes out is what the C++ API gives, and errors are codes with words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "agentnet/agentnet.h"
#include "agentnet/data.h"
#include "agentnet/predict.h"
#include "agentnet/settings.h"
#include "agentnet/train.h"
#include "capi/handles.h"
#include "core/json.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

constexpr const char* kSource = "synthetic:4cycles?graphs=24&seed=3";
constexpr const char* kSettings =
    R"({"model": {"hidden": 8, "agents": 3, "steps": 3},
        "train": {"epochs": 2, "batch": 8, "steps_per_epoch": 0, "sampling": "shuffle", "seed": 5},
        "data": {"split": "stratified:0.8,0.2,0"}})";

// Owns what calls hand out, and fails the test on an error.
class Session {
 public:
  ~Session() {
    for (agentnet_set* set : sets_) agentnet_set_free(set);
    for (agentnet_model* model : models_) agentnet_model_free(model);
  }
  agentnet_set* read(const char* source = kSource) {
    agentnet_error* error = nullptr;
    agentnet_set* set = nullptr;
    EXPECT_EQ(agentnet_set_read(source, nullptr, nullptr, &set, &error), AGENTNET_OK) << agentnet_error_message(error);
    sets_.push_back(set);
    return set;
  }
  agentnet_model* train(const agentnet_set* set, const char* settings = kSettings,
                        const agentnet_split* split = nullptr, const agentnet_control* control = nullptr,
                        Json* report = nullptr) {
    agentnet_error* error = nullptr;
    agentnet_model* model = nullptr;
    char* text = nullptr;
    EXPECT_EQ(agentnet_train(set, settings, split, control, &model, &text, &error), AGENTNET_OK)
        << agentnet_error_message(error);
    if (report != nullptr && text != nullptr) *report = parse_json(text, "report");
    agentnet_text_free(text);
    models_.push_back(model);
    return model;
  }

 private:
  std::vector<agentnet_set*> sets_;
  std::vector<agentnet_model*> models_;
};

std::vector<float> weights_of(const agentnet_model* model) {
  const std::span<const float> all = model->model.parameters();
  return {all.begin(), all.end()};
}

TEST(CApi, TrainsTheModelThatTheSettingsMeanInCpp) {
  Session session;
  const agentnet_model* model = session.train(session.read());

  SettingsLayers layers;
  layers.json(kSettings, "settings");
  layers.flag("data.source", std::string(kSource), "source");
  const Dataset data = read_data(layers.data_settings());
  const Settings settings = layers.resolve(data);
  const TrainResult expected = train(data, make_split(data, settings.split), settings.model, settings.train);
  EXPECT_THAT(weights_of(model), ElementsAreArray(expected.model.parameters()));
}

TEST(CApi, PredictsAsCppDoes) {
  Session session;
  const agentnet_set* set = session.read();
  const agentnet_model* model = session.train(set);
  std::vector<double> mean(2 * 24), some(2 * 2);
  ASSERT_EQ(agentnet_predict(model, set, nullptr, 0, R"({"rollouts": 3})", nullptr, mean.data(), nullptr, nullptr,
                             nullptr, nullptr),
            AGENTNET_OK);
  const Predictions expected = predict(model->model, set->data->graphs.views(), {.rollouts = 3});
  EXPECT_EQ(mean, expected.mean);
  const std::vector<std::uint64_t> chosen = {20, 3};
  ASSERT_EQ(agentnet_predict(model, set, chosen.data(), 2, R"({"rollouts": 3})", nullptr, some.data(), nullptr, nullptr,
                             nullptr, nullptr),
            AGENTNET_OK);
  EXPECT_THAT(some, testing::ElementsAre(mean[40], mean[41], mean[6], mean[7]));
}

TEST(CApi, ModelsGoThroughFilesAndBytes) {
  Session session;
  const agentnet_model* model = session.train(session.read());
  const TempFolder folder;
  const std::string path = (folder / "m.safetensors").string();
  ASSERT_EQ(agentnet_model_save(model, path.c_str(), nullptr), AGENTNET_OK);
  char* bytes = nullptr;
  std::size_t length = 0;
  ASSERT_EQ(agentnet_model_to_bytes(model, &bytes, &length, nullptr), AGENTNET_OK);
  EXPECT_TRUE(std::string(bytes, length) == read_text(path)) << "the bytes are those of the file";
  agentnet_model* again = nullptr;
  ASSERT_EQ(agentnet_model_from_bytes(bytes, length, &again, nullptr), AGENTNET_OK);
  EXPECT_EQ(weights_of(again), weights_of(model));
  agentnet_model_free(again);
  bytes[length / 2] ^= 1;
  agentnet_error* error = nullptr;
  EXPECT_EQ(agentnet_model_from_bytes(bytes, length, &again, &error), AGENTNET_DATA);
  agentnet_error_free(error);
  agentnet_text_free(bytes);
}

TEST(CApi, StopsWhenItIsAskedTo) {
  Session session;
  const agentnet_set* set = session.read();
  std::atomic<int> calls = 0;
  agentnet_control control = {};
  control.size = sizeof(control);
  control.user = &calls;
  control.progress = [](void* user, const char* json) {
    ++*static_cast<std::atomic<int>*>(user);
    return std::strstr(json, "\"epoch\"") != nullptr ? 1 : 0;
  };
  Json report;
  session.train(set, kSettings, nullptr, &control, &report);
  EXPECT_GT(calls, 0);
  EXPECT_TRUE(report.at("stopped").get<bool>());
  EXPECT_EQ(report.at("history").size(), 1U);

  const volatile std::int32_t stop = 1;
  agentnet_control stopped = {};
  stopped.size = sizeof(stopped);
  stopped.stop = &stop;
  std::vector<double> mean(2 * 24);
  agentnet_error* error = nullptr;
  const agentnet_model* model = session.train(set);
  EXPECT_EQ(agentnet_predict(model, set, nullptr, 0, nullptr, &stopped, mean.data(), nullptr, nullptr, nullptr, &error),
            AGENTNET_INTERRUPTED);
  agentnet_error_free(error);
}

TEST(CApi, StartsFromAModelAndWeighsGraphs) {
  Session session;
  const agentnet_set* set = session.read();
  std::vector<std::uint64_t> all(24);
  for (std::size_t g = 0; g < all.size(); ++g) all[g] = g;
  agentnet_split split = {};
  split.size = sizeof(split);
  split.train = all.data();
  split.train_count = all.size();
  const agentnet_model* plain = session.train(set, kSettings, &split);
  const std::vector<double> even(24, 2.0);
  split.weights = even.data();
  EXPECT_EQ(weights_of(session.train(set, kSettings, &split)), weights_of(plain)) << "all the same is no weight";
  std::vector<double> uneven(24, 1.0);
  uneven[0] = 9;
  split.weights = uneven.data();
  EXPECT_NE(weights_of(session.train(set, kSettings, &split)), weights_of(plain));
  split.weights = nullptr;
  split.start = plain;
  EXPECT_NE(weights_of(session.train(set, kSettings, &split)), weights_of(plain));

  agentnet_model* none = nullptr;
  agentnet_error* error = nullptr;
  EXPECT_EQ(agentnet_train(set, R"({"model": {"hidden": 4}})", &split, nullptr, &none, nullptr, &error),
            AGENTNET_MISMATCH);
  EXPECT_THAT(agentnet_error_message(error), HasSubstr("training cannot start from"));
  agentnet_error_free(error);
  uneven[3] = -1;
  split.start = nullptr;
  split.weights = uneven.data();
  EXPECT_EQ(agentnet_train(set, kSettings, &split, nullptr, &none, nullptr, &error), AGENTNET_USAGE);
  EXPECT_THAT(agentnet_error_message(error), HasSubstr("the weight of graph 3 is -1"));
  agentnet_error_free(error);
}

// The last layer over the embedding is the raw output: mean over visits and rollouts go through it.
TEST(CApi, EmbeddingsAreWhatTheLastLayerReads) {
  for (const char* head : {"false", "true"}) {
    Session session;
    const agentnet_set* set = session.read();
    const std::string settings =
        std::string(R"({"model": {"hidden": 8, "agents": 3, "steps": 3, "head_mlp": )") + head + R"(},
                        "train": {"epochs": 1}})";
    const agentnet_model* model = session.train(set, settings.c_str());
    float* rows = nullptr;
    std::int32_t width = 0;
    ASSERT_EQ(
        agentnet_embed(model, set, nullptr, 0, R"({"rollouts": 1, "draws": "row"})", nullptr, &rows, &width, nullptr),
        AGENTNET_OK);
    EXPECT_EQ(width, head[0] == 't' ? 16 : 32);
    const std::vector<float> outputs = model->model.run(set->data->graphs.views(), {});
    const std::string last = head[0] == 't' ? "head.1" : "head.0";
    const float *weight = nullptr, *bias = nullptr;
    for (const ParameterInfo& p : model->model.parameter_infos()) {
      if (p.name == last + ".weight") weight = model->model.parameters().data() + p.offset;
      if (p.name == last + ".bias") bias = model->model.parameters().data() + p.offset;
    }
    for (std::size_t g = 0; g < 24; ++g) {
      for (std::size_t c = 0; c < 2; ++c) {
        double y = bias[c];
        for (std::int32_t j = 0; j < width; ++j) {
          y += double{weight[c * static_cast<std::size_t>(width) + static_cast<std::size_t>(j)]} *
               rows[g * static_cast<std::size_t>(width) + static_cast<std::size_t>(j)];
        }
        EXPECT_NEAR(y, outputs[2 * g + c], 1e-4) << "graph " << g;
      }
    }
    agentnet_numbers_free(rows);
  }
}

TEST(CApi, WalksAndExplanationsAreAboutTheGraphsThatAreAsked) {
  Session session;
  const agentnet_set* set = session.read();
  const agentnet_model* model = session.train(set);
  const std::vector<std::uint64_t> chosen = {7, 2};
  std::uint64_t* positions = nullptr;
  std::uint64_t visits = 0, agents = 0;
  ASSERT_EQ(agentnet_walks(model, set, chosen.data(), 2, nullptr, nullptr, &positions, &visits, &agents, nullptr),
            AGENTNET_OK);
  EXPECT_EQ(visits, 4U);
  EXPECT_EQ(agents, 3U);
  for (std::uint64_t i = 0; i < visits * 2 * agents; ++i) {
    EXPECT_LT(positions[i], set->data->graphs.view(chosen[i / agents % 2]).num_nodes);
  }
  agentnet_numbers_free(positions);
  char* lines = nullptr;
  ASSERT_EQ(
      agentnet_explain(model, set, chosen.data(), 2, R"({"rollouts": 4, "recorded": 1})", nullptr, &lines, nullptr),
      AGENTNET_OK);
  const std::string text = lines;
  agentnet_text_free(lines);
  const std::size_t end = text.find('\n');
  EXPECT_EQ(parse_json(text.substr(0, end), "line").at("graph"), 7);
  EXPECT_EQ(parse_json(text.substr(end + 1), "line").at("graph"), 2);
}

TEST(CApi, RunsAndCrossValidationsKeepTheirFolders) {
  Session session;
  const agentnet_set* set = session.read();
  const TempFolder folder;
  char* text = nullptr;
  agentnet_error* error = nullptr;
  ASSERT_EQ(agentnet_run((folder / "run").c_str(), set, kSettings, nullptr, nullptr, &text, &error), AGENTNET_OK)
      << agentnet_error_message(error);
  EXPECT_EQ(parse_json(text, "summary").at("ending"), "finished");
  agentnet_text_free(text);
  agentnet_model* of_run = nullptr;
  ASSERT_EQ(agentnet_model_load((folder / "run" / "model.safetensors").c_str(), &of_run, nullptr), AGENTNET_OK);
  EXPECT_EQ(weights_of(of_run), weights_of(session.train(set)));
  agentnet_model_free(of_run);
  ASSERT_EQ(agentnet_cross_validate((folder / "cv").c_str(), set,
                                    R"({"model": {"hidden": 4, "agents": 2, "steps": 2}, "train": {"epochs": 1}})",
                                    R"({"folds": 2, "protocol": "fair"})", nullptr, &text, &error),
            AGENTNET_OK)
      << agentnet_error_message(error);
  EXPECT_THAT(text, HasSubstr("fair"));
  agentnet_text_free(text);
  EXPECT_EQ(agentnet_run((folder / "run").c_str(), set, kSettings, nullptr, nullptr, &text, &error), AGENTNET_USAGE)
      << "a folder is not overwritten";
  agentnet_error_free(error);
}

TEST(CApi, SaysWhatIsWrongWithACall) {
  Session session;
  const agentnet_set* set = session.read();
  agentnet_error* error = nullptr;
  agentnet_set* none = nullptr;
  agentnet_model* model = nullptr;
  const auto expect = [&](int status, int code, const char* words, const char* hint) {
    EXPECT_EQ(status, code);
    EXPECT_EQ(agentnet_error_code(error), code);
    EXPECT_THAT(agentnet_error_message(error), HasSubstr(words));
    EXPECT_THAT(agentnet_error_hint(error), HasSubstr(hint));
    agentnet_error_free(error);
    error = nullptr;
  };
  expect(agentnet_set_read(nullptr, nullptr, nullptr, &none, &error), AGENTNET_USAGE, "source is NULL", "may be");
  expect(agentnet_set_read("no such file", nullptr, nullptr, &none, &error), AGENTNET_DATA, "no such file", "");
  expect(agentnet_set_read(kSource, R"({"taks": "none"})", nullptr, &none, &error), AGENTNET_USAGE, "taks", "task");
  expect(agentnet_train(set, R"({"model": {"agentz": 3}})", nullptr, nullptr, &model, nullptr, &error), AGENTNET_USAGE,
         "agentz", "did you mean 'agents'?");
  expect(agentnet_train(set, R"({"data": {"degree": true}})", nullptr, nullptr, &model, nullptr, &error),
         AGENTNET_USAGE, "data.degree is a matter of reading the set", "");
  expect(agentnet_model_load("/dev/null", &model, &error), AGENTNET_DATA, "/dev/null", "");
  agentnet_control control = {};
  expect(agentnet_set_read(kSource, nullptr, &control, &none, &error), AGENTNET_USAGE, "agentnet_control.size is 0",
         "sizeof");
  const std::uint64_t beyond = 24;
  expect(agentnet_set_subset(set, &beyond, 1, &none, &error), AGENTNET_USAGE, "there is no graph 24", "");
  model = session.train(set);
  double mean[48];
  expect(
      agentnet_predict(model, set, nullptr, 0, R"({"rolouts": 3})", nullptr, mean, nullptr, nullptr, nullptr, &error),
      AGENTNET_USAGE, "there is no option 'rolouts'", "did you mean 'rollouts'?");
  EXPECT_EQ(agentnet_set_read("no such file", nullptr, nullptr, &none, nullptr), AGENTNET_DATA) << "without an error";
}

TEST(CApi, DescribesWhatThereIsToChooseFrom) {
  char* text = nullptr;
  ASSERT_EQ(agentnet_describe(&text, nullptr), AGENTNET_OK);
  const Json all = parse_json(text, "description");
  agentnet_text_free(text);
  EXPECT_EQ(all.at("version"), agentnet_version());
  EXPECT_EQ(all.at("kinds")[0].at("name"), "agentnet");
  EXPECT_EQ(agentnet_abi(), AGENTNET_ABI);
}

}  // namespace
}  // namespace agentnet
