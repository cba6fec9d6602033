#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "stagebench/metrics/request_timeline.h"
#include "stagebench/statistics/duration_summary.h"

namespace stagebench {

/// The metrics of one request, as metric_table.h defines them. N is the length of the longest sequence.
struct RequestMetrics {
  std::chrono::nanoseconds ttft{};
  std::vector<std::chrono::nanoseconds> itl;  ///< N - 1 gaps
  std::optional<RealNanoseconds> tpot;        ///< absent at N = 1
  std::chrono::nanoseconds e2e{};
  std::chrono::nanoseconds end_to_end{};
  double prefill_tokens_per_s = 0;            ///< all sequences together
  std::optional<double> decode_tokens_per_s;  ///< a sequence; absent at N = 1
};

RequestMetrics request_metrics(const RequestTimeline& timeline);

}  // namespace stagebench
