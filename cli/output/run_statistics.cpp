#include "output/run_statistics.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/print.h"

namespace agentnet {
namespace {

double share(std::uint64_t part, double all) { return all > 0 ? static_cast<double>(part) / all : 0; }

// The most memory that the program has held so far.
double peak_megabytes() {
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

void RunStatistics::end_phase(const std::string& name) {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  const auto known = std::find_if(phases_.begin(), phases_.end(), [&](const auto& p) { return p.first == name; });
  if (known == phases_.end()) {
    phases_.emplace_back(name, seconds);
  } else {
    known->second += seconds;
  }
}

void RunStatistics::add(std::span<const GraphView> graphs, const Predictions& predictions) {
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    rollouts_ += static_cast<std::uint64_t>(predictions.rollouts[g]);
    nodes_ += static_cast<double>(graphs[g].num_nodes) * predictions.rollouts[g];
    edges_ += static_cast<double>(graphs[g].num_edges()) * predictions.rollouts[g];
  }
  work_ += predictions.work;
}

void RunStatistics::print(const Console& console, bool json) const {
  if (json) {
    nlohmann::ordered_json seconds = nlohmann::ordered_json::object();
    for (const auto& [name, time] : phases_) seconds[name] = time;
    const nlohmann::ordered_json all = {{"rollouts", rollouts_},
                                        {"nodes_touched", work_.nodes_touched},
                                        {"share_of_nodes", share(work_.nodes_touched, nodes_)},
                                        {"edges_read", work_.edges_read},
                                        {"share_of_edges", share(work_.edges_read, edges_)},
                                        {"bytes_read", work_.bytes_read},
                                        {"pages_read", work_.pages_read},
                                        {"seconds", seconds},
                                        {"peak_memory_mb", peak_megabytes()}};
    print_to(console.err, "{}\n", all.dump());
    return;
  }
  print_to(console.err, "  {:<16} {}\n", "rollouts", rollouts_);
  print_to(console.err, "  {:<16} {} ({:.3g} % of the nodes in each rollout)\n", "nodes touched", work_.nodes_touched,
           100 * share(work_.nodes_touched, nodes_));
  print_to(console.err, "  {:<16} {} ({:.3g} %)\n", "edges read", work_.edges_read,
           100 * share(work_.edges_read, edges_));
  if (work_.bytes_read > 0) {
    print_to(console.err, "  {:<16} {} bytes on {} pages\n", "read of the file", work_.bytes_read, work_.pages_read);
  }
  std::string times;
  for (const auto& [name, time] : phases_) times += fmt::format("{}{} {:.3f} s", times.empty() ? "" : ", ", name, time);
  print_to(console.err, "  {:<16} {}\n", "time", times);
  print_to(console.err, "  {:<16} {:.0f} MB at most\n", "memory", peak_megabytes());
}

}  // namespace agentnet
