// The viewer's page: one file that shows predictions and the walks behind them. web/ draws it, web/src/data.ts says
// what data it takes, and this makes that data.
//
//   PageData page;
//   page.title = "MUTAG.zip, test part";
//   page.model = &model;
//   page.data = &data;
//   page.graphs = {0, 1, 2};
//   page.explanations = explain(model, views_of_those, options);   // also says what is predicted
//   write_whole_file("page.html", page_html(page));
//
// Nothing of it depends on time or machine: the same parts give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/explain.h"
#include "agentnet/model.h"
#include "agentnet/predict.h"
#include "agentnet/train.h"
#include "view/pictures/spelling.h"

namespace agentnet {

// What the same graphs score without a network.
struct PageBaseline {
  std::string name;
  Scores scores;
};

struct PageTraining {
  std::string metric;  // that the best epoch was chosen by; empty: nothing is known of a training
  std::vector<EpochRecord> epochs;
};

struct PageData {
  std::string title;
  std::string created;     // shown as it is; empty: not shown
  std::string model_file;  // the same
  const Model* model = nullptr;
  const Dataset* data = nullptr;             // renumbered as the model wants it (fit_to_model)
  std::vector<std::size_t> graphs;           // those of `data` that are listed
  const Predictions* predictions = nullptr;  // of `graphs`; null: the explanations say
  std::vector<Explanation> explanations;
  std::vector<std::size_t> explained;  // the entry of `graphs` that each is of; empty: explanation i is of entry i
  bool scores = true;                  // metrics, confusion and calibration, if there are targets
  MoleculeNames names;                 // of atoms and bonds whose labels are mere numbers
  std::vector<PageBaseline> baselines;
  PageTraining training;
  // Walks that do not fit into so many bytes are left out, the last ones first; their graphs are still listed.
  std::uint64_t most_walk_bytes = std::uint64_t{20} << 20;
};

// Whether this build has the page (CMake's AGENTNET_WEB).
[[nodiscard]] bool has_viewer();
// Throws Error (kFailure), which says how to build one with it, if it has not.
void require_viewer();

// The data as JSON, in which no '<' occurs: it can stand in a page as it is. `walks`, if not null, receives how many
// explanations are in it. Throws Error (kUsage) if the parts do not belong together.
[[nodiscard]] std::string page_json(const PageData& page, std::size_t* walks = nullptr);

// The page without data, which asks for data.json beside it; and with it. Both throw as require_viewer().
[[nodiscard]] std::string_view empty_page();
[[nodiscard]] std::string page_with(std::string_view json);
[[nodiscard]] std::string page_html(const PageData& page, std::size_t* walks = nullptr);

}  // namespace agentnet
