#include "request_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stagebench/statistics/measurement_error.h"

namespace stagebench {
namespace {

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw MeasurementError(fmt::format(format, std::forward<Args>(args)...));
}

/// Nanoseconds from `origin`, for messages.
std::string at(Clock::time_point time, Clock::time_point origin) {
  return fmt::format("{} ns", std::chrono::nanoseconds(time - origin).count());
}

/// Differences of times that pass fit in 64 bits: another engine's clock may hand out anything.
void check_clock(Clock::time_point time, const char* what) {
  constexpr std::chrono::nanoseconds limit{std::int64_t{1} << 62};
  const std::chrono::nanoseconds count = time.time_since_epoch();
  if (count < std::chrono::nanoseconds::zero() || count > limit) {
    fail("{}: expected a time of the monotonic clock, found {} ns", what, count.count());
  }
}

void check_lengths(const GenerationResult& result) {
  if (result.sequences.empty()) fail("expected at least one sequence, found none");
  if (result.prompt_tokens < 1) fail("expected a prompt of 1 token or more, found {}", result.prompt_tokens);
  std::size_t longest = 0;
  for (const auto& sequence : result.sequences) longest = std::max(longest, sequence.ids.size());
  if (longest == 0) fail("expected at least one output token, found none");
  if (longest != result.token_times.size()) {
    fail("the longest sequence has {} ids, expected one token time each, found {}", longest, result.token_times.size());
  }
}

void check_token_times(const GenerationResult& result) {
  check_clock(result.accepted, "accepted");
  check_clock(result.finished, "finished");
  for (const auto time : result.token_times) check_clock(time, "token time");
  auto previous = result.accepted;
  for (std::size_t i = 0; i < result.token_times.size(); ++i) {
    const auto time = result.token_times[i];
    if (time <= previous) {
      fail("token {}: expected a time after {}, that of what came before it, found {} (from t0)", i + 1,
           at(previous, result.accepted), at(time, result.accepted));
    }
    previous = time;
  }
  if (result.finished < previous) {
    fail("finished at {}, expected no earlier than the last token at {} (from t0)",
         at(result.finished, result.accepted), at(previous, result.accepted));
  }
}

void check_event(const StageEvent& event, std::size_t index) {
  if (std::find(all_stages.begin(), all_stages.end(), event.stage) == all_stages.end()) {
    fail("event {}: unknown stage {}", index, static_cast<int>(event.stage));
  }
  check_clock(event.begin, "begin of a stage");
  check_clock(event.end, "end of a stage");
  if (event.end <= event.begin) {
    fail("event {} ({} {}): expected a time above 0 ns, found {} ns", index, name(event.stage), event.step,
         std::chrono::nanoseconds(event.end - event.begin).count());
  }
  if (event.step < 0 || event.depth < 0 || event.tokens < 0) {
    fail("event {} ({}): expected step, depth and tokens of 0 or more, found {}, {} and {}", index, name(event.stage),
         event.step, event.depth, event.tokens);
  }
  if (event.device_time && event.device_time->count() <= 0) {
    fail("event {} ({} {}): expected a device time above 0 ns, found {} ns", index, name(event.stage), event.step,
         event.device_time->count());
  }
}

/// Sequential between `first` and `last`, so that the times can be added.
void check_sequence(std::span<const StageEvent> events, Clock::time_point first, Clock::time_point last,
                    Clock::time_point origin) {
  auto previous_end = first;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& event = events[i];
    check_event(event, i);
    if (event.begin < previous_end) {
      fail("event {} ({} {}) begins at {}, expected no earlier than {}, the end of what came before it (from t0)", i,
           name(event.stage), event.step, at(event.begin, origin), at(previous_end, origin));
    }
    if (event.end > last) {
      fail("event {} ({} {}) ends at {}, expected no later than {} (from t0)", i, name(event.stage), event.step,
           at(event.end, origin), at(last, origin));
    }
    previous_end = event.end;
  }
}

void check_prefill(const GenerationResult& result, const StageEvent& prefill) {
  const auto sequences = static_cast<std::int64_t>(result.sequences.size());
  std::int64_t expected = 0;
  if (__builtin_mul_overflow(result.prompt_tokens, sequences, &expected) || prefill.tokens != expected) {
    fail("prefill handled {} tokens, expected {} tokens x {} sequences", prefill.tokens, result.prompt_tokens,
         sequences);
  }
  if (prefill.end > result.token_times.front()) {
    fail("the first token came at {}, expected after the end of prefill at {} (from t0)",
         at(result.token_times.front(), result.accepted), at(prefill.end, result.accepted));
  }
}

/// Step i makes token i + 2.
void check_decode_step(const GenerationResult& result, const StageEvent& event, std::size_t i) {
  const auto sequences = static_cast<std::int64_t>(result.sequences.size());
  if (event.step != static_cast<std::int64_t>(i)) fail("expected decode step {}, found step {}", i, event.step);
  if (event.tokens < 1 || event.tokens > sequences) {
    fail("decode step {} handled {} tokens, expected one for each of {} sequences", i, event.tokens, sequences);
  }
  if (i + 1 < result.token_times.size() && event.end > result.token_times[i + 1]) {
    fail("token {} came at {}, expected after the end of decode step {} at {} (from t0)", i + 2,
         at(result.token_times[i + 1], result.accepted), i, at(event.end, result.accepted));
  }
}

void check_stages(const GenerationResult& result, std::span<const StageEvent> events) {
  std::size_t prefills = 0;
  std::size_t decode_steps = 0;
  for (const auto& event : events) {
    if (event.stage == Stage::load) fail("expected load before the request, found it among the request's events");
    if (event.stage == Stage::prefill) {
      ++prefills;
      check_prefill(result, event);
    }
    if (event.stage == Stage::decode_step) check_decode_step(result, event, decode_steps++);
  }
  if (prefills != 1) fail("expected one prefill, found {}", prefills);
  if (decode_steps + 1 != result.token_times.size()) {
    fail("expected {} decode steps for {} tokens, found {}", result.token_times.size() - 1, result.token_times.size(),
         decode_steps);
  }
}

}  // namespace

void check_request(const GenerationResult& result, std::span<const StageEvent> request_events,
                   std::span<const StageEvent> load_events) {
  check_lengths(result);
  check_token_times(result);
  check_sequence(request_events, result.accepted, result.finished, result.accepted);
  check_stages(result, request_events);
  check_sequence(load_events, Clock::time_point::min(), result.accepted, result.accepted);
  for (const auto& event : load_events) {
    if (event.stage != Stage::load) fail("expected only load before the request, found {}", name(event.stage));
  }
}

}  // namespace stagebench
