#pragma once

#include <string>
#include <string_view>

#include "stagebench/contracts/vocabulary.h"

namespace stagebench::tokenization {

/// A .model file: sentencepiece's ModelProto (sentencepiece_model.proto), as far as encoding and decoding need it.
struct SentencepieceModel {
  Vocabulary vocabulary;  ///< model "llama"; bos_id and eos_id by the pieces' names, as the library finds them
  bool is_bpe = false;    ///< else unigram, words or characters
  bool byte_fallback = false;
  bool has_normalizer = false;    ///< a table that rewrites the text, e.g. nfkc
  bool has_denormalizer = false;  ///< one that rewrites decoded text
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
  bool whitespace_as_suffix = false;
  std::string unknown_surface;
};

inline constexpr std::string_view default_unknown_surface = " \xE2\x81\x87 ";  // U+2047

/// Reads the Protocol Buffers wire format. Throws InputError with `source` where it is damaged.
SentencepieceModel read_sentencepiece_model(std::string_view model_proto, const std::string& source);

}  // namespace stagebench::tokenization
