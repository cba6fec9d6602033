#pragma once

/// Byte-level byte pair encoding (GPT-2, Llama 3, Qwen, SmolLM): the text is cut into words, a word's bytes are joined
/// by rank. The ids are those of the `tokenizers` package.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "added_tokens.h"
#include "detokenizer.h"
#include "merge_table.h"
#include "piece_index.h"
#include "pre_split.h"
#include "special_ids.h"
#include "stagebench/contracts/tokenizer.h"
#include "whole_words.h"

namespace stagebench::tokenization {

/// A vocabulary as its file has it, checked and turned into tables by the tokenizer's constructor.
struct ByteLevelVocabulary {
  std::string source;               ///< for messages
  std::vector<std::string> pieces;  ///< by id, in the byte alphabet or, for added tokens, as text; empty: no such id
  std::vector<std::pair<std::string_view, std::string_view>> merges;  ///< best first; views must live until then
  std::vector<AddedToken> added;                                      ///< their ids have their contents among `pieces`
  bool ignore_merges = false;         ///< a word that is a piece is taken whole, though merges would not lead to it
  std::optional<TokenId> unknown_id;  ///< for bytes without a piece; absent: they are left out
  bool fuse_unknown = false;          ///< one id for a run of them
  bool nfc = false;                   ///< the text is normalised first
  PreSplit split;
  SpecialIds special;
};

class ByteLevelBpe final : public Tokenizer {
 public:
  /// Throws InputError for a piece that is there twice or too long, and for a merge of pieces that are not there or
  /// that is there twice.
  explicit ByteLevelBpe(ByteLevelVocabulary vocabulary);

  std::string_view kind() const noexcept override { return "byte-level-bpe"; }
  std::int64_t vocab_size() const noexcept override { return detokenizer_.size(); }
  std::optional<TokenId> bos_id() const noexcept override { return special_.bos_id; }
  std::optional<TokenId> eos_id() const noexcept override { return special_.eos_id; }

  /// Bytes that are not UTF-8 are neither normalised nor cut by the pre-split: each run of them is a word of its own.
  std::vector<TokenId> encode(std::string_view text, bool add_special_tokens) const override;
  std::string decode(std::span<const TokenId> ids, SpecialTokens special) const override;
  std::unique_ptr<StreamingDecoder> streaming_decoder(SpecialTokens special) const override;

 private:
  class Encoder;

  void index_pieces(const std::vector<std::string>& pieces);
  void add_merges(const ByteLevelVocabulary& vocabulary);
  void add_added_tokens(std::vector<AddedToken>& added);
  void fill_detokenizer(const ByteLevelVocabulary& vocabulary);

  std::string source_;
  PreSplit split_;
  SpecialIds special_;
  bool nfc_;
  bool ignore_merges_;
  bool fuse_unknown_;
  Symbol unknown_ = no_symbol;
  std::vector<std::string> piece_bytes_;  // by id; what the index's views point into
  PieceIndex index_;
  std::array<Symbol, 256> byte_symbols_{};
  MergeTable merges_;
  AddedTokenMatcher added_in_original_;
  AddedTokenMatcher added_in_normalized_;
  Detokenizer detokenizer_;
  WholeWords whole_words_;
};

}  // namespace stagebench::tokenization
