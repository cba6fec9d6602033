#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stagebench/contracts/sampling_params.h"
#include "stagebench/contracts/stage_event.h"
#include "stagebench/contracts/token.h"

namespace stagebench {

enum class StopReason : std::uint8_t { eos, max_new_tokens, max_length, context_full };

constexpr std::string_view name(StopReason reason) noexcept {
  switch (reason) {
    case StopReason::eos: return "eos";
    case StopReason::max_new_tokens: return "max_new_tokens";
    case StopReason::max_length: return "max_length";
    case StopReason::context_full: return "context_full";
  }
  return "";
}

/// One request of `batch` sequences with prompts of one length P: a text that all of them start from, or ids as
/// [batch][P] row-major.
struct GenerationRequest {
  std::variant<std::string, std::vector<TokenId>> prompt;
  SamplingParams sampling;
  std::optional<std::int64_t> max_new_tokens;  ///< counts output tokens
  std::optional<std::int64_t> max_length;      ///< counts prompt and output tokens; at most one of the two is given
  std::vector<TokenId> stop_ids;               ///< in addition to the model's own EOS ids
  bool ignore_eos = false;                     ///< no id stops: the output has the length that was asked for
  std::int64_t batch = 1;
  std::uint64_t request_id = 0;  ///< for timelines
};

struct GeneratedSequence {
  std::vector<TokenId> ids;  ///< output ids only; an EOS that stopped the sequence is the last of them
  std::string text;          ///< what follows the prompt's text; special tokens skipped
  StopReason stop_reason{};
};

struct GenerationResult {
  std::int64_t prompt_tokens = 0;  ///< a sequence
  std::vector<GeneratedSequence> sequences;
  Clock::time_point accepted{};                ///< t0: before tokenization
  std::vector<Clock::time_point> token_times;  ///< t_1 ... t_N: the step's ids are on the host
  Clock::time_point finished{};                ///< the whole text is out
};

/// Called with the text that became complete, in order; never cuts a UTF-8 sequence. Only sequence 0 is streamed.
using TextCallback = std::function<void(std::string_view)>;

}  // namespace stagebench
