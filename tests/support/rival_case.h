// A rival case: what the published code of a network that AgentNet is compared with computed.
//
// The reference data holds files recorded from GIN, DropGIN, MPNN, PPGN, ESAN, SMP, k-GNN, CRaWl, PNA, DGN, GSN, HIMP
// and CIN (README.md in their folder, golden/rivals): parameters, graphs, every random draw, and all that came out.
// load_rival_case reads one; whoever replays it fills a RivalAnswer and asks rival_mismatches:
//
//   const auto files = rival_files();
//   if (!files) GTEST_SKIP() << kNoSharedDir;
//   const RivalCase rival = load_rival_case(files->front());
//   const int layers = rival.option<int>("num_layers");
//   RivalAnswer answer = ...;
//   EXPECT_THAT(rival_mismatches(rival, answer), testing::IsEmpty());
//
// Parameters, buffers and gradients keep the names of the published state dict. Floats of either precision are given
// as double, which holds both exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agentnet/graph.h"

namespace agentnet {

// An array of a file, row by row.
template <class T>
struct RivalArray {
  std::vector<std::uint64_t> shape;
  std::vector<T> values;

  // The length along `axis`; 1 past the last, so that a vector is a matrix of one column.
  [[nodiscard]] std::size_t extent(std::size_t axis) const {
    return axis < shape.size() ? static_cast<std::size_t>(shape[axis]) : 1;
  }
  [[nodiscard]] bool operator==(const RivalArray&) const = default;
};
using RivalNumbers = RivalArray<double>;
using RivalIntegers = RivalArray<std::int64_t>;
using RivalTensors = std::map<std::string, RivalNumbers>;  // by name, without the group ("param." and so on)

enum class RivalLoss {
  kCrossEntropy,        // of raw scores, mean over graphs ("ce", "nll_logits")
  kCrossEntropySum,     // the same, summed ("nll_sum_logits")
  kLogLikelihood,       // minus the output of the right class, which is a log-probability; mean over graphs ("nll")
  kBinaryCrossEntropy,  // of logits, mean over the entries that are not NaN ("bce")
  kSquaredError,        // mean ("mse")
  kAbsoluteError,       // mean ("l1")
  kAbsoluteErrorSum,    // sum over graphs and targets ("l1_sum")
};

// One listing of the sets of k nodes of a graph (k-GNN; README-expressive.md, section 4). S sets.
struct RivalSets {
  RivalIntegers nodes;       // [S, k] row = number of the set
  RivalIntegers assignment;  // [2, k S] columns (node, set)
  RivalIntegers relation;    // [2, R] which sets are neighbours
  RivalIntegers types;       // [S]
};

// What an enumeration file holds of one graph. Such a file has no network, parameters or outputs.
struct RivalEnumeration {
  Graph graph;
  std::vector<std::int64_t> labels;       // [n]
  std::map<std::string, RivalSets> sets;  // by kind: "two_local", "connected_three_malkin", ...
  RivalIntegers pairs_in_triples;         // [2, 3 S] columns (pair, triple)
};

struct RivalCase {
  std::string name;
  std::string model;  // "gin", "ESAN", ... as in the file
  bool double_precision = false;
  nlohmann::json options;                      // the settings of the published code
  std::vector<RivalEnumeration> enumerations;  // empty but in enumeration files; those have nothing that follows

  // The batch: B graphs, N nodes, E edges.
  std::vector<Graph> graphs;
  // [B] edge_rows[g][r]: which column of "graph.edge_index" row r of the edges of graphs[g] is.
  std::vector<std::vector<std::size_t>> edge_rows;
  bool directed = false;  // some edges exist in one direction only
  RivalNumbers targets;   // "graph.y": classes, or numbers with NaN for blanks
  RivalLoss loss = RivalLoss::kCrossEntropy;

