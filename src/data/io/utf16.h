// Text that a spreadsheet saved as "Unicode": UTF-16 with a byte-order mark, read as UTF-8.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "data/io/input.h"

namespace agentnet {

// The stream as it is, or, if it begins with the byte-order mark of UTF-16, its text in UTF-8. What is no UTF-16
// throws Error (kData) that begins with `place`.
[[nodiscard]] std::unique_ptr<ByteStream> as_utf8(std::unique_ptr<ByteStream> stream, std::string place);

// The same for the first bytes of a file, which may be cut anywhere: what is damaged is left to whoever reads it all.
[[nodiscard]] std::string head_as_utf8(std::string_view head);

}  // namespace agentnet
