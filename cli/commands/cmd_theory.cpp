// agentnet theory [CLAIM...]: runs the paper's claims and says which hold.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <thread>

#include "agentnet/error.h"
#include "command_list.h"
#include "core/json.h"
#include "core/print.h"
#include "core/text.h"
#include "core/thread_pool.h"
#include "interrupt.h"
#include "output/theory_picture.h"
#include "theory/claims/claims.h"

namespace agentnet {
namespace {

using theory::Claim;
using theory::Finding;

struct TheoryArguments {
  std::vector<std::string> names;
  bool json = false, thorough = false, force = false;
  std::string graphs, file;
  std::uint64_t seed = 0;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
};

std::vector<const Claim*> chosen_claims(const std::vector<std::string>& names) {
  std::vector<const Claim*> chosen;
  for (const std::string& name : names) chosen.push_back(&theory::claim_named(name));
  if (names.empty()) {
    for (const Claim& claim : theory::claims()) chosen.push_back(&claim);
  }
  return chosen;
}

theory::ClaimOptions claim_options(const TheoryArguments& arguments) {
  theory::ClaimOptions options{.thorough = arguments.thorough, .seed = arguments.seed};
  if (arguments.graphs.empty()) return options;
  std::ifstream file(arguments.graphs, std::ios::binary);
  if (!file) {
    throw Error(ErrorKind::kData, fmt::format("cannot read {}", arguments.graphs),
                "a list of graphs in graph6: nauty-geng -c 8 > graphs.g6");
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  options.graphs = theory::read_graph6(text, arguments.graphs);
  constexpr int kMostNodes = 10;  // judges try all subsets, canonical forms all orders
  for (const theory::SmallGraph& graph : options.graphs) {
    if (graph.nodes <= kMostNodes && graph.ball(0, graph.nodes) == (1U << graph.nodes) - 1) continue;
    throw Error(ErrorKind::kData,
                fmt::format("{}: {} is not a connected graph of at most {} nodes", arguments.graphs,
                            theory::to_graph6(graph), kMostNodes),
                "nauty-geng -c 8 > graphs.g6 lists connected graphs");
  }
  if (options.graphs.empty()) throw Error(ErrorKind::kData, fmt::format("{} holds no graph", arguments.graphs));
  return options;
}

void print_line(std::ostream& out, const Claim& claim, const Finding& finding) {
  print_to(out, "{:<15} {}: {}. Tried: {}. Seen: {}.", claim.name, holds_text(finding.holds), claim.says, finding.tried,
           finding.seen);
  if (!finding.correction.empty()) print_to(out, " The text: {}.", finding.correction);
  if (finding.holds == theory::Holds::kNo) {
    for (const auto& [name, value] : finding.numbers) {
      if (name == "counterexample") print_to(out, " Counterexample: {}.", value);
    }
  }
  print_to(out, "\n");
  out.flush();
}

Json json_of(const Claim& claim, const Finding& finding) {
  Json numbers = Json::object();
  for (const auto& [name, value] : finding.numbers) numbers[name] = value;
  return {{"claim", claim.name},
          {"where", claim.where},
          {"says", claim.says},
          {"verdict", holds_text(finding.holds)},
          {"tried", finding.tried},
          {"seen", finding.seen},
          {"correction", finding.correction},
          {"numbers", numbers}};
}

// Claims are run at the same time and told in their order, each as soon as those before it are done.
void run_claims(const TheoryArguments& arguments, const Console& console) {
  const std::vector<const Claim*> chosen = chosen_claims(arguments.names);
  const theory::ClaimOptions options = claim_options(arguments);
  std::vector<std::optional<Finding>> findings(chosen.size());
  std::size_t told = 0;
  std::mutex mutex;
  const InterruptGuard guard;
  ThreadPool pool(arguments.threads);
  pool.run(chosen.size(), [&](std::size_t task, int) {
    if (InterruptGuard::interrupted()) {
      throw Error(ErrorKind::kInterrupted, "interrupted; the claims above were complete");
    }
    Finding finding = chosen[task]->run(options);
    const std::lock_guard lock(mutex);
    findings[task] = std::move(finding);
    while (!arguments.json && told < chosen.size() && findings[told]) {
      print_line(console.text(), *chosen[told], *findings[told]);
      ++told;
    }
  });
  std::vector<std::string> failed;
  Json list = Json::array();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    list.push_back(json_of(*chosen[i], *findings[i]));
    if (findings[i]->holds == theory::Holds::kNo) failed.emplace_back(chosen[i]->name);
  }
  if (arguments.json) print_to(console.out, "{}\n", list.dump(2, ' ', false, Json::error_handler_t::replace));
  if (!failed.empty()) {
    throw Error(ErrorKind::kFailure, fmt::format("not as claimed: {}", join_text(failed, ", ")),
                "the lines above say what was seen");
  }
}

// show takes what it uses and nothing else.
void run_show(const TheoryArguments& arguments, const CLI::App& app, const Console& console) {
  if (arguments.names.size() != 2) {
    throw Error(ErrorKind::kUsage, "show takes one claim", "agentnet theory show cliques");
  }
  for (const char* option : {"--thorough", "--graphs", "--threads"}) {
    if (app.count(option) == 0) continue;
    throw Error(ErrorKind::kUsage, fmt::format("{} does not go with show", option),
                "show draws the claim's own construction: agentnet theory show cliques");
  }
  if (arguments.json && (!arguments.file.empty() || arguments.force)) {
    throw Error(ErrorKind::kUsage, "show --json prints to stdout and writes no file",
                "agentnet theory show cliques --json > cliques.json");
  }
  show_claim(theory::claim_named(arguments.names[1]),
             {.file = arguments.file, .force = arguments.force, .json = arguments.json, .seed = arguments.seed},
             console);
}

}  // namespace

CommandRun define_theory(CLI::App& app) {
  auto arguments = std::make_shared<TheoryArguments>();
  app.add_option(
      "CLAIM", arguments->names,
      "claims to run (all, if none is named), or 'show' and one claim: its construction and its agents' way");
  app.add_flag("--json", arguments->json, "as JSON, with further numbers; of show: the page's data, and no file");
  app.add_flag("--thorough", arguments->thorough, "more random choices and larger constructions");
  app.add_option("--graphs", arguments->graphs,
                 "graph6 file with the graphs to try, instead of all connected ones of up to 7 nodes");
  app.add_option("--seed", arguments->seed, "of what is sampled")->capture_default_str();
  app.add_option("--threads", arguments->threads, "workers")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("-o,--output", arguments->file,
                 "of show: the file to write, a page (.html) or a picture (.svg) (default: CLAIM.html)");
  app.add_flag("--force", arguments->force, "of show: replace the file if it exists");
  return [arguments, &app](const Console& console) {
    if (!arguments->names.empty() && arguments->names[0] == "show") {
      run_show(*arguments, app, console);
    } else {
      if (!arguments->file.empty() || arguments->force) {
        throw Error(ErrorKind::kUsage, "--output and --force belong to show",
                    "agentnet theory show cliques -o cliques.html");
      }
      run_claims(*arguments, console);
    }
  };
}

}  // namespace agentnet
