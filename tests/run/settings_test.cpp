#include "run/settings.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/error.h"
#include "agentnet/metrics.h"
#include "agentnet/predict.h"
#include "core/option_table.h"
#include "data/tables/options_json.h"
#include "data/tables/statistics.h"
#include "run/advice.h"
#include "run/toml_entries.h"
#include "settings_property.h"
#include "support/graphs.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A handful of cycles and paths, with a number on each edge.
Dataset cycles_and_paths(Task task = Task::kClassification) {
  Dataset data;
  data.source = "shapes";
  data.schema.task = task;
  data.schema.targets = {"y"};
  if (task == Task::kClassification) data.schema.classes = {"path", "cycle"};
  data.schema.edges.dense = {"length"};
  for (std::uint32_t n = 3; n < 11; ++n) {
    for (int cycle = 0; cycle < 2; ++cycle) {
      GraphParts parts = cycle == 1 ? cycle_graph(n) : path_graph(n);
      parts.edge_dense.assign(parts.from.size(), 1.0F);
      const double target = cycle;
      data.graphs.add(Graph(std::move(parts)), {&target, 1});
    }
  }
  return data;
}

Settings resolved(const SettingsLayers& layers, const Dataset& data, std::vector<Choice>* choices = nullptr) {
  std::vector<Choice> all;
  Settings settings = layers.resolve(data, &all);
  if (choices != nullptr) *choices = all;
  return settings;
}

Settings resolved(const SettingsLayers& layers) { return resolved(layers, cycles_and_paths()); }

std::string refusal(const std::function<void(SettingsLayers&)>& give) {
  SettingsLayers layers;
  try {
    give(layers);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return std::string(error.what()) + " | " + error.hint();
  }
  return "nothing was refused";
}

std::string text_refusal(const std::string& toml) {
  return refusal([&](SettingsLayers& layers) { layers.text(toml, "run.toml"); });
}

std::string set_refusal(const std::string& assignment) {
  return refusal([&](SettingsLayers& layers) { layers.set(assignment); });
}

