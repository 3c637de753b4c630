#include "output/progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "agentnet/error.h"
#include "core/number.h"
#include "core/print.h"
#include "core/text.h"

namespace agentnet {
namespace {

constexpr int kBarWidth = 20, kShortestBar = 6;
constexpr int kNarrowest = 20;
constexpr auto kBetweenShown = std::chrono::milliseconds(100);
constexpr auto kBetweenPlain = std::chrono::seconds(2);

}  // namespace

std::string progress_line(double fraction, const std::string& text, int columns) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  columns = std::max(columns, kNarrowest);
  const std::string percent = fmt::format("{:>3.0f} %  {}", 100 * fraction, text);
  constexpr int kFrame = 3;  // "[", "] "
  const auto room = [&](const std::string& words) { return columns - static_cast<int>(words.size()) - kFrame; };
  const std::string& words = room(percent) >= kShortestBar ? percent : text;
  if (room(words) < kShortestBar) {
    const auto all = static_cast<std::size_t>(columns);
    return percent.size() <= all ? percent : text.substr(0, all);
  }
  const int bar = std::min(room(words), kBarWidth);
  const auto full = static_cast<std::size_t>(std::lround(fraction * bar));
  return fmt::format("[{}{}] {}", std::string(full, '#'), std::string(static_cast<std::size_t>(bar) - full, '.'),
                     words);
}

void ProgressLine::show(double fraction, const std::string& text) {
  if (!console_.err_is_terminal) return;
  const auto now = Clock::now();
  if (shown_ && now - last_shown_ < kBetweenShown) return;
  console_.err.flush();
  print_to(console_.raw_err(), "\r\x1b[K{}", progress_line(fraction, printable(text), console_.err_width - 1));
  console_.raw_err().flush();
  shown_ = true;
  last_shown_ = now;
}

void ProgressLine::print(const std::string& line) {
  clear();
  print_to(console_.err, "{}\n", line);
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
  if (shown_) print_to(console_.raw_err(), "\r\x1b[K");
  shown_ = false;
}

std::string TimeLeft::text(double fraction, double seconds) {
  constexpr double kLeastFraction = 0.02, kLeastSeconds = 3;
  if (!begun_ || fraction < last_fraction_) {
    begun_ = true;
    first_fraction_ = fraction;
    first_seconds_ = seconds;
  }
  last_fraction_ = fraction;
  const double done = fraction - first_fraction_, took = seconds - first_seconds_;
  if (done < kLeastFraction || took < kLeastSeconds) return {};
  return fmt::format("about {} left", duration_text(took / done * std::max(0.0, 1 - fraction)));
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole % 3600 / 60);
}

double parse_duration(const std::string& text, const std::string& option) {
  const std::size_t number = text.find_last_of("0123456789.") + 1;  // its length; 0 if there is none
  const std::string unit = text.substr(number);
  const double factor = unit.empty() || unit == "s"    ? 1
                        : unit == "ms"                 ? 0.001
                        : unit == "m" || unit == "min" ? 60
                        : unit == "h"                  ? 3600
                                                       : -1;
  const double value = factor * parse_number(text.substr(0, number)).value_or(-1);
  if (!std::isfinite(value) || value < 0 || factor < 0) {
    throw Error(ErrorKind::kUsage, fmt::format("{} is {}, which is no time", option, in_quotes(text)),
                "give seconds, minutes or hours: 90, 90s, 10m, 1.5h");
  }
  return value;
}

}  // namespace agentnet
