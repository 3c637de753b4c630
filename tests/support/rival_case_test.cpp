// The reader of rival cases: every recorded case loads, what it refuses, and that its comparison can fail.
#include "support/rival_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/files/safetensors.h"
#include "support/environment.h"
#include "support/shared_dir.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

std::map<std::string, std::vector<double>> flat(const RivalTensors& tensors) {
  std::map<std::string, std::vector<double>> values;
  for (const auto& [name, tensor] : tensors) values.emplace(name, tensor.values);
  return values;
}

// Whoever computes exactly what was recorded.
RivalAnswer perfect_answer(const RivalCase& rival) {
  RivalAnswer answer;
  answer.output = rival.output.values;
  answer.loss = rival.loss_value;
  answer.gradients = flat(rival.gradients);
  answer.input_gradients = flat(rival.input_gradients);
  answer.buffers_after = flat(rival.buffers_after);
  if (rival.auxiliary_output) answer.auxiliary_output = rival.auxiliary_output->values;
  if (rival.evaluation_output) answer.evaluation_output = rival.evaluation_output->values;
  if (rival.auxiliary_evaluation_output) {
    answer.auxiliary_evaluation_output = rival.auxiliary_evaluation_output->values;
  }
  return answer;
}

// Row r of a graph's edge features is column edge_rows[g][r] of the file's.
void expect_edge_rows(const RivalCase& rival) {
  if (!rival.has("graph.edge_attr")) return;
  const RivalNumbers recorded = rival.numbers("graph.edge_attr");
  const std::size_t width = recorded.extent(1);
  for (std::size_t g = 0; g < rival.graphs.size(); ++g) {
    const GraphView view = rival.graphs[g].view();
    for (std::size_t r = 0; r < rival.edge_rows[g].size(); ++r) {
      std::vector<double> row(width);
      if (view.edge_dense.width > 0) {
        view.edge_dense.copy(r, row.data());
      } else {
        for (std::size_t c = 0; c < width; ++c) row[c] = view.edge_categories.value(r, c);
      }
      const auto first = recorded.values.begin() + static_cast<std::ptrdiff_t>(rival.edge_rows[g][r] * width);
      EXPECT_EQ(row, std::vector<double>(first, first + static_cast<std::ptrdiff_t>(width)));
    }
  }
}

void expect_whole(const RivalCase& rival) {
  if (!rival.enumerations.empty()) {
    EXPECT_THAT(rival.parameters, IsEmpty());
    return;
  }
  std::size_t nodes = 0, edges = 0;
  for (std::size_t g = 0; g < rival.graphs.size(); ++g) {
    nodes += static_cast<std::size_t>(rival.graphs[g].view().num_nodes);
    edges += rival.edge_rows[g].size();
  }
  EXPECT_EQ(nodes, rival.integers("graph.batch").values.size());
  EXPECT_EQ(edges, rival.integers("graph.edge_index").extent(1));
  expect_edge_rows(rival);
  EXPECT_FALSE(rival.parameters.empty());
  EXPECT_FALSE(rival.gradients.empty());
  EXPECT_GT(rival.largest_gradient, 0);
  EXPECT_THAT(rival_mismatches(rival, perfect_answer(rival)), IsEmpty());
}

