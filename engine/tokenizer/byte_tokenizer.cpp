#include <fmt/format.h>

#include <limits>

#include "detokenizer.h"
#include "stagebench/contracts/error.h"
#include "stagebench/tokenizer/load_tokenizer.h"

namespace stagebench {
namespace {

constexpr std::int64_t byte_count = 256;

/// Byte b is id b. A number in brackets is bytes as well: an incomplete character before it stays incomplete.
class ByteTokenizer final : public Tokenizer {
 public:
  explicit ByteTokenizer(std::int64_t vocab_size)
      : detokenizer_(tokenization::Utf8Repair::each_subpart, tokenization::LeadingSpace::keep) {
    detokenizer_.reserve(static_cast<std::size_t>(vocab_size), static_cast<std::size_t>(vocab_size) * 8);
    for (std::int64_t id = 0; id < vocab_size; ++id) {
      const std::string piece = id < byte_count ? std::string(1, static_cast<char>(id)) : fmt::format("[{}]", id);
      detokenizer_.add(piece, tokenization::Contribution::bytes, false);
    }
  }

  std::string_view kind() const noexcept override { return "bytes"; }
  std::int64_t vocab_size() const noexcept override { return detokenizer_.size(); }
  std::optional<TokenId> bos_id() const noexcept override { return std::nullopt; }
  std::optional<TokenId> eos_id() const noexcept override { return std::nullopt; }

  std::vector<TokenId> encode(std::string_view text, bool /*add_special_tokens*/) const override {
    std::vector<TokenId> ids(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) ids[i] = static_cast<unsigned char>(text[i]);
    return ids;
  }
  std::string decode(std::span<const TokenId> ids, SpecialTokens special) const override {
    return detokenizer_.decode(ids, special);
  }
  std::unique_ptr<StreamingDecoder> streaming_decoder(SpecialTokens special) const override {
    return detokenizer_.streaming_decoder(special);
  }

 private:
  tokenization::Detokenizer detokenizer_;
};

}  // namespace

std::unique_ptr<Tokenizer> make_byte_tokenizer(std::int64_t vocab_size) {
  constexpr std::int64_t largest = std::int64_t{1} << 24;  // far above any model's; keeps the table small
  if (vocab_size < byte_count || vocab_size > largest) {
    throw UsageError(
        fmt::format("byte tokenizer: expected a vocabulary of {} to {}, found {}", byte_count, largest, vocab_size));
  }
  return std::make_unique<ByteTokenizer>(vocab_size);
}

}  // namespace stagebench
