#pragma once

#include <filesystem>
#include <string>

#include "byte_level_bpe.h"
#include "tokenizer_config.h"

namespace stagebench::tokenization {

/// vocab.json and merges.txt, the files of GPT-2 and its kin. They do not say how the text is cut: tokenizer_class of
/// tokenizer_config.json does (GPT2Tokenizer, also where absent; Qwen2Tokenizer). Its special and added tokens are
/// recognised in the text. Merges point into `merges_text`, which receives merges.txt. Throws InputError.
ByteLevelVocabulary read_vocabulary_files(const std::filesystem::path& folder, const TokenizerConfig& config,
                                          std::string& merges_text);

}  // namespace stagebench::tokenization
