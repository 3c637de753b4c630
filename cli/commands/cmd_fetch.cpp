// agentnet fetch NAME: a public benchmark set from its official site.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "agentnet/error.h"
#include "cache_folder.h"
#include "command_list.h"
#include "core/print.h"
#include "data/io/fetch.h"
#include "interrupt.h"
#include "output/progress.h"

namespace agentnet {
namespace {

struct FetchArguments {
  std::string name, cache, from, checksum;
  bool json = false, insecure = false;
};

std::string amount_text(std::uint64_t received, std::uint64_t total) {
  const double megabytes = static_cast<double>(received) / 1e6;
  return total > 0 ? fmt::format("{:.1f} of {:.1f} MB", megabytes, static_cast<double>(total) / 1e6)
                   : fmt::format("{:.1f} MB", megabytes);
}

void run_fetch(const FetchArguments& arguments, const Console& console) {
  const FetchOptions options{.folder = cache_folder(arguments.cache, "--cache"),
                             .from = arguments.from,
                             .checksum = arguments.checksum,
                             .download = {.environment_proxy = true, .insecure = arguments.insecure}};
  FetchResult result;
  {
    const InterruptGuard guard;
    ProgressLine progress(console);
    const auto start = std::chrono::steady_clock::now();
    const DownloadEvents events{
        .progress =
            [&](std::uint64_t received, std::uint64_t total) {
              const double fraction = total > 0 ? static_cast<double>(received) / static_cast<double>(total) : 0;
              progress.show(fraction, amount_text(received, total));
              const bool takes_long = std::chrono::steady_clock::now() - start > std::chrono::seconds(2);
              if (takes_long && received != total) progress.print_plain(amount_text(received, total));
            },
        .note = [&](const std::string& message) { progress.print(message); },
        .stop = InterruptGuard::interrupted,
    };
    result = fetch(arguments.name, options, events);
  }

  if (!result.downloaded) {
    print_to(console.err, "{} is there already, unchanged; nothing was downloaded\n", result.file.filename().string());
  } else if (result.resumed_from > 0) {
    print_to(console.err, "downloaded {} ({} bytes, {} of them before)\n", result.url, result.bytes,
             result.resumed_from);
  } else {
    print_to(console.err, "downloaded {} ({} bytes)\n", result.url, result.bytes);
  }
  if (result.trusted) {
    print_to(console.err,
             "note: there was no checksum to compare it with; {} is recorded in {}.sum, and later downloads must "
             "have it\n",
             result.checksum, result.file.filename().string());
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
    j["trusted"] = result.trusted;
    print_to(console.out, "{}\n", j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    print_to(console.out, "{}\n", result.file.string());
  }
}

}  // namespace

CommandRun define_fetch(CLI::App& app) {
  auto arguments = std::make_shared<FetchArguments>();
  app.add_option("NAME", arguments->name, "a set of the TU collection (MUTAG) or of OGB (ogbg-molhiv)")->required();
  app.add_option("--cache", arguments->cache,
                 "folder to keep it in (default: $AGENTNET_CACHE, else agentnet in $XDG_CACHE_HOME or ~/.cache)");
  app.add_option("--from", arguments->from,
                 "https address of the file, or with a slash at its end of its folder, instead of the official site");
  app.add_option("--checksum", arguments->checksum, "XXH3-128 that the file must have, as xxhsum -H2 prints it");
  app.add_flag("--insecure", arguments->insecure,
               "allow plain http: anybody on the way could change what arrives; best with --checksum");
  app.add_flag("--json", arguments->json, "what was done, as JSON");
  return [arguments](const Console& console) { run_fetch(*arguments, console); };
}

}  // namespace agentnet
