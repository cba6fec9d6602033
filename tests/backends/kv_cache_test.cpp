#include "cpu/kv_cache.h"

#include <cstring>
#include <vector>

#include "backends/random_values.h"
#include "backends/simd_targets.h"
#include "stagebench/support/half.h"
#include "support/catch.h"

using namespace stagebench;
using test::random_values;

namespace {

ModelConfig config_of(std::int64_t layers, std::int64_t kv_heads, std::int64_t head_dim) {
  ModelConfig config;
  config.n_layers = layers;
  config.n_heads = config.n_kv_heads = kv_heads;
  config.head_dim = head_dim;
  return config;
}

float element(const std::byte* memory, DType dtype, std::int64_t index) {
  if (dtype == DType::f32) return reinterpret_cast<const float*>(memory)[index];
  return f16_to_f32(reinterpret_cast<const std::uint16_t*>(memory)[index]);
}

float rounded(float value, DType dtype) {
  return dtype == DType::f32 ? value : f16_to_f32(f32_to_f16(value));
}

}  // namespace

TEST_CASE("The KV cache keeps every layer, sequence, head and position apart, in the layout it states") {
  test::for_each_simd_target([] {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      for (const std::int64_t head_dim : {2, 20, 64, 130}) {
        const cpu::KvCache cache(config_of(2, 3, head_dim), dtype, 2, 19);
        const auto size = static_cast<std::size_t>(head_dim);
        const auto seed = [](std::int64_t l, std::int64_t s, std::int64_t h, std::int64_t p) {
          return static_cast<unsigned>(((l * 2 + s) * 3 + h) * 19 + p);
        };
        const auto each = [&](auto body) {
          for (std::int64_t l = 0; l < 2; ++l) {
            for (std::int64_t s = 0; s < 2; ++s) {
              for (std::int64_t h = 0; h < 3; ++h) {
                for (std::int64_t p = 0; p < 19; ++p) body(cache.head(l, s, h), p, seed(l, s, h, p));
              }
            }
          }
        };
        each([&](const cpu::KeyValueHead& head, std::int64_t p, unsigned n) {
          head.store(p, random_values(size, n).data(), random_values(size, n + 1000).data());
        });
        each([&](const cpu::KeyValueHead& head, std::int64_t p, unsigned n) {
          REQUIRE(head.dtype == (dtype == DType::f32 ? DType::f32 : DType::f16));
          const auto key = random_values(size, n);
          const auto value = random_values(size, n + 1000);
          for (std::int64_t i = 0; i < head_dim; ++i) {
            const auto at = static_cast<std::size_t>(i);
            REQUIRE(element(head.keys, head.dtype, (p / 16 * head_dim + i) * 16 + p % 16) == rounded(key[at], dtype));
            REQUIRE(element(head.values, head.dtype, p * head.value_stride() + i) == rounded(value[at], dtype));
          }
        });
      }
    }
  });
}

TEST_CASE("The bytes of a KV cache are layers x sequences x heads x positions x (key + padded value)") {
  // Positions count in blocks of 16, a value is padded to 16 elements.
  REQUIRE(cpu::KvCache::bytes(config_of(2, 3, 20), DType::f32, 5, 17) == 2U * 5 * 3 * 32 * (20 + 32) * 4);
  REQUIRE(cpu::KvCache::bytes(config_of(30, 3, 64), DType::bf16, 1, 512) == 30U * 3 * 512 * 128 * 2);
  REQUIRE(cpu::KvCache::bytes(config_of(1 << 20, 1 << 20, 1 << 20), DType::f32, 1 << 16, 1 << 20) == UINT64_MAX);
}
