#pragma once

#include <span>

#include "stagebench/contracts/generation.h"
#include "stagebench/contracts/stage_event.h"

namespace stagebench {

/// What RequestTimeline promises, checked. Throws MeasurementError.
void check_request(const GenerationResult& result, std::span<const StageEvent> request_events,
                   std::span<const StageEvent> load_events);

}  // namespace stagebench
