#include <iostream>

#include "program.h"

int main(int argc, char** argv) {
  return agentnet::run_program(agentnet::commands(), {argv + 1, argv + argc}, {std::cout, std::cerr});
}
