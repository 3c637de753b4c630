// Colours that stand for values, the same in every picture. Readers who see fewer colours than others can tell them
// apart: amounts grow darker in one hue, and signed values go from blue over near-white to orange. No end is so dark
// that black letters and bonds are lost on it.
#pragma once

#include <string>

namespace agentnet {

struct Rgb {
  double r = 0, g = 0, b = 0;  // 0 to 1
  bool operator==(const Rgb&) const = default;
};

[[nodiscard]] std::string hex(const Rgb& colour);  // "#0a1b2c"

class ColourScale {
 public:
  enum class Kind { kAmount, kSigned };

  // Values from 0, or from -limit, to limit; what lies outside gets the colour of the end, and so does everything if
  // the limit is 0.
  ColourScale(Kind kind, double limit) : kind_(kind), limit_(limit) {}

  [[nodiscard]] Rgb at(double value) const;
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] double limit() const { return limit_; }
  [[nodiscard]] double lowest() const { return kind_ == Kind::kSigned ? -limit_ : 0; }

 private:
  Kind kind_;
  double limit_;
};

}  // namespace agentnet
