// agentnet fetch NAME: a public benchmark set from its official site.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "agentnet/error.h"
#include "cache_folder.h"
#include "command_list.h"
#include "data/fetch.h"

namespace agentnet {

namespace {

struct FetchArguments {
  std::string name, cache, from, checksum;
  bool json = false;
};

std::atomic<bool> interrupted = false;

// While it lives, Ctrl-C asks the download to end in order instead of ending the program.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = false;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, &before_);
  }
  ~InterruptGuard() { ::sigaction(SIGINT, &before_, nullptr); }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction before_ {};
};

// A bar on a terminal; elsewhere a line now and then.
class Progress {
 public:
  explicit Progress(std::ostream& err) : err_(err), terminal_(&err == &std::cerr && ::isatty(STDERR_FILENO) == 1) {}

  void show(std::uint64_t received, std::uint64_t total) {
    const auto now = std::chrono::steady_clock::now();
    const bool complete = received == total;
    const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10'000);
    if (complete ? shown_ == received || !terminal_ : now - last_ < pause) return;
    last_ = now;
    shown_ = received;
    const double megabytes = static_cast<double>(received) / 1e6;
    const std::string amount = total > 0
                                   ? fmt::format("{:.1f} of {:.1f} MB", megabytes, static_cast<double>(total) / 1e6)
                                   : fmt::format("{:.1f} MB", megabytes);
    if (!terminal_) {
      fmt::print(err_, "{}\n", amount);
    } else {
      constexpr std::uint64_t kWidth = 30;
      const std::uint64_t done = total > 0 ? kWidth * received / total : 0;
      fmt::print(err_, "\r[{}{}] {}   ", std::string(done, '#'), std::string(kWidth - done, '.'), amount);
      open_line_ = true;
    }
    err_.flush();
  }
  void say(const std::string& message) {
    end_line();
    fmt::print(err_, "{}\n", message);
    err_.flush();
  }
  void end_line() {
    if (open_line_) fmt::print(err_, "\n");
    open_line_ = false;
  }

 private:
  std::ostream& err_;
  bool terminal_;
  bool open_line_ = false;
  std::uint64_t shown_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void run_fetch(const FetchArguments& arguments, const Console& console) {
  const FetchOptions options{.folder = cache_folder(arguments.cache, "--cache"),
                             .from = arguments.from,
                             .checksum = arguments.checksum,
                             .download = {.environment_proxy = true}};
  Progress progress(console.err);
  const DownloadEvents events{
      .progress = [&](std::uint64_t received, std::uint64_t total) { progress.show(received, total); },
      .note = [&](const std::string& message) { progress.say(message); },
      .stop = [] { return interrupted.load(); },
  };
  FetchResult result;
  try {
    const InterruptGuard guard;
    result = fetch(arguments.name, options, events);
  } catch (...) {
    progress.end_line();
    throw;
  }
  progress.end_line();

  if (!result.downloaded) {
    fmt::print(console.err, "{} is there already, unchanged; nothing was downloaded\n",
               result.file.filename().string());
  } else if (result.resumed_from > 0) {
    fmt::print(console.err, "downloaded {} ({} bytes, {} of them before)\n", result.url, result.bytes,
               result.resumed_from);
  } else {
    fmt::print(console.err, "downloaded {} ({} bytes)\n", result.url, result.bytes);
  }
  if (arguments.json) {
    nlohmann::ordered_json j;
    j["name"] = arguments.name;
    j["path"] = result.file.string();
    j["url"] = result.url;
    j["bytes"] = result.bytes;
    j["xxh3_128"] = result.checksum;
    j["downloaded"] = result.downloaded;
    j["resumed_from"] = result.resumed_from;
    fmt::print(console.out, "{}\n", j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    fmt::print(console.out, "{}\n", result.file.string());
  }
}

}  // namespace

CommandRun define_fetch(CLI::App& app) {
  auto arguments = std::make_shared<FetchArguments>();
  app.add_option("NAME", arguments->name, "a set of the TU collection (MUTAG) or of OGB (ogbg-molhiv)")->required();
  app.add_option("--cache", arguments->cache,
                 "folder to keep it in (default: $AGENTNET_CACHE, else agentnet in $XDG_CACHE_HOME or ~/.cache)");
  app.add_option("--from", arguments->from,
                 "address of the file, or with a slash at its end of its folder, instead of the official site");
  app.add_option("--checksum", arguments->checksum, "XXH3-128 that the file must have, as xxhsum -H2 prints it");
  app.add_flag("--json", arguments->json, "what was done, as JSON");
  return [arguments](const Console& console) { run_fetch(*arguments, console); };
}

}  // namespace agentnet
