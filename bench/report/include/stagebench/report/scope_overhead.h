#pragma once

#include "stagebench/statistics/duration_summary.h"

namespace stagebench {

/// What a StageScope that records to an EventLog costs here and now: the least mean of several batches, after a
/// warm-up. Takes under a millisecond and emits a few thousand NVTX ranges, so it is called outside of what is
/// measured.
RealNanoseconds measure_scope_overhead();

}  // namespace stagebench
