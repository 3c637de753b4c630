// How fast a long edge list becomes a graph set file, beside a plain read of the same bytes.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/random.h"
#include "data/huge/convert_edges.h"
#include "data/huge/edge_scan.h"
#include "data/io/input.h"
#include "data/io/output.h"
#include "peak_memory.h"

namespace agentnet {
namespace {

namespace fs = std::filesystem;

struct Seconds {
  double wall = 0, processor = 0;
};

Seconds seconds_of(const std::function<void()>& f) {
  const auto processor = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const auto start = std::chrono::steady_clock::now();
  const double before = processor();
  f();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), processor() - before};
}

// Lines as SNAP's: two numbers with a tab between them. Ids near 0 are met more often.
void write_list(const fs::path& path, std::uint64_t edges, std::uint64_t nodes) {
  RandomSequence random(1, Purpose::kTest);
  TextOutput out(path);
  out.write("# A random graph, as SNAP would list it\n# FromNodeId\tToNodeId\n");
  const auto id = [&] {
    const double u = random.uniform();
    return static_cast<std::uint64_t>(static_cast<double>(nodes) * u * std::sqrt(u));
  };
  for (std::uint64_t e = 0; e < edges; ++e) out.print("{}\t{}\n", id(), id());
  out.commit();
}

void read_plainly(const fs::path& path) {
  std::vector<char> block(std::size_t{1} << 20);
  const auto stream = Input::open(path).stream();
  while (stream->read(block.data(), block.size()) > 0) continue;
}

struct Options {
  double edges = 2e7, nodes = 4e6;
  std::vector<std::uint64_t> megabytes = {2048, 256, 64};
  int repetitions = 3;
  std::string folder = fs::temp_directory_path();
  bool directed = false;
};

void run(const Options& options) {
  const fs::path list = fs::path(options.folder) / fmt::format("bench_convert-{}.txt", ::getpid());
  const fs::path out = list.string() + ".graph";
  write_list(list, static_cast<std::uint64_t>(options.edges), static_cast<std::uint64_t>(options.nodes));
  const auto best = [&](const std::function<void()>& f) {
    Seconds least = seconds_of(f);
    for (int i = 1; i < options.repetitions; ++i) {
      const Seconds again = seconds_of(f);
      if (again.wall < least.wall) least = again;
    }
    return least;
  };
  const auto bytes = static_cast<double>(fs::file_size(list));
  const Seconds plain = best([&] { read_plainly(list); });
  const Seconds scan = best([&] {
    const auto stream = Input::open(list).stream();
    static_cast<void>(scan_edge_list(*stream, "list", [](auto, auto, const auto&) {}));
  });
  const auto row = [&](const std::string& what, const Seconds& seconds, const std::string& rest) {
    fmt::print("{:<16} {:>6.2f} s, processor {:>6.2f} s {:>6.1f} M edges/s {:>6.0f} MB/s {:>6.1f} x a plain read{}\n",
               what, seconds.wall, seconds.processor, options.edges * 1e-6 / seconds.wall, bytes * 1e-6 / seconds.wall,
               seconds.wall / plain.wall, rest);
  };
  fmt::print("{:.0f} edges, ids below {:.0f}, {:.0f} MB of text\n", options.edges, options.nodes, bytes * 1e-6);
  row("plain read", plain, "");
  row("parsing alone", scan, "");
  for (const std::uint64_t megabytes : options.megabytes) {
    ConvertEdges convert;
    convert.memory = megabytes << 20;
    convert.replace = true;
    if (options.directed) convert.direction = Direction::kDirected;
    ConvertedEdges result;
    const Seconds seconds = best([&] { result = convert_edge_list(Input::open(list), out, convert); });
    const double peak = peak_megabytes([&] { static_cast<void>(convert_edge_list(Input::open(list), out, convert)); });
    row(fmt::format("--memory {}M", megabytes), seconds,
        fmt::format(", {} runs, peak {:.0f} MB, file {:.0f} MB", result.runs, peak,
                    static_cast<double>(fs::file_size(out)) * 1e-6));
  }
  fs::remove(list);
  fs::remove(out);
}

}  // namespace
}  // namespace agentnet

int main(int argc, char** argv) {
  CLI::App app("Converting long edge lists");
  agentnet::Options options;
  app.add_option("--edges", options.edges, "lines of the list")->capture_default_str();
  app.add_option("--nodes", options.nodes, "ids are below this")->capture_default_str();
  app.add_option("--memory", options.megabytes, "limits to try, in MB")->delimiter(',')->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "the fastest counts")->capture_default_str();
  app.add_option("--folder", options.folder, "where to write")->capture_default_str();
  app.add_flag("--directed", options.directed, "edges go one way");
  CLI11_PARSE(app, argc, argv);
  try {
    agentnet::run(options);
  } catch (const agentnet::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return agentnet::exit_code(error.kind());
  }
  return 0;
}
