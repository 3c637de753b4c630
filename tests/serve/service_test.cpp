// A server of models, asked over its sockets: every route, every limit, and the same bytes alone and in any batch.
#include "serve/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <thread>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "serve/request_data.h"
#include "served.h"
#include "support/http_client.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kJson = "Content-Type: application/json\r\n";

std::string graph(int seed, int nodes = 4) {
  json edges = {json::array(), json::array()}, features = json::array();
  for (int v = 0; v < nodes; ++v) {
    for (const int way : {0, 1}) {
      edges[static_cast<std::size_t>(way)].push_back(v);
      edges[static_cast<std::size_t>(1 - way)].push_back((v + 1 + seed % 2) % nodes);
    }
    features.push_back({1 + (seed >> v) % 2});
  }
  return json{{"edge_index", edges}, {"node_feat", features}}.dump();
}

// A server with a model of graphs ("graphs", asked if none is named) and, where there is RDKit, one of molecules.
class Served {
 public:
  explicit Served(const ServeOptions& options = {}, const Tokens* tokens = nullptr) {
    models.add("graphs", save_graph_model(folder));
    if (can_read_smiles()) models.add("molecules", save_molecule_model(folder));
    const auto log = [this](const RequestRecord& record) {
      const std::lock_guard lock(mutex);
      records.push_back(record);
    };
    service = std::make_unique<ServeService>(models, tokens, options, log);
    server = std::make_unique<HttpServer>(*service, "127.0.0.1", 0, service->http_limits(), serve_headers());
    service->listens_on(server->port(), true);
    service->count_with([this] { return server->counts(); });
  }
  ~Served() {
    service->count_with({});
    server.reset();
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  [[nodiscard]] std::string ask(const std::string& line, const std::string& headers = {},
                                const std::string& body = {}) const {
    HttpClient client(server->port());
    client.send(http_request(line, headers, body));
    return client.answer();
  }
  [[nodiscard]] json ask_json(const std::string& line, const std::string& headers = {},
                              const std::string& body = {}) const {
    const std::string answer = ask(line, headers, body);
    EXPECT_EQ(status_of(answer), 200) << answer;
    return json::parse(body_of(answer), nullptr, false);
  }

  TempFolder folder;
  ServedModels models;
  std::mutex mutex;
  std::vector<RequestRecord> records;
  std::unique_ptr<ServeService> service;
  std::unique_ptr<HttpServer> server;
};

TEST(Serve, AnswersEveryRowInOrder) {
  const Served served;
  const json answer = served.ask_json("POST /predict?rollouts=3", kJson, graph(1) + "\n" + graph(2) + "\n" + graph(1));
  EXPECT_EQ(answer["model"], "graphs");
  EXPECT_EQ(answer["version"], served.models.find("")->version);
  ASSERT_EQ(answer["rows"].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const json& row = answer["rows"][i];
    EXPECT_EQ(row["row"], i);
    EXPECT_EQ(row["id"], std::to_string(i));
    EXPECT_EQ(row["status"], "ok");
    EXPECT_EQ(row["rollouts"], 3);
    EXPECT_EQ(row["probabilities"].size(), 2U);
    EXPECT_EQ(row["walk_spread"].size(), 2U);
    EXPECT_NEAR(row["probabilities"]["0"].get<double>() + row["probabilities"]["1"].get<double>(), 1, 1e-6);
  }
  EXPECT_EQ(answer["rows"][0]["probabilities"], answer["rows"][2]["probabilities"]) << "the same graph";
}

TEST(Serve, AnswersAsThePredictCommandDoes) {
  const Served served;
  const std::string body = graph(1) + "\n" + graph(2) + "\n";
  const ServedModelPointer model = served.models.find("graphs");
  write_text(served.folder / "rows.jsonl", body);
  const Dataset data = read_for_model(model->model, (served.folder / "rows.jsonl").string(), {});
  const Predictions expected = predict(model->model, data.graphs.views(), {.rollouts = 8, .seed = 5});
  const json answer = served.ask_json("POST /predict?seed=5", kJson, body);
  for (std::size_t g = 0; g < 2; ++g) {
    EXPECT_NEAR(answer["rows"][g]["probabilities"]["1"].get<double>(), expected.mean[2 * g + 1], 1e-9);
    EXPECT_NEAR(answer["rows"][g]["walk_spread"]["1"].get<double>(), expected.walk_spread[2 * g + 1], 1e-9);
  }
}

TEST(Serve, AnswersInTheFormThatIsAskedFor) {
  const Served served;
  const std::string csv = served.ask("POST /predict", kJson + "Accept: text/csv\r\n", graph(1));
  EXPECT_THAT(csv, HasSubstr("\r\nContent-Type: text/csv; charset=utf-8\r\n"));
  EXPECT_THAT(body_of(csv), StartsWith("id,prediction,p_0,p_1,walk_spread,status\n0,"));
  const std::string lines =
      body_of(served.ask("POST /predict", kJson + "Accept: application/x-ndjson\r\n", graph(1) + "\n" + graph(2)));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  EXPECT_EQ(json::parse(lines.substr(0, lines.find('\n')))["status"], "ok");
}

TEST(Serve, ASettledAnswerSaysSo) {
  const Served served;
  const json row = served.ask_json("POST /predict?confidence=0.6&rollouts=50", kJson, graph(1))["rows"][0];
  EXPECT_TRUE(row["settled"].is_boolean());
  EXPECT_GE(row["rollouts"].get<int>(), 1);
  EXPECT_LE(row["rollouts"].get<int>(), 50);
}

TEST(Serve, MoleculesThatAreNoneKeepTheirRow) {
  if (!can_read_smiles()) GTEST_SKIP() << "this build reads no SMILES strings";
  const Served served;
  const json answer =
      served.ask_json("POST /predict?model=molecules", kJson, R"({"smiles": ["CCO", "C1CC(", "c1ccccc1"]})");
  EXPECT_EQ(answer["model"], "molecules");
  ASSERT_EQ(answer["rows"].size(), 3U);
  EXPECT_EQ(answer["rows"][0]["status"], "ok");
  EXPECT_THAT(answer["rows"][1]["status"].get<std::string>(), HasSubstr("no molecule"));
  EXPECT_FALSE(answer["rows"][1].contains("prediction"));
  EXPECT_EQ(answer["rows"][2]["row"], 2);
  // Bad rows alone are answered, too.
  EXPECT_EQ(served.ask_json("POST /predict?model=molecules", kJson, R"({"smiles": ["C1CC("]})")["rows"].size(), 1U);
}

// Answers of 60 clients at once, one row each and some with several, are the bytes of one request with all rows.
TEST(Serve, TheSameBytesAloneAndInAnyBatch) {
  std::vector<std::string> graphs;
  std::string all;
  for (int i = 0; i < 60; ++i) {
    graphs.push_back(graph(i, 3 + i % 5));
    all += graphs.back() + "\n";
  }
  const auto cells_of = [](const json& row) {
    return row["prediction"].dump() + row["probabilities"].dump() + row["walk_spread"].dump();
  };
  std::set<std::string> seen;
  for (const int threads : {1, 3}) {
    ServeOptions options;
    options.threads = threads;
    options.batch_rows = threads == 1 ? 16 : 64;
    options.batch_wait = std::chrono::milliseconds(20);
    const Served served(options);
    std::vector<std::string> expected;
    const json together = served.ask_json("POST /predict", kJson, all);
    for (const json& row : together["rows"]) expected.push_back(cells_of(row));
    ASSERT_EQ(expected.size(), graphs.size());
    for (int round = 0; round < 3; ++round) {
      std::vector<std::thread> clients;
      std::vector<std::vector<std::string>> found(graphs.size());
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        clients.emplace_back([&, i] {
          const std::string body = i % 3 == 0 ? graphs[i] + "\n" + graphs[(i + 1) % 60] : graphs[i];
          const json alone = served.ask_json("POST /predict", kJson, body);
          for (const json& row : alone["rows"]) found[i].push_back(cells_of(row));
        });
      }
      for (std::thread& client : clients) client.join();
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        ASSERT_EQ(found[i].size(), i % 3 == 0 ? 2U : 1U);
        EXPECT_EQ(found[i][0], expected[i]);
        if (i % 3 == 0) {
          EXPECT_EQ(found[i][1], expected[(i + 1) % 60]);
        }
      }
    }
    for (const std::string& cells : expected) seen.insert(cells);
    // Some of that was in batches, or nothing was tested.
    const std::string metrics = body_of(served.ask("GET /metrics"));
    const auto value = [&](const std::string& name) {
      const std::size_t at = metrics.find("\n" + name + " ");
      return at == std::string::npos ? -1 : std::stod(metrics.substr(at + name.size() + 2));
    };
    EXPECT_GT(value("agentnet_batch_rows_sum"), value("agentnet_batch_rows_count")) << metrics;
    EXPECT_EQ(value("agentnet_rows_total{status=\"ok\"}"), 60 + 3 * 80);
  }
  EXPECT_LE(seen.size(), graphs.size()) << "another number of threads, other bytes";
}

TEST(Serve, KnowsItsAddressesAndMethods) {
  const Served served;
  EXPECT_EQ(status_of(served.ask("GET /nothing")), 404);
  EXPECT_EQ(status_of(served.ask("GET /predict/")), 404);
  EXPECT_EQ(status_of(served.ask("GET /v2/models/none")), 404);
  EXPECT_EQ(status_of(served.ask("POST /predict?model=none", kJson, graph(1))), 404);
  EXPECT_EQ(status_of(served.ask("GET /v2/models/graphs/versions/0")), 404);
  EXPECT_EQ(status_of(served.ask("GET /v2/models/graphs/versions/" + served.models.find("graphs")->version)), 200);
  EXPECT_THAT(served.ask("GET /predict"), AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("\r\nAllow: POST\r\n")));
  EXPECT_THAT(served.ask("DELETE /metrics"), AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("\r\nAllow: GET, HEAD\r\n")));
  EXPECT_THAT(served.ask("GET /"), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("<textarea"),
                                         HasSubstr("\r\nContent-Security-Policy: default-src 'none'")));
  const json models = served.ask_json("GET /models")["models"];
  EXPECT_EQ(models[0]["name"], "graphs");
  EXPECT_EQ(models[0]["outputs"], json({"0", "1"}));
}

