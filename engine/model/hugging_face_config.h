#pragma once

#include <filesystem>

#include "config_tensors.h"
#include "stagebench/contracts/model.h"
#include "stagebench/support/json.h"

namespace stagebench {

struct HuggingFaceConfig {
  ModelConfig model;  ///< its name is empty
  AttentionBias attention_bias = AttentionBias::none;
};

/// Reads config.json of a llama or gpt2 model, as any version of transformers wrote it; what is absent has the default
/// of transformers' LlamaConfig or GPT2Config. Throws InputError with file and key for what this project does not
/// compute (another model_type, activation, RoPE scaling, quantisation) and for values that contradict each other.
HuggingFaceConfig parse_hugging_face_config(const JsonValue& root);

/// The same from <folder>/config.json, with the EOS and BOS ids of <folder>/generation_config.json where they are given
/// there: those are the ones that transformers' generate goes by.
HuggingFaceConfig read_hugging_face_config(const std::filesystem::path& folder);

}  // namespace stagebench
