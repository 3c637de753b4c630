#include "serve/tokens.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "agentnet/error.h"
#include "data/io/input.h"
#include "http/request.h"

namespace agentnet {
namespace {

constexpr std::size_t kShortest = 16;        // characters of a token
constexpr std::size_t kMostBytes = 1 << 20;  // of the file
constexpr std::string_view kScheme = "Bearer ";

// Looks at all of what was given, wherever it differs.
bool same(std::string_view token, std::string_view given) {
  unsigned int difference = token.size() == given.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(token[i % token.size()]);
  }
  return difference == 0;
}

std::vector<std::string> read_tokens(const std::filesystem::path& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) == 0 && (found.st_mode & (S_IWGRP | S_IRWXO)) != 0) {
    throw Error(ErrorKind::kUsage, fmt::format("others on this machine may read {}, or change it", path.string()),
                fmt::format("chmod 600 {}", path.string()));
  }
  const Input input = Input::open(path);
  std::string text = read_all(*input.stream(), path.string(), kMostBytes);
  std::vector<std::string> tokens;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    const bool plain = std::all_of(line.begin(), line.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f; });
    if (line.size() < kShortest || !plain) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}:{}: a token has at least {} characters, none of them a space", path.string(), number,
                              kShortest),
                  "openssl rand -hex 32 makes a good one");
    }
    tokens.push_back(std::move(line));
  }
  if (tokens.empty()) {
    throw Error(ErrorKind::kData, fmt::format("{} holds no token", path.string()),
                "write one token per line; openssl rand -hex 32 makes a good one");
  }
  return tokens;
}

}  // namespace

Tokens::Tokens(std::filesystem::path path) : path_(std::move(path)) { reload(); }

void Tokens::reload() {
  auto tokens = std::make_shared<const std::vector<std::string>>(read_tokens(path_));
  const std::lock_guard lock(mutex_);
  tokens_ = std::move(tokens);
}

std::optional<std::size_t> Tokens::find(std::string_view authorization) const {
  if (authorization.size() < kScheme.size() || !same_letters(authorization.substr(0, kScheme.size()), kScheme)) {
    return std::nullopt;
  }
  const std::string_view given = authorization.substr(kScheme.size());
  std::shared_ptr<const std::vector<std::string>> tokens;
  {
    const std::lock_guard lock(mutex_);
    tokens = tokens_;
  }
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    if (same((*tokens)[i], given)) found = i;
  }
  return found;
}

}  // namespace agentnet
