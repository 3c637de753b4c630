// Loads a model file and asks it about graphs that this program makes itself.
//
//   label_a_graph [MODEL_FILE]     of train_on_own_graphs
//
// A model file is all that is needed: it holds the weights, the sizes of the model and the names of its classes.
#include <agentnet/error.h>
#include <agentnet/graph.h>
#include <agentnet/model.h>
#include <agentnet/predict.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

// A ring whose nodes have these colours, one letter each: r or b. As in PyG, an undirected graph holds both directions
// of an edge; here they are added for us.
agentnet::Graph ring(const std::string& colours) {
  agentnet::GraphParts parts;
  parts.num_nodes = colours.size();
  parts.undirected = true;
  for (std::uint32_t v = 0; v < colours.size(); ++v) {
    parts.from.push_back(v);
    parts.to.push_back(v + 1 < colours.size() ? v + 1 : 0);
    // The column that the model was trained on, 0 for red and 1 for blue; other columns are an Error (kMismatch).
    parts.node_categories.push_back(colours[v] == 'r' ? 0 : 1);
  }
  return agentnet::Graph(std::move(parts));
}

void run(const std::string& file) {
  const agentnet::Model model = agentnet::Model::load(file);
  const std::vector<std::string>& names = model.card().label_names;

  const std::vector<agentnet::Graph> graphs = {ring("rbrbrbrbrb"), ring("rbrbbrrbrb")};
  const std::vector<agentnet::GraphView> views = {graphs[0].view(), graphs[1].view()};

  // 16 rollouts, each with other starts and moves. The walk spread says how much single ones differ, which is no error
  // of the answer; the seed makes the answer the same every time.
  const agentnet::Predictions p = agentnet::predict(model, views, {.rollouts = 16, .seed = 1});
  for (std::size_t i = 0; i < views.size(); ++i) {
    const auto row = p.mean.begin() + static_cast<std::ptrdiff_t>(i * p.outputs);
    const auto likeliest = static_cast<std::size_t>(std::max_element(row, row + p.outputs) - row);
    std::printf("graph %d: %s\n", static_cast<int>(i), names.at(likeliest).c_str());
    for (std::size_t c = 0; c < names.size(); ++c) {
      const std::size_t at = i * static_cast<std::size_t>(p.outputs) + c;
      std::printf("  %-12s %.3f (walk spread %.3f)\n", names[c].c_str(), p.mean[at], p.walk_spread[at]);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "rings.safetensors");
  } catch (const agentnet::Error& error) {
    std::fprintf(stderr, "error: %s\nhint: %s\n", error.what(), error.hint().c_str());
    return agentnet::exit_code(error.kind());
  }
}
