#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stagebench/contracts/stage_event.h"

namespace stagebench {

/// Events of one thread in the order in which they ended, in memory allocated once. Events past the capacity are
/// counted and not kept: whoever reads the log checks dropped() and fails the run.
class EventLog final : public EventSink {
 public:
  /// Allocates and touches memory for `capacity` events.
  explicit EventLog(std::size_t capacity);
  void record(const StageEvent& event) noexcept override;
  std::span<const StageEvent> events() const noexcept { return {events_.data(), size_}; }
  std::uint64_t dropped() const noexcept { return dropped_; }
  void clear() noexcept;

 private:
  std::vector<StageEvent> events_;
  std::size_t size_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace stagebench
