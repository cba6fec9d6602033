#include "stagebench/instrument/stage_scope.h"

#include <exception>

#include "nvtx_emitter.h"

namespace stagebench {

// The range is opened before the clock is read and closed after it, so the event lies within the range, a tool's own
// cost and the registration of names stay out of host time, and recording stays out of both.
StageScope::StageScope(EventSink& sink, Stage stage, const StageAttributes& attributes) noexcept
    : sink_(sink), exceptions_at_begin_(std::uncaught_exceptions()) {
  event_.stage = stage;
  event_.step = attributes.step;
  event_.depth = attributes.depth;
  event_.tokens = attributes.tokens;
  nvtx::push(nvtx::Name(stage), attributes.payload);
  event_.begin = Clock::now();
}

StageScope::~StageScope() {
  event_.end = Clock::now();
  nvtx::pop();
  if (std::uncaught_exceptions() == exceptions_at_begin_) sink_.record(event_);
}

}  // namespace stagebench
