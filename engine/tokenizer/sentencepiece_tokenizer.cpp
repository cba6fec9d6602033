#include "sentencepiece_tokenizer.h"

#include <algorithm>
#include <utility>

#include "sentencepiece_bpe.h"
#include "sentencepiece_library.h"
#include "sentencepiece_model.h"
#include "vocabulary_checks.h"

namespace stagebench::tokenization {
namespace {

bool has_type(const SentencepieceModel& model, PieceType type) {
  const auto& types = model.vocabulary.types;
  return std::find(types.begin(), types.end(), type) != types.end();
}

// Where it is true, SentencepieceBpe does all that the library does with this model.
bool is_plain_bpe(const SentencepieceModel& model) {
  const bool rewrites = model.has_normalizer || model.has_denormalizer || model.remove_extra_whitespaces;
  return model.is_bpe && !rewrites && model.escape_whitespaces && !model.whitespace_as_suffix &&
         model.unknown_surface == default_unknown_surface && model.byte_fallback == has_type(model, PieceType::byte) &&
         !has_type(model, PieceType::unused);
}

SpecialIds special_ids_by(const TokenizerConfig& config, const Vocabulary& vocabulary) {
  SpecialIds special = special_ids(vocabulary, !config.add_bos);
  apply_config(
      config,
      [&](std::string_view token) -> std::optional<TokenId> {
        const auto found = std::find(vocabulary.pieces.begin(), vocabulary.pieces.end(), token);
        if (found == vocabulary.pieces.end()) return std::nullopt;
        return static_cast<TokenId>(found - vocabulary.pieces.begin());
      },
      special);
  return special;
}

}  // namespace

std::unique_ptr<Tokenizer> make_sentencepiece_tokenizer(std::string_view model_proto, const std::string& source,
                                                        const TokenizerConfig& config) {
  SentencepieceModel model = read_sentencepiece_model(model_proto, source);
  check_vocabulary(model.vocabulary);
  SpecialIds special = special_ids_by(config, model.vocabulary);
  if (is_plain_bpe(model)) return std::make_unique<SentencepieceBpe>(model.vocabulary, std::move(special));
  return std::make_unique<SentencepieceLibrary>(model_proto, model, std::move(special));
}

}  // namespace stagebench::tokenization
