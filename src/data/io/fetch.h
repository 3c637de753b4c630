// Public benchmark sets from their official sites, into a folder of one's own.
//
//   FetchResult got = fetch("MUTAG", {.folder = "cache"}, {});
//   Dataset data = read_data(got.file, {});
//
// In the folder: NAME.zip, complete and checked; NAME.zip.sum, its XXH3-128 checksum as xxhsum -H2 prints it; and
// NAME.zip.part, what has arrived of a download that did not end. The next call goes on from there.
//
// The sites publish no checksums that could be built in. The first download is trusted (over https, where the server
// proves who it is) and its checksum recorded; whatever arrives under the same name later must have the same one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/io/download.h"

namespace agentnet {

struct FetchOptions {
  std::filesystem::path folder;  // made if it is not there
  // The address of the file, or of the folder it is in if it ends with a slash; empty: the official site. It must be
  // https, unless download.insecure is set.
  std::string from;
  std::string checksum;  // XXH3-128 in hexadecimal that the file must have; empty: any
  DownloadOptions download;
};

struct FetchResult {
  std::filesystem::path file;
  std::string url;
  std::uint64_t bytes = 0;
  std::string checksum;
  bool downloaded = false;  // false: it was there
  bool trusted = false;     // there was nothing to compare it with: its checksum has been recorded just now
  std::uint64_t resumed_from = 0;
};

// Names with an address of their own (OGB), and the better known ones of the TU collection. Any other name is tried
// as one of the TU collection.
[[nodiscard]] std::vector<std::string> known_sets();

// The official address of a set. A name that no set can have throws Error (kUsage).
[[nodiscard]] std::string official_address(std::string_view name);

// Downloads a set, unless it is there. Both a file that is there and one that has just arrived are compared with the
// recorded checksum, if there is one; the latter is read through. Throws Error: kUsage for a name that does not exist,
// kFailure for anything else that goes wrong on the way, kInterrupted if `events` asked to stop.
FetchResult fetch(std::string_view name, const FetchOptions& options, const DownloadEvents& events);

}  // namespace agentnet
