// Models to serve: quick to make, good enough to ask.
#pragma once

#include <filesystem>
#include <string>

#include "agentnet/data.h"
#include "data/molecules/molecule.h"
#include "support/small_model.h"
#include "support/temp_folder.h"

namespace agentnet {

inline constexpr const char* kTwoGraphs = R"({"edge_index":[[0,1],[1,0]],"node_feat":[[1],[2]],"y":0})"
                                          "\n"
                                          R"({"edge_index":[[0,1,1,2],[1,0,2,1]],"node_feat":[[1],[2],[2]],"y":1})"
                                          "\n";

// A file of a model that was trained on graphs in JSON lines, whose nodes have a category.
inline std::filesystem::path save_graph_model(const TempFolder& folder, const std::string& name = "graphs") {
  write_text(folder / "graphs.jsonl", kTwoGraphs);
  const Dataset data = read_data((folder / "graphs.jsonl").string(), {});
  const std::filesystem::path path = folder / (name + ".safetensors");
  small_model(data.schema).save(path);
  return path;
}

// The same of molecules; only where SMILES strings can be read.
inline std::filesystem::path save_molecule_model(const TempFolder& folder, const std::string& name = "molecules") {
  write_text(folder / "molecules.csv", "name,smiles,active\na,CCO,0\nb,c1ccccc1,1\nc,CC(=O)O,0\n");
  DataOptions options;
  options.targets = {"active"};
  options.task = Task::kClassification;
  const Dataset data = read_data((folder / "molecules.csv").string(), options);
  const std::filesystem::path path = folder / (name + ".safetensors");
  DataOptions reading;
  reading.smiles_column = "smiles";
  reading.id_column = "name";
  small_model(data.schema, reading).save(path);
  return path;
}

}  // namespace agentnet
