#include "stagebench/metrics/request_costs.h"

#include "request_fixture.h"
#include "support/catch.h"

using namespace stagebench;
using stagebench::test::RequestFixture;

namespace {

/// llama with one layer, all sizes as small as they may be chosen apart.
ModelConfig config() {
  ModelConfig config;
  config.architecture = Architecture::llama;
  config.n_layers = 1;
  config.hidden_size = 8;
  config.n_heads = 2;
  config.n_kv_heads = 1;
  config.head_dim = 4;
  config.intermediate_size = 16;
  config.vocab_size = 32;
  config.max_context = 64;
  config.tied_embeddings = true;
  return config;
}

}  // namespace

TEST_CASE("the costs of a request are sums of the cost model's, each step at its depth") {
  const RequestFixture fixture(2);
  const RequestTimeline timeline(fixture.result, fixture.events, fixture.load_events);
  const auto costs = request_costs(timeline, config(), DType::bf16, DType::f32);
  const auto prefill = prefill_cost(config(), DType::bf16, DType::f32, 2, 5, 0);
  REQUIRE(costs.prefill.flops == prefill.flops);
  REQUIRE(costs.prefill.bytes() == prefill.bytes());
  auto decode = decode_step_cost(config(), DType::bf16, DType::f32, 2, 5);
  decode += decode_step_cost(config(), DType::bf16, DType::f32, 2, 6);
  REQUIRE(costs.decode_step->flops == decode.flops);
  REQUIRE(costs.decode_step->bytes() == decode.bytes());
}

TEST_CASE("decode FLOPs equal what was computed by hand") {
  // Weights that a token meets: q 8x8, k and v 8x4 each, o 8x8, gate, up, down 8x16 each, output 8x32: 832 of them, two
  // FLOPs each. Attention at depth d: 4 FLOPs x 2 heads x 4 x (d + 1) pairs. Steps at depths 5 and 6.
  const RequestFixture fixture;
  const RequestTimeline timeline(fixture.result, fixture.events, fixture.load_events);
  const auto costs = request_costs(timeline, config(), DType::bf16, DType::f32);
  REQUIRE(costs.decode_step->flops == 2 * 2 * 832 + 32 * (6 + 7));
}

TEST_CASE("without decode steps there is no decode cost") {
  RequestFixture fixture;
  fixture.result.token_times.resize(1);
  fixture.result.sequences.front().ids.resize(1);
  fixture.events.resize(4);
  const RequestTimeline timeline(fixture.result, fixture.events, {});
  REQUIRE(!request_costs(timeline, config(), DType::bf16, DType::f32).decode_step);
}
