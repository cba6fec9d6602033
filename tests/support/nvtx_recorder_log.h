#pragma once

/// Reads what the NVTX recorder (nvtx_recorder.cpp) wrote. A program under test runs with
///
///   NVTX_INJECTION64_PATH=$<TARGET_FILE:stagebench_nvtx_recorder>
///   STAGEBENCH_NVTX_RECORDING=<a file>
///
/// A missing or wrong library is silent in NVTX: a test first requires that there are events.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stagebench::test {

struct NvtxEvent {
  std::string kind;          ///< domain, string, category, push, pop, start, end, mark
  std::int64_t time_ns = 0;  ///< the steady clock's; taken first thing in the tool, at begin and end alike
  std::int64_t thread = 0;   ///< of the operating system
  std::string domain;        ///< empty: NVTX's default domain
  std::string name;          ///< of the range, string, category; empty for pop and end
  bool registered = false;   ///< the name is a registered string
  std::int64_t category = 0;
  std::uint32_t argb = 0;
  std::string payload_kind;  ///< u64, i64, f64, none, other
  std::string payload;
  std::optional<std::int64_t> depth;     ///< push, pop: open ranges of the thread in the domain, after the event
  std::optional<std::int64_t> range_id;  ///< start, end
};

/// In the order in which they were written. Throws InputError for a file that is not a recording.
std::vector<NvtxEvent> read_nvtx_recording(const std::filesystem::path& path);

/// A push with its pop, or a start with its end.
struct NvtxRange {
  NvtxEvent begin;
  std::int64_t end_ns = 0;
};

/// In the order in which they ended. Throws Error for an end without a begin; ranges still open are left out.
std::vector<NvtxRange> paired_ranges(const std::vector<NvtxEvent>& events);

}  // namespace stagebench::test
