// agentnet view, and the pages that train and demo leave, as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "run_agentnet.h"
#include "support/small_model.h"
#include "support/temp_folder.h"
#include "view/page/page.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The data in an exported page.
json data_of(const std::string& html) {
  const std::string begin = "<script type=\"application/json\" id=\"agentnet-data\">";
  const std::size_t at = html.find(begin);
  if (at == std::string::npos) return {};
  return json::parse(html.substr(at + begin.size(), html.find("</script>", at) - at - begin.size()));
}

class View : public testing::Test {
 protected:
  // One short training for all tests.
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    trained_ = new ProgramResult(train("run", {}));
  }
  static void TearDownTestSuite() {
    delete trained_;
    delete folder_;
  }
  void SetUp() override {
    if (!has_viewer()) GTEST_SKIP() << "this build has no viewer (AGENTNET_WEB=OFF)";
  }

  static ProgramResult train(const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"train",    "synthetic:motif?graphs=60",
                                          "--hidden", "4",
                                          "--agents", "2",
                                          "--steps",  "3",
                                          "--epochs", "2",
                                          "-o",       place(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_agentnet(arguments);
  }
  static std::string place(const std::string& name) { return (*folder_ / name).string(); }
  static ProgramResult view(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"view"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_agentnet(arguments);
  }

  static TempFolder* folder_;
  static ProgramResult* trained_;
};
TempFolder* View::folder_ = nullptr;
ProgramResult* View::trained_ = nullptr;

TEST_F(View, ARunHasItsOwnDataAndSplit) {
  for (const char* option : {"--directed", "--degree", "--split-seed=3", "--fold=1", "--split=random"}) {
    const ProgramResult refused = view({place("run"), option, "--export", place("no.html")});
    EXPECT_EQ(refused.exit_code, 2) << option;
    EXPECT_THAT(refused.err, HasSubstr("a run has data and a split of its own"));
  }
}

TEST_F(View, NoticesThatTheDataOfARunHasChanged) {
  ASSERT_EQ(run_agentnet({"generate", "synthetic:motif?graphs=40", place("changing.jsonl")}).exit_code, 0);
  const auto train_on_file = [&] {
    return run_agentnet({"train", place("changing.jsonl"), "--hidden", "4", "--agents", "2", "--steps", "3", "--epochs",
                         "1", "-o", place("changing")});
  };
  ASSERT_EQ(train_on_file().exit_code, 0);
  EXPECT_EQ(view({place("changing"), "--export", place("before.html")}).exit_code, 0);
  ASSERT_EQ(
      run_agentnet({"generate", "synthetic:motif?graphs=40&seed=9", place("changing.jsonl"), "--force"}).exit_code, 0);
  const ProgramResult refused = view({place("changing"), "--export", place("after.html")});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.err, HasSubstr("was made with other data"));
}

TEST_F(View, AFolderThatIsNotThereIsToldBeforeTheWork) {
  const ProgramResult refused = view({place("run"), "--export", place("nowhere/page.html")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("there is no folder"), Not(HasSubstr("rollouts each"))));
}

TEST_F(View, TrainLeavesAReportAndNamesIt) {
  EXPECT_EQ(trained_->exit_code, 0) << trained_->err;
  EXPECT_THAT(trained_->err, HasSubstr("page: " + place("run") + "/report.html (6 graphs, 6 with walks, "));
  const json data = data_of(read_text(place("run") + "/report.html"));
  EXPECT_EQ(data["title"], "synthetic:motif?graphs=60, test part");
  EXPECT_EQ(data["training"]["epochs"].size(), 2U);
  EXPECT_EQ(data["evaluation"]["baselines"].size(), 2U);
  const json summary = json::parse(read_text(place("run") + "/summary.json"));
  EXPECT_NEAR(data["evaluation"]["scores"]["accuracy"], summary["test"]["accuracy"].get<double>(), 1e-5);
}

