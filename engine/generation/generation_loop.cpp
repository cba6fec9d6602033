#include "generation_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stagebench/contracts/error.h"
#include "stagebench/instrument/nvtx_ranges.h"
#include "stagebench/instrument/stage_scope.h"
#include "stagebench/sampling/sampler.h"
#include "token_limit.h"

namespace stagebench {
namespace {

struct SequenceState {
  GeneratedSequence output;
  std::unique_ptr<StreamingDecoder> decoder;
  TokenId last_id = 0;
  bool finished = false;
};

/// One request under way.
class Generation {
 public:
  Generation(const GenerationParts& parts, const GenerationRequest& request, EventSink& sink,
             const TextCallback& on_text)
      : parts_(parts), request_(request), sink_(sink), on_text_(on_text), sampler_(make_sampler(parts, request)) {}

  GenerationResult run() {
    const RequestRange range(request_.request_id);
    result_.accepted = Clock::now();
    const auto prompt = tokenize();
    prepare(prompt);
    prefill(prompt);
    for (std::int32_t step = 0;; ++step) {
      sample(step);
      detokenize(step);
      if (unfinished() == 0) break;
      decode(step);
    }
    result_.finished = Clock::now();
    for (auto& sequence : sequences_) result_.sequences.push_back(std::move(sequence.output));
    return std::move(result_);
  }

 private:
  /// Ids past the tokenizer's are rows that pad the embedding: they mean nothing and are never drawn.
  static std::int64_t drawable_ids(const GenerationParts& parts) {
    return std::min(parts.config.vocab_size, parts.tokenizer.vocab_size());
  }

  static Sampler make_sampler(const GenerationParts& parts, const GenerationRequest& request) {
    if (request.batch < 1) throw UsageError(fmt::format("batch: expected 1 or more, found {}", request.batch));
    return Sampler(request.sampling, drawable_ids(parts));
  }

  /// The ids of all sequences, [batch][prompt_tokens].
  std::vector<TokenId> tokenize() {
    if (const auto* ids = std::get_if<std::vector<TokenId>>(&request_.prompt)) {
      const auto count = static_cast<std::int64_t>(ids->size());
      if (count % request_.batch != 0) {
        throw UsageError(fmt::format("prompt ids: expected [batch][n] of one length, found {} ids for a batch of {}",
                                     count, request_.batch));
      }
      result_.prompt_tokens = count / request_.batch;
      return *ids;
    }
    const auto& text = std::get<std::string>(request_.prompt);
    if (text.empty()) throw UsageError("the prompt is empty: expected some text");
    std::vector<TokenId> ids;
    {
      StageScope scope(sink_, Stage::tokenize, {.payload = text.size()});
      ids = parts_.tokenizer.encode(text, true);
      scope.set_tokens(static_cast<std::int64_t>(ids.size()));
    }
    result_.prompt_tokens = static_cast<std::int64_t>(ids.size());
    std::vector<TokenId> all;
    all.reserve(ids.size() * static_cast<std::size_t>(request_.batch));
    for (std::int64_t sequence = 0; sequence < request_.batch; ++sequence)
      all.insert(all.end(), ids.begin(), ids.end());
    return all;
  }

  /// Everything that the steps need is allocated here.
  void prepare(const std::vector<TokenId>& prompt) {
    limit_ = token_limit(request_, result_.prompt_tokens, parts_.config.max_context);
    session_ =
        parts_.new_session({.batch = request_.batch, .context_tokens = result_.prompt_tokens + limit_.new_tokens});
    const auto batch = static_cast<std::size_t>(request_.batch);
    const auto expected_tokens = static_cast<std::size_t>(limit_.new_tokens);
    sequences_.resize(batch);
    for (std::size_t i = 0; i < batch; ++i) {
      auto& sequence = sequences_[i];
      sequence.decoder = parts_.tokenizer.streaming_decoder(SpecialTokens::skip);
      // The output continues the prompt: decoders drop the space before the first word of a text, so they see what
      // came before.
      const auto prompt_end = (i + 1) * static_cast<std::size_t>(result_.prompt_tokens);
      static_cast<void>(sequence.decoder->push(prompt[prompt_end - 1]));
      sequence.output.ids.reserve(expected_tokens);
      sequence.output.stop_reason = limit_.reason;
    }
    step_ids_.resize(batch);
    result_.token_times.reserve(expected_tokens);
  }

