// The page of a server: a person pastes a molecule or a graph, and sees the answer and the walk.
#pragma once

#include <string_view>

namespace agentnet {

[[nodiscard]] std::string_view serve_page();

}  // namespace agentnet
