#include "view/pictures/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "agentnet/error.h"
#include "support/graphs.h"
#include "view/explained.h"
#include "view/pictures/part.h"
#include "view/pictures/svg.h"

namespace agentnet {
namespace {

using testing::ElementsAre;

const std::vector<Quantity> kBoth = {Quantity::kVisits, Quantity::kInfluence};

// Letters as labels: node u has category u % 2.
Schema letters() {
  Schema schema;
  schema.nodes.categories = {{"letter", {"a", "<&\">"}}};
  return schema;
}

TEST(Picture, ShowsEveryNodeAndEdgeOncePerPanel) {
  GraphParts parts = cycle_graph(6);
  parts.node_categories = {0, 1, 0, 1, 0, 1};
  const Graph graph(parts);
  const GraphView view = graph.view();
  const Explanation e = made_explanation(view);
  const Spelling spelling(letters());
  const Picture picture =
      draw_picture({view, e, spelling, {}, "<graph> & \"co\"", "predicted \x01\xff", "class </svg>"}, kBoth);
  const auto elements = elements_of(picture.svg);
  EXPECT_EQ(elements[0].name, "svg");
  EXPECT_EQ(count_of(elements, "circle"), 2 * 6U);
  EXPECT_EQ(count_of(elements, "line"), 2 * 6U);
  EXPECT_TRUE(says(elements, "<graph> & \"co\""));
  EXPECT_TRUE(says(elements, "<&\">"));
  EXPECT_TRUE(says(elements, "on class </svg>: gradient times input"));
  EXPECT_TRUE(says(elements, "how often agents stood there, per rollout"));
  EXPECT_FALSE(picture.molecule);
  EXPECT_EQ(picture.why_no_molecule, "");
}

TEST(Picture, ColoursFollowTheValues) {
  const Graph graph(path_graph(4));
  const GraphView view = graph.view();
  const Explanation e = made_explanation(view);  // visits 0 1 2 3, influence -2 -1 0 1
  const Spelling spelling{Schema{}};
  std::vector<std::string> fills;
  for (const XmlElement& element : elements_of(draw_picture({view, e, spelling, {}, "", "", ""}, kBoth).svg)) {
    if (element.name == "circle") fills.push_back(element["fill"]);
  }
  ASSERT_EQ(fills.size(), 8U);
  const ColourScale visits(ColourScale::Kind::kAmount, 3), influence(ColourScale::Kind::kSigned, 2);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(fills[static_cast<std::size_t>(i)], hex(visits.at(i)));
    EXPECT_EQ(fills[static_cast<std::size_t>(4 + i)], hex(influence.at(i - 2)));
  }
  EXPECT_EQ(std::set<std::string>(fills.begin(), fills.end()).size(), 8U);
}

TEST(Picture, MarkedNodesAreRingedAndSaidToBe) {
  const Graph graph(path_graph(4));
  const GraphView view = graph.view();
  const Explanation e = made_explanation(view);
  const Spelling spelling{Schema{}};
  const std::vector<std::uint8_t> marks = {0, 1, 1, 0};
  const auto elements = elements_of(draw_picture({view, e, spelling, marks, "", "", ""}, {Quantity::kVisits}).svg);
  EXPECT_EQ(count_of(elements, "circle"), 6U);
  EXPECT_TRUE(says(elements, "ringed nodes: marked in the data"));
}

TEST(Picture, OfALargeGraphIsAPartAndSaysSo) {
  const Graph graph(path_graph(2000));
  const GraphView view = graph.view();
  Explanation e = made_explanation(view);
  e.num_nodes = 1234567;
  const Spelling spelling{Schema{}};
  const auto elements = elements_of(draw_picture({view, e, spelling, {}, "", "", ""}, {Quantity::kVisits}).svg);
  EXPECT_EQ(count_of(elements, "circle"), kMostDrawn);
  EXPECT_TRUE(says(elements, "300 of 1,234,567 nodes"));
}

TEST(Picture, WhatWasNotMeasuredIsAnError) {
  const Graph graph(path_graph(4));
  const GraphView view = graph.view();
  const Explanation e = made_explanation(view);
  const Spelling spelling{Schema{}};
  EXPECT_THROW((void)draw_picture({view, e, spelling, {}, "", "", ""}, {Quantity::kLeftOut}), Error);
  EXPECT_THROW((void)draw_picture({view, e, spelling, {}, "", "", ""}, {}), Error);
}

TEST(Part, GrowsFromTheMostVisitedAlongEdges) {
  const Graph graph(path_graph(10));
  Explanation e = made_explanation(graph.view());
  e.visits = {0, 5, 4, 0, 0, 0, 0, 3, 9, 0};
  EXPECT_THAT(part_to_draw(e, 1), ElementsAre(8));
  EXPECT_THAT(part_to_draw(e, 4), ElementsAre(1, 2, 7, 8));
  EXPECT_THAT(part_to_draw(e, 5), ElementsAre(0, 1, 2, 7, 8));  // then what is beside them
  EXPECT_EQ(part_to_draw(e, 10).size(), 10U);
}

TEST(ColourScale, IsReadableInEveryKindOfSight) {
  const auto luminance = [](const Rgb& c) { return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b; };
  const ColourScale amount(ColourScale::Kind::kAmount, 1), signs(ColourScale::Kind::kSigned, 1);
  for (double x = 0; x < 0.95; x += 0.1) EXPECT_GT(luminance(amount.at(x)), luminance(amount.at(x + 0.1)) + 0.01) << x;
  for (double x = 0; x < 0.95; x += 0.1) {
    EXPECT_GT(luminance(signs.at(x)), luminance(signs.at(x + 0.1)) + 0.005) << x;
    EXPECT_GT(luminance(signs.at(-x)), luminance(signs.at(-x - 0.1)) + 0.005) << x;
    EXPECT_GT(signs.at(x + 0.1).r, signs.at(x + 0.1).b);  // orange above, blue below: no red against green
    EXPECT_LT(signs.at(-x - 0.1).r, signs.at(-x - 0.1).b);
  }
  EXPECT_EQ(amount.at(7), amount.at(1));
  EXPECT_EQ(ColourScale(ColourScale::Kind::kSigned, 0).at(3), signs.at(0));
  EXPECT_EQ(hex({1, 0, 0.5}), "#ff0080");
}

TEST(Svg, TextIsSafeInXml) {
  EXPECT_EQ(xml_text("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(xml_text("\x01"
                     "a\xff"
                     "b\xEF\xBF\xBF"),
            "\xEF\xBF\xBD"
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(xml_text("\xC3\xA4\n"), "\xC3\xA4 ");
  EXPECT_EQ(cut_to_width("a long name", 10, 1000), "a long name");
  const std::string cut = cut_to_width("\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4", 10, 30);
  EXPECT_TRUE(cut.ends_with("..."));
  EXPECT_EQ(cut.size() % 2, 1U);  // no character is cut through
}

}  // namespace
}  // namespace agentnet
