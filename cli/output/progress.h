// What a long command shows while it works: one line that is rewritten on a terminal, a plain line now and then
// elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "commands.h"

namespace agentnet {

class ProgressLine {
 public:
  explicit ProgressLine(const Console& console) : console_(console) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `fraction` is of the whole work; `text` stands behind the bar. Shown at most ten times a second, and not at all
  // where there is no terminal.
  void show(double fraction, const std::string& text);
  // A whole line, above the bar.
  void print(const std::string& line);
  // The same where there is no terminal, but at most every two seconds unless `always`; on one, nothing.
  void print_plain(const std::string& line, bool always = false);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  const Console& console_;
  bool shown_ = false;
  Clock::time_point last_shown_{}, last_plain_{};
};

// How long some work will still take, if it goes on as fast as it went since it was first asked about. Work that begins
// again, at a smaller fraction, is other work.
class TimeLeft {
 public:
  // "about 12 s left"; empty as long as too little is known: less than 2 % more than at first, or less than 3 seconds.
  [[nodiscard]] std::string text(double fraction, double seconds);  // since any fixed moment

 private:
  bool begun_ = false;
  double first_fraction_ = 0, first_seconds_ = 0, last_fraction_ = 0;
};

// The bar, the percentage and the words in so many columns. Where there is no room the bar shrinks, then the percentage
// goes, then the bar in its place, then both, and last the end of the words.
[[nodiscard]] std::string progress_line(double fraction, const std::string& text, int columns);

// "12 s", "3:05 min", "2:10 h".
[[nodiscard]] std::string duration_text(double seconds);

// "90", "90s", "10m", "1.5h" in seconds. Throws Error (kUsage) that names the option.
[[nodiscard]] double parse_duration(const std::string& text, const std::string& option);

}  // namespace agentnet
