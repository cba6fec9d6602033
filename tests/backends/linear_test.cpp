#include "cpu/linear.h"

#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/gemv_row_major.h"
#include "stagebench/contracts/error.h"
#include "support/catch.h"
#include "test_model.h"

using namespace stagebench;
using cpu::Linear;
using cpu::LinearSource;
using cpu::ThreadTeam;
using test::Mapping;
using test::TestModel;

namespace {

/// Values in [-1, 1) without a pattern that a wrong index could hide in: a splitmix64 hash of (salt, row, column).
float noise(std::uint64_t salt, std::int64_t row, std::int64_t column) {
  std::uint64_t z = salt * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(row) * 0xbf58476d1ce4e5b9U +
                    static_cast<std::uint64_t>(column + 1) * 0x94d049bb133111ebU;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  z ^= z >> 31;
  return static_cast<float>(z >> 40) * 0x1p-23F - 1.0F;
}

TestModel::Values noise_of(std::uint64_t salt) {
  return [salt](std::int64_t row, std::int64_t column) { return noise(salt, row, column); };
}

struct Strides {
  std::int64_t x_extra = 0;
  std::int64_t y_extra = 0;
};

constexpr float untouched = -12345.0F;

struct Product {
  std::vector<float> x;
  std::vector<float> y;
  std::int64_t x_stride = 0;
  std::int64_t y_stride = 0;
};

Product multiply(Linear& linear, ThreadTeam& team, std::int64_t m, Strides strides = {}) {
  Product p;
  p.x_stride = linear.inputs() + strides.x_extra;
  p.y_stride = linear.outputs() + strides.y_extra;
  p.x.resize(static_cast<std::size_t>(m * p.x_stride), 1e30F);
  p.y.resize(static_cast<std::size_t>(m * p.y_stride), untouched);
  for (std::int64_t t = 0; t < m; ++t) {
    for (std::int64_t i = 0; i < linear.inputs(); ++i)
      p.x[static_cast<std::size_t>(t * p.x_stride + i)] = noise(99, t, i);
  }
  linear.prepare(m);
  team.run([&](int member) { linear.multiply(member, p.x.data(), p.x_stride, m, p.y.data(), p.y_stride); });
  return p;
}

/// The error of a sum of k products in f32 grows between the root of k and k times the rounding of a sum, 6e-8 of some
/// units; where bf16 is multiplied, each activation is rounded to 8 bits too.
double tolerance(DType dtype, std::int64_t k) {
  const double sum = 1e-6 + 1e-7 * static_cast<double>(k);
  return dtype == DType::bf16 ? sum + 3e-3 * std::sqrt(static_cast<double>(k)) : sum;
}

/// Against a plain loop in double precision on the weights as they are stored.
void require_right(const TestModel& model, const std::vector<LinearSource>& sources, const Product& p, std::int64_t m,
                   DType dtype) {
  std::int64_t output = 0;
  const std::int64_t k = sources.front().weight->columns;
  double worst = 0;
  for (const LinearSource& source : sources) {
    for (std::int64_t row = 0; row < source.weight->rows; ++row, ++output) {
      for (std::int64_t t = 0; t < m; ++t) {
        double expected = source.bias != nullptr ? model.value(*source.bias, 0, row) : 0.0;
        for (std::int64_t i = 0; i < k; ++i) {
          expected += static_cast<double>(model.value(*source.weight, row, i)) *
                      static_cast<double>(p.x[static_cast<std::size_t>(t * p.x_stride + i)]);
        }
        const double found = p.y[static_cast<std::size_t>(t * p.y_stride + output)];
        worst = std::max(worst, std::isfinite(found) ? std::abs(found - expected) : 1e30);
      }
    }
  }
  REQUIRE(worst <= tolerance(dtype, k));
  for (std::int64_t t = 0; t < m; ++t) {
    for (std::int64_t i = output; i < p.y_stride; ++i) {
      REQUIRE(p.y[static_cast<std::size_t>(t * p.y_stride + i)] == untouched);
    }
  }
}

const std::vector<DType> dtypes{DType::f32, DType::f16, DType::bf16};

}  // namespace

TEST_CASE("Products of odd shapes equal a loop in double precision") {
  struct Shape {
    std::int64_t n;
    std::int64_t k;
  };
  for (int members : {1, 2, 3, 5}) {
    ThreadTeam team(members);
    for (DType dtype : dtypes) {
      for (Shape shape : {Shape{1, 1}, Shape{3, 7}, Shape{17, 33}, Shape{50, 64}, Shape{131, 101}}) {
        TestModel model;
        const TensorInfo& weight = model.add("w", shape.n, shape.k, dtype, noise_of(1));
        const std::vector<LinearSource> sources{{&weight, nullptr}};
        std::vector<TensorPlacement> placements;
        const auto linear = cpu::load_linear(model, sources, dtype, team, placements);
        REQUIRE(linear->inputs() == shape.k);
        REQUIRE(linear->outputs() == shape.n);
        for (std::int64_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 40, 67}) {
          INFO(name(dtype) << ", m " << m << ", n " << shape.n << ", k " << shape.k << ", members " << members);
          require_right(model, sources, multiply(*linear, team, m), m, dtype);
        }
      }
    }
  }
}

