#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "stagebench/contracts/backend.h"
#include "stagebench/metrics/rates.h"
#include "stagebench/metrics/request_timeline.h"
#include "stagebench/model/cost_model.h"
#include "stagebench/statistics/duration_summary.h"

namespace stagebench {

/// The metrics of one stage over all its rows, as metric_table.h defines them. What has no meaning or was not given is
/// absent.
struct StageMetrics {
  TimelineStage stage{};
  std::optional<DurationSummary> host;  ///< absent where the stage did not run
  std::optional<std::int64_t> tokens;
  std::optional<double> tokens_per_s;
  std::optional<double> flops;
  std::optional<double> bytes;
  std::optional<double> flops_per_s;
  std::optional<double> bytes_per_s;
  std::optional<Utilization> mfu;
  std::optional<Utilization> mbu;
};

/// `rows` may hold other stages too, and those of several requests. `cost` is the sum over all runs of the stage; a
/// cost of 0 FLOPs or 0 bytes (a load, which only reads) leaves that half absent. Throws MeasurementError for a cost of
/// a stage that did not run, and what rate_per_s throws.
StageMetrics stage_metrics(TimelineStage stage, std::span<const TimelineRow> rows, const std::optional<Cost>& cost,
                           const std::optional<Ceilings>& ceilings);

}  // namespace stagebench
