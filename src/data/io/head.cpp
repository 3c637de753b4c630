#include "data/io/head.h"

#include "data/io/utf16.h"

namespace agentnet {

std::string head_of(const Input& input) {
  if (!input.is_folder()) return head_as_utf8(input.head());
  const auto stream = input.stream();
  std::string head(kHeadBytes, 0);
  std::size_t size = 0;
  while (size < kHeadBytes) {
    const std::size_t got = stream->read(head.data() + size, kHeadBytes - size);
    if (got == 0) break;
    size += got;
  }
  head.resize(size);
  return head_as_utf8(head);
}

}  // namespace agentnet
