#pragma once

#include <cstdint>
#include <vector>

#include "stagebench/contracts/generation.h"
#include "stagebench/contracts/stage_event.h"

namespace stagebench::test {

/// A request whose every time was chosen by hand; t0 is at 1,000,000 ns. With the defaults, from t0 in ns:
///
///   tokenize 10-110, prefill 200-1200, sample 1210-1260, t_1 = 1270, detokenize 1280-1290,
///   decode 1300-1500, sample 1510-1560, t_2 = 1570, detokenize 1580-1590,
///   decode 1600-1900, sample 1910-1960, t_3 = 1970, detokenize 1980-1990, finished 2000.
///
/// Stages: 100 + 1000 + (200 + 300) + 3 x 50 + 3 x 10 = 1780; residual 220.
struct RequestFixture {
  /// `sequences` of 5 prompt tokens and 3 output tokens each.
  explicit RequestFixture(std::int64_t sequences = 1);

  static Clock::time_point at(std::int64_t ns_from_t0);
  /// The event of that stage that comes `index`-th.
  StageEvent& event(Stage stage, std::size_t index = 0);

  GenerationResult result;
  std::vector<StageEvent> events;
  std::vector<StageEvent> load_events;  ///< one, from -5000 to -1000
};

}  // namespace stagebench::test
