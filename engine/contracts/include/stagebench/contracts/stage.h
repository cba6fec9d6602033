#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stagebench {

/// The closed set of stages of a request. `load` happens once, before a request; the others are parts of one.
/// What is left of a request's end-to-end time is the `residual`, which is derived and never timed.
enum class Stage : std::uint8_t { load, tokenize, prefill, decode_step, sample, detokenize };

inline constexpr std::array<Stage, 6> all_stages{Stage::load,        Stage::tokenize, Stage::prefill,
                                                 Stage::decode_step, Stage::sample,   Stage::detokenize};

constexpr std::string_view name(Stage stage) noexcept {
  constexpr std::array<std::string_view, 6> names{"load", "tokenize", "prefill", "decode_step", "sample", "detokenize"};
  return names[static_cast<std::size_t>(stage)];
}

}  // namespace stagebench
