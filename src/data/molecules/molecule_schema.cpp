#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "data/molecules/molecule.h"

namespace agentnet {
namespace {

CategoryColumn numbers_below(std::string name, int count) {
  CategoryColumn column{std::move(name), {}};
  for (int i = 0; i < count; ++i) column.values.push_back(std::to_string(i));
  return column;
}

}  // namespace

std::size_t count_atoms(std::string_view smiles) {
  const std::size_t begin = std::min(smiles.find_first_not_of(" \t"), smiles.size());
  smiles = smiles.substr(begin, smiles.find_first_of(" \t", begin) - begin);
  std::size_t atoms = 0;
  bool in_brackets = false;
  char before = 0;
  for (const char c : smiles) {
    if (in_brackets) {
      in_brackets = c != ']';
    } else if (c == '[' || c == '*') {
      in_brackets = c == '[';
      ++atoms;
    } else if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) {
      const bool second_letter = (before == 'C' && c == 'l') || (before == 'B' && c == 'r');
      if (!second_letter) ++atoms;
    }
    before = c;
  }
  return atoms;
}

// The lengths are those of OGB's allowable_features.

const FeatureSchema& atom_schema() {
  static const FeatureSchema schema{
      {},
      {numbers_below("atomic_num", 119), numbers_below("chirality", 5), numbers_below("degree", 12),
       numbers_below("formal_charge", 12), numbers_below("num_h", 10), numbers_below("num_radical", 6),
       numbers_below("hybridization", 6), numbers_below("is_aromatic", 2), numbers_below("is_in_ring", 2)}};
  return schema;
}

const FeatureSchema& bond_schema() {
  static const FeatureSchema schema{
      {}, {numbers_below("bond_type", 5), numbers_below("bond_stereo", 6), numbers_below("is_conjugated", 2)}};
  return schema;
}

}  // namespace agentnet