TEST(RivalCase, EveryRecordedCaseLoads) {
  const auto files = rival_files();
  if (!files) GTEST_SKIP() << kNoSharedDir;
  for (const auto& file : *files) {
    SCOPED_TRACE(file.string());
    try {
      const RivalCase rival = load_rival_case(file);
      EXPECT_EQ(rival.name, file.stem().string());
      expect_whole(rival);
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

// A file that a test makes up: two graphs, 0 -> 1 -> 2 and 3 <-> 4, a bias before a batch norm, a weight, one more.
class MadeUp {
 public:
  MadeUp() {
    add<std::int64_t>("graph.batch", {5}, {0, 0, 0, 1, 1});
    add<std::int64_t>("graph.edge_index", {2, 4}, {1, 0, 3, 4, 2, 1, 4, 3});
    add<double>("graph.x", {5, 1}, {0.5, 1.5, 2.5, 3.5, 4.5});
    add<double>("graph.edge_attr", {4, 1}, {12, 1, 34, 43});
    add<std::int64_t>("graph.y", {2}, {1, 0});
    add<double>("param.lin.weight", {1, 2}, {0.1, 0.2});
    add<double>("param.lin.bias", {1}, {0.3});
    add<double>("param.unused", {1}, {7});
    add<double>("grad.lin.weight", {1, 2}, {2, -4});
    add<double>("grad.lin.bias", {1}, {1e-17});
    add<double>("grad_input.x", {5, 1}, {1, 2, 3, 4, 5});
    add<double>("buf.bn.running_mean", {1}, {0.25});
    add<double>("buf.bn.running_var", {1}, {1.25});
    add<double>("out.final", {2, 2}, {-0.1, -2.3, -1.6, -0.2});
    add<double>("out.loss", {1}, {1.25});
    add<double>("out.eval", {2, 2}, {-0.7, -0.6, -0.5, -0.9});
    add<std::int64_t>("rng.dropout.0", {2, 2}, {1, 0, 0, 1});
  }

  template <class T>
  void add(const std::string& name, std::vector<std::uint64_t> shape, const std::vector<T>& values) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(values));
    arrays_[name] = {kDtypeOf<T>, std::move(shape), {bytes.begin(), bytes.end()}};
  }
  void remove(const std::string& name) { arrays_.erase(name); }

  [[nodiscard]] RivalCase load() const {
    const TempFolder folder;
    std::vector<TensorData> tensors;
    for (const auto& [name, array] : arrays_) tensors.push_back({name, array.dtype, array.shape, array.bytes});
    write_safetensors(folder / "made-up.safetensors", tensors, metadata);
    return load_rival_case(folder / "made-up.safetensors");
  }
  [[nodiscard]] std::string complaint() const {
    try {
      (void)load();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  std::map<std::string, std::string> metadata = {{"name", "made-up"},
                                                 {"model", "gin_synth"},
                                                 {"dtype", "f64"},
                                                 {"mode", "train"},
                                                 {"loss", "nll"},
                                                 {"config", R"({"num_layers": 3, "variant": "x"})"},
                                                 {"num_graphs", "2"},
                                                 {"num_nodes", "5"},
                                                 {"directed", "true"},
                                                 {"params_without_grad", R"(["unused"])"},
                                                 {"params_zero_grad", R"(["lin.bias"])"},
                                                 {"grad_absmax", "4"}};

 private:
  struct Array {
    Dtype dtype = Dtype::kF64;
    std::vector<std::uint64_t> shape;
    std::vector<std::byte> bytes;
  };
  std::map<std::string, Array> arrays_;
};

TEST(RivalCase, HasTheGraphsOfTheBatchWithReceiversAsOrigins) {
  MadeUp file;
  const RivalCase rival = file.load();
  ASSERT_EQ(rival.graphs.size(), 2u);
  EXPECT_TRUE(rival.directed);
  const GraphView first = rival.graphs[0].view();
  // Row 1 receives: 2 hears of 1, and 1 of 0.
  EXPECT_EQ(first.degree(0), 0u);
  EXPECT_THAT(first.neighbours_of(1), ElementsAre(0));
  EXPECT_THAT(first.neighbours_of(2), ElementsAre(1));
  EXPECT_THAT(rival.edge_rows, ElementsAre(ElementsAre(1, 0), ElementsAre(3, 2)));
  expect_edge_rows(rival);
  double x = 0;
  rival.graphs[1].view().node_dense.copy(1, &x);
  EXPECT_EQ(x, 4.5);

  file.metadata["model"] = "gin";  // row 0 receives
  const RivalCase other = file.load();
  EXPECT_THAT(other.graphs[0].view().neighbours_of(1), ElementsAre(2));
  EXPECT_THAT(other.graphs[0].view().neighbours_of(0), ElementsAre(1));
}

TEST(RivalCase, HasOptionsParametersBuffersAndDraws) {
  MadeUp file;
  const RivalCase rival = file.load();
  EXPECT_EQ(rival.option<int>("num_layers"), 3);
  EXPECT_EQ(rival.option<std::string>("variant"), "x");
  EXPECT_THROW((void)rival.option<int>("variant"), Error);
  EXPECT_THROW((void)rival.option<int>("depth"), Error);
  EXPECT_EQ(rival.loss, RivalLoss::kLogLikelihood);
  EXPECT_THAT(rival.targets.values, ElementsAre(1, 0));
  EXPECT_THAT(rival.parameters.at("lin.weight").values, ElementsAre(0.1, 0.2));
  EXPECT_THAT(rival.parameters.at("lin.weight").shape, ElementsAre(1, 2));
  EXPECT_THAT(rival.unreached, ElementsAre("unused"));
  EXPECT_THAT(flat(rival.buffers_before),
              ElementsAre(Pair("bn.running_mean", ElementsAre(0)), Pair("bn.running_var", ElementsAre(1))));
  EXPECT_THAT(rival.numbers("rng.dropout.0").values, ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(rival.integers("rng.dropout.0").shape, ElementsAre(2, 2));
  EXPECT_THROW((void)rival.integers("graph.x"), Error);
  EXPECT_THROW((void)rival.numbers("rng.drop"), Error);
  EXPECT_FALSE(rival.auxiliary_output.has_value());

  file.add<double>("buf0.bn.running_mean", {1}, {0.5});
  file.add<double>("buf0.bn.running_var", {1}, {2});
  EXPECT_THAT(file.load().buffers_before.at("bn.running_var").values, ElementsAre(2));
}

TEST(RivalCase, EveryKindOfWrongAnswerIsAMismatch) {
  MadeUp file;
  file.add<double>("out.aux", {1, 2}, {1, 2});
  file.add<double>("out.eval_aux", {1, 2}, {3, 4});
  const RivalCase rival = file.load();
  EXPECT_THAT(rival_mismatches(rival, perfect_answer(rival)), IsEmpty());
  const auto wrong = [&](const std::function<void(RivalAnswer&)>& spoil) {
    RivalAnswer answer = perfect_answer(rival);
    spoil(answer);
    return rival_mismatches(rival, answer);
  };
  using A = RivalAnswer&;
  EXPECT_THAT(wrong([](A a) { a.output[3] += 1e-8; }), ElementsAre(StartsWith("output: 1 of 4 ")));
  EXPECT_THAT(wrong([](A a) { a.output.clear(); }), ElementsAre(StartsWith("output: 0 values ")));
  EXPECT_THAT(wrong([](A a) { a.auxiliary_output[0] += 1e-8; }), ElementsAre(StartsWith("auxiliary output: ")));
  EXPECT_THAT(wrong([](A a) { a.loss += 1e-8; }), ElementsAre(StartsWith("loss: ")));
  EXPECT_THAT(wrong([](A a) { a.gradients["lin.weight"][1] += 1e-8; }),
              ElementsAre(StartsWith("gradient of lin.weight: ")));
  EXPECT_THAT(wrong([](A a) { a.gradients.erase("lin.weight"); }), ElementsAre("gradient of lin.weight is missing"));
  EXPECT_THAT(wrong([](A a) { a.gradients["lin.bias"][0] = 1e-12; }), IsEmpty()) << "rounding noise";
  EXPECT_THAT(wrong([](A a) { a.gradients["lin.bias"][0] = 1e-8; }),
              ElementsAre(StartsWith("gradient of lin.bias (zero but for rounding): ")));
  EXPECT_THAT(wrong([](A a) { a.gradients["unused"] = {0.0}; }), IsEmpty());
  EXPECT_THAT(wrong([](A a) { a.gradients["unused"] = {1e-8}; }), ElementsAre(StartsWith("gradient of unused ")));
  EXPECT_THAT(wrong([](A a) { a.input_gradients["x"][4] += 1e-8; }),
              ElementsAre(StartsWith("gradient of the input x: ")));
  EXPECT_THAT(wrong([](A a) { a.input_gradients["y"] = {1}; }),
              ElementsAre("gradient of the input y was not recorded"));
  EXPECT_THAT(wrong([](A a) { a.buffers_after["bn.running_var"][0] += 1e-8; }),
              ElementsAre(StartsWith("running statistic bn.running_var: ")));
  EXPECT_THAT(wrong([](A a) { a.buffers_after.clear(); }), ElementsAre("running statistic bn.running_mean is missing",
                                                                       "running statistic bn.running_var is missing"));
  EXPECT_THAT(wrong([](A a) { a.evaluation_output[0] = std::numeric_limits<double>::quiet_NaN(); }),
              ElementsAre(StartsWith("output in evaluation mode: ")));
  EXPECT_THAT(wrong([](A a) { a.auxiliary_evaluation_output.clear(); }),
              ElementsAre(StartsWith("auxiliary output in evaluation mode: ")));
}

TEST(RivalCase, AFileThatContradictsItselfIsRefused) {
  const auto complaint = [](const std::function<void(MadeUp&)>& change) {
    MadeUp file;
    change(file);
    return file.complaint();
  };
  using F = MadeUp&;
  EXPECT_EQ(complaint([](F) {}), "none");
  EXPECT_THAT(complaint([](F f) { f.metadata["loss"] = "hinge"; }), HasSubstr("its loss is hinge"));
  EXPECT_THAT(complaint([](F f) { f.metadata["dtype"] = "f16"; }), HasSubstr("its dtype is f16"));
  EXPECT_THAT(complaint([](F f) { f.metadata.erase("model"); }), HasSubstr("its metadata has no model"));
  EXPECT_THAT(complaint([](F f) { f.metadata["config"] = "{"; }), HasSubstr("its config is not JSON"));
  EXPECT_THAT(complaint([](F f) { f.metadata["num_nodes"] = "6"; }), HasSubstr("number of nodes"));
  EXPECT_THAT(complaint([](F f) { f.metadata["params_without_grad"] = "[]"; }), HasSubstr("its parameter unused"));
  EXPECT_THAT(complaint([](F f) { f.metadata["params_zero_grad"] = R"(["b"])"; }), HasSubstr("no gradient of b"));
  EXPECT_THAT(complaint([](F f) { f.add<double>("grad.lin.bias", {2}, {0, 0}); }), HasSubstr("another shape"));
  EXPECT_THAT(complaint([](F f) { f.add<double>("grad.lost", {1}, {0}); }), HasSubstr("no such parameter"));
  EXPECT_THAT(complaint([](F f) { f.add<double>("buf0.bn.running_mean", {1}, {0}); }), HasSubstr("its buffers"));
  EXPECT_THAT(complaint([](F f) { f.remove("out.final"); }), HasSubstr("out.final"));
  EXPECT_THAT(complaint([](F f) {
                f.add<std::int64_t>("graph.edge_index", {2, 4}, {1, 0, 3, 4, 2, 1, 4, 5});
              }),
              HasSubstr("an edge leads nowhere"));
  EXPECT_THAT(complaint([](F f) {
                f.add<std::int64_t>("graph.edge_index", {2, 4}, {1, 0, 3, 4, 2, 1, 4, 2});
              }),
              HasSubstr("from one graph to another"));
}

TEST(RivalCase, EnumerationFilesListSetsOfEachGraph) {
  MadeUp file;
  file.metadata["dtype"] = "i64";
  file.add<std::int64_t>("graph0.edge_index", {2, 2}, {0, 1, 1, 0});
  file.add<std::int64_t>("graph0.labels", {3}, {2, 0, 1});
  file.add<std::int64_t>("enum0.two_local.set_nodes", {1, 2}, {0, 1});
  file.add<std::int64_t>("enum0.two_local.assignment", {2, 2}, {0, 1, 0, 0});
  file.add<std::int64_t>("enum0.two_local.edge_index", {2, 0}, {});
  file.add<std::int64_t>("enum0.two_local.iso_raw", {1}, {5});
  file.add<std::int64_t>("enum0.assignment_2to3", {2, 0}, {});
  const RivalCase rival = file.load();
  ASSERT_EQ(rival.enumerations.size(), 1u);
  const RivalEnumeration& found = rival.enumerations.front();
  EXPECT_EQ(found.graph.view().num_nodes, 3u);
  EXPECT_THAT(found.labels, ElementsAre(2, 0, 1));
  ASSERT_TRUE(found.sets.contains("two_local"));
  EXPECT_THAT(found.sets.at("two_local").nodes.values, ElementsAre(0, 1));
  EXPECT_THAT(found.sets.at("two_local").types.values, ElementsAre(5));
}

TEST(RivalCase, TheFolderIsTheNamedOneOrThatOfTheReferenceData) {
  const TempFolder folder;
  const Environment named("AGENTNET_RIVALS_DIR", folder.path().string());
  EXPECT_THROW((void)rival_files(), Error) << "a folder without cases is a mistake";
  write_text(folder / "a.safetensors", "");
  EXPECT_THAT(*rival_files(), ElementsAre(folder / "a.safetensors"));
  const Environment unnamed("AGENTNET_RIVALS_DIR", ""), no_data("AGENTNET_SHARED_DIR", (folder / "absent").string());
  EXPECT_FALSE(rival_files().has_value());
}

}  // namespace
}  // namespace agentnet