TEST(Serve, ProblemsAreToldInJson) {
  const Served served;
  const std::string answer = served.ask("POST /predict?rollout=3", kJson, graph(1));
  EXPECT_EQ(status_of(answer), 400);
  const json problem = json::parse(body_of(answer));
  EXPECT_EQ(problem["error"], "there is no option 'rollout'");
  EXPECT_EQ(problem["hint"], "did you mean rollouts?");
  EXPECT_EQ(status_of(served.ask("POST /predict", kJson, "{\"edge_index\":")), 400);
  EXPECT_EQ(status_of(served.ask("POST /predict", kJson, R"({"num_nodes":3})")), 422);
  EXPECT_EQ(status_of(served.ask("POST /predict", "Content-Type: image/png\r\n", "x")), 415);
  EXPECT_EQ(status_of(served.ask("POST /predict", kJson + "Content-Encoding: gzip\r\n", "x")), 415);
  EXPECT_EQ(status_of(served.ask("POST /predict", kJson)), 400) << "no body";
  // Also where nobody looked at the request: clients read one kind of answer.
  HttpClient client(served.server->port());
  client.send("POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999999999\r\n\r\n");
  const std::string large = client.answer();
  EXPECT_EQ(status_of(large), 413);
  EXPECT_EQ(json::parse(body_of(large))["hint"], "send the rows in several requests");
}

