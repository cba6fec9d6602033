#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stagebench/contracts/token.h"

namespace stagebench {

enum class SpecialTokens : std::uint8_t { keep, skip };

/// Turns ids into text one at a time. The concatenation of all that push() and finish() return equals
/// Tokenizer::decode of the same ids, leading space included. Bytes of an incomplete UTF-8 sequence are held back
/// until it is complete or proves to be invalid.
class StreamingDecoder {
 public:
  virtual ~StreamingDecoder() = default;
  /// The text that became complete with this id; may be empty.
  virtual std::string push(TokenId id) = 0;
  /// What was still held back, replaced as decode replaces it. The decoder is as new afterwards.
  virtual std::string finish() = 0;
};

/// Text to ids and back. Thread-safe for concurrent const calls.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// One word for rows and messages, e.g. "sentencepiece-bpe", "byte-level-bpe".
  virtual std::string_view kind() const noexcept = 0;
  /// Ids are 0 <= id < vocab_size(), added tokens included.
  virtual std::int64_t vocab_size() const noexcept = 0;
  virtual std::optional<TokenId> bos_id() const noexcept = 0;
  virtual std::optional<TokenId> eos_id() const noexcept = 0;

  /// `add_special_tokens` puts BOS before and EOS behind where the model says so. Invalid UTF-8 is never an error:
  /// byte-level models encode the bytes, sentencepiece replaces them as the library does.
  virtual std::vector<TokenId> encode(std::string_view text, bool add_special_tokens) const = 0;
  /// Throws UsageError for an id outside the vocabulary.
  virtual std::string decode(std::span<const TokenId> ids, SpecialTokens special) const = 0;
  virtual std::unique_ptr<StreamingDecoder> streaming_decoder(SpecialTokens special) const = 0;
};

}  // namespace stagebench