TEST(SettingsLayers, GoByRankWhateverTheOrder) {
  // hidden: preset fast 32, file 48, flag 56; steps: preset 8, file 9; rate: preset 2e-3; patience: nobody.
  const std::array<std::function<void(SettingsLayers&)>, 3> give = {
      [](SettingsLayers& layers) { layers.preset("fast"); },
      [](SettingsLayers& layers) { layers.text("[model]\nhidden = 48\nsteps = 9\n", "run.toml"); },
      [](SettingsLayers& layers) { layers.set("model.hidden=56"); },
  };
  std::array<int, 3> order = {0, 1, 2};
  do {
    SettingsLayers layers;
    for (const int i : order) give[static_cast<std::size_t>(i)](layers);
    const Settings settings = resolved(layers);
    EXPECT_EQ(agentnet_config(settings.model).hidden, 56);
    EXPECT_EQ(agentnet_config(settings.model).steps, 9);
    EXPECT_EQ(settings.train.learning_rate, 2e-3);
    EXPECT_EQ(settings.train.patience, TrainConfig{}.patience);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(SettingsLayers, ThePresetOfTheCommandLineReplacesThatOfTheFile) {
  SettingsLayers layers;
  layers.preset("paper-tu");
  layers.text("preset = \"fast\"\n", "run.toml");
  EXPECT_EQ(resolved(layers).train.epochs, 350U);
  SettingsLayers by_set;
  by_set.text("preset = \"paper-tu\"\n", "run.toml");
  EXPECT_EQ(resolved(by_set).train.epochs, 350U);
  by_set.set("preset=fast");
  EXPECT_EQ(resolved(by_set).train.learning_rate, 2e-3);
  EXPECT_NE(resolved(by_set).train.epochs, 350U);
}

TEST(SettingsLayers, TheLaterOfTwoFlagsOrFilesHolds) {
  SettingsLayers layers;
  layers.text("[train]\nepochs = 1\nbatch = 3\n", "a.toml");
  layers.text("[train]\nepochs = 2\n", "b.toml");
  layers.set("model.agents=3");
  layers.flag("model.agents", 4, "--agents");
  const Settings settings = resolved(layers);
  EXPECT_EQ(settings.train.epochs, 2U);
  EXPECT_EQ(settings.train.batch, 3);
  EXPECT_EQ(agentnet_config(settings.model).agents, 4);
}

TEST(SettingsLayers, ATextThatIsRefusedLeavesNothingBehind) {
  SettingsLayers layers;
  EXPECT_THROW(layers.text("preset = \"fast\"\n[train]\nepochs = 1\nepoch = 2\n", "run.toml"), Error);
  EXPECT_FALSE(layers.has("train.epochs"));
}

TEST(SettingsLayers, FilesAreReadAndNamedInMessages) {
  const TempFolder folder;
  write_text(folder / "run.toml", "[train]\nepochs = 4\n");
  write_text(folder / "bad.toml", "[train]\n  epochz = 4\n");
  SettingsLayers layers;
  layers.file(folder / "run.toml");
  EXPECT_EQ(resolved(layers).train.epochs, 4U);
  EXPECT_THAT(refusal([&](SettingsLayers& l) { l.file(folder / "bad.toml"); }),
              HasSubstr("bad.toml:2:3: unknown training option 'epochz' | did you mean 'epochs'?"));
  EXPECT_THAT(refusal([&](SettingsLayers& l) { l.file(folder / "none.toml"); }),
              HasSubstr("there is no settings file"));
  EXPECT_THAT(refusal([&](SettingsLayers& l) { l.file(folder.path()); }), HasSubstr("is a folder"));
}

TEST(SettingsText, UnknownNamesComeWithTheirPlaceAndASuggestion) {
  EXPECT_THAT(text_refusal("[model]\nhidden = 8\nagentz = 3\n"),
              StartsWith("run.toml:3:1: unknown model option 'agentz' | did you mean 'agents'?"));
  EXPECT_THAT(text_refusal("[train]\nlearningrate = 3\n"),
              StartsWith("run.toml:2:1: unknown training option 'learningrate' | did you mean 'learning_rate'?"));
  EXPECT_THAT(text_refusal("[data]\nsmiles = \"x\"\n"), StartsWith("run.toml:2:1: unknown data option 'smiles'"));
  EXPECT_THAT(text_refusal("[data]\nsplitseed = 1\n"), HasSubstr("did you mean 'split_seed'?"));
  EXPECT_THAT(text_refusal("[modle]\n"), StartsWith("run.toml:1:2: unknown section 'modle' | did you mean 'model'?"));
  EXPECT_THAT(text_refusal("\npresets = \"fast\"\n"),
              StartsWith("run.toml:2:1: unknown setting 'presets' | did you mean 'preset'?"));
  EXPECT_THAT(text_refusal("preset = \"fats\"\n"), StartsWith("run.toml:1:1: unknown preset 'fats' | did you mean"));
  EXPECT_THAT(text_refusal("preset = 3\n"), StartsWith("run.toml:1:1: 'preset' is not a text"));
  EXPECT_THAT(text_refusal("[train]\nqqqq = 1\n"), HasSubstr("there are epochs, "));
}

TEST(SettingsText, ASettingInTheWrongSectionIsSentToItsOwn) {
  EXPECT_THAT(text_refusal("agents = 3\n"), HasSubstr("write it under [model]"));
  EXPECT_THAT(text_refusal("[train]\nagents = 3\n"), HasSubstr("it belongs to [model]"));
  EXPECT_THAT(text_refusal("[model]\nepochs = 3\n"), HasSubstr("it belongs to [train]"));
  EXPECT_THAT(text_refusal("model = 3\n"), HasSubstr("'model' is a section"));
}

TEST(SettingsText, TheFirstMistakeIsReported) {
  EXPECT_THAT(text_refusal("[train]\nepochs = 0\n[model]\nagents = 0\n"), StartsWith("run.toml:2:1: "));
  EXPECT_THAT(text_refusal("[model]\nsteps = -1\nagents = 0\n"), StartsWith("run.toml:2:1: "));
}

TEST(SettingsText, WrongTypesAndRangesComeWithTheirPlace) {
  EXPECT_THAT(text_refusal("[model]\nagents = \"many\"\n"),
              StartsWith("run.toml:2:1: model option 'agents' is \"many\" | it can be a whole number, 1 to 1048576"));
  EXPECT_THAT(text_refusal("[model]\nagents = 0\n"), HasSubstr("'agents' is 0 | it can be 1 to"));
  EXPECT_THAT(text_refusal("[model]\nagents = 2.5\n"), HasSubstr("a whole number"));
  EXPECT_THAT(text_refusal("[model]\nself_loops = 1\n"), HasSubstr("true or false"));
  EXPECT_THAT(text_refusal("[model]\nreduce = \"max\"\n"), HasSubstr("log, sum, mean, sqrt"));
  EXPECT_THAT(text_refusal("[train]\nmetric = \"acc\"\n"), StartsWith("run.toml:2:1: "));
  EXPECT_THAT(text_refusal("[train]\nlearning_rate = nan\n"), HasSubstr("not a finite number"));
  EXPECT_THAT(text_refusal("[train]\nlearning_rate = -inf\n"), HasSubstr("not a finite number"));
  EXPECT_THAT(text_refusal("[train]\nepochs = 1979-05-27\n"), StartsWith("run.toml:2:1: 'epochs' is a date or time"));
  EXPECT_THAT(text_refusal("[data]\nsource = 3\n"), HasSubstr("'source' is 3 | it can be a text"));
  EXPECT_THAT(text_refusal("[data]\ntargets = \"y\"\n"), HasSubstr("a list of texts"));
  EXPECT_THAT(text_refusal("[data]\ntargets = [1]\n"), HasSubstr("'targets' is 1"));
  EXPECT_THAT(text_refusal("[data]\ntargets = [[\"y\"]]\n"), HasSubstr("a list of tables, dates or lists"));
  EXPECT_THAT(text_refusal("[data]\nsplit_seed = -1\n"), HasSubstr("'split_seed' is -1"));
  EXPECT_THAT(text_refusal("[model.agents]\nx = 1\n"), HasSubstr("'agents' is a table"));
  EXPECT_THAT(text_refusal("[[model]]\nagents = 1\n"), StartsWith("run.toml:1:3: 'model' is a list of tables"));
}

TEST(SettingsText, WhatTheDataDecidesIsRefused) {
  for (const char* key : {"outputs", "node_features", "node_categories", "edge_features", "edge_categories"}) {
    EXPECT_THAT(text_refusal(std::string("[model]\n") + key + " = 3\n"), HasSubstr("is decided by the data")) << key;
    EXPECT_THAT(set_refusal(std::string("model.") + key + "=3"), HasSubstr("is decided by the data")) << key;
  }
}

TEST(SettingsText, WhatIsNoTomlComesWithItsPlace) {
  EXPECT_THAT(text_refusal("[model]\nagents = 3\nagents = 4\n"), StartsWith("run.toml:3:"));
  EXPECT_THAT(text_refusal("[model]\nagents = 3\nagents = 4\n"), HasSubstr("'agents' is given twice"));
  EXPECT_THAT(text_refusal("[model]\n[model]\n"), HasSubstr("'model' is given twice"));
  EXPECT_THAT(text_refusal("[model]\nagents\n"), StartsWith("run.toml:2:7: not TOML: "));
  EXPECT_THAT(text_refusal("[model\n"), StartsWith("run.toml:1:7: not TOML: "));
  EXPECT_THAT(text_refusal("[model]\nreduce = log\n"), StartsWith("run.toml:2:10: not TOML: "));
  EXPECT_THAT(text_refusal("[model]\nagénts = 3\n"), StartsWith("run.toml:2:3: not TOML: "));
  EXPECT_THAT(text_refusal("[data]\n[=]\n"), StartsWith("run.toml:2:2: not TOML: "));
  EXPECT_THAT(text_refusal("[data]\nsource = \"\xff\"\n"), StartsWith("run.toml:2:"));
  EXPECT_THAT(text_refusal(std::string(2 << 20, ' ')), HasSubstr("too long"));
  std::string deep = "a";
  for (int i = 0; i < 100000; ++i) deep += ".a";
  EXPECT_THAT(text_refusal("[" + deep + "]\n"), StartsWith("run.toml:1:1: "));
}

TEST(SettingsText, MessagesAreFitToBeShown) {
  const std::string message = text_refusal("[model]\n\"\\u0007\" = 1\n");
  EXPECT_THAT(message, HasSubstr("\\x07"));
  EXPECT_LT(text_refusal("[model]\nagents = \"" + std::string(5000, 'x') + "\"\n").size(), 500U);
}

TEST(SettingsSet, TakesValuesWithAndWithoutQuotesAndBrackets) {
  SettingsLayers layers;
  for (const char* assignment :
       {"model.agents=32", " model.steps = 3 ", "model.self_loops=false", "model.temperature=1", "model.dropout=0.25",
        "train.learning_rate=5e-4", "model.reduce=mean", "model.merge=\"none\"", "data.source=data=set.csv",
        "data.id_column=123", "data.targets=mu,homo", "train.metric='f1'", "train.seed=0x10"}) {
    layers.set(assignment);
  }
  const Settings settings = resolved(layers);
  EXPECT_EQ(agentnet_config(settings.model).agents, 32);
  EXPECT_EQ(agentnet_config(settings.model).steps, 3);
  EXPECT_FALSE(agentnet_config(settings.model).self_loops);
  EXPECT_EQ(agentnet_config(settings.model).temperature, 1);
  EXPECT_EQ(agentnet_config(settings.model).dropout, 0.25);
  EXPECT_EQ(settings.train.learning_rate, 5e-4);
  EXPECT_EQ(agentnet_config(settings.model).reduce, Reduce::kMean);
  EXPECT_EQ(settings.source, "data=set.csv");
  EXPECT_EQ(settings.data.id_column, "123");
  EXPECT_EQ(settings.data.targets, (std::vector<std::string>{"mu", "homo"}));
  EXPECT_EQ(settings.train.metric, "f1");
  EXPECT_EQ(settings.train.seed, 16U);
}

TEST(SettingsSet, TakesListsInAnyForm) {
  const auto targets = [](const char* assignment) {
    SettingsLayers layers;
    layers.set(assignment);
    return layers.data_settings().data.targets;
  };
  const std::vector<std::string> both = {"a b", "c"};
  EXPECT_EQ(targets("data.targets=[\"a b\", \"c\"]"), both);
  EXPECT_EQ(targets("data.targets=[a b, c]"), both);
  EXPECT_EQ(targets("data.targets=a b,c"), both);
  EXPECT_EQ(targets("data.targets=\"a b\",'c'"), both);
  EXPECT_EQ(targets("data.targets=[\"a,b\"]"), std::vector<std::string>{"a,b"});
  EXPECT_EQ(targets("data.targets=[]"), std::vector<std::string>{});
  EXPECT_EQ(targets("data.targets="), std::vector<std::string>{});
}

TEST(SettingsSet, RefusesWithWhatWasTyped) {
  EXPECT_THAT(set_refusal("model.agentz=3"),
              StartsWith("--set 'model.agentz=3': unknown model option 'agentz' | did you mean 'agents'?"));
  EXPECT_THAT(set_refusal("modle.agents=3"), HasSubstr("did you mean 'model'?"));
  EXPECT_THAT(set_refusal("agents=3"), HasSubstr("model.agents"));
  EXPECT_THAT(set_refusal("agents"), HasSubstr("no '='"));
  EXPECT_THAT(set_refusal("model.agents=many"), HasSubstr("'agents' is \"many\""));
  EXPECT_THAT(set_refusal("model.agents="), HasSubstr("'agents' is \"\""));
  EXPECT_THAT(set_refusal("model.agents=3\n[train]\nepochs=1"), HasSubstr("'agents' is"));
  EXPECT_THAT(set_refusal("preset=none"), HasSubstr("unknown preset 'none'"));
  EXPECT_THAT(set_refusal("data.source=\xff"), HasSubstr("not UTF-8"));
}

TEST(SettingsFlag, IsNamedInMessages) {
  EXPECT_THAT(refusal([](SettingsLayers& l) { l.flag("train.epochs", 0, "--epochs"); }),
              StartsWith("--epochs: training option 'epochs' is 0"));
  EXPECT_THAT(refusal([](SettingsLayers& l) { l.flag_text("train.epochs", "ten", "--epochs"); }),
              StartsWith("--epochs: training option 'epochs' is \"ten\""));
  SettingsLayers layers;
  layers.flag_text("train.epochs", "10", "--epochs");
  layers.flag("data.source", "x.csv", "DATA");
  layers.flag("data.degree", true, "--degree");
  layers.flag("train.learning_rate", 0.5, "--learning-rate");
  layers.flag("data.targets", std::vector<std::string>{"a", "b"}, "--target");
  const Settings settings = resolved(layers);
  EXPECT_EQ(settings.train.epochs, 10U);
  EXPECT_EQ(settings.source, "x.csv");
  EXPECT_TRUE(settings.data.degree);
  EXPECT_EQ(settings.train.learning_rate, 0.5);
  EXPECT_EQ(settings.data.targets.size(), 2U);
}

TEST(DataSettings, BringWhatTheSplitNeeds) {
  SettingsLayers layers;
  layers.set("data.split=column:part");
  const Settings settings = layers.data_settings();
  EXPECT_TRUE(settings.data.official);
  EXPECT_EQ(settings.data.keep, std::vector<std::string>{"part"});
  EXPECT_EQ(settings.split, "column:part");
}

TEST(Resolve, ListsWhatNobodySaidWithReasons) {
  SettingsLayers layers;
  layers.set("model.agents=5");
  layers.set("train.metric=auto");
  std::vector<Choice> choices;
  const Settings settings = resolved(layers, cycles_and_paths(), &choices);
  std::map<std::string, std::string> by_key;
  for (const Choice& choice : choices) {
    EXPECT_FALSE(choice.why.empty()) << choice.key;
    by_key[choice.key] = choice.value;
  }
  EXPECT_FALSE(by_key.contains("model.agents"));
  EXPECT_EQ(by_key["data.task"], "classification");
  EXPECT_EQ(by_key["data.split"], "stratified:0.8,0.1,0.1");
  EXPECT_EQ(by_key["train.loss"], "cross-entropy");
  EXPECT_EQ(by_key["train.metric"], "accuracy");
  EXPECT_EQ(by_key["train.batch"], "16");
  EXPECT_EQ(by_key["model.steps"], std::to_string(agentnet_config(settings.model).steps));
  EXPECT_EQ(settings.split, "stratified:0.8,0.1,0.1");
  EXPECT_EQ(settings.train.metric, "accuracy");
  EXPECT_EQ(settings.train.loss, Loss::kCrossEntropy);
  EXPECT_EQ(agentnet_config(settings.model).agents, 5);
  EXPECT_EQ(settings.model.shape.edge_features, 1);
  EXPECT_EQ(settings.model.shape.outputs, 2);
}

TEST(Resolve, ChoosesByTaskAndByTheSplitThatComesWithTheData) {
  Dataset data = cycles_and_paths(Task::kRegression);
  data.official.emplace();
  const Settings settings = resolved({}, data);
  EXPECT_EQ(settings.split, "official");
  EXPECT_EQ(settings.train.metric, "mae");
  EXPECT_EQ(settings.train.loss, Loss::kAbsoluteError);
  EXPECT_EQ(settings.model.shape.outputs, 1);
  EXPECT_EQ(resolved({}, cycles_and_paths(Task::kMultilabel)).train.metric, "roc-auc");
}

// The optimizer's steps if the set is gone through as often as the settings say.
std::uint64_t steps_of(const Settings& settings, const Dataset& data) {
  return training_steps(settings.train, data.graphs.size());
}

TEST(Resolve, AnEpochIsAPassAndASmallSetIsSeenOften) {
  const Dataset data = cycles_and_paths();
  SettingsLayers layers;
  const Settings thorough = resolved(layers, data);
  EXPECT_EQ(thorough.train.sampling, Sampling::kShuffle);
  EXPECT_EQ(thorough.train.steps_per_epoch, 0U);
  EXPECT_GE(steps_of(thorough, data), 4000U);
  EXPECT_LT(steps_of(thorough, data), 4200U);
  EXPECT_LE(thorough.train.epochs / thorough.train.evaluate_every, 160U) << "short epochs are not all looked at";
  EXPECT_GE(thorough.train.epochs / thorough.train.evaluate_every, 80U);
  layers.preset("fast");
  const Settings quick = resolved(layers, data);
  EXPECT_GE(steps_of(quick, data), 1000U);
  EXPECT_LT(steps_of(quick, data), 1050U);
  layers.set("train.steps_per_epoch=50");
  EXPECT_EQ(resolved(layers, data).train.epochs, 25U) << "of the epochs that somebody wants";
  layers.set("train.epochs=7");
  EXPECT_EQ(resolved(layers, data).train.evaluate_every, 1U);
}

TEST(Resolve, TheEpochIsChosenByTheMetricThatSomebodyNames) {
  SettingsLayers layers;
  EXPECT_EQ(resolved(layers).train.choose_by, "log-loss") << "two classes";
  EXPECT_EQ(resolved(layers).train.metric, "accuracy");
  layers.set("train.metric=f1");
  EXPECT_EQ(resolved(layers).train.choose_by, "metric");
  layers.set("train.choose_by=roc-auc");
  EXPECT_EQ(resolved(layers).train.choose_by, "roc-auc");
  layers.set("train.choose_by=mae");
  EXPECT_THROW(static_cast<void>(resolved(layers)), Error) << "of another task";
}

TEST(Resolve, RefusesContradictionsAndDataWithoutTargets) {
  EXPECT_THAT(refusal([](SettingsLayers& layers) {
                layers.set("model.moves=learned");
                layers.set("model.attention=false");
                layers.set("model.exploration=none");
                static_cast<void>(resolved(layers));
              }),
              HasSubstr("nothing to learn from"));
  Dataset data = cycles_and_paths();
  data.schema.task = Task::kNone;
  try {
    static_cast<void>(resolved({}, data));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
  }
}

TEST(ToToml, IsCompleteAndExplained) {
  const std::string toml = to_toml(resolved({}));
  for (const OptionHelp& option : data_options()) EXPECT_THAT(toml, HasSubstr("\n" + option.name + " = "));
  for (const OptionHelp& option : train_options()) EXPECT_THAT(toml, HasSubstr("\n" + option.name + " = "));
  for (const OptionHelp& option : train_options()) EXPECT_THAT(toml, HasSubstr("# " + option.help + "\n"));
  EXPECT_THAT(toml, HasSubstr("\nclip = 1.0 "));
  EXPECT_THAT(toml, Not(HasSubstr("\noutputs")));
  EXPECT_EQ(to_toml(resolved({})), toml);
}

TEST(ValuesOfToml, CommentsDoNotCount) {
  const Settings settings = resolved({});
  std::string reworded = to_toml(settings);
  const std::size_t comment = reworded.find("# " + train_options().front().help);
  ASSERT_NE(comment, std::string::npos);
  reworded.replace(comment, 2, "# as it was said before: ");
  EXPECT_EQ(values_of_toml(reworded, "old.toml"), values_of(settings));
  Settings other = settings;
  other.train.epochs += 1;
  EXPECT_NE(values_of(other), values_of(settings));
}

// A value that the option can have, whatever it is.
Json any_value(const OptionHelp& option, const Json& fallback) {
  static const std::vector<std::string> kLetters = {"a", "Z",    " ",    "\"", "'", "\\", "\n", "\t", "#",
                                                    "=", "\x7f", "\x01", "é",  "😀", "[",  "]",  "0"};
  const auto any_text = [] {
    std::string text = "x";
    for (const auto& letter : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kLetters)))
      text += letter;
    return text;
  };
  if (option.name == "metric") {
    std::vector<std::string> names;
    for (const Metric metric : metrics_for(Task::kClassification)) names.emplace_back(metric_name(metric));
    return *rc::gen::elementOf(names);
  }
  if (option.range == "a text") return any_text();
  if (option.range == "a list of texts") {
    Json list = Json::array();
    for (int n = *rc::gen::inRange(0, 3); n > 0; --n) list.push_back(any_text());
    return list;
  }
  if (fallback.is_boolean()) return *rc::gen::arbitrary<bool>();
  if (fallback.is_string()) {
    std::vector<std::string> names;
    std::istringstream words(option.range);
    for (std::string word; words >> word;) names.push_back(word.substr(0, word.find(',')));
    if (option.name == "loss") names.erase(names.begin());  // auto would be replaced
    return *rc::gen::elementOf(names);
  }
  if (fallback.is_array()) return Json::array({*rc::gen::inRange(0, 1000), *rc::gen::inRange(0, 1000)});
  const double least = std::stod(option.range);
  const double most = std::stod(option.range.substr(option.range.find(" to ") + 4));
  if (fallback.is_number_float()) {
    const double share = *rc::gen::inRange(0, 1000001) / 1e6;
    return std::clamp(least + share * share * share * (most - least), least, most);
  }
  const auto first = static_cast<std::int64_t>(least);
  const auto last = static_cast<std::int64_t>(most);
  return first +
         *rc::gen::inRange<std::int64_t>(0, *rc::gen::element(last - first, std::min<std::int64_t>(last, 50)) + 1);
}