TEST(Serve, DrawsByRowAreThoseOfThePredictCommand) {
  if (!can_read_smiles()) GTEST_SKIP() << "this build reads no SMILES strings";
  const Served served;
  const std::string body =
      R"({"smiles":["CCO","C1CC(","CC(=O)O"]})";  // the second row is no graph, and keeps its number
  const json rows = served.ask_json("POST /predict?model=molecules&draws=row&seed=1&rollouts=4", kJson, body)["rows"];
  const ServedModelPointer model = served.models.find("molecules");
  const RequestData data = read_request(*model, "application/json", body, {});
  const std::vector<GraphView> views = data.parts.at(0).graphs.views();
  PredictOptions options;
  options.draws = DrawKey::kRow;
  options.seed = 1;
  options.rollouts = 4;
  options.first_graph = 2;
  const Predictions third = predict(model->model, std::span(views).subspan(1), options);
  EXPECT_NEAR(rows[2]["probabilities"]["0"].get<double>(), third.mean[0], 1e-8);
  options.first_graph = 1;
  EXPECT_GT(std::abs(predict(model->model, std::span(views).subspan(1), options).mean[0] - third.mean[0]), 1e-6);
  const json explained =
      served.ask_json("POST /explain?model=molecules&draws=row&seed=1&rollouts=4", kJson, body)["rows"];
  EXPECT_EQ(explained[2]["probabilities"], rows[2]["probabilities"]);
}

TEST(Serve, IsForThisMachineOnlyWhereItListensOnIt) {
  const Served served;
  const auto ask = [&](const std::string& host, const std::string& more = {}) {
    HttpClient client(served.server->port());
    client.send("GET /models HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n");
    return status_of(client.answer());
  };
  const std::string own = "127.0.0.1:" + std::to_string(served.server->port());
  EXPECT_EQ(ask(own), 200);
  EXPECT_EQ(ask("attacker.example"), 421);
  EXPECT_EQ(ask(own, "Origin: http://" + own + "\r\n"), 200);
  EXPECT_EQ(ask(own, "Origin: http://attacker.example\r\n"), 403);
  EXPECT_EQ(ask(own, "Origin: null\r\n"), 403);
  served.service->listens_on(served.server->port(), false);
  EXPECT_EQ(ask("models.example"), 200);
}

TEST(Serve, TokensOpenTheDoor) {
  const TempFolder folder;
  write_text(folder / "tokens", "0123456789abcdef\n");
  std::filesystem::permissions(folder / "tokens", std::filesystem::perms(0600));
  const Tokens tokens(folder / "tokens");
  const Served served({}, &tokens);
  const std::string right = "Authorization: Bearer 0123456789abcdef\r\n",
                    wrong = "Authorization: Bearer 0123456789abcdeX\r\n";
  for (const char* line : {"GET /models", "GET /metrics", "GET /v2", "GET /v2/models/graphs"}) {
    EXPECT_THAT(served.ask(line), AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("\r\nWWW-Authenticate: Bearer\r\n")));
    EXPECT_EQ(status_of(served.ask(line, wrong)), 401) << line;
    EXPECT_EQ(status_of(served.ask(line, right)), 200) << line;
  }
  for (const char* line : {"POST /predict", "POST /explain", "POST /view", "POST /v2/models/graphs/infer"}) {
    EXPECT_EQ(status_of(served.ask(line, kJson, graph(1))), 401) << line;
  }
  EXPECT_EQ(status_of(served.ask("POST /predict", kJson + right, graph(1))), 200);
  for (const char* line : {"GET /", "GET /openapi.json", "GET /v2/health/live", "GET /v2/health/ready"}) {
    EXPECT_EQ(status_of(served.ask(line)), 200) << line << ": there is nothing to hide, and probes have no token";
  }
}

