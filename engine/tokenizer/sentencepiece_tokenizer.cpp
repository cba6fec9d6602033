#include "sentencepiece_tokenizer.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include "sentencepiece_pieces.h"
#include "sentencepiece_settings.h"
#include "size_limits.h"
#include "stagebench/contracts/error.h"

namespace stagebench::tokenization {
namespace {

LeadingSpace leading_space(const SentencepieceSettings& settings) {
  if (settings.remove_extra_whitespaces) return LeadingSpace::drop_all;
  return settings.add_dummy_prefix ? LeadingSpace::drop_one : LeadingSpace::keep;
}

PieceType type_of(const sentencepiece::SentencePieceProcessor& processor, int id) {
  if (processor.IsByte(id)) return PieceType::byte;
  if (processor.IsControl(id)) return PieceType::control;
  if (processor.IsUnknown(id)) return PieceType::unknown;
  return PieceType::normal;
}

std::optional<TokenId> id_or_nothing(int id) {
  if (id < 0) return std::nullopt;
  return id;
}

}  // namespace

SentencepieceTokenizer::SentencepieceTokenizer(std::string_view model_proto, const std::string& source,
                                               const TokenizerConfig& config)
    : processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  const SentencepieceSettings settings = read_sentencepiece_settings(model_proto, source);
  const auto status = processor_->LoadFromSerializedProto(model_proto);
  if (!status.ok() || processor_->GetPieceSize() == 0) {
    throw InputError(fmt::format("{}: expected a sentencepiece model, found something else: {}", source,
                                 status.ok() ? "it has no pieces" : status.ToString()));
  }
  if (settings.has_denormalizer) {
    throw InputError(fmt::format("{}: denormalizer_spec: expected none, found one, which is not supported", source));
  }
  const int size = processor_->GetPieceSize();
  detokenizer_ = std::make_unique<Detokenizer>(Utf8Repair::each_byte, leading_space(settings));
  detokenizer_->reserve(static_cast<std::size_t>(size), static_cast<std::size_t>(size) * 8);
  for (int id = 0; id < size; ++id) {
    add_sentencepiece_piece(*detokenizer_, processor_->IdToPiece(id), type_of(*processor_, id),
                            settings.unknown_surface);
  }
  settle_special_ids(config);
}

SentencepieceTokenizer::~SentencepieceTokenizer() = default;

void SentencepieceTokenizer::settle_special_ids(const TokenizerConfig& config) {
  special_.bos_id = id_or_nothing(processor_->bos_id());
  special_.eos_id = id_or_nothing(processor_->eos_id());
  if (!config.add_bos && special_.bos_id) special_.prefix = {*special_.bos_id};
  apply_config(
      config,
      [this](std::string_view token) -> std::optional<TokenId> {
        const int id = processor_->PieceToId(token);
        return processor_->IdToPiece(id) == token ? std::optional<TokenId>(id) : std::nullopt;
      },
      special_);
}

std::int64_t SentencepieceTokenizer::vocab_size() const noexcept {
  return detokenizer_->size();
}

std::vector<TokenId> SentencepieceTokenizer::encode(std::string_view text, bool add_special_tokens) const {
  if (text.size() >= max_text_bytes / 3) {
    throw UsageError(
        fmt::format("encode: expected less than {} bytes of text, found {}", max_text_bytes / 3, text.size()));
  }
  std::vector<int> pieces;
  const auto status = processor_->Encode(text, &pieces);
  if (!status.ok()) throw Error(fmt::format("sentencepiece failed to encode a text: {}", status.ToString()));
  if (!add_special_tokens) return pieces;
  std::vector<TokenId> ids = special_.prefix;
  ids.insert(ids.end(), pieces.begin(), pieces.end());
  ids.insert(ids.end(), special_.suffix.begin(), special_.suffix.end());
  return ids;
}

std::string SentencepieceTokenizer::decode(std::span<const TokenId> ids, SpecialTokens special) const {
  return detokenizer_->decode(ids, special);
}

std::unique_ptr<StreamingDecoder> SentencepieceTokenizer::streaming_decoder(SpecialTokens special) const {
  return detokenizer_->streaming_decoder(special);
}

}  // namespace stagebench::tokenization
