// Formatted text into a stream.
//
//   print_to(console.err, "note: {} rows\n", rows);
//
// <fmt/ostream.h> has the same, but whoever includes it compiles all of fmt's formatting again: five seconds for each
// file. Here that is called in fmt's library, as fmt::format() of <fmt/core.h> does.
#pragma once

#include <fmt/core.h>

#include <ostream>

namespace agentnet {

template <class... Values>
void print_to(std::ostream& out, fmt::format_string<Values...> text, Values&&... values) {
  out << fmt::vformat(text, fmt::make_format_args(values...));
}

}  // namespace agentnet
