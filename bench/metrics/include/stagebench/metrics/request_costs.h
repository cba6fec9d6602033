#pragma once

#include <optional>

#include "stagebench/contracts/dtype.h"
#include "stagebench/contracts/model.h"
#include "stagebench/metrics/request_timeline.h"
#include "stagebench/model/cost_model.h"

namespace stagebench {

/// Sums over all runs of a stage, from the cost model.
struct RequestCosts {
  Cost prefill;
  std::optional<Cost> decode_step;  ///< absent where there was no decode step
};

/// `weights` and `kv` are the types in memory. Each decode step is counted at its own depth and for the sequences that
/// it handled.
RequestCosts request_costs(const RequestTimeline& timeline, const ModelConfig& config, DType weights, DType kv);

}  // namespace stagebench
