// Hand-made explanations, and a look at XML.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "agentnet/explain.h"
#include "agentnet/graph.h"
#include "data/syntax/xml.h"

namespace agentnet {

// Of a graph without directions: node i is visited i times, has the influence i - n / 2, and every edge is crossed
// once.
inline Explanation made_explanation(const GraphView& graph) {
  Explanation e;
  e.num_nodes = graph.num_nodes;
  e.rollouts = 4;
  e.mean = {0.25, 0.75};
  e.walk_spread = {0.1, 0.1};
  e.output = 1;
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    e.nodes.push_back(u);
    e.visits.push_back(static_cast<double>(u));
    e.touched.push_back(1);
    e.influence.push_back(static_cast<double>(u) - static_cast<double>(graph.num_nodes) / 2);
    for (std::uint64_t i = graph.offsets[u]; i < graph.offsets[u + 1]; ++i) {
      const auto from = static_cast<std::uint32_t>(u), to = static_cast<std::uint32_t>(graph.neighbour(i));
      if (from <= to) e.edges.push_back({.from = from, .to = to, .crossings = 1});
    }
  }
  e.num_edges = e.edges.size();
  return e;
}

struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string text;  // directly in it

  [[nodiscard]] std::string operator[](const std::string& attribute) const {
    for (const auto& [key, value] : attributes) {
      if (key == attribute) return value;
    }
    return {};
  }
};

// Every element in the order of its start; a text that is not well-formed fails the test.
inline std::vector<XmlElement> elements_of(const std::string& xml) {
  std::vector<XmlElement> elements;
  std::vector<std::size_t> open;
  try {
    XmlReader reader(xml, "test");
    for (auto event = reader.next(); event != XmlReader::Event::kDone; event = reader.next()) {
      if (event == XmlReader::Event::kStart) {
        open.push_back(elements.size());
        XmlElement& element = elements.emplace_back();
        element.name = reader.name();
        for (const auto& attribute : reader.attributes())
          element.attributes.emplace_back(attribute.name, attribute.value);
      } else if (event == XmlReader::Event::kEnd) {
        open.pop_back();
      } else if (!open.empty()) {
        elements[open.back()].text += reader.text();
      }
    }
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
  return elements;
}

inline std::size_t count_of(const std::vector<XmlElement>& elements, const std::string& name) {
  std::size_t count = 0;
  for (const XmlElement& element : elements) count += element.name == name ? 1 : 0;
  return count;
}

// Whether some <text> holds this.
inline bool says(const std::vector<XmlElement>& elements, const std::string& text) {
  for (const XmlElement& element : elements) {
    if (element.name == "text" && element.text.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace agentnet
