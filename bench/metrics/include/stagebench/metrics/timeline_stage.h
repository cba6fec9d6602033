#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "stagebench/contracts/stage.h"

namespace stagebench {

/// What a row is about: a stage that was timed, or one of the two that derive from a whole request.
enum class TimelineStage : std::uint8_t {
  load,
  tokenize,
  prefill,
  decode_step,
  sample,
  detokenize,
  residual,    ///< end_to_end less all stages of the request; `load` is none of them
  end_to_end,  ///< from t0 to the whole text
};

inline constexpr std::array<TimelineStage, 8> all_timeline_stages{
    TimelineStage::load,   TimelineStage::tokenize,   TimelineStage::prefill,  TimelineStage::decode_step,
    TimelineStage::sample, TimelineStage::detokenize, TimelineStage::residual, TimelineStage::end_to_end};

constexpr TimelineStage timeline_stage(Stage stage) noexcept {
  return all_timeline_stages[static_cast<std::size_t>(stage)];
}

/// As it is written in samples.csv.
constexpr std::string_view name(TimelineStage stage) noexcept {
  if (stage == TimelineStage::residual) return "residual";
  if (stage == TimelineStage::end_to_end) return "end_to_end";
  return name(static_cast<Stage>(stage));
}

constexpr std::optional<TimelineStage> timeline_stage_from_name(std::string_view wanted) noexcept {
  for (const TimelineStage stage : all_timeline_stages) {
    if (name(stage) == wanted) return stage;
  }
  return std::nullopt;
}

}  // namespace stagebench
