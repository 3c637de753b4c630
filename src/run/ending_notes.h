// What a training should be told about at its end: that it has not learned anything yet, or not all that it could.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agentnet/run.h"

namespace agentnet {

// Whether the training loss still fell in the last quarter of the epochs, by a twentieth of what it fell in all, and a
// validation part, if there is one, does not say that the best epoch is long past.
[[nodiscard]] bool still_falling(const std::vector<EpochRecord>& history, std::uint64_t best_epoch);

// For people, with the command to type. `result` has its training already.
[[nodiscard]] std::vector<std::string> ending_notes(const RunResult& result, const std::filesystem::path& folder,
                                                    std::uint64_t epochs);

}  // namespace agentnet
