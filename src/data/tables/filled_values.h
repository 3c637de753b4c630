// Values that a file leaves to be filled in: blanks for a target that a line does not name, defaults of a GraphML key.
// A hundred thousand columns and as many lines that name none of them are a small file; their values are not.
#pragma once

#include <cstdint>

namespace agentnet {

class FilledValues {
 public:
  // The file wrote this many values, nodes, lines ... out.
  void listed(std::uint64_t count) { plausible_ += 64 * count; }
  // To be asked before `count` values are filled in: false if these are far more than the file lists.
  [[nodiscard]] bool allow(std::uint64_t count) { return (filled_ += count) <= plausible_; }

 private:
  std::uint64_t filled_ = 0, plausible_ = std::uint64_t{1} << 22;
};

}  // namespace agentnet