TEST_CASE("Stacked matrices with biases, wherever their rows lie, equal a loop in double precision") {
  for (Mapping mapping : {Mapping::offered, Mapping::withheld}) {
    for (int members : {1, 2, 4}) {
      ThreadTeam team(members);
      for (DType dtype : dtypes) {
        for (bool second_has_bias : {false, true}) {
          TestModel model(mapping);
          const DType other = dtype == DType::f32 ? DType::f16 : DType::f32;
          const TensorInfo& q = model.add("q", 37, 45, dtype, noise_of(1));
          const TensorInfo& k = model.add("k", 11, 45, other, [](std::int64_t row, std::int64_t column) {
            return bf16_to_f32(f32_to_bf16(noise(2, row, column))) * 0.5F;  // exact in all three types
          });
          const TensorInfo& v = model.add("v", 24, 45, dtype, noise_of(3));
          const TensorInfo& q_bias = model.add("q_bias", 1, 37, DType::f32, noise_of(4));
          const TensorInfo& v_bias = model.add("v_bias", 1, 24, DType::bf16, noise_of(5));
          const std::vector<LinearSource> sources{
              {&q, second_has_bias ? &q_bias : nullptr}, {&k, nullptr}, {&v, second_has_bias ? &v_bias : nullptr}};
          std::vector<TensorPlacement> placements;
          const auto linear = cpu::load_linear(model, sources, dtype, team, placements);
          REQUIRE(linear->outputs() == 72);
          for (std::int64_t m : {1, 5, 12, 50}) {
            INFO(name(dtype) << ", m " << m << ", members " << members << ", biases " << second_has_bias);
            require_right(model, sources, multiply(*linear, team, m, {3, 5}), m, dtype);
          }
        }
      }
    }
  }
}

TEST_CASE("Matrices larger than what is widened at a time equal a loop in double precision") {
  ThreadTeam team(2);
  for (DType dtype : {DType::f16, DType::bf16}) {
    TestModel model;
    // 63 rows of 4100 values are 1 MiB as f32.
    const TensorInfo& weight = model.add("w", 211, 4100, dtype, noise_of(1));
    const TensorInfo& bias = model.add("bias", 1, 211, DType::f32, noise_of(2));
    const std::vector<LinearSource> sources{{&weight, &bias}};
    std::vector<TensorPlacement> placements;
    const auto linear = cpu::load_linear(model, sources, dtype, team, placements);
    INFO(name(dtype));
    require_right(model, sources, multiply(*linear, team, 33), 33, dtype);
  }
}

TEST_CASE("Products without a barrier between them do not disturb each other") {
  // Two matrices on the same activations, then one on others, again and again: shared scratch must last long enough.
  ThreadTeam team(3);
  for (DType dtype : dtypes) {
    TestModel model;
    const std::vector<LinearSource> first{{&model.add("a", 40, 64, dtype, noise_of(1)), nullptr}};
    const std::vector<LinearSource> second{{&model.add("b", 90, 64, dtype, noise_of(2)), nullptr}};
    std::vector<TensorPlacement> placements;
    const auto a = cpu::load_linear(model, first, dtype, team, placements);
    const auto b = cpu::load_linear(model, second, dtype, team, placements);
    constexpr std::int64_t m = 40;
    Product pa = multiply(*a, team, m);
    Product pb = multiply(*b, team, m);
    const std::vector<float> expected_a = pa.y;
    const std::vector<float> expected_b = pb.y;
    std::vector<float> negated = pa.x;
    for (float& value : negated) value = -value;
    std::vector<float> y(pb.y.size());
    for (int repetition = 0; repetition < 50; ++repetition) {
      team.run([&](int member) {
        a->multiply(member, pa.x.data(), pa.x_stride, m, pa.y.data(), pa.y_stride);
        b->multiply(member, negated.data(), pa.x_stride, m, y.data(), pb.y_stride);
        b->multiply(member, pb.x.data(), pb.x_stride, m, pb.y.data(), pb.y_stride);
      });
      REQUIRE(pa.y == expected_a);
      REQUIRE(pb.y == expected_b);
    }
  }
}

