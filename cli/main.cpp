#include <cstdio>

#include "agentnet/version.h"

int main() { std::printf("agentnet %s\n", agentnet::kVersion); }
