#include "stagebench/instrument/event_log.h"

namespace stagebench {

// Value-initialised elements are written, so the pages are in memory before anything is timed.
EventLog::EventLog(std::size_t capacity) : events_(capacity) {}

void EventLog::record(const StageEvent& event) noexcept {
  if (size_ == events_.size()) {
    ++dropped_;
    return;
  }
  events_[size_++] = event;
}

void EventLog::clear() noexcept {
  size_ = 0;
  dropped_ = 0;
}

}  // namespace stagebench
