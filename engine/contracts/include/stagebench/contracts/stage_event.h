#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "stagebench/contracts/stage.h"

namespace stagebench {

/// The one clock of all host times: monotonic, nanoseconds. Times stay std::chrono until the CSV edge.
using Clock = std::chrono::steady_clock;

/// One timed stage. Host time is end - begin on the calling thread, and includes no synchronisation that the engine
/// would not do by itself.
struct StageEvent {
  Stage stage{};
  std::int32_t step = 0;    ///< decode_step, sample, detokenize: 0-based index of the step; else 0
  std::int64_t depth = 0;   ///< tokens a sequence in the KV cache when the stage began
  std::int64_t tokens = 0;  ///< tokens that the stage handled, all sequences of the batch together; load: 0
  Clock::time_point begin{};
  Clock::time_point end{};
  std::optional<std::chrono::nanoseconds> device_time;  ///< absent on a backend without a device clock
};

/// Takes events on the thread that ran the stage. `record` neither allocates nor blocks: it is called between stages.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void record(const StageEvent& event) noexcept = 0;

 protected:
  EventSink() = default;
  EventSink(const EventSink&) = default;
  EventSink& operator=(const EventSink&) = default;
};

}  // namespace stagebench
