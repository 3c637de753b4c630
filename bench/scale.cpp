// What a prediction costs on one graph of any size, from a file that is never loaded.
//
//   bench_scale [--nodes 10000,1000000,100000000] [--power-law 1e9] [--folder DIR] [--json]
//
// For each size a random 6-regular graph, k = 16, T = 16, h = 128; with --power-law one of so many neighbour entries
// and hubs among them, k = 256, T = 16, at most 32 neighbours. Files are made in DIR, kept there and used again (a
// regular graph takes 32 bytes a node, the other 5 bytes an entry); without --folder they go when the program ends.
//
// Warm: the file is in the system's cache, but every rollout goes to other pages. Cold: the first rollout after the
// system was asked to forget the file. Memory: the most that was resident, beyond what was when the model was made.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/model.h"
#include "data/huge/huge_sets.h"
#include "graph/set_file.h"
#include "stopwatch.h"

namespace agentnet {
namespace {

struct Row {
  std::string graph;
  std::uint64_t nodes = 0, entries = 0;
  double cold_ms = 0;  // 0: not measured
  Summary warm;        // seconds
  double nodes_touched = 0, pages = 0, memory_mb = 0, file_mb = 0;
};

// A line "NAME:  12 kB" of /proc/self/status, in MB.
double status_mb(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stod(line.substr(name.size() + 1)) / 1024;
  }
  return 0;
}

// From here on VmHWM counts anew.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

void forget_cached(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ::fdatasync(fd);
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
}

Row measure(const std::string& spec, const std::filesystem::path& path, const AgentNetConfig& config, bool cold) {
  if (!std::filesystem::exists(path)) static_cast<void>(write_huge_set(spec, path, {}));
  const Model model(config, 1);
  if (cold) forget_cached(path);
  const double before = status_mb("VmRSS");
  forget_peak();
  const Stopwatch opening;
  const SetFile file = open_set_file(path);
  const std::vector<GraphView> graphs = file.graphs.views();
  RunOptions options;
  std::vector<double> times;
  double touched = 0, pages = 0;
  const auto run = [&] {
    const Stopwatch watch;
    RunWork work;
    static_cast<void>(model.run(graphs, options, nullptr, &work));
    ++options.rollout;
    times.push_back(watch.seconds());
    touched += static_cast<double>(work.nodes_touched);
    pages += static_cast<double>(work.pages_read);
  };
  Row row;
  run();
  if (cold) row.cold_ms = 1000 * opening.seconds();
  for (int i = 0; i < 3; ++i) run();  // warm up
  times.clear();
  touched = pages = 0;
  for (int i = 0; i < 25; ++i) run();
  row.warm = summarise(times);
  row.nodes = graphs[0].num_nodes;
  row.entries = graphs[0].num_edges();
  row.nodes_touched = touched / static_cast<double>(times.size());
  row.pages = pages / static_cast<double>(times.size());
  row.memory_mb = status_mb("VmHWM") - before;
  row.file_mb = static_cast<double>(std::filesystem::file_size(path)) / (1 << 20);
  return row;
}

void print(const std::vector<Row>& rows, bool json) {
  if (json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Row& r : rows) {
      all.push_back({{"graph", r.graph},
                     {"n", r.nodes},
                     {"entries", r.entries},
                     {"ms_median", 1000 * r.warm.median},
                     {"ms_deviation", 1000 * r.warm.deviation},
                     {"ms_cold", r.cold_ms > 0 ? nlohmann::ordered_json(r.cold_ms) : nlohmann::ordered_json()},
                     {"nodes_touched", r.nodes_touched},
                     {"pages_read", r.pages},
                     {"memory_mb", r.memory_mb},
                     {"file_mb", r.file_mb}});
    }
    fmt::print("{}\n", all.dump(2));
    return;
  }
  fmt::print(
      "| graph | nodes | neighbour entries | file | warm ms (median +- deviation) | cold ms | nodes touched | pages | "
      "memory |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Row& r : rows) {
    fmt::print("| {} | {} | {} | {:.0f} MB | {:.1f} +- {:.1f} | {} | {:.0f} | {:.0f} | {:.0f} MB |\n", r.graph, r.nodes,
               r.entries, r.file_mb, 1000 * r.warm.median, 1000 * r.warm.deviation,
               r.cold_ms > 0 ? fmt::format("{:.0f}", r.cold_ms) : "", r.nodes_touched, r.pages, r.memory_mb);
  }
}

// The folder for files, gone at the end unless it was named.
class Folder {
 public:
  explicit Folder(const std::string& named) : named_(!named.empty()) {
    path_ = named_ ? std::filesystem::path(named)
                   : std::filesystem::temp_directory_path() / fmt::format("bench_scale-{}", ::getpid());
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    if (!named_) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  bool named_;
  std::filesystem::path path_;
};

int run(int argc, char** argv) {
  std::vector<std::uint64_t> nodes = {10000, 1000000};
  double power_law = 0;
  std::string folder_name;
  bool json = false, cold = false;
  CLI::App app("One graph of any size");
  app.add_option("--nodes", nodes, "of the regular graphs")->delimiter(',');
  app.add_option("--power-law", power_law, "neighbour entries of a graph with hubs, such as 1e9");
  app.add_option("--folder", folder_name, "keep the files here");
  app.add_flag("--cold", cold, "also the first rollout after the file was forgotten");
  app.add_flag("--json", json);
  CLI11_PARSE(app, argc, argv);

  const Folder folder(folder_name);
  AgentNetConfig config;
  config.hidden = 128;
  config.agents = config.steps = 16;
  config.node_features = 1;
  std::vector<Row> rows;
  for (const std::uint64_t n : nodes) {
    rows.push_back(measure(fmt::format("big-regular?nodes={}&degree=6&seed=1", n),
                           folder / fmt::format("regular-{}.graph", n), config, cold));
    rows.back().graph = "6-regular";
  }
  if (power_law > 0) {
    config.agents = 256;
    config.max_neighbours = 32;
    rows.push_back(measure(fmt::format("big-power-law?edges={:.0f}&seed=1", power_law / 2),
                           folder / fmt::format("power-law-{:.0f}.graph", power_law), config, cold));
    rows.back().graph = "power law";
  }
  print(rows, json);
  return 0;
}

}  // namespace
}  // namespace agentnet

int main(int argc, char** argv) {
  try {
    return agentnet::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_scale: {}\n", error.what());
    return 1;
  }
}
