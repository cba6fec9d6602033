#pragma once

#include <string>
#include <vector>

#include "stagebench/contracts/token.h"
#include "stagebench/contracts/tokenizer.h"
#include "stagebench/contracts/vocabulary.h"

namespace stagebench::test {

/// What another implementation gives for the strings of a golden file. Lists that the file lacks are empty.
struct TokenizerGolden {
  std::vector<std::string> strings;
  std::vector<std::vector<TokenId>> ids, ids_with_special;
  std::vector<std::string> decoded, decoded_skipping_special;
};

/// `file` in tests/data/golden; `name` under its "tokenizers".
TokenizerGolden read_tokenizer_golden(const std::string& file, const std::string& name);

/// Requires ids and decodings of all strings, and that decoding id by id gives the same text in whole characters.
void require_golden(const Tokenizer& tokenizer, const TokenizerGolden& golden);

/// Requires that pushing `ids` one at a time gives what decode gives, and never half a character.
void require_streaming_equals_decode(const Tokenizer& tokenizer, const std::vector<TokenId>& ids,
                                     SpecialTokens special);

/// A path in tests/data.
std::string data_path(const std::string& relative);

/// tests/data/tokenizers/smollm2/vocabulary.json.
Vocabulary read_smollm2_vocabulary();

/// The pieces of a sentencepiece model as a GGUF of kind "llama" has them.
Vocabulary vocabulary_of_sentencepiece_model(const std::string& file);

}  // namespace stagebench::test
