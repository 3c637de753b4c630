// The body of a request as graphs that fit a model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/data.h"
#include "serve/options.h"
#include "serve/served_model.h"

namespace agentnet {

struct RequestData {
  std::vector<Dataset> parts;  // one after the other; rows are numbered over all of them
  std::uint64_t rows = 0;      // graphs and bad rows
};

// Graphs in any text format that the program reads. `content_type` names it ("text/csv", "application/x-ndjson",
// "chemical/x-daylight-smiles"); if it says nothing of use, the text is looked at. JSON may be graphs in lines, one
// graph, a list of graphs or of SMILES strings, or an object that has such a list under "graphs" or "smiles".
//
// Throws Problem: 413 beyond a limit, 415 for what is packed or of no known kind; and Error as readers do.
[[nodiscard]] RequestData read_request(const ServedModel& model, std::string_view content_type, std::string body,
                                       const ServeOptions& options);

// The same for a list of texts, each of which is a SMILES string or a graph in JSON, but not some of them this and some
// that.
[[nodiscard]] RequestData read_texts(const ServedModel& model, const std::vector<std::string>& texts,
                                     const ServeOptions& options);

}  // namespace agentnet
