#pragma once

/// sentencepiece's BPE: neighbours join into the piece of the highest score. Gives the ids that the library gives for a
/// model with the identity normaliser, as Llama 2 and Mistral have it, from a .model file or a GGUF ("llama").

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "added_tokens.h"
#include "detokenizer.h"
#include "merge_table.h"
#include "piece_index.h"
#include "special_ids.h"
#include "stagebench/contracts/tokenizer.h"
#include "stagebench/contracts/vocabulary.h"
#include "whole_words.h"

namespace stagebench::tokenization {

class SentencepieceBpe final : public Tokenizer {
 public:
  /// Throws InputError where check_vocabulary does, and for a piece that is there twice, is empty or too long, for
  /// absent or infinite scores, and where neither an unknown piece nor all byte pieces stand in for unknown characters.
  SentencepieceBpe(const Vocabulary& vocabulary, SpecialIds special);

  std::string_view kind() const noexcept override { return "sentencepiece-bpe"; }
  std::int64_t vocab_size() const noexcept override { return detokenizer_.size(); }
  std::optional<TokenId> bos_id() const noexcept override { return special_.bos_id; }
  std::optional<TokenId> eos_id() const noexcept override { return special_.eos_id; }

  /// User-defined pieces are recognised in the text, control pieces are not, as in the library; nothing joins into an
  /// unused piece. Each byte that is not UTF-8 becomes U+FFFD first.
  std::vector<TokenId> encode(std::string_view text, bool add_special_tokens) const override;
  std::string decode(std::span<const TokenId> ids, SpecialTokens special) const override;
  std::unique_ptr<StreamingDecoder> streaming_decoder(SpecialTokens special) const override;

 private:
  class Encoder;

  void index_pieces(const Vocabulary& vocabulary);
  void note_characters(std::string_view piece);
  void find_merges(const Vocabulary& vocabulary);
  Symbol symbol_of(std::string_view part) const noexcept;
  void check_unknown_characters() const;

  std::string source_;
  SpecialIds special_;
  bool add_space_prefix_;
  bool space_mark_only_leads_ = true;  // in no piece does the mark follow another character
  std::optional<TokenId> unknown_id_;
  std::vector<std::string> pieces_;          // what the indexes' views point into
  PieceIndex mergeable_;                     // normal and user-defined pieces
  PieceIndex lone_characters_;               // characters that only occur inside pieces: symbols from vocab_size on
  std::vector<std::string_view> lone_;       // by symbol - vocab_size
  std::array<Symbol, 128> ascii_symbols_{};  // what symbol_of gives for these
  std::array<TokenId, 256> byte_ids_{};
  bool has_all_bytes_ = false;
  AddedTokenMatcher user_defined_;
  MergeTable merges_;
  Detokenizer detokenizer_;
  WholeWords whole_words_;
};

}  // namespace stagebench::tokenization
