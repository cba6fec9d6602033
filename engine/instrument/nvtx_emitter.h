#pragma once

/// The one place that talks to NVTX. Every name, category and colour comes from one table, is registered once a process
/// at the first use and never built per call; what varies goes into the 64-bit payload.

#include <cstdint>

#include "stagebench/contracts/stage.h"
#include "stagebench/instrument/nvtx_ranges.h"

namespace stagebench::nvtx {

/// Rows of the table: the stages in the order of `Stage`, then the ranges of `Range`, `request`, the marks of `Mark`.
class Name {
 public:
  constexpr explicit Name(Stage stage) noexcept : row_(static_cast<std::uint8_t>(stage)) {}
  constexpr explicit Name(Range range) noexcept
      : row_(static_cast<std::uint8_t>(first_range + static_cast<int>(range))) {}
  constexpr explicit Name(Mark mark) noexcept : row_(static_cast<std::uint8_t>(first_mark + static_cast<int>(mark))) {}
  static constexpr Name request() noexcept { return Name(request_row); }

  constexpr std::uint8_t row() const noexcept { return row_; }

  static constexpr int first_range = static_cast<int>(all_stages.size());
  static constexpr int request_row = first_range + static_cast<int>(range_count);
  static constexpr int first_mark = request_row + 1;
  static constexpr int row_count = first_mark + static_cast<int>(mark_count);

 private:
  constexpr explicit Name(int row) noexcept : row_(static_cast<std::uint8_t>(row)) {}
  std::uint8_t row_;
};

void push(Name name, std::uint64_t payload) noexcept;
void pop() noexcept;
/// Id for end(), on any thread.
std::uint64_t start(Name name, std::uint64_t payload) noexcept;
void end(std::uint64_t range_id) noexcept;
void mark(Name name, std::uint64_t payload) noexcept;

}  // namespace stagebench::nvtx