TEST(Serve, HasLimitsForARequest) {
  ServeOptions options;
  options.rows = 2;
  options.nodes = 5;
  options.rollouts = 10;
  options.explained = 1;
  options.body_bytes = 2000;
  const Served served(options);
  const std::string g = graph(1) + "\n";
  EXPECT_EQ(status_of(served.ask("POST /predict", kJson, g + g)), 200);
  EXPECT_EQ(status_of(served.ask("POST /predict", kJson, g + g + g)), 413);
  EXPECT_EQ(status_of(served.ask("POST /predict", kJson, graph(1, 6))), 413);
  EXPECT_EQ(status_of(served.ask("POST /predict?rollouts=11", kJson, g)), 400);
  EXPECT_EQ(status_of(served.ask("POST /explain", kJson, g + g)), 413);
  EXPECT_EQ(status_of(served.ask("POST /predict", kJson, std::string(2001, ' '))), 413);
}

// While all threads are busy, requests wait, and beyond the limits they are sent away with a time to come back.
TEST(Serve, HasLimitsForACrowd) {
  ServeOptions options;
  options.requests = 3;
  options.requests_of_client = 2;
  options.rollouts = 1000000;
  options.request_time = std::chrono::milliseconds(1500);
  const TempFolder folder;
  write_text(folder / "tokens", "0123456789abcdef\nfedcba9876543210\n");
  std::filesystem::permissions(folder / "tokens", std::filesystem::perms(0600));
  const Tokens tokens(folder / "tokens");
  const Served served(options, &tokens);
  const std::string first = kJson + "Authorization: Bearer 0123456789abcdef\r\n",
                    second = kJson + "Authorization: Bearer fedcba9876543210\r\n";
  const std::string endless = http_request("POST /predict?rollouts=1000000", first, graph(1, 5));
  const auto waiting = [&](int count) {
    const std::string wanted = "\nagentnet_requests " + std::to_string(count + 1) + "\n";  // and the one that asks
    for (int i = 0; i < 3000; ++i) {
      if (body_of(served.ask("GET /metrics", second)).find(wanted) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  };
  HttpClient one(served.server->port()), two(served.server->port());
  one.send(endless);
  two.send(endless);
  if (!waiting(2)) GTEST_SKIP() << "this machine is too slow to keep requests waiting";
  const std::string crowd = served.ask("POST /predict", first, graph(1));
  HttpClient three(served.server->port());
  three.send(http_request("POST /predict?rollouts=1000000", second, graph(1, 5)));
  EXPECT_THAT(crowd, AllOf(StartsWith("HTTP/1.1 429 "), HasSubstr("\r\nRetry-After: 1\r\n")));
  for (HttpClient* client : {&one, &two, &three}) {
    const std::string answer = client->answer();
    EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("\r\nRetry-After: 1\r\n")));
    EXPECT_THAT(answer, HasSubstr("too long"));
  }
  EXPECT_EQ(status_of(served.ask("POST /predict", first, graph(1))), 200) << "nothing of that is left";
}

