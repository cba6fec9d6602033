#include "cpu/aligned_buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "stagebench/contracts/error.h"

namespace stagebench::cpu {

namespace {
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
}

// Straight from the system, not from the heap: large blocks go back when they are freed, and page alignment is more
// than a cache line needs.
AlignedBuffer::AlignedBuffer(std::size_t size_bytes) : size_(size_bytes) {
  if (size_bytes == 0) return;
  void* memory = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw ResourceError(fmt::format("could not get {} bytes of memory: {}", size_bytes, std::strerror(errno)));
  }
  // Advice only: a kernel without huge pages refuses it and nothing is lost.
  if (size_bytes >= huge_page_bytes) madvise(memory, size_bytes, MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(memory);
}

AlignedBuffer::~AlignedBuffer() {
  if (data_ != nullptr) munmap(data_, size_);
}

AlignedBuffer::AlignedBuffer(AlignedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace stagebench::cpu
