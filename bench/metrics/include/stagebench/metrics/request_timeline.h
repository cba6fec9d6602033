#pragma once

/// One request as rows: every stage that ran, what is left over, and the whole.
///
///   const RequestTimeline timeline(result, log.events(), load_log.events());
///   for (const TimelineRow& row : timeline.rows()) ...

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stagebench/contracts/generation.h"
#include "stagebench/contracts/stage_event.h"
#include "stagebench/metrics/timeline_stage.h"

namespace stagebench {

struct TimelineRow {
  TimelineStage stage{};
  std::optional<std::int32_t> step{};    ///< decode_step, sample, detokenize
  std::optional<std::int64_t> depth{};   ///< prefill, decode_step, sample, detokenize
  std::optional<std::int64_t> tokens{};  ///< of all sequences; absent for load and residual; end_to_end: output tokens
  std::optional<Clock::time_point> begin{};  ///< absent for residual, which is no interval
  std::chrono::nanoseconds host{};
  std::optional<std::chrono::nanoseconds> device{};
};

/// A request that was checked: whatever reads it need not check again. The rows are load, the request's stages as they
/// ran, residual and end_to_end; the stages of the request and the residual sum to end_to_end to the nanosecond.
class RequestTimeline {
 public:
  /// `request_events` are those of this request in the order of time; `load_events` lie before t0 and may be empty.
  /// Throws MeasurementError where the measurement contradicts itself:
  /// - a stage that takes no time or less, overlaps the one before it or lies outside t0 ... finished (so that the
  ///   residual is never negative); a token time that is not after the one before it;
  /// - a first token before the end of prefill, or a later one before the end of its decode step: what was timed then
  /// is
  ///   a launch and not the work;
  /// - other than one prefill of prompt_tokens x sequences, other than N - 1 decode steps numbered from 0, sequences
  ///   whose longest does not have N ids, negative counts: batch and lengths are what they are said to be.
  RequestTimeline(const GenerationResult& result, std::span<const StageEvent> request_events,
                  std::span<const StageEvent> load_events);

  std::span<const TimelineRow> rows() const noexcept { return rows_; }
  std::chrono::nanoseconds end_to_end() const noexcept { return end_to_end_; }
  std::chrono::nanoseconds residual() const noexcept { return residual_; }

  Clock::time_point accepted() const noexcept { return accepted_; }
  /// t_1 ... t_N, N >= 1.
  std::span<const Clock::time_point> token_times() const noexcept { return token_times_; }
  std::int64_t sequences() const noexcept { return sequences_; }
  std::int64_t prompt_tokens() const noexcept { return prompt_tokens_; }  ///< a sequence
  std::int64_t output_tokens() const noexcept { return output_tokens_; }  ///< of all sequences, counted as ids

 private:
  std::vector<TimelineRow> rows_;
  std::vector<Clock::time_point> token_times_;
  Clock::time_point accepted_;
  std::chrono::nanoseconds end_to_end_{};
  std::chrono::nanoseconds residual_{};
  std::int64_t sequences_ = 0;
  std::int64_t prompt_tokens_ = 0;
  std::int64_t output_tokens_ = 0;
};

}  // namespace stagebench
