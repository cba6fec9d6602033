#pragma once

#include <chrono>

#include "stagebench/contracts/backend.h"
#include "stagebench/model/cost_model.h"

namespace stagebench {

/// amount / time, a second. Of several samples both are totals: a mean of rates weighs the short ones too much.
/// Throws MeasurementError for a time of 0 or less and for an amount that is negative or not finite.
double rate_per_s(double amount, std::chrono::nanoseconds time);

/// Part of a measured limit. Above 1 either the time, the amount of work or the limit is wrong (or, for bandwidth, the
/// weights lie in a cache that the limit was measured past): it is shown with a mark, never as a plain result.
struct Utilization {
  double fraction = 0;
  constexpr bool above_limit() const noexcept { return fraction > 1; }
};

/// FLOPs against ceilings.flops_per_s, which is that of the dtype computed in. `cost` and `time` are totals.
/// Throws MeasurementError for a ceiling that is not positive, and what rate_per_s throws.
Utilization model_flops_utilization(const Cost& cost, std::chrono::nanoseconds time, const Ceilings& ceilings);

/// Weight and KV bytes against ceilings.read_bytes_per_s. Same errors.
Utilization model_bandwidth_utilization(const Cost& cost, std::chrono::nanoseconds time, const Ceilings& ceilings);

}  // namespace stagebench
