// Between C and C++: exceptions become codes, texts become memory that the caller frees, and what a caller says of
// threads, progress and stopping becomes what the library asks for.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/agentnet.h"
#include "core/json.h"

namespace agentnet::capi {

// Calls f. Whatever it throws becomes the status that is returned, and *error unless that is null.
[[nodiscard]] int guarded(agentnet_error** error, const std::function<void()>& f) noexcept;

// Throws Error (kUsage): `name` is null.
[[noreturn]] void refuse_null(const char* name);
template <class T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr) refuse_null(name);
  return *pointer;
}

// A text for agentnet_text_free().
[[nodiscard]] char* new_text(std::string_view text);
// Values for agentnet_numbers_free().
[[nodiscard]] void* new_bytes(const void* bytes, std::size_t size);
template <class T>
[[nodiscard]] T* new_numbers(std::span<const T> values) {
  return static_cast<T*>(new_bytes(values.data(), values.size_bytes()));
}

// A struct as this library knows it: what a shorter one of an older caller lacks is zero. Throws Error (kUsage) for a
// size that none has had.
template <class T>
[[nodiscard]] T known(const T& given, const char* name, std::size_t least);
[[noreturn]] void refuse_size(const char* name, std::size_t size);

template <class T>
T known(const T& given, const char* name, std::size_t least) {
  if (given.size < least || given.size > 4096) refuse_size(name, given.size);
  T copy = {};
  std::memcpy(&copy, &given, std::min(given.size, sizeof(T)));
  return copy;
}

// The options of a call: NULL is an empty object. Throws Error (kUsage) for anything but an object, and for keys that
// are not in `names`, with a suggestion.
[[nodiscard]] Json options_object(const char* json, const char* what);
void check_names(const Json& options, std::span<const std::string> names, const char* what);
// An option of a type that the default value has; the default if it is not there.
template <class T>
[[nodiscard]] T option_or(const Json& options, const char* name, T fallback) {
  if (options.contains(name)) read_member(options, name, fallback);
  return fallback;
}

// The numbers of graphs that a caller names, all `size` of them for null. Throws Error (kUsage) for one that there is
// not.
[[nodiscard]] std::vector<std::size_t> graph_numbers(const std::uint64_t* graphs, std::uint64_t count,
                                                     std::size_t size);

// What an agentnet_control says.
class Caller {
 public:
  explicit Caller(const agentnet_control* control);
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  [[nodiscard]] int threads() const { return threads_; }
  // Whether somebody has asked for the end.
  [[nodiscard]] bool stopped() const;
  // Throws Error (kInterrupted) if so.
  void check() const;
  [[nodiscard]] std::function<void()> may_end() const {
    return [this] { check(); };
  }
  [[nodiscard]] std::function<void(const std::string&)> say() const;
  void tell(const Json& event) const;
  // The same for events that come fast: at most some fifty in a second.
  void tell_now_and_then(const std::function<Json()>& event) const;

 private:
  agentnet_control control_ = {};
  int threads_ = 1;
  mutable std::atomic<bool> refused_ = false;  // the callback has asked for the end
  mutable std::chrono::steady_clock::time_point last_ = {};
};

}  // namespace agentnet::capi
