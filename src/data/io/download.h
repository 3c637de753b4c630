// One file over HTTP, with retries, going on from what is there already.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace agentnet {

// Who wants to know and to decide what happens meanwhile. Any of them may be empty. Called from the thread that
// downloads.
struct DownloadEvents {
  std::function<void(std::uint64_t received, std::uint64_t total)> progress;  // bytes; total is 0 while unknown
  std::function<void(const std::string& message)> note;                       // something out of the ordinary
  std::function<bool()> stop;                                                 // asked often; true ends the download
};

[[nodiscard]] bool can_download();  // whether this build has libcurl

struct DownloadOptions {
  int tries = 5;                          // without any gain, before giving up
  std::chrono::milliseconds pause{1000};  // before the second try; doubles with every further one
  bool environment_proxy = false;         // use the proxy that the environment names, as curl does
  bool insecure = false;                  // plain http as well, where anybody on the way can change what arrives
};

struct Downloaded {
  std::uint64_t bytes = 0;         // of the whole file
  std::uint64_t resumed_from = 0;  // those that did not have to be sent again
};

// Downloads `url` to `file`. Bytes that are in it count as the beginning of the download: the server is asked for the
// rest, and everything is downloaded again if it does not give just that. Nothing if the server has no such file (404).
// Throws Error: kFailure if the download failed for good, kInterrupted if it was stopped; what has arrived stays, a
// file without a byte does not.
// Different downloads may run at once in different threads; of the same file, the second throws Error (kFailure).
[[nodiscard]] std::optional<Downloaded> download(const std::string& url, const std::filesystem::path& file,
                                                 const DownloadOptions& options, const DownloadEvents& events);

}  // namespace agentnet
