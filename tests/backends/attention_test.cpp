#include "cpu/attention.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "backends/random_values.h"
#include "backends/simd_targets.h"
#include "stagebench/support/half.h"
#include "support/catch.h"

using namespace stagebench;
using test::random_values;

namespace {

struct Shape {
  std::int64_t head_dim, group, positions, depth;
};

/// One head of a cache filled with `keys` random tokens, and the same numbers as they are stored (kv_cache_test.cpp
/// holds those to what was given).
struct FilledHead {
  FilledHead(std::int64_t head_dim, std::int64_t keys, DType dtype)
      : cache(config_of(head_dim), dtype, 1, keys), head(cache.head(0, 0, 0)) {
    key = random_values(static_cast<std::size_t>(keys * head_dim), 11);
    value = random_values(static_cast<std::size_t>(keys * head_dim), 12);
    for (std::int64_t i = 0; i < keys; ++i) head.store(i, &key[at(i * head_dim)], &value[at(i * head_dim)]);
    if (dtype == DType::f32) return;
    const auto* stored_keys = reinterpret_cast<const std::uint16_t*>(head.keys);
    const auto* stored_values = reinterpret_cast<const std::uint16_t*>(head.values);
    for (std::int64_t i = 0; i < keys; ++i) {
      for (std::int64_t j = 0; j < head_dim; ++j) {
        key[at(i * head_dim + j)] = f16_to_f32(stored_keys[(i / 16 * head_dim + j) * 16 + i % 16]);
        value[at(i * head_dim + j)] = f16_to_f32(stored_values[i * head.value_stride() + j]);
      }
    }
  }
  static ModelConfig config_of(std::int64_t head_dim) {
    ModelConfig config;
    config.n_layers = config.n_heads = config.n_kv_heads = 1;
    config.head_dim = head_dim;
    return config;
  }
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

  cpu::KvCache cache;
  cpu::KeyValueHead head;
  std::vector<float> key, value;
};

std::vector<double> reference(const FilledHead& filled, const float* q, std::int64_t keys) {
  const std::int64_t head_dim = filled.head.head_dim;
  std::vector<double> weights(static_cast<std::size_t>(keys));
  double maximum = -1e300;
  for (std::int64_t j = 0; j < keys; ++j) {
    double score = 0;
    for (std::int64_t i = 0; i < head_dim; ++i) {
      score += double{q[i]} * double{filled.key[FilledHead::at(j * head_dim + i)]};
    }
    weights[FilledHead::at(j)] = score;
    maximum = std::max(maximum, score);
  }
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - maximum);
  std::vector<double> out(static_cast<std::size_t>(head_dim));
  for (std::int64_t j = 0; j < keys; ++j) {
    for (std::int64_t i = 0; i < head_dim; ++i) {
      out[FilledHead::at(i)] +=
          weights[FilledHead::at(j)] / sum * double{filled.value[FilledHead::at(j * head_dim + i)]};
    }
  }
  return out;
}

void check_rows(const FilledHead& filled, const cpu::Queries& queries, const std::vector<float>& records,
                std::int64_t parts) {
  const std::int64_t head_dim = filled.head.head_dim;
  const std::int64_t stride = cpu::record_stride(head_dim);
  std::vector<float> out(static_cast<std::size_t>(head_dim));
  for (std::int64_t row = 0; row < queries.rows; ++row) {
    cpu::merge_records(records.data() + row * stride, parts, queries.rows * stride, head_dim, out.data());
    const std::int64_t keys = queries.first_position + row / queries.group + 1;
    const std::vector<double> expected = reference(filled, queries.q + row * head_dim, keys);
    for (std::int64_t i = 0; i < head_dim; ++i) {
      INFO("row " << row << ", element " << i << ", keys " << keys);
      REQUIRE(out[FilledHead::at(i)] == Approx(expected[FilledHead::at(i)]).epsilon(2e-5).margin(3e-6));
    }
  }
}

const std::vector<Shape> shapes{{64, 3, 32, 0},  {64, 3, 5, 130}, {64, 1, 1, 300},  {32, 2, 7, 15},  {16, 4, 9, 111},
                                {20, 1, 13, 40}, {2, 5, 3, 0},    {128, 8, 4, 250}, {80, 7, 1, 129}, {34, 6, 2, 16}};

}  // namespace

TEST_CASE("Causal attention over blocks equals a softmax over all keys") {
  test::for_each_simd_target([] {
    for (const DType dtype : {DType::f32, DType::f16}) {
      for (const Shape& shape : shapes) {
        INFO("head_dim " << shape.head_dim << ", group " << shape.group << ", positions " << shape.positions
                         << ", depth " << shape.depth << ", " << std::string(name(dtype)));
        const FilledHead filled(shape.head_dim, shape.depth + shape.positions + 37, dtype);  // later keys are unseen
        const std::int64_t rows = shape.positions * shape.group;
        const auto q = random_values(static_cast<std::size_t>(rows * shape.head_dim), 13, 0.4F);
        std::vector<float> scores(static_cast<std::size_t>(rows * cpu::kScoreColumns));
        std::vector<float> records(static_cast<std::size_t>(rows * cpu::record_stride(shape.head_dim)));
        const cpu::Queries queries{.q = q.data(), .rows = rows, .group = shape.group, .first_position = shape.depth};
        cpu::attend(queries, filled.head, 0, shape.depth + shape.positions, scores.data(), records.data());
        check_rows(filled, queries, records, 1);
      }
    }
  });
}

TEST_CASE("Attention over parts of the context merges to attention over all of it, parts without keys included") {
  test::for_each_simd_target([] {
    const std::int64_t head_dim = 64;
    const std::int64_t group = 3;
    const FilledHead filled(head_dim, 200, DType::f32);
    const auto q = random_values(static_cast<std::size_t>(group * head_dim), 14, 0.4F);
    const cpu::Queries queries{.q = q.data(), .rows = group, .group = group, .first_position = 187};
    const std::size_t part_size = static_cast<std::size_t>(group * cpu::record_stride(head_dim));
    std::vector<float> scores(static_cast<std::size_t>(group * cpu::kScoreColumns));
    std::vector<float> records(4 * part_size);
    const std::int64_t ends[] = {0, 48, 160, 188, 188};
    for (std::size_t part = 0; part < 4; ++part) {
      cpu::attend(queries, filled.head, ends[part], ends[part + 1], scores.data(), &records[part * part_size]);
    }
    check_rows(filled, queries, records, 4);
  });
}

TEST_CASE("Scores far apart neither overflow nor lose the largest") {
  const std::int64_t head_dim = 16;
  FilledHead filled(head_dim, 150, DType::f32);
  std::vector<float> q(16, 0.0F);
  q[0] = 40.0F;  // scores up to about 120
  std::vector<float> scores(static_cast<std::size_t>(cpu::kScoreColumns));
  std::vector<float> records(static_cast<std::size_t>(cpu::record_stride(head_dim)));
  const cpu::Queries queries{.q = q.data(), .rows = 1, .group = 1, .first_position = 149};
  cpu::attend(queries, filled.head, 0, 150, scores.data(), records.data());
  check_rows(filled, queries, records, 1);
}
