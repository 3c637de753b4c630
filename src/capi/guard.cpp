#include "capi/guard.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <numeric>
#include <thread>

#include "agentnet/error.h"
#include "capi/handles.h"
#include "core/suggest.h"
#include "core/text.h"

namespace agentnet::capi {
namespace {

void keep(agentnet_error** error, int code, const char* message, const char* hint) noexcept {
  if (error == nullptr) return;
  try {
    *error = new agentnet_error{code, message, hint};
  } catch (...) {
    *error = nullptr;  // no memory even for the message: the code says it
  }
}

}  // namespace

int guarded(agentnet_error** error, const std::function<void()>& f) noexcept {
  if (error != nullptr) *error = nullptr;
  int code = AGENTNET_FAILURE;
  try {
    f();
    return AGENTNET_OK;
  } catch (const Error& e) {
    code = exit_code(e.kind());
    keep(error, code, e.what(), e.hint().c_str());
  } catch (const std::bad_alloc&) {
    keep(error, code, "there is not enough memory", "give less data at a time, or smaller settings");
  } catch (const std::exception& e) {
    keep(error, code, e.what(), "");
  } catch (...) {
    keep(error, code, "something went wrong that has no name", "");
  }
  return code;
}

void refuse_null(const char* name) {
  throw Error(ErrorKind::kUsage, fmt::format("{} is NULL", name), "agentnet/agentnet.h says which arguments may be");
}

void refuse_size(const char* name, std::size_t size) {
  throw Error(ErrorKind::kUsage, fmt::format("{}.size is {}", name, size), "set it to sizeof the struct");
}

void* new_bytes(const void* bytes, std::size_t size) {
  void* copy = std::malloc(std::max<std::size_t>(size, 1));  // NOLINT: freed by C
  if (copy == nullptr) throw std::bad_alloc();
  if (size > 0) std::memcpy(copy, bytes, size);
  return copy;
}

char* new_text(std::string_view text) {
  const std::string ended(text);
  return static_cast<char*>(new_bytes(ended.c_str(), ended.size() + 1));
}

Json options_object(const char* json, const char* what) {
  if (json == nullptr) return Json::object();
  Json options = parse_json(json, what, ErrorKind::kUsage);
  if (!options.is_object()) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: {} is no JSON object", what, shown(options)),
                "options look like {\"rollouts\": 8}");
  }
  return options;
}

void check_names(const Json& options, std::span<const std::string> names, const char* what) {
  for (const auto& [key, value] : options.items()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    const auto meant = closest_match(key, names);
    throw Error(
        ErrorKind::kUsage, fmt::format("{}: there is no option {}", what, in_quotes(key)),
        meant ? fmt::format("did you mean '{}'?", *meant) : fmt::format("there are {}", join_text(names, ", ")));
  }
}

std::vector<std::size_t> graph_numbers(const std::uint64_t* graphs, std::uint64_t count, std::size_t size) {
  if (graphs == nullptr) {
    std::vector<std::size_t> all(size);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  std::vector<std::size_t> numbers(graphs, graphs + count);
  for (const std::size_t g : numbers) {
    if (g < size) continue;
    throw Error(ErrorKind::kUsage, fmt::format("there is no graph {}, the set has {}", g, size),
                "graphs are numbered from 0");
  }
  return numbers;
}

Caller::Caller(const agentnet_control* control) {
  if (control == nullptr) return;
  control_ = known(*control, "agentnet_control", sizeof(std::size_t) + sizeof(std::int32_t));
  if (control_.threads < 0) {
    throw Error(ErrorKind::kUsage, fmt::format("{} threads", control_.threads), "0 stands for all that there are");
  }
  const auto here = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  threads_ = control_.threads > 0 ? control_.threads : here;
}

bool Caller::stopped() const { return refused_ || (control_.stop != nullptr && *control_.stop != 0); }

void Caller::check() const {
  if (stopped()) throw Error(ErrorKind::kInterrupted, "interrupted");
}

std::function<void(const std::string&)> Caller::say() const {
  if (control_.say == nullptr) return {};
  return [this](const std::string& line) { control_.say(control_.user, line.c_str()); };
}

void Caller::tell(const Json& event) const {
  if (control_.progress == nullptr) return;
  last_ = std::chrono::steady_clock::now();
  const std::string text = event.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (control_.progress(control_.user, text.c_str()) != 0) refused_ = true;
}

void Caller::tell_now_and_then(const std::function<Json()>& event) const {
  if (control_.progress == nullptr) return;
  constexpr std::chrono::milliseconds kBetween(20);
  if (std::chrono::steady_clock::now() - last_ >= kBetween) tell(event());
}

}  // namespace agentnet::capi
