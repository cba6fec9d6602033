#pragma once

/// Scratch that all matrix products of a team share, so that it is there once and not once a layer.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/aligned_buffer.h"

namespace stagebench::cpu {

class ThreadTeam;

class LinearWorkspace {
 public:
  explicit LinearWorkspace(int members) : members_(static_cast<std::size_t>(members)) {}

  /// Inside run(): at least `size_bytes` for this member alone, on a cache line; what was in it is lost.
  std::byte* scratch(int member, std::size_t size_bytes);

  /// Inside run(), called by every member with the same shape: converts x, [m][k] f32, to bf16, each member a share,
  /// with a barrier. The result, [m][k] dense, is good until the member's next call but one: callers need no barrier
  /// between a product and the next.
  const std::uint16_t* share_as_bf16(ThreadTeam& team, int member, const float* x, std::int64_t x_stride,
                                     std::int64_t m, std::int64_t k);
  /// Outside run(): room for that.
  void reserve_bf16(std::int64_t values);

 private:
  // On cache lines of their own: members count their calls all the time.
  struct alignas(64) Member {
    AlignedBuffer scratch;
    unsigned calls = 0;
  };

  std::vector<Member> members_;
  AlignedBuffer bf16_[2];
};

}  // namespace stagebench::cpu
