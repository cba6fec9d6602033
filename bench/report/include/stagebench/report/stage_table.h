#pragma once

#include <optional>
#include <string>

#include "stagebench/contracts/backend.h"
#include "stagebench/metrics/request_costs.h"
#include "stagebench/metrics/request_timeline.h"
#include "stagebench/statistics/duration_summary.h"

namespace stagebench {

/// What the times of a request are held against. What is absent leaves its cells or its line out.
struct StageTableContext {
  std::optional<Cost> load_cost;  ///< the bytes that loading brought into memory
  std::optional<RequestCosts> costs;
  std::optional<Ceilings> ceilings;  ///< measured in this run
  std::string machine;               ///< in words; may be empty
  std::optional<RealNanoseconds> scope_overhead;
};

/// The table that a person reads: a row a stage with count, total, median, p99, tokens/s, GB/s, GFLOP/s and the part of
/// the measured limit (prefill: of compute; decode_step: of bandwidth); below it TTFT, TPOT and ITL, the limits, the
/// machine and the harness's own cost. Absent values are blank; median and p99 are blank where a stage ran once. Values
/// above a limit carry "!" and a note. UTF-8 without colours; every line ends in a newline.
std::string stage_table(const RequestTimeline& timeline, const StageTableContext& context);

}  // namespace stagebench
