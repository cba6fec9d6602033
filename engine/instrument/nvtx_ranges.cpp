#include "stagebench/instrument/nvtx_ranges.h"

#include "nvtx_emitter.h"

namespace stagebench {

RangeScope::RangeScope(Range range, std::uint64_t payload) noexcept {
  nvtx::push(nvtx::Name(range), payload);
}

RangeScope::~RangeScope() {
  nvtx::pop();
}

RequestRange::RequestRange(std::uint64_t request_id) noexcept : id_(nvtx::start(nvtx::Name::request(), request_id)) {}

RequestRange::~RequestRange() {
  nvtx::end(id_);
}

void mark(Mark mark, std::uint64_t payload) noexcept {
  nvtx::mark(nvtx::Name(mark), payload);
}

}  // namespace stagebench
