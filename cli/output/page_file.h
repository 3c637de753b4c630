// Pages that commands write.
#pragma once

#include <filesystem>
#include <string>

#include "commands.h"
#include "view/page/page.h"

namespace agentnet {

// Before the work: throws Error if this build has no viewer (kFailure), or if the file exists and must not be replaced
// (kUsage).
void plan_page(const std::filesystem::path& path, bool force);

// Writes the page and tells where it is, and what is missing in it. Throws Error (kFailure).
void write_page(const std::filesystem::path& path, const PageData& page, const Console& console);

// What to say of graphs whose walks found no room.
void tell_left_out(const PageData& page, std::size_t walks, const Console& console);

}  // namespace agentnet
