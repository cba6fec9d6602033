#include "sentencepiece_library.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <utility>

#include "sentencepiece_pieces.h"
#include "size_limits.h"
#include "stagebench/contracts/error.h"

namespace stagebench::tokenization {
namespace {

LeadingSpace leading_space(const SentencepieceModel& model) {
  if (model.remove_extra_whitespaces) return LeadingSpace::drop_all;
  return model.add_dummy_prefix ? LeadingSpace::drop_one : LeadingSpace::keep;
}

}  // namespace

SentencepieceLibrary::SentencepieceLibrary(std::string_view model_proto, const SentencepieceModel& model,
                                           SpecialIds special)
    : processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()),
      special_(std::move(special)),
      detokenizer_(Utf8Repair::each_byte, leading_space(model)) {
  const Vocabulary& vocabulary = model.vocabulary;
  if (model.has_denormalizer) {
    throw InputError(
        fmt::format("{}: denormalizer_spec: expected none, found one, which is not supported", vocabulary.source));
  }
  const auto status = processor_->LoadFromSerializedProto(model_proto);
  if (!status.ok()) {
    throw InputError(
        fmt::format("{}: expected a model that the sentencepiece library takes, found one that it "
                    "refuses: {}",
                    vocabulary.source, status.ToString()));
  }
  detokenizer_.reserve(vocabulary.pieces.size(), vocabulary.pieces.size() * 8);
  for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id) {
    add_sentencepiece_piece(detokenizer_, vocabulary.pieces[id], vocabulary.types[id], model.unknown_surface);
  }
}

SentencepieceLibrary::~SentencepieceLibrary() = default;

std::vector<TokenId> SentencepieceLibrary::encode(std::string_view text, bool add_special_tokens) const {
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

std::string SentencepieceLibrary::decode(std::span<const TokenId> ids, SpecialTokens special) const {
  return detokenizer_.decode(ids, special);
}

std::unique_ptr<StreamingDecoder> SentencepieceLibrary::streaming_decoder(SpecialTokens special) const {
  return detokenizer_.streaming_decoder(special);
}

}  // namespace stagebench::tokenization