TEST(Serve, Explains) {
  const Served served;
  const json answer =
      served.ask_json("POST /explain?rollouts=4&recorded=1&leave_one_out=10", kJson, graph(1) + "\n" + graph(2, 5));
  ASSERT_EQ(answer["rows"].size(), 2U);
  const json& row = answer["rows"][1];
  EXPECT_EQ(row["row"], 1);
  EXPECT_EQ(row["rollouts"], 4);
  EXPECT_EQ(row["nodes"].size(), 5U);
  EXPECT_TRUE(row["nodes"][0].contains("visits"));
  EXPECT_TRUE(row["nodes"][0].contains("gradient_times_input"));
  EXPECT_TRUE(row["nodes"][0].contains("leave_one_out"));
  EXPECT_TRUE(row["edges"][0].contains("crossings"));
  EXPECT_EQ(row["recorded"].size(), 1U);
  EXPECT_EQ(status_of(served.ask("POST /explain?about=nonsense", kJson, graph(1))), 400);
  EXPECT_EQ(served.ask_json("POST /explain?about=0", kJson, graph(1))["rows"][0]["explained_output"], "0");
  if (!can_read_smiles()) return;
  const json molecules =
      served.ask_json("POST /explain?model=molecules&rollouts=2", kJson, R"({"smiles":["C1CC(","CCO"]})")["rows"];
  EXPECT_THAT(molecules[0]["status"].get<std::string>(), HasSubstr("no molecule"));
  EXPECT_EQ(molecules[1]["nodes"].size(), 3U);
}

TEST(Serve, ShowsWalksWhereItHasTheViewer) {
  const Served served;
  const std::string answer = served.ask("POST /view?rollouts=2", kJson, graph(1));
  EXPECT_THAT(status_of(answer), testing::AnyOf(200, 501));
  if (status_of(answer) == 200) {
    EXPECT_THAT(answer, HasSubstr("<script type=\"application/json\" id=\"agentnet-data\">"));
  }
}

// A BYTES tensor of texts.
json tensor(const std::vector<std::string>& rows) {
  return {{"name", "input"}, {"datatype", "BYTES"}, {"shape", json::array({rows.size()})}, {"data", rows}};
}

TEST(OpenInference, SaysWhatThereIs) {
  const Served served;
  EXPECT_EQ(served.ask_json("GET /v2")["name"], "agentnet");
  EXPECT_EQ(served.ask_json("GET /v2/health/live")["live"], true);
  EXPECT_EQ(served.ask_json("GET /v2/health/ready")["ready"], true);
  EXPECT_EQ(served.ask_json("GET /v2/models/graphs/ready")["ready"], true);
  const json model = served.ask_json("GET /v2/models/graphs");
  EXPECT_EQ(model["name"], "graphs");
  EXPECT_EQ(model["platform"], "agentnet_agentnet");
  EXPECT_EQ(model["versions"], json::array({served.models.find("graphs")->version}));
  ASSERT_TRUE(model["inputs"].is_array());
  EXPECT_EQ(model["inputs"][0], (json{{"name", "input"}, {"datatype", "BYTES"}, {"shape", json::array({-1})}}));
  EXPECT_EQ(model["outputs"][1]["name"], "probabilities");
  EXPECT_EQ(model["outputs"][1]["shape"], json::array({-1, 2}));
  served.service->drain();
  EXPECT_EQ(status_of(served.ask("GET /v2/health/ready")), 503);
  EXPECT_EQ(status_of(served.ask("GET /v2/health/live")), 200);
}

TEST(OpenInference, InfersWhatPredictPredicts) {
  const Served served;
  const json request = {{"id", "mine"},
                        {"inputs", json::array({tensor({graph(1), graph(2)})})},
                        {"parameters", {{"rollouts", 3}, {"seed", 9}}}};
  const json answer = served.ask_json("POST /v2/models/graphs/infer", kJson, request.dump());
  EXPECT_EQ(answer["model_name"], "graphs");
  EXPECT_EQ(answer["id"], "mine");
  const json rows = served.ask_json("POST /predict?rollouts=3&seed=9", kJson, graph(1) + "\n" + graph(2))["rows"];
  std::map<std::string, json> outputs;
  for (const json& output : answer["outputs"]) outputs[output["name"].get<std::string>()] = output;
  EXPECT_EQ(outputs["probabilities"]["datatype"], "FP64");
  EXPECT_EQ(outputs["probabilities"]["shape"], json::array({2, 2}));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(outputs["prediction"]["data"][i], rows[i]["prediction"]);
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_EQ(outputs["probabilities"]["data"][2 * i + c], rows[i]["probabilities"][std::to_string(c)]);
      EXPECT_EQ(outputs["walk_spread"]["data"][2 * i + c], rows[i]["walk_spread"][std::to_string(c)]);
    }
    EXPECT_EQ(outputs["rollouts"]["data"][i], 3);
    EXPECT_EQ(outputs["status"]["data"][i], "ok");
  }
  // Only what is asked for.
  json some = request;
  some["outputs"] = json::array({{{"name", "status"}}});
  EXPECT_EQ(served.ask_json("POST /v2/models/graphs/infer", kJson, some.dump())["outputs"].size(), 1U);
}

