#include "stagebench/tokenizer/load_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "byte_level_bpe.h"
#include "gguf_vocabulary.h"
#include "sentencepiece_bpe.h"
#include "sentencepiece_tokenizer.h"
#include "stagebench/contracts/error.h"
#include "stagebench/support/json.h"
#include "stagebench/support/text_file.h"
#include "tokenizer_config.h"
#include "tokenizer_json.h"
#include "vocabulary_checks.h"
#include "vocabulary_files.h"

namespace stagebench {
namespace {

using tokenization::ByteLevelVocabulary;
using tokenization::TokenizerConfig;

std::unique_ptr<Tokenizer> byte_level(ByteLevelVocabulary vocabulary, const TokenizerConfig& config) {
  tokenization::apply_config(
      config,
      [&](std::string_view token) -> std::optional<TokenId> {
        const auto found = std::find(vocabulary.pieces.begin(), vocabulary.pieces.end(), token);
        if (token.empty() || found == vocabulary.pieces.end()) return std::nullopt;
        return static_cast<TokenId>(found - vocabulary.pieces.begin());
      },
      vocabulary.special);
  return std::make_unique<tokenization::ByteLevelBpe>(std::move(vocabulary));
}

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& folder) {
  const auto has = [&](const char* name) { return std::filesystem::is_regular_file(folder / name); };
  const TokenizerConfig config = tokenization::read_tokenizer_config(folder);
  if (has("tokenizer.json")) {
    const JsonDocument document = JsonDocument::from_file(folder / "tokenizer.json");
    if (tokenization::is_byte_level(document) || !has("tokenizer.model")) {
      return byte_level(tokenization::parse_tokenizer_json(document), config);
    }
  }
  if (has("tokenizer.model")) {
    const auto file = folder / "tokenizer.model";
    return tokenization::make_sentencepiece_tokenizer(read_text_file(file), file.string(), config);
  }
  if (has("vocab.json") && has("merges.txt")) {
    std::string merges_text;
    return byte_level(tokenization::read_vocabulary_files(folder, config, merges_text), config);
  }
  throw InputError(fmt::format("{}: expected tokenizer.json, tokenizer.model, or vocab.json and merges.txt, found none",
                               folder.string()));
}

std::unique_ptr<Tokenizer> make_tokenizer(const Vocabulary& vocabulary) {
  if (vocabulary.model == "gpt2") {
    return std::make_unique<tokenization::ByteLevelBpe>(tokenization::byte_level_vocabulary(vocabulary));
  }
  if (vocabulary.model == "llama") {
    return std::make_unique<tokenization::SentencepieceBpe>(vocabulary, tokenization::special_ids(vocabulary, true));
  }
  throw InputError(fmt::format("{}: tokenizer model: expected \"gpt2\" or \"llama\", found \"{}\"", vocabulary.source,
                               vocabulary.model));
}

}  // namespace stagebench
