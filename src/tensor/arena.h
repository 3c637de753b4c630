// Memory that is handed out in order and taken back all at once.
//
// A worker runs shard after shard in the same arena: after the first few there is no allocation at
// all. Pointers stay valid until reset().
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/checked.h"
#include "tensor/matrix.h"

namespace agentnet {

class Arena {
 public:
  // Room for n objects of a trivial type, aligned to a cache line and not initialised.
  template <class T>
  [[nodiscard]] T* take(std::size_t n) {
    return static_cast<T*>(take_bytes(to_allocate(CheckedSize(n) * sizeof(T))));
  }
  template <class T>
  [[nodiscard]] T* take_zeroed(std::size_t n) {
    T* p = take<T>(n);
    for (std::size_t i = 0; i < n; ++i) p[i] = T{};
    return p;
  }
  template <class S>
  [[nodiscard]] Matrix<S> matrix(Index rows, Index columns) {
    const Stride ld = leading_dimension<S>(columns);
    return {take<S>(elements(rows, ld)), ld};
  }
  template <class S>
  [[nodiscard]] Matrix<S> zero_matrix(Index rows, Index columns) {
    const Stride ld = leading_dimension<S>(columns);
    return {take_zeroed<S>(elements(rows, ld)), ld};
  }

  // Forgets everything that was taken; the memory stays.
  void reset();

  // Bytes held from the system.
  [[nodiscard]] std::size_t capacity() const;

 private:
  struct Release {
    void operator()(std::byte* p) const;
  };
  struct Block {
    std::unique_ptr<std::byte, Release> memory;
    std::size_t size = 0;
  };

  // A negative number of rows is as much too large as one that overflows.
  [[nodiscard]] static std::size_t elements(Index rows, Stride ld) {
    return to_allocate(CheckedSize(static_cast<std::uint64_t>(rows)) * static_cast<std::uint64_t>(ld));
  }
  [[nodiscard]] void* take_bytes(std::size_t bytes);

  std::vector<Block> blocks_;
  std::size_t current_ = 0;  // the block that is being handed out
  std::size_t used_ = 0;     // bytes of it that are taken
};

}  // namespace agentnet
