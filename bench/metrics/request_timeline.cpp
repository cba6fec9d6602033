#include "stagebench/metrics/request_timeline.h"

#include "request_checks.h"

namespace stagebench {
namespace {

constexpr bool has_steps(Stage stage) noexcept {
  return stage == Stage::decode_step || stage == Stage::sample || stage == Stage::detokenize;
}

TimelineRow row_of(const StageEvent& event) {
  TimelineRow row;
  row.stage = timeline_stage(event.stage);
  if (has_steps(event.stage)) row.step = event.step;
  if (has_steps(event.stage) || event.stage == Stage::prefill) row.depth = event.depth;
  if (event.stage != Stage::load) row.tokens = event.tokens;
  row.begin = event.begin;
  row.host = event.end - event.begin;
  row.device = event.device_time;
  return row;
}

}  // namespace

RequestTimeline::RequestTimeline(const GenerationResult& result, std::span<const StageEvent> request_events,
                                 std::span<const StageEvent> load_events) {
  check_request(result, request_events, load_events);
  token_times_ = result.token_times;
  accepted_ = result.accepted;
  end_to_end_ = result.finished - result.accepted;
  sequences_ = static_cast<std::int64_t>(result.sequences.size());
  prompt_tokens_ = result.prompt_tokens;
  for (const auto& sequence : result.sequences) output_tokens_ += static_cast<std::int64_t>(sequence.ids.size());

  rows_.reserve(load_events.size() + request_events.size() + 2);
  for (const auto& event : load_events) rows_.push_back(row_of(event));
  residual_ = end_to_end_;
  for (const auto& event : request_events) {
    rows_.push_back(row_of(event));
    residual_ -= rows_.back().host;
  }
  rows_.push_back({.stage = TimelineStage::residual, .host = residual_});
  rows_.push_back(
      {.stage = TimelineStage::end_to_end, .tokens = output_tokens_, .begin = accepted_, .host = end_to_end_});
}

}  // namespace stagebench
