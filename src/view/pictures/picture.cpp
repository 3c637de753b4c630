#include "view/pictures/picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "agentnet/error.h"
#include "graph/find_edge.h"
#include "view/pictures/graph_drawing.h"
#include "view/pictures/molecule_picture.h"
#include "view/pictures/part.h"
#include "view/pictures/svg.h"

namespace agentnet {
namespace {

constexpr double kMargin = 16;
constexpr double kHeading = 44;  // above a drawing
constexpr double kLegend = 74;   // below it

void check_measured(const Explanation& explanation, const std::vector<Quantity>& panels) {
  if (panels.empty()) throw Error(ErrorKind::kUsage, "a picture needs at least one colour", "ask for visits");
  for (const Quantity quantity : panels) {
    if (node_values(explanation, quantity).size() == explanation.nodes.size()) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("{} of graph {} was not measured", quantity_name(quantity), explanation.graph),
                quantity == Quantity::kLeftOut ? "leave-one-out is measured for graphs of up to --leave-one-out N nodes"
                                               : "ask for it");
  }
}

// 1234567 -> "1,234,567"
std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, ",");
  return text;
}

DrawnMolecule molecule_of(const PictureSubject& subject, Quantity quantity) {
  const Explanation& explanation = subject.explanation;
  const ColourScale nodes = node_scale(explanation, quantity), edges = edge_scale(explanation, quantity);
  const bool colour_bonds = std::any_of(explanation.edges.begin(), explanation.edges.end(),
                                        [&](const ExplainedEdge& edge) { return edge_value(edge, quantity) != 0; });
  DrawnMolecule molecule;
  for (std::uint64_t u = 0; u < subject.graph.num_nodes; ++u) {
    molecule.atoms.push_back({subject.spelling.atomic_number(subject.graph, u),
                              subject.spelling.charge(subject.graph, u), subject.spelling.hydrogens(subject.graph, u),
                              nodes.at(node_values(explanation, quantity)[u])});
  }
  for (const ExplainedEdge& edge : explanation.edges) {
    const std::uint64_t entry = find_edge(subject.graph, edge.from, edge.to).value();
    molecule.bonds.push_back({edge.from, edge.to, subject.spelling.bond(subject.graph, entry),
                              colour_bonds ? std::optional(edges.at(edge_value(edge, quantity))) : std::nullopt});
  }
  return molecule;
}

std::string gradient_bar(const ColourScale& scale, double x, double y, double width) {
  constexpr int kSteps = 24;
  std::string out;
  for (int i = 0; i < kSteps; ++i) {
    const double share = (i + 0.5) / kSteps;
    const double value = scale.lowest() + share * (scale.limit() - scale.lowest());
    out += fmt::format("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"10\" fill=\"{}\"/>",
                       x + i * width / kSteps, y, width / kSteps + 0.3, hex(scale.at(value)));
  }
  return out + fmt::format(
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"10\" fill=\"none\" "
                   "stroke=\"#4a4f57\" stroke-width=\"0.6\"/>\n",
                   x, y, width);
}

class PictureWriter {
 public:
  PictureWriter(const PictureSubject& subject, const std::vector<Quantity>& panels)
      : subject_(subject), panels_(panels), part_(part_to_draw(subject.explanation, kMostDrawn)) {}

