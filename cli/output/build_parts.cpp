#include "output/build_parts.h"

#include <array>
#include <vector>

#include "classic/learners/linear_learner.h"
#include "classic/learners/trees.h"
#include "core/text.h"
#include "data/io/archives/unpack.h"
#include "data/io/download.h"
#include "data/molecules/molecule.h"
#include "view/page/page.h"

namespace agentnet {
namespace {

struct Part {
  const char* what;
  bool here;
};

}  // namespace

std::string build_parts() {
  const std::array parts = std::to_array<Part>({{"molecules from SMILES (RDKit)", can_read_smiles()},
                                                {"packed files (libarchive)", can_unpack()},
                                                {"downloads (libcurl)", can_download()},
                                                {"fitting wl (liblinear)", has_liblinear()},
                                                {"fitting forest and boosting (XGBoost)", has_xgboost()},
                                                {"the viewer's page", has_viewer()}});
  std::vector<std::string> here, left_out;
  for (const Part& part : parts) (part.here ? here : left_out).emplace_back(part.what);
  std::string lines = here.empty() ? "" : "with: " + join_text(here, ", ");
  if (!here.empty() && !left_out.empty()) lines += '\n';
  if (!left_out.empty()) lines += "without: " + join_text(left_out, ", ");
  return lines;
}

}  // namespace agentnet
