#include "progress.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "agentnet/error.h"
#include "core/text.h"

namespace agentnet {
namespace {

constexpr int kBarWidth = 20;
constexpr auto kBetweenShown = std::chrono::milliseconds(100);
constexpr auto kBetweenPlain = std::chrono::seconds(2);

}  // namespace

void ProgressLine::show(double fraction, const std::string& text) {
  if (!console_.err_is_terminal) return;
  const auto now = Clock::now();
  if (shown_ && now - last_shown_ < kBetweenShown) return;
  const int full = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * kBarWidth));
  const std::string line =
      fmt::format("[{}{}] {:>3.0f} %  {}", std::string(static_cast<std::size_t>(full), '#'),
                  std::string(static_cast<std::size_t>(kBarWidth - full), '.'), 100 * fraction, text);
  fmt::print(console_.err, "\r\x1b[K{}",
             line.substr(0, static_cast<std::size_t>(std::max(20, console_.err_width - 1))));
  console_.err.flush();
  shown_ = true;
  last_shown_ = now;
}

void ProgressLine::print(const std::string& line) {
  clear();
  fmt::print(console_.err, "{}\n", line);
  console_.err.flush();
}

void ProgressLine::print_plain(const std::string& line, bool always) {
  if (console_.err_is_terminal) return;
  const auto now = Clock::now();
  if (!always && last_plain_ != Clock::time_point{} && now - last_plain_ < kBetweenPlain) return;
  last_plain_ = now;
  print(line);
}

void ProgressLine::clear() {
  if (shown_) fmt::print(console_.err, "\r\x1b[K");
  shown_ = false;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole % 3600 / 60);
}

double parse_duration(const std::string& text, const std::string& option) {
  std::size_t used = 0;
  double value = -1;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const std::string unit = text.substr(used);
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" || unit == "min" ? 60 : unit == "h" ? 3600 : -1;
  if (used == 0 || !std::isfinite(value) || value < 0 || factor < 0) {
    throw Error(ErrorKind::kUsage, fmt::format("{} is {}, which is no time", option, in_quotes(text)),
                "give seconds, minutes or hours: 90, 90s, 10m, 1.5h");
  }
  return value * factor;
}

}  // namespace agentnet
