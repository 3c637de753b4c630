// Stands for download.cpp in a build without libcurl.
#include <fmt/core.h>

#include "agentnet/error.h"
#include "data/io/download.h"

namespace agentnet {

bool can_download() { return false; }

std::optional<Downloaded> download(const std::string& url, const std::filesystem::path& /*file*/,
                                   const DownloadOptions& /*options*/, const DownloadEvents& /*events*/) {
  throw Error(
      ErrorKind::kUsage, fmt::format("{} is to be downloaded, and this agentnet was built without libcurl", url),
      "download it with another program, or use a build with libcurl, as agentnet::agentnet and the Debian package "
      "are");
}

}  // namespace agentnet
