#include "stagebench/metrics/request_metrics.h"

#include <cstddef>

#include "stagebench/metrics/rates.h"

namespace stagebench {
namespace {

std::chrono::nanoseconds prefill_time(const RequestTimeline& timeline) {
  std::chrono::nanoseconds time{};
  for (const auto& row : timeline.rows()) {
    if (row.stage == TimelineStage::prefill) time += row.host;
  }
  return time;
}

}  // namespace

RequestMetrics request_metrics(const RequestTimeline& timeline) {
  const auto times = timeline.token_times();
  RequestMetrics metrics;
  metrics.ttft = times.front() - timeline.accepted();
  metrics.e2e = times.back() - timeline.accepted();
  metrics.end_to_end = timeline.end_to_end();
  metrics.prefill_tokens_per_s =
      rate_per_s(static_cast<double>(timeline.prompt_tokens()) * static_cast<double>(timeline.sequences()),
                 prefill_time(timeline));
  for (std::size_t i = 1; i < times.size(); ++i) metrics.itl.push_back(times[i] - times[i - 1]);
  if (times.size() >= 2) {
    const std::chrono::nanoseconds decoding = times.back() - times.front();
    const auto gaps = static_cast<double>(times.size() - 1);
    metrics.tpot = RealNanoseconds(static_cast<double>(decoding.count()) / gaps);
    metrics.decode_tokens_per_s = rate_per_s(gaps, decoding);
  }
  return metrics;
}

}  // namespace stagebench