template <class F>
void any_options(const std::vector<OptionHelp>& options, const Json& defaults, const F& give) {
  for (const OptionHelp& option : options) {
    Json one = Json::object();
    one[option.name] = any_value(option, defaults.at(option.name));
    give(one);
  }
}

RC_GTEST_PROP(ToTomlProperty, ReadsBackToTheSameSettings, ()) {
  Settings settings;
  const NetworkKind& kind = builtin_kinds().at("agentnet");
  Json model = Json::object();
  any_options(kind.options(), Json::parse(kind.complete("{}")), [&](const Json& one) { model.update(one); });
  if (model["start"] != "chosen") model["start_nodes"] = Json::array();
  settings.model.options = kind.complete(model.dump());
  std::vector<OptionHelp> training = train_options();
  std::erase_if(training, [](const OptionHelp& option) {
    return option.name == "extended" || option.name == "choose_by";
  });  // no text will do
  any_options(training, Json::parse(to_json(settings.train)),
              [&](const Json& one) { apply_json(settings.train, one.dump()); });
  std::vector<OptionHelp> reading = data_options();
  const Json defaults = Json::parse(to_json(settings.data));
  std::erase_if(reading, [&](const OptionHelp& option) { return !defaults.contains(option.name); });
  any_options(reading, defaults, [&](const Json& one) { apply_json(settings.data, one.dump()); });
  settings.source = any_value({"", "", "a text", ""}, {}).get<std::string>();
  settings.split = any_value({"", "", "a text", ""}, {}).get<std::string>();
  settings.split_seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  settings.skip_bad_rows = *rc::gen::arbitrary<bool>();
  settings.train.loss = Loss::kCrossEntropy;  // of others, most do not fit the task
  settings.train.metric = *rc::gen::element<std::string>("accuracy", "roc-auc", "log-loss");
  const Dataset data = cycles_and_paths();
  settings.model.shape = shape_of(data.schema);
  try {
    static_cast<void>(builtin_kinds().make(settings.model));
    validate(settings.train);
  } catch (const Error&) {
    RC_DISCARD("contradicting options");
  }

  const std::string toml = to_toml(settings);
  SettingsLayers layers;
  layers.text(toml, "written");
  std::vector<Choice> choices;
  const Settings back = layers.resolve(data, &choices);
  RC_ASSERT(back.source == settings.source);
  RC_ASSERT(back.split == settings.split);
  RC_ASSERT(back.split_seed == settings.split_seed);
  RC_ASSERT(back.skip_bad_rows == settings.skip_bad_rows);
  RC_ASSERT(to_json(back.data) == to_json(settings.data));
  RC_ASSERT(back.model == settings.model);
  RC_ASSERT(back.train == settings.train);
  RC_ASSERT(to_toml(back) == toml);
  // Nothing is left to choose but the task, which settings may leave to the data.
  RC_ASSERT(choices.size() == (settings.data.task ? 0U : 1U));
}

