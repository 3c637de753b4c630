#include "agentnet/explain.h"
