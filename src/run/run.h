// What a run needs besides agentnet/run.h: where it writes and which networks it may name. Tests give others.
#pragma once

#include <filesystem>
#include <optional>

#include "agentnet/run.h"
#include "core/files/atomic_file.h"
#include "nets/kinds.h"
#include "run/settings.h"

namespace agentnet {

struct Speed {
  double step = 0;        // seconds of a step of the optimizer
  double evaluation = 0;  // of an evaluation on the validation part
  double test = 0;        // of the test at the end
};

struct RunSeams {
  FileSystem* fs = &FileSystem::real();
  const KindTable* kinds = &builtin_kinds();  // the networks that settings and model files may name
  bool epoch_matters = true;                  // whether anyone asks for the best epoch of this run
  std::optional<Speed> speed = std::nullopt;  // in place of what is measured
};

RunResult run_training(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                       const Split& split, const RunControl& control, const RunSeams& seams);

}  // namespace agentnet
