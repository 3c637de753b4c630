// agentnet estimate GRAPH: what is in a graph, from walks that see a small part of it.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>

#include "agentnet/error.h"
#include "command_list.h"
#include "core/counted.h"
#include "core/files/mapped_file.h"
#include "core/json.h"
#include "core/print.h"
#include "data/tables/symmetry.h"
#include "interrupt.h"
#include "options/data_options.h"
#include "options/piped_data.h"
#include "theory/estimate/estimate.h"
#include "theory/estimate/graph_walk.h"

namespace agentnet {
namespace {

struct EstimateArguments {
  DataArguments data;
  std::string what = "nodes,average-degree,wedges,triangles,clustering";
  theory::EstimateOptions options;
  std::optional<std::uint64_t> start, graph;
  bool json = false;
};

struct Walked {
  std::uint64_t nodes_touched = 0, pages_touched = 0;
  bool symmetrised = false;
  theory::Estimates estimates;
};

// Every edge both ways, in memory.
Graph both_ways(const GraphView& view) {
  GraphParts parts;
  parts.num_nodes = view.num_nodes;
  parts.undirected = true;
  parts.from.reserve(view.num_edges());
  parts.to.reserve(view.num_edges());
  for (std::uint64_t u = 0; u < view.num_nodes; ++u) {
    for (const std::uint32_t v : view.neighbours_of(u)) {
      parts.from.push_back(static_cast<std::uint32_t>(u));
      parts.to.push_back(v);
    }
  }
  return Graph(std::move(parts));
}

std::size_t graph_of(const EstimateArguments& arguments, const Dataset& data) {
  if (arguments.graph && *arguments.graph < data.graphs.size()) return *arguments.graph;
  if (arguments.graph || data.graphs.size() == 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("there is no graph {} among the {} of {}", arguments.graph.value_or(0), data.graphs.size(),
                            data.source),
                "graphs count from 0");
  }
  if (data.graphs.size() > 1) {
    throw Error(ErrorKind::kUsage, fmt::format("{} holds {} graphs", data.source, data.graphs.size()),
                "choose one: --graph 0");
  }
  return 0;
}

// Files that take long to read are walked as they are; an edge that does not go back then ends the walk with an error.
bool read_whole(const GraphView& view) {
  constexpr std::size_t kSmallFile = std::size_t{64} << 20;
  return view.file == nullptr || view.file->size() <= kSmallFile;
}

Walked walk(const EstimateArguments& arguments, const GraphView& given) {
  Walked walked;
  GraphView view = given;
  Graph symmetric;
  if (read_whole(view) && view.wide_neighbours == nullptr && !is_symmetric(view)) {
    symmetric = both_ways(view);
    view = symmetric.view();
    walked.symmetrised = true;
  }
  theory::GraphWalk walker = arguments.start ? theory::GraphWalk(view, *arguments.start) : theory::GraphWalk(view);
  const InterruptGuard guard;
  theory::EstimateOptions options = arguments.options;
  options.stop = [] { return InterruptGuard::interrupted(); };
  walked.estimates = arguments.start ? estimate(walker, options) : estimate_whole(walker, options);
  if (InterruptGuard::interrupted()) throw Error(ErrorKind::kInterrupted, "interrupted; nothing was estimated");
  if (given.file != nullptr) given.file->check();
  walked.nodes_touched = walker.nodes_touched();
  walked.pages_touched = walker.pages_touched();
  return walked;
}

std::string number_text(double value) {
  if (std::isinf(value)) return "unknown";
  return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string ways_text(const theory::Estimates& found) {
  if (found.tours > 0)
    return fmt::format("; {} from {}", counted(found.tours, "tour"), counted(found.anchors, "anchor"));
  if (found.walks == 0) return "";
  return fmt::format(
      "; {} from random places, {}; parts that no walk came into hold at most {:.2g} % of the ends of "
      "edges, which the intervals allow for",
      counted(found.walks, "walk"), counted(found.anchors, "anchor"), 100 * found.unseen);
}

void print_text(std::ostream& out, const Dataset& data, const GraphView& view, const EstimateArguments& arguments,
                const Walked& walked) {
  const theory::Estimates& found = walked.estimates;
  const std::string scope = arguments.start ? fmt::format("the connected component of node {}", *arguments.start)
                                            : "the whole graph, without nodes that have no neighbours";
  print_to(out, "{}: {}, {}{}; estimated is {}\n", data.source, counted(view.num_nodes, "node"),
           counted(view.num_edges(), "entry", "entries"),
           walked.symmetrised ? " (directed: taken as if every edge went both ways)" : "", scope);
  for (const theory::Estimate& estimate : found.of) {
    if (found.exact) {
      print_to(out, "  {:<15} {} (counted, all of it was seen)\n", estimate.measure.name(),
               number_text(estimate.value));
      continue;
    }
    print_to(out, "  {:<15} {:<12} {:g} % interval {} to {}{}\n", estimate.measure.name(), number_text(estimate.value),
             100 * arguments.options.confidence, number_text(estimate.low), number_text(estimate.high),
             estimate.met ? "" : fmt::format(", wider than the {:g} % asked for", 100 * arguments.options.error));
  }
  print_to(out, "walked {}: looked at {} ({:.3g} % of the graph) in {} of 4 KiB{}\n", counted(found.steps, "step"),
           counted(walked.nodes_touched, "node"),
           100 * static_cast<double>(walked.nodes_touched) / static_cast<double>(view.num_nodes),
           counted(walked.pages_touched, "page"), ways_text(found));
}

void print_json(std::ostream& out, const Dataset& data, const GraphView& view, const EstimateArguments& arguments,
                const Walked& walked) {
  const theory::Estimates& found = walked.estimates;
  Json json = {{"source", data.source},
               {"nodes", view.num_nodes},
               {"entries", view.num_edges()},
               {"symmetrised", walked.symmetrised},
               {"exact", found.exact}};
  json["of"] = arguments.start ? "component" : "graph";
  json["start"] = arguments.start ? Json(*arguments.start) : Json();
  json["estimates"] = Json::array();
  for (const theory::Estimate& estimate : found.of) {
    json["estimates"].push_back({{"what", estimate.measure.name()},
                                 {"value", estimate.value},
                                 {"low", estimate.low},
                                 {"high", std::isinf(estimate.high) ? Json() : Json(estimate.high)},
                                 {"met", estimate.met}});
  }
  json["steps"] = found.steps;
  json["walks"] = found.walks;
  json["tours"] = found.tours;
  json["anchors"] = found.anchors;
  json["unseen_share"] = arguments.start ? Json() : Json(found.unseen);
  json["nodes_touched"] = walked.nodes_touched;
  json["pages_touched"] = walked.pages_touched;
  print_to(out, "{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void run_estimate(EstimateArguments& arguments, const Console& console) {
  arguments.options.what = theory::parse_measures(arguments.what);
  DataOptions reading = arguments.data.parsed();
  reading.ask_for_targets = false;  // targets are of no interest here
  const Dataset data = read_data(reopenable(arguments.data.source, console), reading);
  const GraphView view = data.graphs.view(graph_of(arguments, data));
  const Walked walked = walk(arguments, view);
  if (arguments.json) {
    print_json(console.out, data, view, arguments, walked);
  } else {
    print_text(console.text(), data, view, arguments, walked);
  }
  if (arguments.start && !walked.estimates.exact) {
    print_to(console.err,
             "note: one walk knows nothing of parts that it did not come to: where a graph is nearly in pieces these "
             "intervals are too narrow; without --start many walks begin all over the graph\n");
  }
  for (const theory::Estimate& estimate : walked.estimates.of) {
    if (estimate.met) continue;
    print_to(
        console.err, "note: {} is known to within {} after {} steps; --max-steps allows more\n",
        estimate.measure.name(),
        std::isinf(estimate.relative_error()) ? "no bound" : fmt::format("{:.3g} %", 100 * estimate.relative_error()),
        walked.estimates.steps);
  }
}

}  // namespace

CommandRun define_estimate(CLI::App& app) {
  auto arguments = std::make_shared<EstimateArguments>();
  add_data_options(app, arguments->data, "GRAPH");
  app.add_option("--what", arguments->what,
                 "any of nodes, average-degree, wedges, triangles, clustering, cliques:4, cliques:5, cliques:6")
      ->capture_default_str();
  app.add_option("--error", arguments->options.error, "relative error to stop at")->capture_default_str();
  app.add_option("--confidence", arguments->options.confidence, "of each interval")->capture_default_str();
  app.add_option("--max-steps", arguments->options.max_steps, "moves to stop at, about")->capture_default_str();
  app.add_option("--seed", arguments->options.seed, "of the walk")->capture_default_str();
  app.add_option("--start", arguments->start,
                 "estimate the connected component of this node instead of the whole graph, by one walk from there");
  app.add_option("--graph", arguments->graph, "which graph of a set, counted from 0");
  app.add_flag("--json", arguments->json, "as JSON");
  return [arguments](const Console& console) { run_estimate(*arguments, console); };
}

}  // namespace agentnet
