// agentnet theory show as a page of the viewer: walks of programmed agents replay like learned ones.
#pragma once

#include <string>
#include <vector>

#include "theory/claims/claims.h"
#include "theory/claims/scenes.h"

namespace agentnet {

// The page's data (web/src/data.ts): a row per scene, its runs as rollouts, and as the answer after each visit how many
// nodes agents have stood on and how many they have seen. Holds no '<', so that it can stand in a page.
[[nodiscard]] std::string theory_page_json(const theory::Claim& claim, const std::vector<theory::Scene>& scenes);

}  // namespace agentnet
