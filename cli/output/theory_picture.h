// The picture of agentnet theory show.
#pragma once

#include <string>

#include "commands.h"
#include "theory/claims/claims.h"

namespace agentnet {

// Draws the construction of a claim and the way of its agents into an SVG file, CLAIM.svg if none is named. Throws
// Error (kUsage) if the file exists and may not be replaced.
void show_claim(const theory::Claim& claim, const std::string& path, bool replace, const Console& console);

}  // namespace agentnet
