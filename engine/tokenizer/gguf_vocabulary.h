#pragma once

#include "byte_level_bpe.h"
#include "stagebench/contracts/vocabulary.h"

namespace stagebench::tokenization {

/// A byte-level vocabulary ("gpt2") as GGUF has it; its merges point into `vocabulary`. Pre-splits by GGUF's names:
///   gpt-2                      GPT-2's
///   smollm                     single digits, then GPT-2's
///   llama-bpe, llama3, llama-v3  Llama 3's; words that are pieces are taken whole, BOS is added by default
///   qwen2                      Qwen 2's, behind NFC as in its tokenizer.json
///   default                    what llama.cpp does for models that name none
/// Control and user-defined pieces are recognised in the text. Throws InputError, also for another or no pre-split.
ByteLevelVocabulary byte_level_vocabulary(const Vocabulary& vocabulary);

}  // namespace stagebench::tokenization
