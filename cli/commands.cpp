#include "commands.h"

#include <array>

#include "command_list.h"

namespace agentnet {

std::span<const Command> commands() {
  static constexpr std::array kAll = {
      Command{"demo", "Train on built-in graphs that message-passing networks cannot tell apart", "agentnet demo",
              define_demo},
      Command{"info", "Say what a model file holds", "agentnet info demo.safetensors", define_info},
  };
  return kAll;
}

}  // namespace agentnet
