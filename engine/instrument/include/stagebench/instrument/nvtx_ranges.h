#pragma once

/// What shows on an NVTX timeline (Nsight Systems) beside the stages, all in domain `stagebench`:
///
///   RequestRange request(request_id);
///   {
///     RangeScope range(Range::upload, weight_bytes);
///     ...
///   }
///   mark(Mark::first_token, 0);
///
/// Names are registered strings, categories are named and have one colour each, the payload is an unsigned 64-bit
/// number. Nothing here allocates or locks after the first use in the process, which registers the names. Without a
/// tool a range costs a few nanoseconds; where NVTX is compiled out (STAGEBENCH_NVTX=OFF) the calls do nothing.
///
/// Payload of a StageScope's range (StageAttributes::payload), by stage:
///
///   load         0: how many bytes it will be shows when the files are open, in its map, convert and upload
///   tokenize     bytes of the input text
///   prefill      prompt tokens, all sequences of the batch together
///   decode_step  index of the step, from 0
///   sample       candidates at most (Sampler::candidate_limit): how many top_p leaves is known only at the end
///   detokenize   tokens that are decoded
///
/// Categories: request (request, first_token, eos), stage (load, tokenize, prefill, detokenize), step (decode_step,
/// sample, graph_capture, graph_replay), transfer (map, convert, upload, wait_gpu), harness (measure, throttled), and
/// op for the operations inside a step.

#include <cstddef>
#include <cstdint>

namespace stagebench {

/// Push/pop ranges. They nest on the thread that opens them, so that a tool can project them on what that thread
/// launches.
enum class Range : std::uint8_t {
  measure,        ///< one measured repetition, the trigger of a capture; payload: repetition
  map,            ///< inside load: bytes
  convert,        ///< inside load: bytes
  upload,         ///< inside load: bytes
  wait_gpu,       ///< round every wait of the host for a device; payload: 0
  graph_capture,  ///< key of the graph
  graph_replay,   ///< round the launch, not inside the capture; payload: key of the graph
};
inline constexpr std::size_t range_count = 7;

/// Points in time.
enum class Mark : std::uint8_t {
  first_token,  ///< payload: sequence of the batch
  eos,          ///< payload: index of the output token
  throttled,    ///< payload: the driver's reason bits
};
inline constexpr std::size_t mark_count = 3;

/// Opens and closes a push/pop range; both on one thread, innermost first.
class RangeScope {
 public:
  RangeScope(Range range, std::uint64_t payload) noexcept;
  ~RangeScope();
  RangeScope(const RangeScope&) = delete;
  RangeScope& operator=(const RangeScope&) = delete;
};

/// `request`, a start/end range: requests overlap and may end on another thread. Payload: request id.
class RequestRange {
 public:
  explicit RequestRange(std::uint64_t request_id) noexcept;
  ~RequestRange();
  RequestRange(const RequestRange&) = delete;
  RequestRange& operator=(const RequestRange&) = delete;

 private:
  std::uint64_t id_;
};

void mark(Mark mark, std::uint64_t payload) noexcept;

}  // namespace stagebench
