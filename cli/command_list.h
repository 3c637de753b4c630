// One declaration per command; commands.cpp puts them into the table.
#pragma once

#include "commands.h"

namespace agentnet {

CommandRun define_demo(CLI::App& app);
CommandRun define_info(CLI::App& app);

}  // namespace agentnet
