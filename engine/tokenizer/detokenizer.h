#pragma once

/// Ids to text, at once or one at a time, for every kind of vocabulary.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stagebench/contracts/tokenizer.h"
#include "utf8.h"

namespace stagebench::tokenization {

/// What an id contributes. `bytes` join with their neighbours' before they are read as UTF-8; `text` stands for itself,
/// and bytes before it that do not make a character by then are replaced.
enum class Contribution : std::uint8_t { bytes, text };

/// sentencepiece puts a space before the text when it encodes, and takes it away when it decodes.
enum class LeadingSpace : std::uint8_t {
  keep,
  drop_one,  ///< of the first piece that begins with one, as long as nothing came out
  drop_all,  ///< of each piece until something comes out (remove_extra_whitespaces)
};

class Detokenizer {
 public:
  Detokenizer(Utf8Repair repair, LeadingSpace leading_space) : repair_(repair), leading_space_(leading_space) {}

  void reserve(std::size_t pieces, std::size_t bytes);
  /// The next id. A text that is not UTF-8 is repaired. `special`: skipped with SpecialTokens::skip. Where
  /// `begins_with_space`, the space may be taken away at the start of the text.
  void add(std::string_view piece, Contribution contribution, bool special, bool begins_with_space = false);

  std::int64_t size() const noexcept { return static_cast<std::int64_t>(pieces_.size()); }
  std::string_view piece(TokenId id) const noexcept;

  /// Throws UsageError for an id outside.
  std::string decode(std::span<const TokenId> ids, SpecialTokens special) const;
  std::unique_ptr<StreamingDecoder> streaming_decoder(SpecialTokens special) const;

 private:
  struct Piece {
    std::uint64_t begin;
    std::uint32_t bytes;
    Contribution contribution;
    bool special;
    bool begins_with_space;
    bool is_utf8;  ///< by itself
  };
  struct State {
    std::string pending;  ///< bytes that are not text yet
    bool at_start = true;
  };
  class Streaming;

  const Piece& checked(TokenId id) const;
  void append(State& state, const Piece& piece, SpecialTokens special, std::string& text) const;
  std::string decode_bytes(std::span<const TokenId> ids, SpecialTokens special) const;

  Utf8Repair repair_;
  LeadingSpace leading_space_;
  bool all_bytes_ = true;
  std::string arena_;
  std::vector<Piece> pieces_;
};

}  // namespace stagebench::tokenization