TEST(OpenInference, CarriesBinaryTensors) {
  const Served served;
  std::string bytes;
  for (const std::string& row : {graph(1), graph(2)}) {
    const auto size = static_cast<std::uint32_t>(row.size());
    bytes.append(reinterpret_cast<const char*>(&size), 4).append(row);
  }
  const json request = {{"inputs", json::array({{{"name", "input"},
                                                 {"datatype", "BYTES"},
                                                 {"shape", json::array({2})},
                                                 {"parameters", {{"binary_data_size", bytes.size()}}}}})},
                        {"parameters", {{"binary_data_output", true}}}};
  const std::string head = request.dump();
  const std::string answer =
      served.ask("POST /v2/models/graphs/infer",
                 "Inference-Header-Content-Length: " + std::to_string(head.size()) + "\r\n", head + bytes);
  ASSERT_EQ(status_of(answer), 200) << answer;
  const std::string name = "\r\nInference-Header-Content-Length: ";
  ASSERT_THAT(answer, HasSubstr(name));
  const auto length = std::stoul(answer.substr(answer.find(name) + name.size()));
  const std::string body = body_of(answer);
  const json said = json::parse(body.substr(0, length));
  std::string_view rest = std::string_view(body).substr(length);
  const json rows = served.ask_json("POST /predict", kJson, graph(1) + "\n" + graph(2))["rows"];
  for (const json& output : said["outputs"]) {
    const auto size = output["parameters"]["binary_data_size"].get<std::size_t>();
    ASSERT_LE(size, rest.size());
    if (output["name"] == "probabilities") {
      ASSERT_EQ(size, 4 * sizeof(double));
      std::array<double, 4> values = {};
      std::memcpy(values.data(), rest.data(), size);
      EXPECT_EQ(values[3], rows[1]["probabilities"]["1"].get<double>());
    }
    rest.remove_prefix(size);
  }
  EXPECT_TRUE(rest.empty());
}

TEST(OpenInference, RowsWithoutAnAnswerAreNull) {
  if (!can_read_smiles()) GTEST_SKIP() << "this build reads no SMILES strings";
  const Served served;
  const json request = {{"inputs", json::array({tensor({"CCO", "C1CC("})})}};
  const json answer = served.ask_json("POST /v2/models/molecules/infer", kJson, request.dump());
  for (const json& output : answer["outputs"]) {
    if (output["name"] == "probabilities") {
      EXPECT_TRUE(output["data"][2].is_null() && output["data"][0].is_number());
    }
    if (output["name"] == "status") {
      EXPECT_THAT(output["data"][1].get<std::string>(), HasSubstr("no molecule"));
    }
  }
}