TEST_CASE("Rows that the file has in the right type are used in place, others are converted") {
  ThreadTeam team(2);
  TestModel model;
  const TensorInfo& same = model.add("same", 20, 8, DType::bf16, noise_of(1));
  const TensorInfo& other = model.add("other", 10, 8, DType::f32, noise_of(2));
  const TensorInfo& skewed = model.add("skewed", 30, 8, DType::bf16, noise_of(3), 1);
  const TensorInfo& bias = model.add("bias", 1, 10, DType::f32, noise_of(4));
  const std::vector<LinearSource> sources{{&same, nullptr}, {&other, &bias}, {&skewed, nullptr}};
  std::vector<TensorPlacement> placements;
  const auto linear = cpu::load_linear(model, sources, DType::bf16, team, placements);

  REQUIRE(placements.size() == 4);
  REQUIRE(placements[0].tensor == &same);
  REQUIRE(placements[0].placement == Placement::mapped);
  REQUIRE(placements[0].bytes == 20 * 8 * 2);
  REQUIRE(placements[0].dtype == DType::bf16);
  REQUIRE(placements[1].tensor == &other);
  REQUIRE(placements[1].placement == Placement::converted);
  REQUIRE(placements[1].bytes == 10 * 8 * 2);
  REQUIRE(placements[2].tensor == &bias);
  REQUIRE(placements[2].placement == Placement::converted);
  REQUIRE(placements[2].dtype == DType::f32);
  REQUIRE(placements[2].bytes == 10 * 4);
  REQUIRE(placements[3].tensor == &skewed);
  REQUIRE(placements[3].placement == Placement::converted);  // 16-bit values at odd addresses
  REQUIRE(linear->bytes() == 60 * 8 * 2 + 60 * 4);
  require_right(model, sources, multiply(*linear, team, 3), 3, DType::bf16);
}

TEST_CASE("Rows of the other 16-bit type are converted") {
  ThreadTeam team(2);
  TestModel model;
  const TensorInfo& weight = model.add("w", 20, 16, DType::f16, noise_of(1));
  std::vector<TensorPlacement> placements;
  const std::vector<LinearSource> sources{{&weight, nullptr}};
  const auto linear = cpu::load_linear(model, sources, DType::bf16, team, placements);
  REQUIRE(placements.at(0).placement == Placement::converted);
  // Rounding f16 to bf16 moves each product by up to 2^-9.
  require_right(model, sources, multiply(*linear, team, 2), 2, DType::bf16);
}

TEST_CASE("The bytes of a matrix are those of its values") {
  REQUIRE(cpu::linear_bytes(49152, 576, DType::f32) == 113246208U);
  REQUIRE(cpu::linear_bytes(49152, 576, DType::bf16) == 56623104U);
  REQUIRE(cpu::linear_bytes(3, 5, DType::f16) == 30U);
}

TEST_CASE("Matrices that do not go together and types that cannot be multiplied are refused") {
  ThreadTeam team(1);
  TestModel model;
  const TensorInfo& a = model.add("first.weight", 4, 8, DType::f32, noise_of(1));
  const TensorInfo& b = model.add("second.weight", 4, 9, DType::f32, noise_of(1));
  const TensorInfo& bias = model.add("second.bias", 1, 5, DType::f32, noise_of(1));
  std::vector<TensorPlacement> placements;
  const std::vector<LinearSource> unequal{{&a, nullptr}, {&b, nullptr}};
  REQUIRE_THROWS_SAYING(cpu::load_linear(model, unequal, DType::f32, team, placements), InputError, "second.weight",
                        "8", "9");
  const std::vector<LinearSource> long_bias{{&b, &bias}};
  REQUIRE_THROWS_SAYING(cpu::load_linear(model, long_bias, DType::f32, team, placements), InputError, "second.bias",
                        "5", "4");
  const std::vector<LinearSource> good{{&a, nullptr}};
  REQUIRE_THROWS_SAYING(cpu::load_linear(model, good, DType::q8_0, team, placements), UsageError, "q8_0");
}

TEST_CASE("Each instruction set gives the right product") {
  ThreadTeam team(2);
  const std::int64_t supported = hwy::SupportedTargets();
  for (std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (DType dtype : dtypes) {
      TestModel model;
      const TensorInfo& weight = model.add("w", 39, 75, dtype, noise_of(1));
      const std::vector<LinearSource> sources{{&weight, nullptr}};
      std::vector<TensorPlacement> placements;
      const auto linear = cpu::load_linear(model, sources, dtype, team, placements);
      for (std::int64_t m : {1, 2, 3, 4, 7, 48}) {
        INFO(hwy::TargetName(target) << ", " << name(dtype) << ", m " << m);
        require_right(model, sources, multiply(*linear, team, m), m, dtype);
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  REQUIRE(hwy::SupportedTargets() == supported);
}
