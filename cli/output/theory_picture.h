// The picture of agentnet theory show.
#pragma once

#include <cstdint>
#include <string>

#include "commands.h"
#include "theory/claims/claims.h"

namespace agentnet {

struct ShowOptions {
  std::string file;    // .html: the viewer's page, .svg: a picture; empty: CLAIM.html, or CLAIM.svg without a viewer
  bool force = false;  // replaces the file if it exists
  bool json = false;   // prints the page's data and writes no file
  std::uint64_t seed = 0;
};

// Draws the construction of a claim and the way of its agents. Throws Error (kUsage) if the file exists and may not be
// replaced, or is named like neither a page nor a picture; (kFailure) for a page if this build has no viewer.
void show_claim(const theory::Claim& claim, const ShowOptions& options, const Console& console);

}  // namespace agentnet
