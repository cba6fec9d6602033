#pragma once

/// Makes a Hugging Face folder of a llama model with tied embeddings: model.safetensors in f16 and config.json.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stagebench/contracts/model.h"

namespace stagebench::test {

/// transformers' name of a llama tensor.
inline std::string llama_tensor_name(TensorId id) {
  const auto in_layer = [&](const char* name) { return fmt::format("model.layers.{}.{}.weight", id.layer, name); };
  switch (id.role) {
    case TensorRole::token_embedding: return "model.embed_tokens.weight";
    case TensorRole::attention_norm: return in_layer("input_layernorm");
    case TensorRole::attention_q: return in_layer("self_attn.q_proj");
    case TensorRole::attention_k: return in_layer("self_attn.k_proj");
    case TensorRole::attention_v: return in_layer("self_attn.v_proj");
    case TensorRole::attention_output: return in_layer("self_attn.o_proj");
    case TensorRole::ffn_norm: return in_layer("post_attention_layernorm");
    case TensorRole::ffn_gate: return in_layer("mlp.gate_proj");
    case TensorRole::ffn_up: return in_layer("mlp.up_proj");
    case TensorRole::ffn_down: return in_layer("mlp.down_proj");
    case TensorRole::output_norm: return "model.norm.weight";
    default: throw std::runtime_error("not a tensor of a llama model with tied embeddings");
  }
}

inline std::string safetensors_header_f16(const Model& model) {
  std::string header = "{";
  std::int64_t offset = 0;
  for (const TensorInfo& tensor : model.tensors()) {
    const std::int64_t end = offset + tensor.rows * tensor.columns * 2;
    const std::string shape =
        tensor.rows == 1 ? fmt::format("[{}]", tensor.columns) : fmt::format("[{},{}]", tensor.rows, tensor.columns);
    header += fmt::format("{}\"{}\":{{\"dtype\":\"F16\",\"shape\":{},\"data_offsets\":[{},{}]}}",
                          header.size() == 1 ? "" : ",", llama_tensor_name(tensor.id), shape, offset, end);
    offset = end;
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  return header;
}

inline std::string llama_config_json(const ModelConfig& config) {
  return fmt::format(
      R"({{"model_type": "llama", "hidden_act": "silu", "hidden_size": {}, "num_hidden_layers": {},
"num_attention_heads": {}, "num_key_value_heads": {}, "head_dim": {}, "intermediate_size": {}, "vocab_size": {},
"max_position_embeddings": {}, "rms_norm_eps": {}, "rope_theta": {}, "tie_word_embeddings": true, "dtype": "float16"}})",
      config.hidden_size, config.n_layers, config.n_heads, config.n_kv_heads, config.head_dim, config.intermediate_size,
      config.vocab_size, config.max_context, config.norm_epsilon, config.rope_theta);
}

/// Weights round to f16. Throws where the model is not of that kind or the disk is full.
inline void write_llama_folder_f16(const Model& model, const std::filesystem::path& folder) {
  std::ofstream(folder / "config.json") << llama_config_json(model.config());
  std::ofstream stream(folder / "model.safetensors", std::ios::binary);
  const std::string header = safetensors_header_f16(model);
  const std::uint64_t header_bytes = header.size();
  for (int shift = 0; shift < 64; shift += 8) stream.put(static_cast<char>(header_bytes >> shift & 0xffU));
  stream << header;
  for (const TensorInfo& tensor : model.tensors()) {
    std::vector<char> bytes(static_cast<std::size_t>(tensor.rows * tensor.columns * 2));
    model.read_rows(tensor, 0, tensor.rows, DType::f16, bytes.data());
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  if (!stream.flush()) throw std::runtime_error("cannot write " + (folder / "model.safetensors").string());
}

}  // namespace stagebench::test
