#include "view/pictures/spelling.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <string_view>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"
#include "data/io/lines.h"
#include "data/molecules/molecule.h"

namespace agentnet {
namespace {

constexpr std::array<std::string_view, 119> kElements = {
    "",   "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",  "S",
    "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As",
    "Se", "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn",
    "Sb", "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho",
    "Er", "Tm", "Yb", "Lu", "Hf", "Ta", "W",  "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po",
    "At", "Rn", "Fr", "Ra", "Ac", "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md",
    "No", "Lr", "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};

std::optional<int> element_of(std::string_view symbol) {
  const auto found = std::find(kElements.begin() + 1, kElements.end(), symbol);
  if (found == kElements.end()) return std::nullopt;
  return static_cast<int>(found - kElements.begin());
}

std::optional<BondKind> bond_of(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower == "single") return BondKind::kSingle;
  if (lower == "double") return BondKind::kDouble;
  if (lower == "triple") return BondKind::kTriple;
  if (lower == "aromatic") return BondKind::kAromatic;
  return std::nullopt;
}

// Whether the values are 0, 1, 2, ... below `end`, some of which may be missing.
bool are_numbers_below(const std::vector<std::string>& values, std::size_t end) {
  return std::all_of(values.begin(), values.end(), [&](const std::string& value) {
    const auto number = to_integer(value);
    return number && *number >= 0 && static_cast<std::uint64_t>(*number) < end && value == std::to_string(*number);
  });
}

// The value that a name is for, and the name: "0=C" -> 0, C.
struct NamedValue {
  std::size_t value;
  std::string name;
};

std::vector<NamedValue> with_values(const std::vector<std::string>& names, const CategoryColumn& column,
                                    std::string_view option) {
  const bool assigned = names[0].find('=') != std::string::npos;
  std::vector<NamedValue> result;
  if (!assigned) {
    const bool by_number = are_numbers_below(column.values, names.size());
    if (!by_number && names.size() < column.values.size()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} has {} names, but column {} has {} values: {}", option, names.size(),
                              in_quotes(column.name), column.values.size(), join_text(column.values, ", ")),
                  "name them all, in this order; or some of them as VALUE=NAME");
    }
    for (std::size_t i = 0; i < column.values.size(); ++i) {
      const auto at = by_number ? static_cast<std::size_t>(*to_integer(column.values[i])) : i;
      result.push_back({i, names[at]});
    }
    return result;
  }
  for (const std::string& name : names) {
    const std::size_t equals = name.find('=');
    const std::string value = name.substr(0, equals);
    const auto found = std::find(column.values.begin(), column.values.end(), value);
    if (equals == std::string::npos || found == column.values.end()) {
      throw Error(ErrorKind::kUsage,
                  equals == std::string::npos
                      ? fmt::format("{} {}: which value is it the name of?", option, in_quotes(name))
                      : fmt::format("{}: column {} has no value {}; it has {}", option, in_quotes(column.name),
                                    in_quotes(value), join_text(column.values, ", ")),
                  fmt::format("write {} VALUE=NAME,VALUE=NAME,...", option));
    }
    result.push_back({static_cast<std::size_t>(found - column.values.begin()), name.substr(equals + 1)});
  }
  return result;
}

const CategoryColumn& first_of(const std::vector<CategoryColumn>& columns, std::string_view option, const char* owner) {
  if (!columns.empty()) return columns[0];
  throw Error(ErrorKind::kUsage, fmt::format("{} names labels of {}, but these graphs have none", option, owner),
              "leave it out");
}

std::optional<std::size_t> column_like(const std::vector<CategoryColumn>& columns, const FeatureSchema& schema,
                                       std::string_view name) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (const CategoryColumn& known : schema.categories) {
      if (known.name == name && columns[c] == known) return c;
    }
  }
  return std::nullopt;
}

// Number i of OGB's list of charges is i - 5, its last entry any other.
int ogb_charge(std::int32_t number) { return number < 0 || number > 10 ? 0 : number - 5; }

}  // namespace

std::string element_symbol(int atomic_number) {
  const auto at = static_cast<std::size_t>(atomic_number);
  return atomic_number > 0 && at < kElements.size() ? std::string(kElements[at]) : std::string();
}

Spelling::Spelling(const Schema& schema, const MoleculeNames& names)
    : nodes_(schema.nodes.categories), edges_(schema.edges.categories) {
  find_atoms(names);
  find_bonds(names);
}

