#pragma once

/// The sentencepiece library encodes; decoding is the library's too, but written for one id at a time
/// (sentencepiece_pieces.h).

#include <memory>
#include <string>
#include <string_view>

#include "detokenizer.h"
#include "sentencepiece_model.h"
#include "special_ids.h"
#include "stagebench/contracts/tokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace stagebench::tokenization {

class SentencepieceLibrary final : public Tokenizer {
 public:
  /// `model` is what `model_proto` holds. Throws InputError for a model that the library does not take, and for one
  /// with a denormaliser, which cannot stream.
  SentencepieceLibrary(std::string_view model_proto, const SentencepieceModel& model, SpecialIds special);
  ~SentencepieceLibrary() override;

  std::string_view kind() const noexcept override { return "sentencepiece"; }
  std::int64_t vocab_size() const noexcept override { return detokenizer_.size(); }
  std::optional<TokenId> bos_id() const noexcept override { return special_.bos_id; }
  std::optional<TokenId> eos_id() const noexcept override { return special_.eos_id; }

  std::vector<TokenId> encode(std::string_view text, bool add_special_tokens) const override;
  std::string decode(std::span<const TokenId> ids, SpecialTokens special) const override;
  std::unique_ptr<StreamingDecoder> streaming_decoder(SpecialTokens special) const override;

 private:
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  SpecialIds special_;
  Detokenizer detokenizer_;
};

}  // namespace stagebench::tokenization
