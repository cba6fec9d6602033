#pragma once

#include <string>
#include <string_view>

namespace stagebench::tokenization {

/// What decoding needs to know of a sentencepiece ModelProto (sentencepiece_model.proto) beyond its pieces. The library
/// offers no access to these.
struct SentencepieceSettings {
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool has_denormalizer = false;  ///< rewrites decoded text as a whole
  std::string unknown_surface = " \xE2\x81\x87 ";
};

/// Reads the Protocol Buffers wire format. Throws InputError with `source` where it is damaged.
SentencepieceSettings read_sentencepiece_settings(std::string_view model_proto, const std::string& source);

}  // namespace stagebench::tokenization
