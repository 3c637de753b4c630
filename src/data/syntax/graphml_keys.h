// The keys of a GraphML file: which attributes its graphs, nodes and edges have.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/io/name_index.h"
#include "data/syntax/xml.h"

namespace agentnet {

enum class GraphmlOwner { kNode, kEdge, kGraph };
inline constexpr std::array kGraphmlOwners = {GraphmlOwner::kNode, GraphmlOwner::kEdge, GraphmlOwner::kGraph};

// "node", "edge", "graph"
[[nodiscard]] std::string_view graphml_name(GraphmlOwner owner);

struct GraphmlKey {
  enum class Type { kBoolean, kWhole, kNumber, kText };
  std::string id, name;
  std::string owners;  // "node", "edge", "graph", "all", or something that we do not read
  Type type = Type::kText;
  bool foreign = false;  // holds a drawing (yEd), not a value
  std::optional<std::string> fallback;
  std::array<bool, 3> used = {};  // per owner: some <data> names it
  const char* at = nullptr;

  // Whether its values make a column of this owner.
  [[nodiscard]] bool is_column_of(GraphmlOwner owner) const;
};

// Reads through the whole text once: what attributes there are must be known before the first node is read.
class GraphmlKeys {
 public:
  GraphmlKeys(std::string_view text, const std::string& place);

  [[nodiscard]] const std::vector<GraphmlKey>& all() const { return keys_; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view id) const { return numbers_.find(id); }

 private:
  void read_key(XmlReader& xml);
  void note_use(const XmlReader& xml, std::string_view parent);

  std::vector<GraphmlKey> keys_;
  NameIndex numbers_;  // by the ids
  // Ids of keys, per owner, to be joined with the keys, which may come later.
  std::array<std::set<std::string>, 3> uses_;
};

}  // namespace agentnet
