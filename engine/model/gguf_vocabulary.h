#pragma once

#include <optional>

#include "gguf_file.h"
#include "stagebench/contracts/vocabulary.h"

namespace stagebench {

/// The keys tokenizer.ggml.*; nothing where the file has no vocabulary. Throws InputError where lists differ in length
/// or an id is outside the vocabulary.
std::optional<Vocabulary> read_gguf_vocabulary(const GgufFile& file);

}  // namespace stagebench