  [[nodiscard]] Picture write() {
    Picture picture;
    box_ = box_for(part_.size());
    std::vector<std::string> drawings = molecules(picture);
    picture.molecule = !drawings.empty();
    if (!picture.molecule) drawings = graphs();

    std::vector<std::string> lines;  // below the title
    if (!subject_.subtitle.empty()) lines.push_back(subject_.subtitle);
    if (part_.size() < subject_.explanation.num_nodes) {
      lines.push_back(fmt::format("a part of the graph around the walks: {} of {} nodes", with_commas(part_.size()),
                                  with_commas(subject_.explanation.num_nodes)));
    }
    const double top = 34 + 18 * static_cast<double>(lines.size());
    const double width = 2 * kMargin + static_cast<double>(panels_.size()) * (box_.width + kMargin) - kMargin;
    const double height = top + kHeading + box_.height + kLegend + kMargin / 2;
    out_ = svg_begin(width, height, subject_.title + (subject_.subtitle.empty() ? "" : ": " + subject_.subtitle));
    const double room = width - 2 * kMargin;
    out_ += svg_text(kMargin, 26, cut_to_width(subject_.title, 16, room), {.size = 16, .bold = true});
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out_ += svg_text(kMargin, 46 + 18 * static_cast<double>(i), cut_to_width(lines[i], 12.5, room),
                       {.size = 12.5, .fill = "#444"});
    }
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      const double x = kMargin + static_cast<double>(p) * (box_.width + kMargin);
      write_panel(x, top, panels_[p], drawings[p], picture.molecule);
    }
    picture.svg = std::move(out_) + "</svg>\n";
    return picture;
  }

 private:
  // RDKit's drawings; none if these are no molecules, or cannot be drawn.
  std::vector<std::string> molecules(Picture& picture) {
    std::vector<std::string> drawings;
    if (!subject_.spelling.is_molecules()) return drawings;
    if (!can_draw_molecules()) {
      picture.why_no_molecule = "this agentnet was built without RDKit";
    } else if (part_.size() < subject_.explanation.num_nodes) {
      picture.why_no_molecule = fmt::format("more than {} atoms", kMostDrawn);
    }
    for (const Quantity quantity : panels_) {
      if (!picture.why_no_molecule.empty()) return {};
      const auto drawn =
          draw_molecule(molecule_of(subject_, quantity), static_cast<int>(box_.width), static_cast<int>(box_.height));
      if (drawn) {
        drawings.push_back(*drawn);
      } else {
        picture.why_no_molecule = "RDKit cannot draw it";
      }
    }
    return picture.why_no_molecule.empty() ? drawings : std::vector<std::string>{};
  }

  std::vector<std::string> graphs() {
    std::vector<std::uint32_t> number(subject_.explanation.nodes.size(), 0);
    std::vector<char> drawn(number.size(), 0);
    for (std::uint32_t i = 0; i < part_.size(); ++i) {
      number[part_[i]] = i;
      drawn[part_[i]] = 1;
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const ExplainedEdge& edge : subject_.explanation.edges) {
      if (drawn[edge.from] != 0 && drawn[edge.to] != 0) edges.emplace_back(number[edge.from], number[edge.to]);
    }
    const Layout layout = layout_graph(part_.size(), edges);
    box_ = box_for(layout);
    std::vector<std::string> drawings;
    for (const Quantity quantity : panels_) drawings.push_back(draw_graph(subject_, part_, layout, quantity, box_));
    return drawings;
  }

  void write_panel(double x, double top, Quantity quantity, const std::string& drawing, bool molecule) {
    const auto [heading, meaning] = caption(quantity, subject_.output);
    out_ += svg_text(x, top + 18, heading, {.size = 14, .bold = true});
    out_ += svg_text(x, top + 35, cut_to_width(meaning, 12, box_.width), {.fill = "#444"});
    out_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#dcdfe4\"/>\n", x,
        top + kHeading, box_.width, box_.height);
    out_ += fmt::format("<g transform=\"translate({:.1f},{:.1f})\">\n{}</g>\n", x, top + kHeading, drawing);
    write_legend(x, top + kHeading + box_.height + 12, quantity, molecule);
  }

  void write_legend(double x, double y, Quantity quantity, bool molecule) {
    const ColourScale scale = node_scale(subject_.explanation, quantity);
    constexpr double kBar = 190;
    out_ += gradient_bar(scale, x, y, kBar);
    const TextStyle small{.size = 11, .fill = "#333"};
    TextStyle middle = small, end = small;
    middle.anchor = "middle";
    end.anchor = "end";
    out_ += svg_text(x, y + 23, short_number(scale.lowest()), small);
    if (scale.kind() == ColourScale::Kind::kSigned) out_ += svg_text(x + kBar / 2, y + 23, "0", middle);
    out_ += svg_text(x + kBar, y + 23, short_number(scale.limit()), end);
    if (scale.kind() == ColourScale::Kind::kSigned) {
      out_ += svg_text(x + kBar + 12, y + 9, "blue: against it; orange: for it", small);
    } else {
      out_ += svg_text(x + kBar + 12, y + 9, "visits per rollout", small);
    }
    out_ += svg_text(x, y + 42, cut_to_width(edges_text(quantity, molecule), 11, box_.width), small);
    const bool marked = std::any_of(subject_.marks.begin(), subject_.marks.end(), [](auto mark) { return mark != 0; });
    if (marked && !molecule) out_ += svg_text(x, y + 58, "ringed nodes: marked in the data", small);
  }

  [[nodiscard]] std::string edges_text(Quantity quantity, bool molecule) const {
    const bool coloured = std::any_of(subject_.explanation.edges.begin(), subject_.explanation.edges.end(),
                                      [&](const ExplainedEdge& edge) { return edge_value(edge, quantity) != 0; });
    if (quantity != Quantity::kVisits && coloured) {
      return fmt::format("{} have the colour of their own value", molecule ? "bonds" : "edges");
    }
    if (molecule && quantity != Quantity::kVisits) return {};
    return fmt::format("{}: moves along them, up to {} per rollout", molecule ? "bonds, darker" : "edges, thicker",
                       short_number(edge_scale(subject_.explanation, Quantity::kVisits).limit()));
  }

  const PictureSubject& subject_;
  const std::vector<Quantity>& panels_;
  std::vector<std::uint32_t> part_;
  DrawingBox box_;
  std::string out_;
};

}  // namespace

Picture draw_picture(const PictureSubject& subject, const std::vector<Quantity>& panels) {
  check_measured(subject.explanation, panels);
  return PictureWriter(subject, panels).write();
}

}  // namespace agentnet