TEST_F(View, TheReportHasTheSameBytesEachTimeAndForAnyNumberOfThreads) {
  EXPECT_EQ(train("one", {"--threads", "1"}).exit_code, 0);
  EXPECT_EQ(train("three", {"--threads", "3"}).exit_code, 0);
  const std::string one = read_text(place("one") + "/report.html");
  EXPECT_FALSE(one.empty());
  EXPECT_TRUE(one == read_text(place("three") + "/report.html"));
}

TEST_F(View, AReportThatCannotBeWrittenIsToldAndCostsNothing) {
  std::filesystem::create_directories(place("full/report.html/in-the-way"));
  std::filesystem::copy(place("run"), place("full"),
                        std::filesystem::copy_options::recursive | std::filesystem::copy_options::skip_existing);
  const ProgramResult result = run_agentnet({"train", "--resume", place("full")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("note: report.html is not written: "), HasSubstr("next: agentnet predict")));
}

TEST_F(View, ExportsTheTestPartOfARun) {
  const std::string file = place("page.html");
  const ProgramResult result = view({place("run"), "--export", file, "--walks", "3"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("page: " + file + " (6 graphs, 3 with walks, "));
  const json data = data_of(read_text(file));
  const json report = data_of(read_text(place("run") + "/report.html"));
  EXPECT_EQ(data["details"].size(), 3U);
  EXPECT_EQ(data["evaluation"], report["evaluation"]) << "the run's own numbers";
  EXPECT_EQ(data["training"], report["training"]);
  EXPECT_EQ(data["graphs"][0]["mean"], report["graphs"][0]["mean"]);
}

TEST_F(View, ReplacesNothingUnasked) {
  const std::string file = place("precious.html");
  write_text(file, "keep me");
  const ProgramResult refused = view({place("run"), "--export", file});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("error: " + file + " exists already"), HasSubstr("--force")));
  EXPECT_EQ(read_text(file), "keep me");
  EXPECT_EQ(view({place("run"), "--export", file, "--force"}).exit_code, 0);
  EXPECT_THAT(read_text(file), HasSubstr("agentnet-data"));
}

TEST_F(View, ShowsAModelOnOtherDataWithOrWithoutTrueValues) {
  const std::string model = place("run") + "/model.safetensors";
  ASSERT_EQ(view({model, "synthetic:motif?graphs=8&seed=3", "--export", place("other.html")}).exit_code, 0);
  json data = data_of(read_text(place("other.html")));
  EXPECT_EQ(data["graphs"].size(), 8U);
  EXPECT_TRUE(data["training"].is_null());
  EXPECT_TRUE(data["evaluation"]["scores"]["accuracy"].is_number());

  const ProgramResult bare =
      view({model, "synthetic:motif?graphs=8&seed=3", "--task", "none", "--export", place("bare.html")});
  EXPECT_EQ(bare.exit_code, 0) << bare.err;
  EXPECT_THAT(bare.err, HasSubstr("note: nothing is compared with true values"));
  data = data_of(read_text(place("bare.html")));
  EXPECT_TRUE(data["evaluation"].is_null());
  EXPECT_TRUE(data["graphs"][0]["target"][0].is_null());

  ASSERT_EQ(view({place("run"), "synthetic:motif?graphs=8&seed=3", "--export", place("run-other.html")}).exit_code, 0);
  EXPECT_EQ(data_of(read_text(place("run-other.html")))["training"]["epochs"].size(), 2U);
}

TEST_F(View, TakesAPartOfTheSplit) {
  ASSERT_EQ(view({place("run"), "--part", "train", "--walks", "0", "--export", place("train.html")}).exit_code, 0);
  EXPECT_EQ(data_of(read_text(place("train.html")))["graphs"].size(), 48U);
}