  RivalTensors parameters;
  std::set<std::string> unreached;  // parameters that the loss does not depend on: they have no gradient
  RivalTensors buffers_before;      // running statistics before the one forward pass in training mode
  std::vector<double> dropout;      // p of each mask "rng.dropout.K", where the file has a list of them

  // What came out.
  RivalNumbers output;  // in training mode
  std::optional<RivalNumbers> auxiliary_output;
  double loss_value = 0;                 // 0.75 main + 0.25 auxiliary where there is an auxiliary output
  RivalTensors gradients;                // of the loss by the parameters
  std::set<std::string> zero_gradients;  // those that are mathematically zero: what is recorded is rounding noise
  double largest_gradient = 0;           // G: the largest entry of all of them
  RivalTensors input_gradients;          // "x", "edge_attr", "dense", "bag_x", in the order of the file
  RivalTensors buffers_after;            // the running statistics that the forward pass left
  // In evaluation mode, with those statistics and the same parameters. Absent for networks that have no such mode.
  std::optional<RivalNumbers> evaluation_output;
  std::optional<RivalNumbers> auxiliary_evaluation_output;
  RivalTensors traces;  // what came out of modules on the way

  // An option; throws Error (kData) if the file has none of this name or of another type.
  template <class T>
  [[nodiscard]] T option(const std::string& key) const;

  // Everything else by its full name: random draws ("rng.drop"), subgraphs ("bag.edge_index"), walks ("walk.nodes"),
  // sets ("sets2.assignment"), cells ("cell1.boundary_index"), trees ("tree.edge_index"), constants
  // ("const.avg_log"), and the graphs as they are in the file ("graph.edge_index"). A missing one throws Error (kData).
  [[nodiscard]] bool has(const std::string& tensor) const {
    return integers_.contains(tensor) || numbers_.contains(tensor);
  }
  [[nodiscard]] const RivalIntegers& integers(const std::string& tensor) const;
  // The names of all of these.
  [[nodiscard]] std::vector<std::string> names() const;
  // Integers too, as numbers: masks are recorded as either.
  [[nodiscard]] RivalNumbers numbers(const std::string& tensor) const;

  // Valid while this case lives and is not moved.
  [[nodiscard]] std::vector<GraphView> views() const;

 private:
  friend class RivalLoader;
  [[noreturn]] void fail(const std::string& what) const;
  std::map<std::string, RivalIntegers> integers_;
  RivalTensors numbers_;
};

// Throws Error (kData) for a file that is not a rival case or that contradicts itself.
[[nodiscard]] RivalCase load_rival_case(const std::filesystem::path& path);

// All cases in the folder that AGENTNET_RIVALS_DIR names, else in golden/rivals/public of the reference data; nothing
// without reference data. A named folder that is absent, or a folder without cases, throws Error (kUsage).
[[nodiscard]] std::optional<std::vector<std::filesystem::path>> rival_files();

// What a replay computed. Arrays are flat, in the order of the file.
struct RivalAnswer {
  std::vector<double> output, auxiliary_output;
  double loss = 0;
  std::map<std::string, std::vector<double>> gradients;        // by the published names
  std::map<std::string, std::vector<double>> input_gradients;  // as RivalCase's; those that are absent are not compared
  std::map<std::string, std::vector<double>> buffers_after;
  std::vector<double> evaluation_output, auxiliary_evaluation_output;
};

// One line for each array that is missing or not within the tolerances of the notes: 1e-10 of the largest entry in
// double precision; in single precision 1e-5, and 1e-4 for gradients. A gradient that the file does not have must be
// zero or absent.
[[nodiscard]] std::vector<std::string> rival_mismatches(const RivalCase& rival, const RivalAnswer& answer);

template <class T>
T RivalCase::option(const std::string& key) const {
  const auto found = options.find(key);
  if (found == options.end()) fail("it has no option " + key);
  try {
    return found->get<T>();
  } catch (const nlohmann::json::exception&) {
    fail("option " + key + " is " + found->dump());
  }
}

}  // namespace agentnet
