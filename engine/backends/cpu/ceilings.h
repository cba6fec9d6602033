#pragma once

/// What this machine reaches now, measured by the means that the backend itself computes with.

#include "cpu/thread_team.h"
#include "stagebench/contracts/backend.h"

namespace stagebench::cpu {

/// Measures on all members of `team`, in about a second. Best of several passes, since whatever else runs only takes
/// away.
///
/// read_bytes_per_s: sums over a buffer, each member its share. The buffer is 512 MiB, or a quarter of the memory that
/// is available where that is less. It is larger than most last-level caches but not than all: a server's of several
/// hundred MiB, where this process has it to itself, raises the figure, as it raises that of decoding a small model.
///
/// flops_per_s: a product of 512 x 2048 x 5632 (a feed-forward matrix of a 1.1B model), 2mnk operations, through
/// Linear in `dtype`.
///
/// Throws UsageError for any dtype but f32, f16 and bf16, ResourceError where memory does not suffice.
Ceilings measure_ceilings(DType dtype, ThreadTeam& team);

}  // namespace stagebench::cpu
