#pragma once

/// A model's weights in memory, as the forward pass reads them.

#include <memory>
#include <optional>
#include <vector>

#include "cpu/embedding.h"
#include "cpu/linear.h"
#include "cpu/thread_team.h"
#include "stagebench/contracts/backend.h"
#include "stagebench/contracts/model.h"

namespace stagebench::cpu {

/// Rounded to the compute type like all weights, held as f32.
struct NormWeights {
  std::vector<float> weight;
  std::vector<float> bias;  ///< empty in RMSNorm
};

struct LayerWeights {
  NormWeights attention_norm;
  std::unique_ptr<Linear> qkv;
  std::unique_ptr<Linear> attention_output;
  NormWeights ffn_norm;
  std::unique_ptr<Linear> ffn_in;  ///< llama: gate above up; gpt2: up
  std::unique_ptr<Linear> ffn_down;
};

struct Weights {
  std::shared_ptr<const Model> model;
  DType dtype{};
  std::vector<LayerWeights> layers;
  NormWeights output_norm;
  std::unique_ptr<Linear> output;
  std::optional<Embedding> token_embedding;
  std::optional<Embedding> position_embedding;  ///< gpt2
  std::vector<TensorPlacement> placements;

  const ModelConfig& config() const noexcept { return model->config(); }
};

/// Reads, converts and lays out everything on the whole team. Throws InputError where the model lacks a tensor.
Weights load_weights(std::shared_ptr<const Model> model, DType dtype, ThreadTeam& team);

/// Bytes that load_weights will take. What stays mapped in the file is not counted.
std::uint64_t weight_bytes(const Model& model, DType dtype);

}  // namespace stagebench::cpu
