#include "gguf_vocabulary.h"

#include <fmt/format.h>

#include <utility>

namespace stagebench {
namespace {

constexpr std::string_view pieces_key = "tokenizer.ggml.tokens";

std::vector<PieceType> read_types(const GgufMetadata& metadata, std::string_view key) {
  std::vector<PieceType> types;
  for (const std::int64_t value : metadata.find_integers(key).value_or(std::vector<std::int64_t>{})) {
    if (value < 1 || value > 6) {
      metadata.fail(key, fmt::format("expected 1 to 6, found {} for token {}", value, types.size()));
    }
    types.push_back(static_cast<PieceType>(value));
  }
  return types;
}

void check_length(const GgufMetadata& metadata, std::string_view key, std::size_t found, std::size_t n_pieces) {
  if (found != 0 && found != n_pieces) {
    metadata.fail(key, fmt::format("expected an element for each of the {} tokens, found {}", n_pieces, found));
  }
}

}  // namespace

std::optional<Vocabulary> read_gguf_vocabulary(const GgufFile& file) {
  const GgufMetadata& metadata = file.metadata;
  auto pieces = metadata.find_strings(pieces_key);
  if (!pieces) return std::nullopt;
  Vocabulary vocabulary;
  vocabulary.source = file.source;
  vocabulary.model = metadata.string("tokenizer.ggml.model");
  vocabulary.pre = metadata.find_string("tokenizer.ggml.pre").value_or("");
  vocabulary.pieces = std::move(*pieces);
  if (vocabulary.pieces.empty()) metadata.fail(pieces_key, "has no tokens");

  constexpr std::string_view scores_key = "tokenizer.ggml.scores";
  constexpr std::string_view types_key = "tokenizer.ggml.token_type";
  vocabulary.scores = metadata.find_floats(scores_key).value_or(std::vector<float>{});
  vocabulary.types = read_types(metadata, types_key);
  vocabulary.merges = metadata.find_strings("tokenizer.ggml.merges").value_or(std::vector<std::string>{});
  check_length(metadata, scores_key, vocabulary.scores.size(), vocabulary.pieces.size());
  check_length(metadata, types_key, vocabulary.types.size(), vocabulary.pieces.size());

  const auto id = [&](std::string_view key) -> std::optional<TokenId> {
    if (!metadata.contains(key)) return std::nullopt;
    return static_cast<TokenId>(metadata.integer(key, 0, static_cast<std::int64_t>(vocabulary.pieces.size()) - 1));
  };
  vocabulary.bos_id = id("tokenizer.ggml.bos_token_id");
  vocabulary.eos_id = id("tokenizer.ggml.eos_token_id");
  vocabulary.unknown_id = id("tokenizer.ggml.unknown_token_id");
  vocabulary.padding_id = id("tokenizer.ggml.padding_token_id");
  vocabulary.add_bos = metadata.find_bool("tokenizer.ggml.add_bos_token");
  vocabulary.add_eos = metadata.find_bool("tokenizer.ggml.add_eos_token");
  vocabulary.add_space_prefix = metadata.find_bool("tokenizer.ggml.add_space_prefix");
  return vocabulary;
}

}  // namespace stagebench
