#pragma once

/// `tokenizer.json`, the file of the `tokenizers` package.

#include "byte_level_bpe.h"
#include "stagebench/support/json.h"

namespace stagebench::tokenization {

/// True where the file's pre-tokenizer has the byte alphabet, false e.g. for one that was made of a sentencepiece
/// model.
bool is_byte_level(const JsonDocument& document);

/// Reads a byte-level BPE. Its merges point into `document`. Supported:
///   model           BPE without dropout, prefixes, suffixes and byte fallback
///   normalizer      none, NFC, a Sequence of these
///   pre_tokenizer   Split by a Regex (Isolated), Digits, and at the end ByteLevel; a Sequence of these
///   post_processor  none, ByteLevel, TemplateProcessing (its `single` part), a Sequence of these
///   decoder         ByteLevel
/// Truncation and padding belong to a call, not to the vocabulary, and are not applied (transformers does the same).
/// Throws InputError for whatever else, by its name and place.
ByteLevelVocabulary parse_tokenizer_json(const JsonDocument& document);

}  // namespace stagebench::tokenization
