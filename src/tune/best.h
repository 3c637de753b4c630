// The end of a search: the best model as a run folder, and the only look at the test part.
#pragma once

#include "agentnet/tune.h"
#include "tune/searches.h"

namespace agentnet {

[[nodiscard]] bool search_is_finished(const SearchPlace& place);

// Copies the best trial to best/ and tests it.
void test_best(const SearchPlace& place, const Trial& best, const Dataset& data, int threads);

// What that has come to.
void read_best(const SearchPlace& place, const Dataset& data, SearchResult& result);

}  // namespace agentnet
