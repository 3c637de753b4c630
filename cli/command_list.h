// One declaration per command; commands.cpp puts them into the table.
#pragma once

#include "commands.h"

namespace agentnet {

CommandRun define_demo(CLI::App& app);
CommandRun define_train(CLI::App& app);
CommandRun define_predict(CLI::App& app);
CommandRun define_gather(CLI::App& app);
CommandRun define_estimate(CLI::App& app);
CommandRun define_eval(CLI::App& app);
CommandRun define_explain(CLI::App& app);
CommandRun define_view(CLI::App& app);
CommandRun define_serve(CLI::App& app);
CommandRun define_compare(CLI::App& app);
CommandRun define_cv(CLI::App& app);
CommandRun define_tune(CLI::App& app);
CommandRun define_paper(CLI::App& app);
CommandRun define_theory(CLI::App& app);
CommandRun define_convert(CLI::App& app);
CommandRun define_generate(CLI::App& app);
CommandRun define_inspect(CLI::App& app);
CommandRun define_fetch(CLI::App& app);
CommandRun define_info(CLI::App& app);
CommandRun define_completion(CLI::App& app);
CommandRun define_man(CLI::App& app);

}  // namespace agentnet
