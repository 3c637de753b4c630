#include "output/theory_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "view/page/json_text.h"

namespace agentnet {

namespace {

using theory::Scene;
using theory::SceneMove;
using theory::SceneRun;
using theory::SmallGraph;

constexpr std::size_t kOutputs = 2;
constexpr std::array<const char*, kOutputs> kOutputNames = {"nodes visited", "nodes seen"};
using Counts = std::array<double, kOutputs>;

// [T + 1, 2] how many nodes agents have stood on, and stood on or next to, after each visit.
std::vector<Counts> counts_over_time(const SmallGraph& graph, const SceneRun& run) {
  std::uint32_t visited = 0, seen = 0;
  std::vector<Counts> counts;
  for (std::size_t t = 0; t < run.ways[0].size(); ++t) {
    for (const std::vector<int>& way : run.ways) {
      visited |= 1u << way[t];
      seen |= (1u << way[t]) | graph.row(way[t]);
    }
    counts.push_back({static_cast<double>(std::popcount(visited)), static_cast<double>(std::popcount(seen))});
  }
  return counts;
}

// What the runs of a scene come to: means and standard deviations of the counts at their ends.
struct Summary {
  Counts mean{}, deviation{};
};
Summary summary_of(const Scene& scene) {
  Summary summary;
  const auto runs = static_cast<double>(scene.runs.size());
  for (std::size_t c = 0; c < kOutputs; ++c) {
    double sum = 0, squares = 0;
    for (const SceneRun& run : scene.runs) {
      const double last = counts_over_time(scene.graph, run).back()[c];
      sum += last;
      squares += last * last;
    }
    summary.mean[c] = sum / runs;
    summary.deviation[c] = std::sqrt(std::max(0.0, squares / runs - summary.mean[c] * summary.mean[c]));
  }
  return summary;
}

void write_counts(JsonText& json, const Counts& counts) {
  json.list(counts, [&](double count) { json.number(count); });
}

void write_run(JsonText& json, const SmallGraph& graph, const SceneRun& run) {
  json.open('{').key("outputs").list(counts_over_time(graph, run),
                                     [&](const Counts& counts) { write_counts(json, counts); });
  json.key("agents").open('[');
  for (std::size_t a = 0; a < run.ways.size(); ++a) {
    json.open('{').key("path").list(run.ways[a], [&](int node) { json.number(node); });
    json.key("moves").list(run.moves[a], [&](const SceneMove& move) {
      json.open('{').key("nodes").list(move.nodes, [&](int node) { json.number(node); });
      json.key("p").list(move.probability, [&](double p) { json.number(p); }).close('}');
    });
    json.close('}');
  }
  json.close(']').close('}');
}

// Per node: visits in a run, in the mean, and the share of the runs that saw it.
void write_visits(JsonText& json, const Scene& scene) {
  const auto n = static_cast<std::size_t>(scene.graph.nodes);
  std::vector<double> visits(n), touched(n);
  for (const SceneRun& run : scene.runs) {
    const double weight = 1 / static_cast<double>(scene.runs.size());
    std::uint32_t seen = 0;
    for (const std::vector<int>& way : run.ways) {
      for (const int node : way) {
        visits[static_cast<std::size_t>(node)] += weight;
        seen |= (1u << node) | scene.graph.row(node);
      }
    }
    for (std::size_t v = 0; v < n; ++v) touched[v] += ((seen >> v) & 1u) != 0 ? weight : 0;
  }
  json.key("visits").list(visits, [&](double count) { json.number(count); });
  json.key("touched").list(touched, [&](double share) { json.number(share); });
}

void write_nodes(JsonText& json, const Scene& scene) {
  const auto n = static_cast<std::size_t>(scene.graph.nodes);
  json.key("nodes").open('{').key("count").integer(n).key("ids").null();
  json.key("labels").open('[');
  for (std::size_t v = 0; v < n; ++v) json.string(std::to_string(scene.graph.labels[v]));
  json.close(']').key("positions").null().key("marks").open('[');
  for (std::size_t v = 0; v < n; ++v) json.integer((scene.marks >> v) & 1u);
  json.close(']').close('}');
}

void write_detail(JsonText& json, const Scene& scene, std::size_t row) {
  json.open('{').key("graph").integer(row);
  write_nodes(json, scene);
  json.key("edges").open('[');
  for (int u = 0; u < scene.graph.nodes; ++u) {
    for (int v = u + 1; v < scene.graph.nodes; ++v) {
      if (scene.graph.adjacent(u, v)) json.open('[').number(u).number(v).close(']');
    }
  }
  json.close(']').key("edge_labels").null().key("directed").boolean(false);
  write_visits(json, scene);
  json.key("influence").null().key("edge_visits").null();
  json.key("rollouts").list(scene.runs, [&](const SceneRun& run) { write_run(json, scene.graph, run); });
  json.close('}');
}

void write_row(JsonText& json, const Scene& scene, std::size_t row) {
  const Summary summary = summary_of(scene);
  json.open('{').key("id").string(scene.title).key("target").open('[').null().null().close(']');
  write_counts(json.key("mean"), summary.mean);
  write_counts(json.key("walk_spread"), summary.deviation);
  json.key("nodes").number(scene.graph.nodes).key("edges").number(scene.graph.edges());
  json.key("detail").integer(row).close('}');
}

void write_model(JsonText& json, const theory::Claim& claim, const std::vector<Scene>& scenes) {
  std::size_t agents = 0, visits = 1;
  for (const Scene& scene : scenes) {
    for (const SceneRun& run : scene.runs) {
      agents = std::max(agents, run.ways.size());
      visits = std::max(visits, run.ways[0].size());
    }
  }
  json.key("model").open('{').key("programmed").boolean(true);
  json.key("description").string(fmt::format("programmed agents, {}", claim.where));
  json.key("agents").integer(agents).key("steps").integer(visits - 1);
  json.key("parameters").integer(0).key("file").string("").close('}');
}

}  // namespace

std::string theory_page_json(const theory::Claim& claim, const std::vector<Scene>& scenes) {
  JsonText json;
  json.open('{').key("version").integer(1);
  json.key("title").string(fmt::format("{}: {}", claim.name, claim.says)).key("created").string("");
  write_model(json, claim, scenes);
  json.key("task").string("regression").key("outputs").list(kOutputNames, [&](const char* name) { json.string(name); });
  json.key("training").null().key("evaluation").null().key("graphs").open('[');
  for (std::size_t i = 0; i < scenes.size(); ++i) write_row(json, scenes[i], i);
  json.close(']').key("details").open('[');
  for (std::size_t i = 0; i < scenes.size(); ++i) write_detail(json, scenes[i], i);
  return json.close(']').close('}').take();
}

}  // namespace agentnet