TEST(SettingsFuzzInputs, SeedsAndFormerFailuresHold) {
  int good = 0, bad = 0;
  for (const char* folder : {"corpus", "regressions"}) {
    const auto path = std::filesystem::path(AGENTNET_SOURCE_DIR) / "fuzz" / folder / "fuzz_settings";
    if (!std::filesystem::is_directory(path)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      SCOPED_TRACE(entry.path().filename());
      const std::string text = read_text(entry.path());
      EXPECT_NO_THROW(++(check_settings(std::as_bytes(std::span(text))) ? good : bad));
    }
  }
  EXPECT_GE(good, 3);
  EXPECT_GE(bad, 3);
}

// Before there was train.features, numbers were read as they are: a file with every other option was written then.
TEST(Settings, AFileOfAnEarlierVersionMeansWhatItMeantThen) {
  const Dataset data = cycles_and_paths();
  std::string whole = to_toml(resolved({}, data));
  EXPECT_THAT(whole, HasSubstr("features = \"standardised\""));
  const std::size_t line = whole.find("features = \"standardised\"");
  whole.erase(line, whole.find('\n', line) + 1 - line);
  SettingsLayers older, mine, changed;
  older.text(whole, "config.toml");
  EXPECT_EQ(older.resolve(data).train.features, Features::kRaw);
  changed.text(whole, "config.toml");
  changed.set("train.features=standardised");
  EXPECT_EQ(changed.resolve(data).train.features, Features::kStandardised);
  mine.text("[train]\nepochs = 3\nseed = 1\n", "mine.toml");
  EXPECT_EQ(mine.resolve(data).train.features, Features::kStandardised) << "somebody wrote what matters to them";
}

