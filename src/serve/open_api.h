// What the server says of its own routes, as OpenAPI 3.1.
#pragma once

#include <string>

#include "serve/options.h"

namespace agentnet {

[[nodiscard]] std::string open_api(const ServeOptions& options);

}  // namespace agentnet