  void prefill(const std::vector<TokenId>& prompt) {
    StageScope scope(sink_, Stage::prefill,
                     {.tokens = static_cast<std::int64_t>(prompt.size()), .payload = prompt.size()});
    session_->prefill(prompt);
  }

  void decode(std::int32_t step) {
    for (std::size_t i = 0; i < sequences_.size(); ++i) step_ids_[i] = sequences_[i].last_id;
    StageScope scope(sink_, Stage::decode_step,
                     {.step = step,
                      .depth = session_->depth(),
                      .tokens = unfinished(),
                      .payload = static_cast<std::uint64_t>(step)});
    session_->decode_step(step_ids_);
  }

  void sample(std::int32_t step) {
    {
      StageScope scope(sink_, Stage::sample,
                       {.step = step,
                        .depth = session_->depth(),
                        .tokens = unfinished(),
                        .payload = static_cast<std::uint64_t>(sampler_.candidate_limit())});
      const auto logits = session_->logits();
      const auto stride = static_cast<std::size_t>(parts_.config.vocab_size);
      const auto width = static_cast<std::size_t>(drawable_ids(parts_));
      for (std::size_t i = 0; i < sequences_.size(); ++i) {
        if (sequences_[i].finished) continue;
        sequences_[i].last_id = sampler_
                                    .sample(logits.subspan(i * stride, width), static_cast<std::uint32_t>(i),
                                            static_cast<std::uint32_t>(step))
                                    .id;
      }
    }
    result_.token_times.push_back(Clock::now());
    if (step == 0) mark(Mark::first_token, 0);
  }

  void detokenize(std::int32_t step) {
    streamed_text_.clear();
    {
      StageScope scope(sink_, Stage::detokenize,
                       {.step = step,
                        .depth = session_->depth(),
                        .tokens = unfinished(),
                        .payload = static_cast<std::uint64_t>(unfinished())});
      for (auto& sequence : sequences_) {
        if (!sequence.finished) append(sequence, step);
      }
    }
    // Outside the stage: where the text goes (a terminal, a pipe) is not the engine's cost.
    if (on_text_ && !streamed_text_.empty()) on_text_(streamed_text_);
  }

  void append(SequenceState& sequence, std::int32_t step) {
    sequence.output.ids.push_back(sequence.last_id);
    auto text = sequence.decoder->push(sequence.last_id);
    if (stops(sequence.last_id)) {
      sequence.output.stop_reason = StopReason::eos;
      sequence.finished = true;
      mark(Mark::eos, static_cast<std::uint64_t>(step));
    }
    if (static_cast<std::int64_t>(sequence.output.ids.size()) == limit_.new_tokens) sequence.finished = true;
    if (sequence.finished) text += sequence.decoder->finish();
    if (&sequence == &sequences_.front()) streamed_text_ = text;
    sequence.output.text += text;
  }

  /// Sequences that go on. Those that ended are still computed, as the batch is one, but their tokens do not count.
  std::int64_t unfinished() const {
    return std::count_if(sequences_.begin(), sequences_.end(), [](const auto& sequence) { return !sequence.finished; });
  }

  bool stops(TokenId id) const {
    if (request_.ignore_eos) return false;
    const auto holds = [id](const std::vector<TokenId>& ids) {
      return std::find(ids.begin(), ids.end(), id) != ids.end();
    };
    return holds(parts_.config.eos_ids) || holds(request_.stop_ids);
  }

  const GenerationParts& parts_;
  const GenerationRequest& request_;
  EventSink& sink_;
  const TextCallback& on_text_;
  Sampler sampler_;
  TokenLimit limit_;
  std::unique_ptr<Session> session_;
  std::vector<SequenceState> sequences_;
  std::vector<TokenId> step_ids_;
  std::string streamed_text_;
  GenerationResult result_;
};

}  // namespace

GenerationResult run_generation(const GenerationParts& parts, const GenerationRequest& request, EventSink& sink,
                                const TextCallback& on_text) {
  return Generation(parts, request, sink, on_text).run();
}

}  // namespace stagebench
