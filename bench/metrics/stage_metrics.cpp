#include "stagebench/metrics/stage_metrics.h"

#include <fmt/format.h>

#include <vector>

#include "stagebench/statistics/measurement_error.h"

namespace stagebench {
namespace {

std::int64_t sum_of_tokens(std::int64_t sum, std::int64_t tokens) {
  if (__builtin_add_overflow(sum, tokens, &sum)) throw MeasurementError("the sum of tokens does not fit in 64 bits");
  return sum;
}

void add_cost(StageMetrics& metrics, const Cost& cost, const std::optional<Ceilings>& ceilings) {
  const auto time = metrics.host->total;
  if (cost.flops != 0) {
    metrics.flops = cost.flops;
    metrics.flops_per_s = rate_per_s(cost.flops, time);
    if (ceilings) metrics.mfu = model_flops_utilization(cost, time, *ceilings);
  }
  if (cost.bytes() != 0) {
    metrics.bytes = cost.bytes();
    metrics.bytes_per_s = rate_per_s(cost.bytes(), time);
    if (ceilings) metrics.mbu = model_bandwidth_utilization(cost, time, *ceilings);
  }
}

}  // namespace

StageMetrics stage_metrics(TimelineStage stage, std::span<const TimelineRow> rows, const std::optional<Cost>& cost,
                           const std::optional<Ceilings>& ceilings) {
  StageMetrics metrics;
  metrics.stage = stage;
  std::vector<std::chrono::nanoseconds> times;
  for (const auto& row : rows) {
    if (row.stage != stage) continue;
    times.push_back(row.host);
    if (row.tokens) metrics.tokens = sum_of_tokens(metrics.tokens.value_or(0), *row.tokens);
  }
  metrics.host = summarize(times);
  if (!metrics.host) {
    if (cost) throw MeasurementError(fmt::format("{}: a cost was given, but the stage did not run", name(stage)));
    return metrics;
  }
  if (metrics.tokens) metrics.tokens_per_s = rate_per_s(static_cast<double>(*metrics.tokens), metrics.host->total);
  if (cost) add_cost(metrics, *cost, ceilings);
  return metrics;
}

}  // namespace stagebench
