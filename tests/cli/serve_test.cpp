// agentnet serve as a user and a service manager meet it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "run_agentnet.h"
#include "support/http_client.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kGraph = R"({"edge_index":[[0,1],[1,0]],"node_feat":[[1],[2]]})";

class Serve : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    std::string lines;
    for (int i = 0; i < 12; ++i) {
      lines += std::string(R"({"edge_index":[[0,1],[1,0]],"node_feat":[[1],[)") + (i % 2 == 0 ? "1" : "2") +
               R"(]],"y":)" + std::to_string(i % 2) + "}\n";
    }
    write_text(place("graphs.jsonl"), lines);
    const ProgramResult trained =
        run_agentnet({"train", place("graphs.jsonl"), "--hidden", "4", "--agents", "2", "--steps", "3", "--epochs", "1",
                      "--split", "random:0.6,0.2,0.2", "-o", place("run")});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::string place(const std::string& name) { return (*folder_ / name).string(); }
  static std::string model() { return place("run/model.safetensors"); }

  // Waits until the server says where it is; 0 if it ends before.
  static std::uint16_t port_of(RunningProgram& program) {
    const std::string before = "serving on http://127.0.0.1:";
    for (int i = 0; i < 6000 && program.running(); ++i) {
      const std::string said = program.err_so_far();
      const std::size_t at = said.find(before);
      if (at != std::string::npos && said.find('\n', at) != std::string::npos) {
        return static_cast<std::uint16_t>(std::stoi(said.substr(at + before.size())));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return 0;
  }
  static void wait_for(RunningProgram& program, const std::string& words) {
    for (int i = 0; i < 6000 && program.running() && program.err_so_far().find(words) == std::string::npos; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_THAT(program.err_so_far(), HasSubstr(words));
  }
  static std::string ask(std::uint16_t port, const std::string& line, const std::string& body = {}) {
    HttpClient client(port);
    client.send(http_request(line, "Content-Type: application/json\r\n", body));
    return client.answer();
  }

  static TempFolder* folder_;
};
TempFolder* Serve::folder_ = nullptr;

TEST_F(Serve, AnswersWhatPredictAnswers) {
  write_text(place("one.jsonl"), kGraph);
  const ProgramResult predicted = run_agentnet({"predict", model(), place("one.jsonl")});
  RunningProgram program({"serve", model(), "--port", "0"});
  const std::uint16_t port = port_of(program);
  ASSERT_NE(port, 0) << program.err_so_far();
  HttpClient client(port);
  client.send(http_request("POST /predict", "Content-Type: application/json\r\nAccept: text/csv\r\n", kGraph));
  EXPECT_EQ(body_of(client.answer()), predicted.out);
  client.leave();
  program.signal(SIGTERM);
  const ProgramResult ended = program.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
}

TEST_F(Serve, SigtermFinishesWhatHasBegun) {
  RunningProgram program({"serve", place("run"), "--port", "0", "--threads", "1"});
  const std::uint16_t port = port_of(program);
  ASSERT_NE(port, 0) << program.err_so_far();
  std::vector<HttpClient> clients;
  const std::string request = http_request("POST /predict?rollouts=200", "Content-Type: application/json\r\n", kGraph);
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(port);
    clients.back().send(request.substr(0, i % 2 == 0 ? request.size() : 30));
  }
  program.signal(SIGTERM);
  wait_for(program, "finishing");
  for (std::size_t i = 1; i < clients.size(); i += 2) clients[i].send(request.substr(30));
  for (HttpClient& client : clients) EXPECT_EQ(status_of(client.answer()), 200);
  clients.clear();
  EXPECT_EQ(program.wait().exit_code, 0);
}

TEST_F(Serve, ReadsItsFilesAgainWhenItIsTold) {
  std::filesystem::copy_file(model(), place("changing.safetensors"), std::filesystem::copy_options::overwrite_existing);
  RunningProgram program({"serve", "mine=" + place("changing.safetensors"), "--port", "0"});
  const std::uint16_t port = port_of(program);
  ASSERT_NE(port, 0) << program.err_so_far();
  program.signal(SIGHUP);
  wait_for(program, "mine: loaded again");
  write_text(place("changing.safetensors"), "no model");
  wait_for(program, "warning: mine was not loaded again");  // within a second or so, without being told
  EXPECT_EQ(status_of(ask(port, "POST /predict?model=mine", kGraph)), 200);
}

TEST_F(Serve, LogsSizesAndCodesOnly) {
  RunningProgram program({"serve", model(), "--port", "0", "--log"});
  const std::uint16_t port = port_of(program);
  ASSERT_NE(port, 0) << program.err_so_far();
  static_cast<void>(ask(port, "POST /predict?seed=4711", kGraph));
  static_cast<void>(ask(port, "GET /secret"));
  wait_for(program, "- 404 rows=0");
  EXPECT_THAT(program.err_so_far(), AllOf(HasSubstr("/predict 200 rows=1 in="), Not(HasSubstr("secret")),
                                          Not(HasSubstr("4711")), Not(HasSubstr("edge_index"))));
}

TEST_F(Serve, OpensToOthersOnlyWithTokensOrWhenToldSo) {
  const ProgramResult refused = run_agentnet({"serve", model(), "--host", "0.0.0.0", "--port", "0"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("everybody who reaches this machine may ask"), HasSubstr("--token-file")));
  write_text(place("tokens"), "0123456789abcdef\n");
  std::filesystem::permissions(place("tokens"), std::filesystem::perms(0644));
  EXPECT_EQ(run_agentnet({"serve", model(), "--token-file", place("tokens")}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"serve", model(), "--token-file", place("none")}).exit_code, 3);
}

TEST_F(Serve, RefusesWhatItCannotServe) {
  EXPECT_EQ(run_agentnet({"serve", place("none.safetensors")}).exit_code, 3);
  EXPECT_EQ(run_agentnet({"serve"}).exit_code, 2);
  const ProgramResult twice = run_agentnet({"serve", model(), model()});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("two models are called 'model'"));
  EXPECT_EQ(run_agentnet({"serve", model(), "--batch-wait", "soon"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"serve", model(), "--host", "no such host"}).exit_code, 2);
  RunningProgram first({"serve", model(), "--port", "0"});
  const std::uint16_t port = port_of(first);
  ASSERT_NE(port, 0);
  const ProgramResult second = run_agentnet({"serve", model(), "--port", std::to_string(port)});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("another program uses this port"));
}

}  // namespace
}  // namespace agentnet
