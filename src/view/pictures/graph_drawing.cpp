#include "view/pictures/graph_drawing.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "view/pictures/svg.h"

namespace agentnet {
namespace {

constexpr double kMargin = 24;

class GraphDrawing {
 public:
  GraphDrawing(const PictureSubject& subject, const std::vector<std::uint32_t>& part, const Layout& layout,
               Quantity quantity, const DrawingBox& box)
      : subject_(subject),
        explanation_(subject.explanation),
        part_(part),
        quantity_(quantity),
        node_scale_(node_scale(explanation_, quantity)),
        edge_scale_(edge_scale(explanation_, quantity)) {
    constexpr double kLongestEdge = 72;
    const double scale = std::min({(box.width - 2 * kMargin) / std::max(layout.width, 1e-9),
                                   (box.height - 2 * kMargin) / std::max(layout.height, 1e-9), kLongestEdge});
    radius_ = std::clamp(0.46 * kClosest * scale, 2.5, 14.0);
    const Point corner{(box.width - scale * layout.width) / 2, (box.height - scale * layout.height) / 2};
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Point& place = layout.places[i];
      at_.emplace(part[i], Point{corner.x + scale * place.x, corner.y + scale * place.y});
    }
    crossings_ = edge_scale_.limit();
    if (quantity != Quantity::kVisits) crossings_ = agentnet::edge_scale(explanation_, Quantity::kVisits).limit();
  }

  [[nodiscard]] std::string draw() {
    for (const ExplainedEdge& edge : explanation_.edges) draw_edge(edge);
    for (const std::uint32_t node : part_) draw_node(node);
    return std::move(out_) + names_;
  }

 private:
  void draw_edge(const ExplainedEdge& edge) {
    const auto from = at_.find(edge.from), to = at_.find(edge.to);
    if (from == at_.end() || to == at_.end() || edge.from == edge.to) return;
    const double share = crossings_ > 0 ? edge.crossings / crossings_ : 0;
    const double width = (radius_ < 5 ? 0.6 : 1) + std::min(radius_, 6.0) * 0.75 * std::sqrt(share);
    const Point a = from->second;
    Point b = to->second;
    const double dx = b.x - a.x, dy = b.y - a.y, length = std::max(std::hypot(dx, dy), 1e-9);
    const bool arrow = explanation_.directed && length > 2 * radius_;
    if (arrow) b = {b.x - dx / length * (radius_ + 2), b.y - dy / length * (radius_ + 2)};
    const auto line = [&](const std::string& colour, double wide) {
      out_ += fmt::format(
          "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{:.2f}\"/>\n",
          a.x, a.y, b.x, b.y, colour, wide);
    };
    const double value = edge_value(edge, quantity_);
    if (quantity_ == Quantity::kVisits || value == 0) {
      line("#8b9099", width);
    } else {  // in a casing, for colours near white
      line("#8b9099", std::max(width, 2.5) + 1.6);
      line(hex(edge_scale_.at(value)), std::max(width, 2.5));
    }
    if (arrow) draw_head(b, dx / length, dy / length, width);
  }

  void draw_head(const Point& tip, double dx, double dy, double width) {
    const double size = std::max({0.6 * radius_, 2 * width, 4.0});
    out_ += fmt::format("<path d=\"M{:.1f},{:.1f}L{:.1f},{:.1f}L{:.1f},{:.1f}Z\" fill=\"#5d636d\"/>\n", tip.x, tip.y,
                        tip.x - size * (dx - 0.45 * dy), tip.y - size * (dy + 0.45 * dx),
                        tip.x - size * (dx + 0.45 * dy), tip.y - size * (dy - 0.45 * dx));
  }

  void draw_node(std::uint32_t node) {
    const Point place = at_.at(node);
    const std::uint64_t number = explanation_.nodes[node];
    const bool marked = number < subject_.marks.size() && subject_.marks[number] != 0;
    out_ += fmt::format("<g><title>{}</title>", xml_text(story(node)));
    if (marked) {  // a ring of its own, so that it shows on any colour
      out_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"#fff\" stroke=\"#111\" stroke-width=\"{:.1f}\"/>",
          place.x, place.y, radius_ + std::max(2.6, radius_ / 4), std::max(1.6, radius_ / 6));
    }
    out_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" stroke=\"#4a4f57\" stroke-width=\"0.8\"/>",
        place.x, place.y, radius_, hex(node_scale_.at(node_values(explanation_, quantity_)[node])));
    draw_label(node, place);
    out_ += "</g>\n";
  }

  void draw_label(std::uint32_t node, const Point& place) {
    constexpr std::size_t kMostNamed = 60;  // beyond that, names beside the nodes are a thicket
    std::string label = subject_.spelling.node(subject_.graph, explanation_.nodes[node]);
    if (label.empty()) label = std::to_string(explanation_.nodes[node]);
    const double size = std::min(1.05 * radius_, 13.0);
    if (size >= 6 && text_width(label, size) <= 1.8 * radius_) {
      out_ += svg_text(place.x, place.y + 0.36 * size, label, {.size = size, .anchor = "middle", .fill = "#111"});
    } else if (part_.size() <= kMostNamed) {
      constexpr double kSmall = 9;
      names_ += svg_text(place.x, place.y + radius_ + kSmall, cut_to_width(label, kSmall, 70),
                         {.size = kSmall, .anchor = "middle", .fill = "#333", .halo = true});
    }
  }

  // Everything that is known of a node; browsers show it under the pointer.
  [[nodiscard]] std::string story(std::uint32_t node) const {
    const std::uint64_t number = explanation_.nodes[node];
    const std::string label = subject_.spelling.node(subject_.graph, number);
    std::string text = fmt::format("node {}{}: visits {}, touched in {:.0f} % of rollouts", number,
                                   label.empty() ? "" : fmt::format(" ({})", label),
                                   short_number(explanation_.visits[node]), 100 * explanation_.touched[node]);
    if (!explanation_.influence.empty()) text += ", influence " + short_number(explanation_.influence[node]);
    if (!explanation_.left_out.empty()) text += ", leave-one-out " + short_number(explanation_.left_out[node]);
    return text;
  }

  const PictureSubject& subject_;
  const Explanation& explanation_;
  const std::vector<std::uint32_t>& part_;
  Quantity quantity_;
  ColourScale node_scale_, edge_scale_;
  double radius_ = 0, crossings_ = 0;
  std::unordered_map<std::uint32_t, Point> at_;
  std::string out_;
  std::string names_;  // beside nodes: above everything else
};

}  // namespace

DrawingBox box_for(std::size_t nodes) {
  if (nodes <= 40) return {420, 340};
  if (nodes <= 120) return {560, 460};
  return {760, 620};
}

DrawingBox box_for(const Layout& layout) {
  DrawingBox box = box_for(layout.places.size());
  const double wanted = (box.width - 2 * kMargin) * layout.height / std::max(layout.width, 1e-9) + 2 * kMargin;
  box.height = std::clamp(wanted, 0.4 * box.width, box.height);
  return box;
}

std::string draw_graph(const PictureSubject& subject, const std::vector<std::uint32_t>& part, const Layout& layout,
                       Quantity quantity, const DrawingBox& box) {
  return GraphDrawing(subject, part, layout, quantity, box).draw();
}

}  // namespace agentnet
