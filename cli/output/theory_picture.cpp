#include "output/theory_picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "core/files/whole_file.h"
#include "core/print.h"
#include "output/theory_page.h"
#include "theory/claims/scenes.h"
#include "view/page/page.h"
#include "view/pictures/layout.h"
#include "view/pictures/svg.h"

namespace agentnet {

namespace {

constexpr double kEdge = 56, kRadius = 11, kMargin = 40, kTitle = 46;
constexpr std::array<const char*, 5> kAgents = {"#c0392b", "#2471a3", "#1e8449", "#b7950b", "#7d3c98"};
constexpr std::array<const char*, 4> kLabels = {"#ffffff", "#d6eaf8", "#fdebd0", "#d5f5e3"};

struct Drawn {
  std::string svg;
  double width = 0, height = 0;
};

// A circle that goes the way, step by step, again and again.
std::string moving_agent(const std::vector<Point>& places, const std::vector<int>& way, std::size_t agent) {
  std::string x, y;
  for (const int node : way) {
    const Point& at = places[static_cast<std::size_t>(node)];
    // Twice: it stands on a node as long as it takes to the next.
    for (int i = 0; i < 2; ++i) {
      x += fmt::format("{}{:.1f}", x.empty() ? "" : ";", at.x);
      y += fmt::format("{}{:.1f}", y.empty() ? "" : ";", at.y);
    }
  }
  const double seconds = 0.8 * static_cast<double>(way.size());
  return fmt::format(
      "<circle r=\"6\" fill=\"{}\" stroke=\"white\" cx=\"{:.1f}\" cy=\"{:.1f}\">"
      "<animate attributeName=\"cx\" dur=\"{:.1f}s\" repeatCount=\"indefinite\" values=\"{}\"/>"
      "<animate attributeName=\"cy\" dur=\"{:.1f}s\" repeatCount=\"indefinite\" values=\"{}\"/></circle>\n",
      kAgents[agent % kAgents.size()], places[static_cast<std::size_t>(way[0])].x,
      places[static_cast<std::size_t>(way[0])].y, seconds, x, seconds, y);
}

// Below each node: when an agent was there first.
std::string first_visits(const std::vector<Point>& places, const std::vector<int>& way, std::size_t agent) {
  std::string svg;
  for (std::size_t node = 0; node < places.size(); ++node) {
    const auto first = std::find(way.begin(), way.end(), static_cast<int>(node));
    if (first == way.end()) continue;
    const double shift = 11 * static_cast<double>(agent) - 4;
    svg += svg_text(places[node].x + shift, places[node].y + kRadius + 11, std::to_string(first - way.begin()),
                    {.size = 9, .fill = kAgents[agent % kAgents.size()], .halo = true});
  }
  return svg;
}

Drawn draw_scene(const theory::Scene& scene) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (int u = 0; u < scene.graph.nodes; ++u) {
    for (int v = u + 1; v < scene.graph.nodes; ++v) {
      if (scene.graph.adjacent(u, v)) edges.emplace_back(static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v));
    }
  }
  const Layout layout = layout_graph(static_cast<std::size_t>(scene.graph.nodes), edges);
  std::vector<Point> places;
  for (const Point& place : layout.places)
    places.push_back({kMargin + kEdge * place.x, kTitle + kMargin + kEdge * place.y});
  Drawn drawn;
  for (const auto& [u, v] : edges) {
    drawn.svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#999\"/>\n",
                             places[u].x, places[u].y, places[v].x, places[v].y);
  }
  for (std::size_t node = 0; node < places.size(); ++node) {
    const std::uint8_t label = scene.graph.labels[node];
    drawn.svg +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"#444\" stroke-width=\"{}\"/>\n",
                    places[node].x, places[node].y, kRadius, kLabels[label % kLabels.size()],
                    ((scene.marks >> node) & 1u) != 0 ? 3 : 1);
    drawn.svg += svg_text(places[node].x, places[node].y + 4, std::to_string(label), {.size = 10, .anchor = "middle"});
  }
  const std::vector<std::vector<int>>& ways = scene.runs[0].ways;
  for (std::size_t a = 0; a < ways.size(); ++a) {
    drawn.svg += first_visits(places, ways[a], a);
    drawn.svg += moving_agent(places, ways[a], a);
  }
  drawn.svg += svg_text(kMargin, kTitle, scene.title, {.size = 12});
  drawn.width = std::max(2 * kMargin + kEdge * layout.width, 2 * kMargin + text_width(scene.title, 12));
  drawn.height = kTitle + 2 * kMargin + kEdge * layout.height;
  return drawn;
}

std::string picture_of(const theory::Claim& claim, const std::vector<theory::Scene>& scenes) {
  std::string panels;
  const std::string title = fmt::format("{}: {}", claim.where, claim.says);
  double width = 2 * kMargin + text_width(title, 14), right = 0, height = 0;
  for (const theory::Scene& scene : scenes) {
    const Drawn drawn = draw_scene(scene);
    panels += fmt::format("<g transform=\"translate({:.1f} 0)\">\n{}</g>\n", right, drawn.svg);
    right += drawn.width;
    height = std::max(height, drawn.height);
  }
  width = std::max(width, right);
  const std::string legend =
      "In a node: its feature. Below it: the time of each agent's first visit. Thick: what the claim is about.";
  return svg_begin(width, height + 24, title) + svg_text(kMargin, 24, title, {.size = 14, .bold = true}) + panels +
         svg_text(kMargin, height + 10, legend, {.size = 10}) + "</svg>\n";
}

// Before the work: is it a name that something can be written to?
std::filesystem::path planned_file(const theory::Claim& claim, const ShowOptions& options) {
  const std::filesystem::path file =
      options.file.empty() ? std::string(claim.name) + (has_viewer() ? ".html" : ".svg") : options.file;
  if (file.extension() != ".html" && file.extension() != ".svg") {
    throw Error(ErrorKind::kUsage, fmt::format("{} is named like neither a page nor a picture", file.string()),
                "name a file that ends in .html or .svg");
  }
  if (file.extension() == ".html") require_viewer();
  std::error_code ignored;
  if (!options.force && std::filesystem::exists(file, ignored)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} exists already", file.string()),
                "choose another name with -o, or replace it with --force");
  }
  return file;
}

}  // namespace

void show_claim(const theory::Claim& claim, const ShowOptions& options, const Console& console) {
  if (options.json) {
    print_to(console.out, "{}\n", theory_page_json(claim, theory::scenes_of(claim.name, options.seed)));
    return;
  }
  const std::filesystem::path file = planned_file(claim, options);
  const std::vector<theory::Scene> scenes = theory::scenes_of(claim.name, options.seed);
  const bool page = file.extension() == ".html";
  write_whole_file(file, page ? page_with(theory_page_json(claim, scenes)) : picture_of(claim, scenes));
  print_to(console.err, "wrote {}; open it in a browser\n", file.string());
}

}  // namespace agentnet
