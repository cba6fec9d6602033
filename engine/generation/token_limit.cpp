#include "token_limit.h"

#include <fmt/format.h>

#include "stagebench/contracts/error.h"

namespace stagebench {

TokenLimit token_limit(const GenerationRequest& request, std::int64_t prompt_tokens, std::int64_t max_context) {
  if (prompt_tokens < 1) throw UsageError("the prompt is empty: expected at least one token");
  if (prompt_tokens >= max_context) {
    throw UsageError(
        fmt::format("the prompt has {} tokens, expected fewer than the context of {}, which prompt and "
                    "output share",
                    prompt_tokens, max_context));
  }
  TokenLimit limit{max_context - prompt_tokens, StopReason::context_full};
  if (request.max_new_tokens && request.max_length) {
    throw UsageError("expected max_new_tokens or max_length, found both");
  }
  if (request.max_new_tokens) {
    if (*request.max_new_tokens < 1) {
      throw UsageError(fmt::format("max_new_tokens: expected 1 or more, found {}", *request.max_new_tokens));
    }
    if (*request.max_new_tokens <= limit.new_tokens) limit = {*request.max_new_tokens, StopReason::max_new_tokens};
  }
  if (request.max_length) {
    if (*request.max_length <= prompt_tokens) {
      throw UsageError(fmt::format("max_length: expected more than the prompt's {} tokens, found {}", prompt_tokens,
                                   *request.max_length));
    }
    if (*request.max_length <= max_context) limit = {*request.max_length - prompt_tokens, StopReason::max_length};
  }
  return limit;
}

}  // namespace stagebench