void Spelling::find_atoms(const MoleculeNames& names) {
  if (!names.atoms.empty()) {
    const CategoryColumn& column = first_of(nodes_, "--atoms", "nodes");
    atom_column_ = 0;
    elements_.assign(column.values.size(), 0);
    for (const auto& [value, name] : with_values(names.atoms, column, "--atoms")) {
      const auto element = element_of(name);
      if (!element) {
        throw Error(ErrorKind::kUsage, fmt::format("--atoms: {} is no element", in_quotes(name)),
                    "symbols are written as in C, N, Cl");
      }
      elements_[value] = *element;
    }
    return;
  }
  atom_column_ = column_like(nodes_, atom_schema(), "atomic_num");
  if (atom_column_) {  // OGB's number i is the element i + 1, its last entry any other
    for (std::size_t i = 0; i < nodes_[*atom_column_].values.size(); ++i) {
      elements_.push_back(i + 1 < kElements.size() ? static_cast<int>(i + 1) : 0);
    }
    charge_column_ = column_like(nodes_, atom_schema(), "formal_charge");
    hydrogen_column_ = column_like(nodes_, atom_schema(), "num_h");
    return;
  }
  for (std::size_t c = 0; c < nodes_.size() && !atom_column_; ++c) {
    const std::vector<std::string>& values = nodes_[c].values;
    const bool elements = std::all_of(values.begin(), values.end(), [](const auto& v) { return element_of(v); });
    if (!elements || std::find(values.begin(), values.end(), "C") == values.end()) continue;
    atom_column_ = c;
    for (const std::string& value : values) elements_.push_back(*element_of(value));
  }
}

void Spelling::find_bonds(const MoleculeNames& names) {
  if (!names.bonds.empty()) {
    const CategoryColumn& column = first_of(edges_, "--bonds", "edges");
    bond_column_ = 0;
    bonds_.assign(column.values.size(), BondKind::kUnknown);
    for (const auto& [value, name] : with_values(names.bonds, column, "--bonds")) {
      const auto kind = bond_of(name);
      if (!kind) {
        const std::vector<std::string> known = {"single", "double", "triple", "aromatic"};
        const auto meant = closest_match(name, known);
        throw Error(ErrorKind::kUsage, fmt::format("--bonds: {} is no kind of bond", in_quotes(name)),
                    meant ? fmt::format("did you mean {}?", *meant) : "there are single, double, triple, aromatic");
      }
      bonds_[value] = *kind;
    }
    return;
  }
  bond_column_ = column_like(edges_, bond_schema(), "bond_type");
  if (bond_column_) {
    bonds_ = {BondKind::kSingle, BondKind::kDouble, BondKind::kTriple, BondKind::kAromatic, BondKind::kUnknown};
    return;
  }
  for (std::size_t c = 0; c < edges_.size() && !bond_column_ && is_molecules(); ++c) {
    const std::vector<std::string>& values = edges_[c].values;
    if (!std::all_of(values.begin(), values.end(), [](const auto& v) { return bond_of(v); })) continue;
    bond_column_ = c;
    for (const std::string& value : values) bonds_.push_back(*bond_of(value));
  }
}

std::string Spelling::value(std::size_t column, std::int32_t category) const {
  const std::vector<std::string>& values = nodes_[column].values;
  const auto at = static_cast<std::size_t>(category);
  if (category < 0 || at >= values.size()) return "?";  // none that the model knows
  if (column == atom_column_ && elements_[at] != 0) return element_symbol(elements_[at]);
  if (column == charge_column_ && category <= 10) return fmt::format("{:+d}", ogb_charge(category));
  return values[at];
}

std::string Spelling::node(const GraphView& graph, std::uint64_t node) const {
  if (graph.node_categories.width == 0) return {};
  const std::size_t column = atom_column_.value_or(0);
  return value(column, graph.node_categories.value(node, column));
}

std::string Spelling::edge(const GraphView& graph, std::uint64_t entry) const {
  if (graph.edge_categories.width == 0 || edges_.empty()) return {};
  const std::size_t column = bond_column_.value_or(0);
  const auto at = static_cast<std::size_t>(graph.edge_categories.value(graph.edge_rows_of(entry).first, column));
  return at < edges_[column].values.size() ? edges_[column].values[at] : "?";
}

std::string Spelling::sign(const GraphView& graph, std::uint64_t entry) const {
  switch (bond(graph, entry)) {
    case BondKind::kSingle:
      return "";
    case BondKind::kDouble:
      return "=";
    case BondKind::kTriple:
      return "#";
    case BondKind::kAromatic:
      return ":";
    case BondKind::kUnknown:
      break;
  }
  const std::string label = edge(graph, entry);
  return label.empty() ? label : fmt::format("[{}]", label);
}

int Spelling::atomic_number(const GraphView& graph, std::uint64_t node) const {
  if (!atom_column_ || graph.node_categories.width == 0) return 0;
  const auto at = static_cast<std::size_t>(graph.node_categories.value(node, *atom_column_));
  return at < elements_.size() ? elements_[at] : 0;
}

int Spelling::charge(const GraphView& graph, std::uint64_t node) const {
  return charge_column_ ? ogb_charge(graph.node_categories.value(node, *charge_column_)) : 0;
}

int Spelling::hydrogens(const GraphView& graph, std::uint64_t node) const {
  constexpr std::int32_t kMost = 8;  // OGB's next entry is any other number
  const std::int32_t count = hydrogen_column_ ? graph.node_categories.value(node, *hydrogen_column_) : 0;
  return count >= 0 && count <= kMost ? count : 0;
}

BondKind Spelling::bond(const GraphView& graph, std::uint64_t entry) const {
  if (!bond_column_ || graph.edge_categories.width == 0) return BondKind::kUnknown;
  const auto at = static_cast<std::size_t>(graph.edge_categories.value(graph.edge_rows_of(entry).first, *bond_column_));
  return at < bonds_.size() ? bonds_[at] : BondKind::kUnknown;
}

}  // namespace agentnet
