#pragma once

#include <cstdint>
#include <memory>

#include "stagebench/contracts/model.h"

namespace stagebench {

/// Weights of any shape from a seed: nothing is stored, read_rows computes them. Equal bits on every machine and
/// thread: integer arithmetic and correctly rounded float operations only.
///
/// Values: counter {i mod 2^32, i / 2^32, role, layer} and key {low and high word of the seed} give four words of
/// Philox 4x32-10, and so values 8i to 8i + 7 of a tensor in row-major order, 16 bits each, low halves first. The
/// unsigned half h becomes (2h - 65535) * scale: uniform over 65,536 levels, symmetric, never 0, with the standard
/// deviation below, from which scale = sqrt(3) / 65536 * deviation, as a float.
///
/// | tensor                          | value or standard deviation |
/// |---------------------------------|-----------------------------|
/// | norm weights                    | 1, exactly                  |
/// | biases, of norms too            | 0.02                        |
/// | embeddings, output              | 3 / sqrt(hidden_size)       |
/// | the other matrices              | 1 / sqrt(columns)           |
///
/// A matrix so scaled hands on what a norm gives it at a root mean square of about 1, and each layer adds about 1 to
/// the variance of the residual stream: its root mean square is 2.4 after 7 layers and 10 after 80. Logits have a
/// standard deviation of 3, so that sampling has something to choose from (95 % of the probability lies on some
/// hundreds of tokens), and the embedding is small beside what the layers add, so that a tied model does not just
/// repeat its input.
///
/// The tensors' dtype is f32 and their stored_bytes are 0. `config.name` stands for the model in rows. `output` exists
/// where config.tied_embeddings is false; gpt2 has its biases, llama has none.
/// Throws UsageError for a shape that makes no sense, saying which value.
std::shared_ptr<const Model> make_synthetic_model(const ModelConfig& config, std::uint64_t seed);

}  // namespace stagebench
