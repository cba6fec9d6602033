#include "cpu/linear_workspace.h"

#include "cpu/convert_rows.h"
#include "cpu/thread_team.h"

namespace stagebench::cpu {

std::byte* LinearWorkspace::scratch(int member, std::size_t size_bytes) {
  AlignedBuffer& buffer = members_[static_cast<std::size_t>(member)].scratch;
  if (buffer.size() < size_bytes) buffer = AlignedBuffer(size_bytes);
  return buffer.data();
}

const std::uint16_t* LinearWorkspace::share_as_bf16(ThreadTeam& team, int member, const float* x, std::int64_t x_stride,
                                                    std::int64_t m, std::int64_t k) {
  // Two buffers in turn: who writes one has passed the barrier of the call between, so nobody still reads it.
  AlignedBuffer& buffer = bf16_[members_[static_cast<std::size_t>(member)].calls++ % 2];
  auto* values = reinterpret_cast<std::uint16_t*>(buffer.data());
  const Range rows = share(m, 1, member, team.size());
  for (std::int64_t row = rows.begin; row < rows.end; ++row) convert_to_bf16(x + row * x_stride, k, values + row * k);
  team.barrier();
  return values;
}

void LinearWorkspace::reserve_bf16(std::int64_t values) {
  const std::size_t size_bytes = static_cast<std::size_t>(values) * sizeof(std::uint16_t);
  for (AlignedBuffer& buffer : bf16_) {
    if (buffer.size() < size_bytes) buffer = AlignedBuffer(size_bytes);
  }
}

}  // namespace stagebench::cpu
