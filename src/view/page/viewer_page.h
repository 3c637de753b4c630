// dist/viewer.html of web/ as it was when the program was built; empty in a build without it.
#pragma once

#include <string_view>

namespace agentnet {

[[nodiscard]] std::string_view viewer_page();

}  // namespace agentnet
