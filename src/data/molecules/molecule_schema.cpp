#include <string>
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
