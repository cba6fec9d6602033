#include "stagebench/model/synthetic_model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "stagebench/contracts/error.h"
#include "stagebench/support/half.h"
#include "stagebench/support/philox.h"
#include "support/catch.h"
#include "synthetic_values.h"

using namespace stagebench;

namespace {

ModelConfig small_llama() {
  ModelConfig config;
  config.name = "small";
  config.architecture = Architecture::llama;
  config.n_layers = 2;
  config.hidden_size = 50;  // not a multiple of the 8 values that one counter gives
  config.n_heads = 5;
  config.n_kv_heads = 1;
  config.head_dim = 10;
  config.intermediate_size = 101;
  config.vocab_size = 997;
  config.max_context = 64;
  config.norm_epsilon = 1e-5;
  config.rope_theta = 10000;
  return config;
}

ModelConfig small_gpt2() {
  ModelConfig config = small_llama();
  config.architecture = Architecture::gpt2;
  config.n_kv_heads = config.n_heads;
  config.rope_theta = 0;
  config.tied_embeddings = true;
  return config;
}

std::vector<float> read(const Model& model, TensorId id, std::int64_t first_row, std::int64_t n_rows) {
  const TensorInfo* tensor = model.find(id);
  REQUIRE(tensor != nullptr);
  std::vector<float> values(static_cast<std::size_t>(n_rows * tensor->columns));
  model.read_rows(*tensor, first_row, n_rows, DType::f32, values.data());
  return values;
}

std::vector<float> read_all(const Model& model, TensorId id) {
  return read(model, id, 0, model.find(id)->rows);
}

/// FNV-1a over the bits of the values, so that a change of any of them shows.
std::uint64_t hash_of(const std::vector<float>& values) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (unsigned shift = 0; shift < 32; shift += 8) hash = (hash ^ (bits >> shift & 0xffU)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace

TEST_CASE("A synthetic model has the tensors of its architecture") {
  const auto llama = make_synthetic_model(small_llama(), 42);
  REQUIRE(llama->config().name == "small");
  REQUIRE(llama->source() == "synthetic seed=42");
  REQUIRE(llama->tensors().size() == 3 + 2 * 9);
  REQUIRE(llama->find({TensorRole::output, 0})->rows == 997);
  REQUIRE(llama->find({TensorRole::attention_k, 1})->rows == 10);
  REQUIRE(llama->find({TensorRole::attention_q_bias, 0}) == nullptr);
  REQUIRE(llama->find({TensorRole::attention_q, 2}) == nullptr);
  REQUIRE(llama->vocabulary() == nullptr);
  REQUIRE(llama->mapped(llama->tensors().front()).empty());
  const auto gpt2 = make_synthetic_model(small_gpt2(), 42);
  REQUIRE(gpt2->tensors().size() == 4 + 2 * 16);
  REQUIRE(gpt2->find({TensorRole::output, 0}) == nullptr);
  REQUIRE(gpt2->find({TensorRole::position_embedding, 0})->rows == 64);
  REQUIRE(gpt2->find({TensorRole::ffn_up_bias, 1})->columns == 101);
  REQUIRE(gpt2->find({TensorRole::ffn_down_bias, 1})->columns == 50);
}

TEST_CASE("Synthetic values are the ones that the header's formula gives") {
  const std::uint64_t seed = 0x123456789abcdef0U;
  const auto model = make_synthetic_model(small_llama(), seed);
  const TensorId id{TensorRole::ffn_down, 1};
  const std::vector<float> values = read_all(*model, id);
  const auto scale = static_cast<float>(std::sqrt(3.0) / 65536.0 / std::sqrt(101.0));
  for (const std::size_t i :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{1234}, values.size() - 1}) {
    const auto words = philox4x32_10({static_cast<std::uint32_t>(i / 8), 0, static_cast<std::uint32_t>(id.role), 1},
                                     {0x9abcdef0U, 0x12345678U});
    const std::uint32_t word = words[i % 8 / 2];
    const auto half = static_cast<std::int32_t>(i % 2 == 0 ? word & 0xffffU : word >> 16);
    REQUIRE(values[i] == static_cast<float>(2 * half - 65535) * scale);
  }
}

TEST_CASE("The counter goes on past 32 bits") {
  std::vector<float> values(2);
  fill_synthetic({1, 2, 3, 1.0F}, std::uint64_t{8} << 32, values);
  const std::uint32_t word = philox4x32_10({0, 1, 2, 3}, {1, 0})[0];
  REQUIRE(values[0] == static_cast<float>(2 * static_cast<std::int32_t>(word & 0xffffU) - 65535));
  REQUIRE(values[1] == static_cast<float>(2 * static_cast<std::int32_t>(word >> 16) - 65535));
}

// The right hashes come from a Python transcription of the header's formula.
TEST_CASE("Synthetic weights have the same bits on every machine") {
  const auto llama = make_synthetic_model(small_llama(), 1);
  REQUIRE(hash_of(read_all(*llama, {TensorRole::token_embedding, 0})) == 0x54c2bcce4354de15U);
  REQUIRE(hash_of(read_all(*llama, {TensorRole::ffn_down, 1})) == 0xc53b90ab5720e4e5U);
  const auto gpt2 = make_synthetic_model(small_gpt2(), 0xffffffffffU);
  REQUIRE(hash_of(read_all(*gpt2, {TensorRole::ffn_up_bias, 1})) == 0xddcdff32fa1b1a4cU);
}

TEST_CASE("Any rows, in pieces and in any order, are those of the whole tensor") {
  const auto model = make_synthetic_model(small_llama(), 7);
  const TensorId id{TensorRole::ffn_up, 0};
  const std::vector<float> whole = read_all(*model, id);
  for (const std::int64_t n_rows : {1, 3, 42, 59}) {
    for (std::int64_t row = 101 - n_rows; row >= 0; row -= 7) {
      const std::vector<float> piece = read(*model, id, row, n_rows);
      REQUIRE(std::equal(piece.begin(), piece.end(), whole.begin() + row * 50));
    }
  }
}

TEST_CASE("Threads that share out a tensor make the same one") {
  const auto model = make_synthetic_model(small_llama(), 7);
  const TensorInfo& tensor = *model->find({TensorRole::output, 0});
  std::vector<float> shared(997 * 50);
  std::vector<std::thread> threads;
  for (std::int64_t first = 0; first < 997; first += 250) {
    threads.emplace_back([&, first] {
      model->read_rows(tensor, first, std::min<std::int64_t>(250, 997 - first), DType::f32, shared.data() + first * 50);
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(shared == read_all(*model, tensor.id));
}

TEST_CASE("16-bit synthetic weights are the rounded f32 ones") {
  const auto model = make_synthetic_model(small_gpt2(), 3);
  const TensorInfo& tensor = *model->find({TensorRole::attention_q, 1});
  const std::vector<float> exact = read_all(*model, tensor.id);
  std::vector<std::uint16_t> bf16(exact.size());
  std::vector<std::uint16_t> f16(exact.size());
  model->read_rows(tensor, 0, tensor.rows, DType::bf16, bf16.data());
  model->read_rows(tensor, 0, tensor.rows, DType::f16, f16.data());
  int wrong = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    wrong += bf16[i] == f32_to_bf16(exact[i]) && f16[i] == f32_to_f16(exact[i]) ? 0 : 1;
  }
  REQUIRE(wrong == 0);
}

TEST_CASE("Another seed, another tensor and another layer have other values") {
  const auto model = make_synthetic_model(small_gpt2(), 1);
  const auto values = read_all(*model, {TensorRole::attention_q, 0});
  REQUIRE(values != read_all(*make_synthetic_model(small_gpt2(), 2), {TensorRole::attention_q, 0}));
  REQUIRE(values != read_all(*make_synthetic_model(small_gpt2(), 1ULL << 32 | 1), {TensorRole::attention_q, 0}));
  REQUIRE(values != read_all(*model, {TensorRole::attention_k, 0}));
  REQUIRE(values != read_all(*model, {TensorRole::attention_q, 1}));
}

TEST_CASE("Synthetic weights have the mean and the standard deviation that the header states") {
  const auto check = [](const std::vector<float>& values, double deviation) {
    double sum = 0;
    double squares = 0;
    for (const float value : values) {
      REQUIRE(std::isnormal(value));
      sum += static_cast<double>(value);
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    const auto n = static_cast<double>(values.size());
    // 5 standard errors: of a mean deviation / sqrt(n), of a uniform distribution's variance sqrt(0.8 / n) of it.
    REQUIRE(std::abs(sum / n) < 5 * deviation / std::sqrt(n));
    REQUIRE(squares / n == Approx(deviation * deviation).epsilon(5 * std::sqrt(0.8 / n)));
    REQUIRE(*std::max_element(values.begin(), values.end()) < std::sqrt(3.0) * deviation);
  };
  const auto model = make_synthetic_model(small_gpt2(), 5);
  check(read_all(*model, {TensorRole::token_embedding, 0}), 3 / std::sqrt(50.0));
  check(read_all(*model, {TensorRole::attention_v, 0}), 1 / std::sqrt(50.0));
  check(read_all(*model, {TensorRole::ffn_down, 0}), 1 / std::sqrt(101.0));
  check(read_all(*model, {TensorRole::ffn_norm_bias, 0}), 0.02);
  REQUIRE(read_all(*model, {TensorRole::ffn_norm, 0}) == std::vector<float>(50, 1.0F));
  REQUIRE(read_all(*model, {TensorRole::output_norm, 0}) == std::vector<float>(50, 1.0F));
}

TEST_CASE("A shape that makes no sense is refused with the value") {
  const auto refused = [](auto change) {
    ModelConfig config = small_llama();
    change(config);
    return config;
  };
  REQUIRE_THROWS_SAYING(make_synthetic_model(refused([](ModelConfig& c) { c.n_layers = 0; }), 1), UsageError, "small",
                        "n_layers: expected 1 to 4096, found 0");
  REQUIRE_THROWS_SAYING(make_synthetic_model(refused([](ModelConfig& c) { c.vocab_size = INT64_MAX; }), 1), UsageError,
                        "vocab_size: ");
  REQUIRE_THROWS_SAYING(make_synthetic_model(refused([](ModelConfig& c) { c.n_kv_heads = 2; }), 1), UsageError,
                        "n_heads: ", "multiple of n_kv_heads (2), found 5");
  REQUIRE_THROWS_SAYING(make_synthetic_model(refused([](ModelConfig& c) { c.head_dim = 9; }), 1), UsageError,
                        "head_dim: ", "found 9");
  REQUIRE_THROWS_SAYING(make_synthetic_model(refused([](ModelConfig& c) { c.norm_epsilon = NAN; }), 1), UsageError,
                        "norm_epsilon: ");
  REQUIRE_THROWS_SAYING(make_synthetic_model(refused([](ModelConfig& c) { c.rope_theta = 0; }), 1), UsageError,
                        "rope_theta: ");
  REQUIRE_THROWS_SAYING(make_synthetic_model(refused([](ModelConfig& c) {
                                               c.rope_frequency_divisors = {1, 2};
                                             }),
                                             1),
                        UsageError, "rope_frequency_divisors: expected head_dim / 2 (5) values, found 2");
  REQUIRE_THROWS_SAYING(make_synthetic_model(refused([](ModelConfig& c) { c.bos_id = 997; }), 1), UsageError,
                        "bos id: ", "found 997");
  REQUIRE_THROWS_SAYING(make_synthetic_model(refused([](ModelConfig& c) { c.architecture = Architecture::gpt2; }), 1),
                        UsageError, "n_kv_heads: ", "gpt2");
}