TEST(OpenInference, RefusesWhatIsNoRequest) {
  ServeOptions options;
  options.rows = 10;
  const Served served(options);
  const auto status = [&](const json& request, const std::string& headers = {}) {
    return status_of(served.ask("POST /v2/models/graphs/infer", kJson + headers, request.dump()));
  };
  const json good = tensor({graph(1)});
  EXPECT_EQ(status({{"inputs", json::array({good})}}), 200);
  EXPECT_EQ(status(json::array()), 400);
  EXPECT_EQ(status({{"inputs", json::array()}}), 400);
  EXPECT_EQ(status({{"inputs", json::array({good, good})}}), 400);
  EXPECT_EQ(status({{"inputs", json::array({good})}, {"id", 3}}), 400);
  EXPECT_EQ(status({{"inputs", json::array({good})}, {"parameters", {{"rollouts", {1}}}}}), 400);
  EXPECT_EQ(status({{"inputs", json::array({good})}, {"parameters", {{"unknown", 1}}}}), 400);
  EXPECT_EQ(status({{"inputs", json::array({good})}, {"outputs", json::array({{{"name", "none"}}})}}), 400);
  const auto changed = [&](const char* name, const json& value) {
    json input = good;
    input[name] = value;
    return json{{"inputs", json::array({input})}};
  };
  EXPECT_EQ(status(changed("datatype", "FP32")), 400);
  EXPECT_EQ(status(changed("shape", json::array({2}))), 400);
  EXPECT_EQ(status(changed("shape", json::array({-1}))), 400);
  EXPECT_EQ(status(changed("shape", json::array({11}))), 413);
  EXPECT_EQ(status(changed("shape", json::array({4294967296, 4294967296}))), 413);
  EXPECT_EQ(status(changed("data", json::array({1}))), 400);
  EXPECT_EQ(status(changed("data", "x")), 400);
  EXPECT_EQ(status(changed("parameters", {{"binary_data_size", 5}})), 400);
  EXPECT_EQ(status({{"inputs", json::array({good})}}, "Inference-Header-Content-Length: 100000\r\n"), 400);
  EXPECT_EQ(status({{"inputs", json::array({good})}}, "Inference-Header-Content-Length: x\r\n"), 400);
}

