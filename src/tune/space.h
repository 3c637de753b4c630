// What a search may choose from: a text in TOML with a list of values, or a range, for each setting.
//
//   [model]
//   kind = ["agentnet", "gin"]
//   hidden = [32, 64, 128]
//   dropout = "0.0..0.5"
//   [train]
//   batch = "16..256 log"           # whole numbers, since both ends are
//   learning_rate = "1e-4..1e-2 log"
//
// Options of [model] that a kind of network does not have are left out for that kind.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/settings.h"
#include "core/json.h"
#include "core/random.h"
#include "nn/kind.h"

namespace agentnet {

// A setting and its values: a list, or everything from `least` to `most`.
struct Dimension {
  std::string key;    // "train.batch"
  std::string place;  // file:line:column
  std::vector<Json> values;
  bool is_range = false, whole = false, logarithmic = false;
  double least = 0, most = 0;

  [[nodiscard]] Json draw(RandomSequence& random) const;
};

// A value for each setting of the space, which must outlive it, that the kind of network has.
struct Point {
  std::vector<std::pair<const Dimension*, Json>> values;
  [[nodiscard]] std::string text() const;  // two points are the same if this is
};

class SearchSpace {
 public:
  // Throws Error (kUsage), file:line:column, for a setting that there is not or may not be searched, and for values
  // that it cannot have. `kind` is the kind of network where the space does not search it.
  SearchSpace(std::string_view toml, const std::string& name, const std::string& kind);

  [[nodiscard]] const std::vector<Dimension>& dimensions() const { return dimensions_; }
  // Leaves a setting to whoever set it.
  void remove(std::string_view key);

  [[nodiscard]] Point draw(RandomSequence& random) const;
  // Every combination, in the order of the text, the last setting changing fastest. Throws Error (kUsage) for a range,
  // which has no end of values, and for more than 10,000 points.
  [[nodiscard]] std::vector<Point> grid() const;

 private:
  [[nodiscard]] bool applies(const Dimension& dimension, const std::string& kind) const;
  [[nodiscard]] std::vector<std::string> kinds() const;
  void check(const Dimension& dimension) const;

  std::string kind_;
  std::vector<Dimension> dimensions_;  // the kind first, if it is searched
};

// `layers` with the values of the point.
[[nodiscard]] SettingsLayers with_point(const SettingsLayers& layers, const Point& point);

}  // namespace agentnet
