#include "support/work_counter.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace agentnet {
namespace {

std::atomic<std::uint64_t> allocated, compared, searched, in_use, peak, in_use_before;

}  // namespace

#ifdef AGENTNET_SANITIZED
bool work_is_counted() { return false; }
#else
bool work_is_counted() { return true; }
#endif

void begin_work() {
  allocated = compared = searched = 0;
  in_use_before = in_use.load();
  peak = in_use.load();
}

Work work_so_far() { return {allocated, compared, searched, peak - in_use_before}; }

}  // namespace agentnet

#ifndef AGENTNET_SANITIZED

namespace {

void* counted(void* block) {
  using namespace agentnet;
  if (block == nullptr) throw std::bad_alloc();
  const std::uint64_t size = malloc_usable_size(block);
  allocated += size;
  const std::uint64_t now = in_use += size;
  if (now > peak) peak = now;  // good enough where threads race
  return block;
}

void release(void* block) {
  if (block != nullptr) agentnet::in_use -= malloc_usable_size(block);
  std::free(block);
}

}  // namespace

// NOLINTBEGIN(misc-new-delete-overloads)
void* operator new(std::size_t size) { return counted(std::malloc(std::max<std::size_t>(1, size))); }
void* operator new[](std::size_t size) { return counted(std::malloc(std::max<std::size_t>(1, size))); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
// NOLINTEND(misc-new-delete-overloads)

// The program's own definitions come before the C library's, for our code and for the libraries it loads. `volatile`
// keeps the compiler from making calls of the functions themselves out of the loops.
extern "C" {

int memcmp(const void* a, const void* b, std::size_t size) {
  agentnet::compared.fetch_add(1 + size / 16, std::memory_order_relaxed);
  const volatile unsigned char *x = static_cast<const volatile unsigned char*>(a),
                               *y = static_cast<const volatile unsigned char*>(b);
  for (std::size_t i = 0; i < size; ++i) {
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  }
  return 0;
}

void* memchr(const void* text, int wanted, std::size_t size) {
  const volatile unsigned char* x = static_cast<const volatile unsigned char*>(text);
  std::size_t i = 0;
  while (i < size && x[i] != static_cast<unsigned char>(wanted)) ++i;
  agentnet::searched.fetch_add(i, std::memory_order_relaxed);
  return i < size ? const_cast<unsigned char*>(static_cast<const unsigned char*>(text) + i) : nullptr;
}

}  // extern "C"

#endif
