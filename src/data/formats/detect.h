// Which format a source looks like: by the names of its files, and by the first lines of a single one.
#pragma once

#include "data/formats/formats.h"

namespace agentnet {

[[nodiscard]] bool looks_like_tu(const Sample& sample);
[[nodiscard]] bool looks_like_ogb(const Sample& sample);
[[nodiscard]] bool looks_like_csv_triple(const Sample& sample);
[[nodiscard]] bool looks_like_mapped(const Sample& sample);
[[nodiscard]] bool looks_like_jsonl(const Sample& sample);
[[nodiscard]] bool looks_like_gml(const Sample& sample);
[[nodiscard]] bool looks_like_gexf(const Sample& sample);
[[nodiscard]] bool looks_like_graph6(const Sample& sample);
[[nodiscard]] bool looks_like_node_link(const Sample& sample);
[[nodiscard]] bool looks_like_graphml(const Sample& sample);
[[nodiscard]] bool looks_like_matrix_market(const Sample& sample);
[[nodiscard]] bool looks_like_metis(const Sample& sample);
[[nodiscard]] bool looks_like_smiles_csv(const Sample& sample);
[[nodiscard]] bool looks_like_gin(const Sample& sample);
[[nodiscard]] bool looks_like_edge_list(const Sample& sample);

}  // namespace agentnet
