#include "token_limit.h"

#include "stagebench/contracts/error.h"
#include "support/catch.h"

using namespace stagebench;

namespace {

GenerationRequest with(std::optional<std::int64_t> max_new_tokens, std::optional<std::int64_t> max_length) {
  GenerationRequest request;
  request.max_new_tokens = max_new_tokens;
  request.max_length = max_length;
  return request;
}

}  // namespace

TEST_CASE("the tightest limit decides how long the output may be, and why it stops there") {
  const auto check = [](const GenerationRequest& request, std::int64_t tokens, StopReason reason) {
    const auto limit = token_limit(request, 10, 100);
    REQUIRE(limit.new_tokens == tokens);
    REQUIRE(limit.reason == reason);
  };
  check(with({}, {}), 90, StopReason::context_full);
  check(with(5, {}), 5, StopReason::max_new_tokens);
  check(with(90, {}), 90, StopReason::max_new_tokens);
  check(with(91, {}), 90, StopReason::context_full);
  check(with({}, 11), 1, StopReason::max_length);
  check(with({}, 100), 90, StopReason::max_length);
  check(with({}, 101), 90, StopReason::context_full);
}

TEST_CASE("the longest prompt leaves room for one token") {
  REQUIRE(token_limit(with({}, {}), 99, 100).new_tokens == 1);
  REQUIRE_THROWS_SAYING(token_limit(with({}, {}), 100, 100), UsageError, "100 tokens", "context of 100");
}

TEST_CASE("senseless limits are refused with what was expected and found") {
  REQUIRE_THROWS_SAYING(token_limit(with({}, {}), 0, 100), UsageError, "prompt is empty");
  REQUIRE_THROWS_SAYING(token_limit(with(5, 20), 10, 100), UsageError, "max_new_tokens", "max_length", "both");
  REQUIRE_THROWS_SAYING(token_limit(with(0, {}), 10, 100), UsageError, "max_new_tokens", "1 or more", "0");
  REQUIRE_THROWS_SAYING(token_limit(with({}, 10), 10, 100), UsageError, "max_length", "more than the prompt's 10",
                        "10");
}