// The tables of docs/settings.md, as they should be.
std::string documented(std::string_view section, const std::vector<OptionHelp>& options,
                       const std::vector<Choice>& choices) {
  std::string table =
      fmt::format("## [{}]\n\n| option | default | values | meaning |\n| --- | --- | --- | --- |\n", section);
  for (const OptionHelp& option : options) {
    const bool chosen = std::any_of(choices.begin(), choices.end(), [&](const Choice& choice) {
      return choice.key == fmt::format("{}.{}", section, option.name);
    });
    const std::string fallback = chosen                         ? "*from the data*"
                                 : option.default_value.empty() ? "empty"
                                                                : option.default_value;
    table += fmt::format("| `{}` | {} | {} | {} |\n", option.name, fallback, option.range, option.help);
  }
  return table;
}

TEST(SettingsDocument, ListsEveryOptionAsItIs) {
  const std::string page = read_text(std::filesystem::path(AGENTNET_SOURCE_DIR) / "docs" / "settings.md");
  std::vector<Choice> choices;
  static_cast<void>(resolved({}, cycles_and_paths(), &choices));
  EXPECT_THAT(page, HasSubstr(documented("data", data_options(), choices)));
  EXPECT_THAT(page, HasSubstr(documented("model", network_options("agentnet"), choices)));
  EXPECT_THAT(page, HasSubstr(documented("train", train_options(), choices)));
}

}  // namespace
}  // namespace agentnet
