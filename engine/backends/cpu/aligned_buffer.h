#pragma once

/// Memory for matrices and scratch: starts on a cache line, zero-filled by the system, its pages placed by whoever
/// touches them first.

#include <cstddef>

namespace stagebench::cpu {

/// Move-only owner of uninitialised memory. Asks for huge pages where the buffer is large enough to fill some: reading
/// weights from 4 KiB pages costs a tenth of the bandwidth and more.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  /// Throws ResourceError where the memory cannot be had. 0 bytes are no memory.
  explicit AlignedBuffer(std::size_t size_bytes);
  ~AlignedBuffer();
  AlignedBuffer(AlignedBuffer&& other) noexcept;
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace stagebench::cpu
