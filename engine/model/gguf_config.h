#pragma once

#include "gguf_file.h"
#include "stagebench/contracts/model.h"

namespace stagebench {

/// The shape of a llama or gpt2 model out of its keys and, for vocab_size, tied_embeddings and RoPE's divisors, its
/// tensors. `name` is left empty. Throws InputError for keys that are missing, of the wrong type, contradict each other
/// or ask for a computation that is not supported (experts, partial rotary, YaRN and the like).
ModelConfig read_gguf_config(const GgufFile& file);

}  // namespace stagebench
