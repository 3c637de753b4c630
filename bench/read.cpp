// Reading sets of graphs: text per second on one thread, plain and packed; peak memory; opening a mapped set.
//
//   bench_read [--repetitions 5]
//
// Reads the sets of the shared folder (AGENTNET_SHARED_DIR, or `shared` beside the source tree); skips without it.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/error.h"
#include "data/io/input.h"
#include "data/io/output.h"
#include "graph/set_file.h"
#include "peak_memory.h"

namespace agentnet {
namespace {

namespace fs = std::filesystem;

fs::path shared_data() {
  const char* named = std::getenv("AGENTNET_SHARED_DIR");
  const fs::path shared =
      named != nullptr && *named != '\0' ? fs::path(named) : fs::path(AGENTNET_SOURCE_DIR).parent_path() / "shared";
  return shared / "data";
}

double best_seconds(int repetitions, const std::function<void()>& f) {
  double best = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    f();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = i == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

// Unpacks all members and throws the bytes away; returns how many there were.
std::uint64_t unpack(const fs::path& path) {
  const Input input = Input::open(path);
  std::vector<char> buffer(std::size_t{1} << 18);
  std::uint64_t bytes = 0;
  for (const std::string& member : input.members()) {
    const auto stream = input.stream(member);
    while (const std::size_t got = stream->read(buffer.data(), buffer.size())) bytes += got;
  }
  return bytes;
}

void repack(const fs::path& from, const fs::path& to) {
  const Input input = Input::open(from);
  TextOutput out(to);
  out.write(read_all(*input.stream(), from.string()));
  out.commit();
}

void text_speed(const fs::path& path, int repetitions) {
  const auto bytes = static_cast<double>(unpack(path));
  const double unpacking = best_seconds(repetitions, [&] { static_cast<void>(unpack(path)); });
  const double reading = best_seconds(repetitions, [&] { static_cast<void>(read_data(path.string(), {})); });
  fmt::print("{:<28} {:>8.1f} MB {:>8.3f} s {:>8.3f} s {:>8.0f} MB/s\n", path.filename().string(), bytes * 1e-6,
             unpacking, reading, bytes * 1e-6 / reading);
}

long minor_faults() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

void run(const fs::path& data, int repetitions) {
  const fs::path scratch = fs::temp_directory_path() / fmt::format("bench_read-{}", ::getpid());
  fs::create_directories(scratch);

  const fs::path collab = data / "COLLAB" / "COLLAB.txt.xz", mapped = scratch / "collab.agentset";
  const double peak = peak_megabytes([&] { static_cast<void>(write_data(read_data(collab.string(), {}), mapped)); });
  const double size = static_cast<double>(fs::file_size(mapped)) / (1 << 20);
  fmt::print("COLLAB to its mapped set: peak {:.0f} MB, the file has {:.0f} MB: {:.2f} times its size\n\n", peak, size,
             peak / size);

  fmt::print("{:<28} {:>11} {:>10} {:>10} {:>13}\n", "one thread", "text", "unpacking", "reading", "text read");
  for (const char* name : {"DD", "REDDIT-BINARY"}) {
    const fs::path packed = data / name / fmt::format("{}.txt.xz", name);
    text_speed(packed, repetitions);
    for (const char* ending : {".txt", ".txt.gz", ".txt.zst"}) {
      repack(packed, scratch / (std::string(name) + ending));
      text_speed(scratch / (std::string(name) + ending), repetitions);
    }
  }
  text_speed(collab, 1);
  text_speed(data / "ogbg_molhiv", repetitions);
  text_speed(data / "ZINC" / "zinc_train.jsonl.gz", repetitions);
  text_speed(data / "GRAPHS" / "web-NotreDame.txt.xz", repetitions);

  fmt::print("\nopening a mapped set:\n");
  const fs::path small = scratch / "small.agentset";
  static_cast<void>(write_data(read_data((data / "MUTAG" / "TU").string(), {}), small));
  for (const fs::path& path : {small, mapped}) {
    static_cast<void>(open_set_file(path));
    const long before = minor_faults();
    static_cast<void>(open_set_file(path));
    const long faults = minor_faults() - before;
    const double seconds = best_seconds(100, [&] { static_cast<void>(open_set_file(path)); });
    fmt::print("{:<28} {:>8.1f} MB {:>8.0f} us {:>5} pages\n", path.filename().string(),
               static_cast<double>(fs::file_size(path)) * 1e-6, 1e6 * seconds, faults);
  }
  fs::remove_all(scratch);
}

}  // namespace
}  // namespace agentnet

int main(int argc, char** argv) {
  CLI::App app("Reading sets of graphs");
  int repetitions = 5;
  app.add_option("--repetitions", repetitions, "the fastest counts")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto data = agentnet::shared_data();
  if (!std::filesystem::exists(data)) {
    fmt::print("skipped: no {}\n", data.string());
    return 0;
  }
  try {
    agentnet::run(data, repetitions);
  } catch (const agentnet::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return agentnet::exit_code(error.kind());
  }
  return 0;
}
