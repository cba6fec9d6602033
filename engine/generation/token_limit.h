#pragma once

#include <cstdint>

#include "stagebench/contracts/generation.h"

namespace stagebench {

/// How many tokens a request may produce, and why it ends there if nothing stops it before.
struct TokenLimit {
  std::int64_t new_tokens = 0;  ///< >= 1
  StopReason reason{};
};

/// The tightest of max_new_tokens, max_length and the context, which prompt and output fill together. Throws UsageError
/// for an empty prompt, one that leaves no room in the context or in max_length, both limits at once, or a limit < 1.
TokenLimit token_limit(const GenerationRequest& request, std::int64_t prompt_tokens, std::int64_t max_context);

}  // namespace stagebench
