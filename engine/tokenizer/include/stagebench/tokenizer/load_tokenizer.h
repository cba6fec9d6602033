#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "stagebench/contracts/tokenizer.h"
#include "stagebench/contracts/vocabulary.h"

namespace stagebench {

/// The tokenizer of a Hugging Face folder: `tokenizer.json` where it is of byte level, else `tokenizer.model`, else
/// `vocab.json` and `merges.txt`. `tokenizer_config.json` settles add_bos_token, add_eos_token and which tokens they
/// are. Throws InputError, also by name for whatever a file asks for that is not supported.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& folder);

/// The tokenizer of a vocabulary that lies inside a model file. Throws InputError, also for a pre-split that is not
/// known, by its name.
std::unique_ptr<Tokenizer> make_tokenizer(const Vocabulary& vocabulary);

/// For models without a vocabulary (synthetic weights): byte b is id b; the other ids up to vocab_size decode to their
/// number in brackets, "[1234]". No special tokens. Throws UsageError where vocab_size < 256.
std::unique_ptr<Tokenizer> make_byte_tokenizer(std::int64_t vocab_size);

}  // namespace stagebench
