#pragma once

/// Times a stage and shows it on a timeline from one call site, so that a CSV row and the range can't disagree:
///
///   {
///     StageScope scope(sink, Stage::decode_step, {.step = step, .depth = depth, .tokens = batch});
///     session.decode_step(ids);
///   }  // one StageEvent recorded, one NVTX range closed

#include <cstdint>

#include "stagebench/contracts/stage_event.h"

namespace stagebench {

struct StageAttributes {
  std::int32_t step = 0;
  std::int64_t depth = 0;
  std::int64_t tokens = 0;
  std::uint64_t payload = 0;  ///< of the NVTX range: nvtx_ranges.h says what it means for each stage
};

/// Opens an NVTX push/pop range of domain `stagebench`, then takes the time; its end takes the time, closes the range
/// and records one event, so the event lies within the range and holds neither's cost. Where an exception leaves the
/// scope the range is closed and nothing is recorded: an aborted stage is no sample. Does not allocate, lock or
/// synchronise (the first scope of a process registers the names, before it takes the time). Begin and end are on one
/// thread.
class StageScope {
 public:
  StageScope(EventSink& sink, Stage stage, const StageAttributes& attributes) noexcept;
  ~StageScope();
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;

  /// For stages that know their token count only at the end (tokenize).
  void set_tokens(std::int64_t tokens) noexcept { event_.tokens = tokens; }

 private:
  EventSink& sink_;
  StageEvent event_;
  int exceptions_at_begin_;
};

}  // namespace stagebench