TEST_F(View, NamesAtomsWhoseLabelsAreNumbers) {
  std::string lines;
  for (int i = 0; i < 4; ++i) {
    lines += R"({"node_feat":[[0],[1]],"edge_index":[[0,1],[1,0]],"edge_attr":[[1],[1]],"y":")" +
             std::string(i % 2 == 0 ? "a" : "b") + "\"}\n";
  }
  write_text(place("numbers.jsonl"), lines);
  small_model(read_data(place("numbers.jsonl"), {}).schema).save(place("numbers.safetensors"));
  const std::vector<std::string> base = {place("numbers.safetensors"), place("numbers.jsonl"), "--force", "--export",
                                         place("numbers.html")};
  ASSERT_EQ(view(base).exit_code, 0);
  EXPECT_EQ(data_of(read_text(place("numbers.html")))["details"][0]["nodes"]["labels"], json({"0", "1"}));
  auto named = base;
  named.insert(named.end(), {"--atoms", "C,O"});
  const ProgramResult result = view(named);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(data_of(read_text(place("numbers.html")))["details"][0]["nodes"]["labels"], json({"C", "O"}));
  named.back() = "Xx,Yy";
  EXPECT_EQ(view(named).exit_code, 2);
}

TEST_F(View, RefusesWithAReasonAndANextStep) {
  const auto refused = [](const std::vector<std::string>& arguments, int code, const std::string& error) {
    const ProgramResult result = view(arguments);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, AllOf(HasSubstr("error: " + error), HasSubstr("hint: ")));
  };
  refused({place("nowhere")}, 3, "there is no run or model");
  refused({place("run") + "/model.safetensors"}, 2, "a model file does not say which graphs are meant");
  std::filesystem::create_directories(place("empty"));
  refused({place("empty")}, 2, place("empty") + " holds no run");
  refused({place("run"), "--split", "random"}, 2, "a run has data and a split of its own");
  refused({place("run"), "--port", "70000"}, 2, "");
  refused({place("run"), "--force"}, 2, "");
  refused({place("run"), "--exprot", "x"}, 2, "unknown option '--exprot'");
  refused({place("run") + "/model.safetensors", "synthetic:csl?graphs=20", "--part", "test"}, 2, "--split and --part");
  refused({place("run") + "/model.safetensors", "/nowhere.csv", "--export", place("x.html")}, 3, "");
  EXPECT_FALSE(std::filesystem::exists(place("x.html")));
}

TEST_F(View, ServesUntilASignalEndsIt) {
  for (const int signal : {SIGINT, SIGTERM}) {
    RunningProgram program({"view", place("run"), "--walks", "2"});
    while (program.running() && program.err_so_far().find("open http://127.0.0.1:") == std::string::npos) {
      ::usleep(10000);
    }
    ASSERT_TRUE(program.running());
    program.signal(signal);
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("Ctrl-C ends this"));
  }
}

TEST_F(View, DemoWritesAPageWhenAsked) {
  const std::string file = place("demo.html");
  const ProgramResult result = run_agentnet({"demo", "--steps", "3", "--page", file});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("page: " + file + " (300 graphs, 40 with walks, "));
  EXPECT_EQ(data_of(read_text(file))["outputs"], json({"no 4-cycle", "4-cycle"}));
  EXPECT_EQ(run_agentnet({"demo", "--steps", "3", "--page", file}).exit_code, 2) << "it is there already";
}

TEST(ViewWithoutViewer, SaysSo) {
  if (has_viewer()) GTEST_SKIP() << "this build has the viewer";
  const TempFolder folder;
  const ProgramResult view = run_agentnet({"view", (folder / "run").string()});
  EXPECT_EQ(view.exit_code, 1);
  EXPECT_THAT(view.err, AllOf(HasSubstr("error: this build has no viewer"), HasSubstr("hint: ")));
  const ProgramResult train = run_agentnet(
      {"train", "synthetic:cycles?graphs=30", "--preset", "fast", "--epochs", "1", "-o", (folder / "run").string()});
  EXPECT_EQ(train.exit_code, 0) << train.err;
  EXPECT_THAT(train.err, HasSubstr("note: no report.html is written: this build has no viewer"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run" / "report.html"));
}

}  // namespace
}  // namespace agentnet
