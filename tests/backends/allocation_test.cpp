/// Counts every allocation of this program: a decode step must make none. (oneDNN, which multiplies many rows, makes
/// some small ones in each call; so a prefill and steps of a large batch are not counted.)

#include <memory>
#include <vector>

#include "backends/random_model.h"
#include "stagebench/backends/registry.h"
#include "support/allocation_counter.h"
#include "support/catch.h"

using namespace stagebench;

TEST_CASE("A steady decode step allocates nothing") {
  ModelConfig config;
  config.name = "small";
  config.architecture = Architecture::llama;
  config.n_layers = 2;
  config.hidden_size = 64;
  config.n_heads = 4;
  config.n_kv_heads = 2;
  config.head_dim = 16;
  config.intermediate_size = 128;
  config.vocab_size = 300;
  config.max_context = 1024;
  config.norm_epsilon = 1e-5;
  config.rope_theta = 10000.0;
  const auto model = std::make_shared<test::RandomModel>(config, test::Biases::none, 1U);
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (const std::int64_t batch : {1, 3}) {
      const auto loaded = make_backend("cpu")->load(model, {.dtype = dtype, .threads = 2});
      const auto session = loaded->new_session({.batch = batch, .context_tokens = 400});
      const std::vector<TokenId> prompt(static_cast<std::size_t>(50 * batch), 7);
      const std::vector<TokenId> next(static_cast<std::size_t>(batch), 8);
      session->prefill(prompt);
      session->decode_step(next);
      const auto before = test::allocation_count();
      for (int step = 0; step < 300; ++step) session->decode_step(next);
      const auto during = test::allocation_count() - before;
      INFO(std::string(name(dtype)) << ", batch " << batch);
      REQUIRE(during == 0);
    }
  }
}
