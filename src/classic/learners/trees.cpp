#include "classic/learners/trees.h"

#include <cmath>

#include "agentnet/error.h"

namespace agentnet {
namespace {

[[noreturn]] void damaged(const char* what) {
  throw Error(ErrorKind::kData, std::string("the model's trees are damaged: ") + what,
              "copy the file again, or train the model again");
}

// A whole number first .. last - 1.
std::int64_t whole(float value, double first, double last, const char* what) {
  const auto v = static_cast<double>(value);
  if (!(v >= first && v < last && v == std::floor(v))) damaged(what);
  return static_cast<std::int64_t>(v);
}

}  // namespace

void TreeNodes::append(const TreeNodes& other) {
  const auto shift = static_cast<float>(column.size());
  if (column.size() + other.column.size() > kMostTreeNodes) {
    throw Error(ErrorKind::kUsage, "the trees have more nodes than a model can hold",
                "grow fewer or shallower ones: --set model.trees=100, --set model.depth=8");
  }
  const auto add = [](std::vector<float>& to, const std::vector<float>& from, float by) {
    for (const float v : from) to.push_back(v + by);
  };
  add(column, other.column, 0);
  add(value, other.value, 0);
  add(left, other.left, shift);
  add(right, other.right, shift);
  add(absent_left, other.absent_left, 0);
  add(roots, other.roots, shift);
}

Trees::Trees(const TreeNodes& nodes, std::size_t columns) {
  const auto count = static_cast<double>(nodes.column.size());
  for (std::size_t i = 0; i < nodes.column.size(); ++i) {
    Node node{};
    node.column = static_cast<int>(whole(nodes.column[i], -1, static_cast<double>(columns), "a column"));
    node.value = nodes.value[i];
    node.absent_left = nodes.absent_left[i] == 1;
    if (node.column >= 0) {
      const double after = static_cast<double>(i) + 1;
      node.left = static_cast<std::uint32_t>(whole(nodes.left[i], after, count, "a branch"));
      node.right = static_cast<std::uint32_t>(whole(nodes.right[i], after, count, "a branch"));
    }
    nodes_.push_back(node);
  }
  for (const float root : nodes.roots) {
    roots_.push_back(static_cast<std::uint32_t>(whole(root, 0, count, "a root")));
  }
}

double Trees::sum(std::span<const float> dense, std::size_t first, std::size_t last) const {
  double sum = 0;
  for (std::size_t t = first; t < last; ++t) {
    std::uint32_t at = roots_[t];
    while (nodes_[at].column >= 0) {
      const Node& node = nodes_[at];
      const float value = dense[static_cast<std::size_t>(node.column)];
      const bool go_left = std::isnan(value) ? node.absent_left : value < node.value;
      at = go_left ? node.left : node.right;
    }
    sum += static_cast<double>(nodes_[at].value);
  }
  return sum;
}

}  // namespace agentnet
