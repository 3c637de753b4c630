// In place of the generated viewer_page.cpp, in builds with AGENTNET_WEB=OFF.
#include "view/page/viewer_page.h"

namespace agentnet {

std::string_view viewer_page() { return {}; }

}  // namespace agentnet
