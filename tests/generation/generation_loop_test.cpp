#include "generation_loop.h"

#include <limits>
#include <string>
#include <vector>

#include "stagebench/contracts/error.h"
#include "stagebench/instrument/event_log.h"
#include "stagebench/tokenizer/load_tokenizer.h"
#include "support/catch.h"

using namespace stagebench;

namespace {

/// A model of one rule: after id i comes `next(i)`. Vocabulary of 300, of which a byte tokenizer knows 256.
class RuleSession final : public Session {
 public:
  using Rule = TokenId (*)(TokenId);
  RuleSession(const SessionOptions& options, Rule next)
      : options_(options), next_(next), logits_(static_cast<std::size_t>(options.batch) * vocab) {}

  std::int64_t batch() const noexcept override { return options_.batch; }
  std::int64_t capacity() const noexcept override { return options_.context_tokens; }
  std::int64_t depth() const noexcept override { return depth_; }
  void prefill(std::span<const TokenId> ids) override {
    const auto length = ids.size() / static_cast<std::size_t>(options_.batch);
    for (std::size_t i = 0; i < static_cast<std::size_t>(options_.batch); ++i) predict(i, ids[(i + 1) * length - 1]);
    depth_ += static_cast<std::int64_t>(length);
  }
  void decode_step(std::span<const TokenId> ids) override { prefill(ids); }
  std::span<const float> logits() override { return logits_; }
  void reset() noexcept override { depth_ = 0; }

  static constexpr std::size_t vocab = 300;

 private:
  void predict(std::size_t sequence, TokenId last) {
    const auto row = logits_.begin() + static_cast<std::ptrdiff_t>(sequence * vocab);
    std::fill(row, row + vocab, 0.0F);
    const auto next = next_(last);
    if (next < 0) {
      row[5] = std::numeric_limits<float>::quiet_NaN();
    } else {
      row[next] = 1.0F;
    }
    row[299] = 2.0F;  // beyond the tokenizer: never to be drawn
  }

  SessionOptions options_;
  Rule next_;
  std::vector<float> logits_;
  std::int64_t depth_ = 0;
};

struct Run {
  explicit Run(RuleSession::Rule next_rule) : next(next_rule), tokenizer(make_byte_tokenizer(256)) {
    config.vocab_size = static_cast<std::int64_t>(RuleSession::vocab);
    config.max_context = 64;
    config.eos_ids = {'z'};
  }
  GenerationResult operator()(const GenerationRequest& request, const TextCallback& on_text = {}) {
    const GenerationParts parts{*tokenizer, config, [this](const SessionOptions& options) -> std::unique_ptr<Session> {
                                  return std::make_unique<RuleSession>(options, next);
                                }};
    return run_generation(parts, request, log, on_text);
  }

  RuleSession::Rule next;
  std::unique_ptr<Tokenizer> tokenizer;
  ModelConfig config;
  EventLog log{4096};
};

TokenId successor(TokenId id) {
  return id + 1;
}

}  // namespace

TEST_CASE("sequences of a batch end one by one, and the others go on") {
  Run run(successor);
  GenerationRequest request;
  request.prompt = std::vector<TokenId>{'a', 'w', 'a', 't'};
  request.batch = 2;
  request.max_new_tokens = 8;
  std::string streamed;
  const auto result = run(request, [&](std::string_view text) { streamed += text; });
  REQUIRE(result.prompt_tokens == 2);
  REQUIRE(result.sequences[0].text == "xyz");
  REQUIRE(result.sequences[0].stop_reason == StopReason::eos);
  REQUIRE(result.sequences[1].text == "uvwxyz");
  REQUIRE(result.sequences[1].stop_reason == StopReason::eos);
  REQUIRE(result.token_times.size() == 6);
  REQUIRE(streamed == "xyz");
}

TEST_CASE("rows of the embedding that the tokenizer does not know are never drawn") {
  Run run(successor);
  GenerationRequest request;
  request.prompt = "a";
  request.max_new_tokens = 3;
  REQUIRE(run(request).sequences.front().text == "bcd");
}

TEST_CASE("text is handed on in whole characters") {
  Run run([](TokenId id) -> TokenId {  // the bytes of U+00E9, U+20AC
    switch (id) {
      case 'a': return 0xC3;
      case 0xC3: return 0xA9;
      case 0xA9: return 0xE2;
      case 0xE2: return 0x82;
      case 0x82: return 0xAC;
      default: return 'z';
    }
  });
  GenerationRequest request;
  request.prompt = "a";
  std::vector<std::string> pieces;
  const auto result = run(request, [&](std::string_view text) { pieces.emplace_back(text); });
  REQUIRE(pieces == std::vector<std::string>{"\xC3\xA9", "\xE2\x82\xAC", "z"});
  REQUIRE(result.sequences.front().text == "\xC3\xA9\xE2\x82\xACz");
}

TEST_CASE("a character that the last token leaves incomplete is replaced, as decode replaces it") {
  Run run([](TokenId) -> TokenId { return 0xC3; });
  GenerationRequest request;
  request.prompt = "a";
  request.max_new_tokens = 1;
  std::string streamed;
  const auto result = run(request, [&](std::string_view text) { streamed += text; });
  REQUIRE(result.sequences.front().text == "\xEF\xBF\xBD");
  REQUIRE(streamed == "\xEF\xBF\xBD");
}

TEST_CASE("logits that are not numbers end the run with an error") {
  Run run([](TokenId) -> TokenId { return -1; });
  GenerationRequest request;
  request.prompt = "a";
  request.max_new_tokens = 3;
  REQUIRE_THROWS_AS(run(request), NumericError);
}
