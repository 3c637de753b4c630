// A large array of zeros whose pages are taken when they are first written to, and given back as a whole.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <utility>

namespace agentnet {

template <class T>
class PageBuffer {
 public:
  PageBuffer() = default;
  explicit PageBuffer(std::size_t size) : size_(size) {
    void* address =
        ::mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) throw std::bad_alloc();
    ::madvise(address, size * sizeof(T), MADV_HUGEPAGE);  // scattered writes miss the page tables less
    data_ = static_cast<T*>(address);
  }
  ~PageBuffer() {
    if (data_ != nullptr) ::munmap(data_, size_ * sizeof(T));
  }
  PageBuffer(PageBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PageBuffer& operator=(PageBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  PageBuffer(const PageBuffer&) = delete;
  PageBuffer& operator=(const PageBuffer&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace agentnet