TEST(Serve, MetricsAreWhatPrometheusReads) {
  const Served served;
  static_cast<void>(served.ask("POST /predict", kJson, graph(1)));
  static_cast<void>(served.ask("GET /private-path-of-a-client"));
  const std::string text = body_of(served.ask("GET /metrics"));
  EXPECT_THAT(text, HasSubstr("agentnet_requests_total{route=\"/predict\",code=\"200\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("agentnet_requests_total{route=\"other\",code=\"404\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("private")));
  EXPECT_THAT(text, HasSubstr("agentnet_request_seconds_bucket{route=\"/predict\",le=\"+Inf\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("agentnet_rows_total{status=\"ok\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("agentnet_model_info{model=\"graphs\",version=\""));
  // Every sample has a HELP and a TYPE before it, and a number behind it.
  std::set<std::string> typed;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) typed.insert(line.substr(7, line.find(' ', 7) - 7));
    if (line.starts_with('#')) continue;
    std::string name = line.substr(0, line.find_first_of("{ "));
    for (const char* ending : {"_bucket", "_sum", "_count"}) {
      if (name.ends_with(ending) && !typed.contains(name)) name.resize(name.size() - std::strlen(ending));
    }
    EXPECT_TRUE(typed.contains(name)) << line;
    EXPECT_FALSE(std::isnan(std::stod(line.substr(line.rfind(' ') + 1)))) << line;
  }
}

TEST(Serve, SaysInOpenApiWhatItHas) {
  const Served served;
  const json api = served.ask_json("GET /openapi.json");
  EXPECT_EQ(api["openapi"], "3.1.0");
  EXPECT_GE(api["paths"].size(), 16U);
  std::set<std::string> references;
  const std::function<void(const json&)> collect = [&](const json& value) {
    if (value.is_object() && value.contains("$ref")) references.insert(value["$ref"].get<std::string>());
    if (value.is_structured()) {
      for (const json& part : value) collect(part);
    }
  };
  collect(api);
  for (const std::string& reference : references) {
    EXPECT_TRUE(api.contains(json::json_pointer(reference.substr(1)))) << reference;
  }
  for (const auto& [path, methods] : api["paths"].items()) {
    std::string place = path;
    const auto put = [&](const std::string& name, const std::string& value) {
      const std::size_t at = place.find(name);
      if (at != std::string::npos) place.replace(at, name.size(), value);
    };
    put("{model}", "graphs");
    put("{version}", served.models.find("graphs")->version);
    for (const auto& [method, what] : methods.items()) {
      EXPECT_TRUE(what["responses"]["200"].contains("description")) << path;
      const int status = status_of(served.ask((method == "post" ? "POST " : "GET ") + place, kJson));
      EXPECT_NE(status, 404) << path;
      EXPECT_NE(status, 405) << path;
    }
  }
}

TEST(Serve, LogsHoldNothingOfARequest) {
  Served served;
  static_cast<void>(served.ask("POST /predict?seed=3", kJson, graph(1) + "\n" + graph(2)));
  static_cast<void>(served.ask("GET /secret"));
  ASSERT_EQ(served.records.size(), 2U);
  EXPECT_EQ(served.records[0].route, "/predict");
  EXPECT_EQ(served.records[0].status, 200);
  EXPECT_EQ(served.records[0].rows, 2U);
  EXPECT_EQ(served.records[0].bytes_in, graph(1).size() + 1 + graph(2).size());
  EXPECT_EQ(served.records[1].route, "");
  EXPECT_EQ(served.records[1].status, 404);
}

TEST(Reload, ANewFileIsLoadedAndADamagedOneIsNot) {
  Served served;
  const auto path = served.folder / "graphs.safetensors";
  const std::string before = served.models.find("graphs")->version;
  EXPECT_THAT(served.models.reload(false), testing::IsEmpty()) << "nothing has changed";

  Model other = Model::load(path);
  std::vector<float> weights(other.parameters().begin(), other.parameters().end());
  for (float& weight : weights) weight *= 0.5F;
  other.set_parameters(weights);
  other.save(path);
  const auto reloads = served.models.reload(false);
  ASSERT_EQ(reloads.size(), 1U);
  EXPECT_TRUE(reloads[0].loaded) << reloads[0].problem;
  const std::string after = served.models.find("graphs")->version;
  EXPECT_NE(after, before);
  EXPECT_EQ(served.ask_json("POST /predict", kJson, graph(1))["version"], after);

  const std::string bytes = read_text(path);
  write_text(path, bytes.substr(0, bytes.size() / 2));
  const auto damaged = served.models.reload(false);
  ASSERT_EQ(damaged.size(), 1U);
  EXPECT_FALSE(damaged[0].loaded);
  EXPECT_EQ(served.ask_json("POST /predict", kJson, graph(1))["version"], after);
  EXPECT_THAT(served.models.reload(false), testing::IsEmpty()) << "it is told once";
  std::filesystem::remove(path);
  EXPECT_THAT(served.models.reload(false), testing::IsEmpty()) << "it may come back";
  write_text(path, bytes);
  EXPECT_THAT(served.models.reload(false), testing::IsEmpty()) << "the same bytes again";
  EXPECT_EQ(served.ask_json("POST /predict", kJson, graph(1))["version"], after);
}

// Requests while models are replaced all the time: each is answered, by one model or the other.
TEST(Reload, DropsNoRequest) {
  Served served;
  const auto path = served.folder / "graphs.safetensors";
  Model model = Model::load(path);
  std::vector<float> weights(model.parameters().begin(), model.parameters().end());
  std::atomic<bool> ended = false;
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) {
      for (float& weight : weights) weight *= 0.99F;
      model.set_parameters(weights);
      model.save(path);
      static_cast<void>(served.models.reload(false));
    }
    ended = true;
  });
  std::vector<std::thread> clients;
  std::atomic<int> answers = 0;
  std::mutex mutex;
  std::set<std::string> versions;
  for (int c = 0; c < 4; ++c) {
    clients.emplace_back([&] {
      HttpClient client(served.server->port());
      while (!ended) {
        client.send(http_request("POST /predict", kJson, graph(3)));
        const std::string answer = client.answer();
        ASSERT_EQ(status_of(answer), 200) << answer;
        ++answers;
        const std::lock_guard lock(mutex);
        versions.insert(json::parse(body_of(answer))["version"].get<std::string>());
      }
    });
  }
  writer.join();
  for (std::thread& client : clients) client.join();
  EXPECT_GT(answers, 0);
  EXPECT_GT(versions.size(), 1U);
}

TEST(ServedModels, HaveNamesThatFitIntoAnAddress) {
  const TempFolder folder;
  const auto path = save_graph_model(folder);
  for (const char* name : {"a/b", "", "..", "a b", "a?b", "\xC3\xA4"}) {
    EXPECT_THROW(static_cast<void>(load_served_model(name, path)), Error) << name;
  }
  ServedModels models;
  models.add("a", path);
  EXPECT_THROW(models.add("a", path), Error);
  EXPECT_EQ(models.find("b"), nullptr);
  EXPECT_EQ(models.find("")->name, "a");
}

}  // namespace
}  // namespace agentnet
