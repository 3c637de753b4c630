// Who may ask: bearer tokens out of a file, one per line.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agentnet {

// All functions may be called by any number of threads.
class Tokens {
 public:
  // Reads the file: lines that are empty or begin with # count for nothing. Throws Error: kData for a file that is not
  // there, that has no token, or one of fewer than 16 characters; kUsage for one that anybody on this machine can read.
  explicit Tokens(std::filesystem::path path);

  // Reads it again; what it throws leaves the old tokens.
  void reload();
  // The number of the token in an Authorization header, "Bearer TOKEN"; nothing if it is none of ours. How long this
  // takes does not tell how much of a token was right.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view authorization) const;

 private:
  std::filesystem::path path_;
  mutable std::mutex mutex_;
  std::shared_ptr<const std::vector<std::string>> tokens_;
};

}  // namespace agentnet
