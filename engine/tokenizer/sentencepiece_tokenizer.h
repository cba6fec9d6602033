#pragma once

/// `tokenizer.model`: the sentencepiece library encodes, BPE and unigram alike. Decoding is the library's too, written
/// for one id at a time (sentencepiece_pieces.h).

#include <memory>
#include <string>
#include <string_view>

#include "detokenizer.h"
#include "special_ids.h"
#include "stagebench/contracts/tokenizer.h"
#include "tokenizer_config.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace stagebench::tokenization {

class SentencepieceTokenizer final : public Tokenizer {
 public:
  /// `model_proto` is the bytes of a .model file, `source` its name. BOS is added in front unless `config` says no, as
  /// transformers does for these models; EOS only if it says so. The tokens that `config` names overrule the model's
  /// own BOS and EOS. Throws InputError for a damaged model, and for one with a denormaliser, which cannot stream.
  SentencepieceTokenizer(std::string_view model_proto, const std::string& source, const TokenizerConfig& config);
  ~SentencepieceTokenizer() override;

  std::string_view kind() const noexcept override { return "sentencepiece"; }
  std::int64_t vocab_size() const noexcept override;
  std::optional<TokenId> bos_id() const noexcept override { return special_.bos_id; }
  std::optional<TokenId> eos_id() const noexcept override { return special_.eos_id; }

  std::vector<TokenId> encode(std::string_view text, bool add_special_tokens) const override;
  std::string decode(std::span<const TokenId> ids, SpecialTokens special) const override;
  std::unique_ptr<StreamingDecoder> streaming_decoder(SpecialTokens special) const override;

 private:
  void settle_special_ids(const TokenizerConfig& config);

  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  SpecialIds special_;
  std::unique_ptr<Detokenizer> detokenizer_;
};

}  // namespace stagebench::tokenization
