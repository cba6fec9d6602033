#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stagebench/contracts/token.h"

namespace stagebench {

/// The values of GGUF's tokenizer.ggml.token_type.
enum class PieceType : std::uint8_t { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

/// A vocabulary that lies inside a model file (GGUF's tokenizer.ggml.*), as the file has it. The model layer reads it,
/// the tokenizer layer makes a Tokenizer of it.
struct Vocabulary {
  std::string source;  ///< for messages: the file it came from
  std::string model;   ///< "gpt2" (byte-level BPE) or "llama" (sentencepiece BPE)
  std::string pre;     ///< name of the pre-split ("gpt-2", "smollm", "llama-bpe", "qwen2"); empty if absent
  std::vector<std::string> pieces;
  std::vector<float> scores;        ///< empty, or one a piece
  std::vector<PieceType> types;     ///< empty, or one a piece
  std::vector<std::string> merges;  ///< "left right", best first; gpt2 only
  std::optional<TokenId> bos_id, eos_id, unknown_id, padding_id;
  std::optional<bool> add_bos, add_eos, add_space_prefix;
};

}  // namespace stagebench
