#pragma once

#include <cstdint>
#include <memory>

#include "stagebench/contracts/model.h"

namespace stagebench {

/// Weights of any shape from a seed: nothing is stored, read_rows computes them (Philox 4x32-10, counter = place of the
/// value, so that any row can be made on any thread). Equal bits on every machine. Scaled so that activations stay
/// sane: norms are 1, matrices have a standard deviation of the order of 1 / sqrt(columns).
/// `config.name` stands for it in rows. `output` exists where config.tied_embeddings is false; gpt2 has its biases.
/// Throws UsageError for a shape that makes no sense, saying which value.
std::shared_ptr<const Model> make_synthetic_model(const ModelConfig& config, std::uint64_t seed);

}  // namespace stagebench
