#include "cpu/norm.h"

#include <cmath>
#include <vector>

#include "backends/random_values.h"
#include "backends/simd_targets.h"
#include "support/catch.h"

using namespace stagebench;
using test::random_values;

namespace {

struct Case {
  std::vector<float> hidden, addend, weight, bias;
};

Case make_case(std::size_t size) {
  return {random_values(size, 1, 2.0F, 5.0F), random_values(size, 2), random_values(size, 3, 0.5F, 1.0F),
          random_values(size, 4)};
}

cpu::NormRow row_of(Case& values, std::vector<float>& normed, float epsilon) {
  return {.hidden = values.hidden.data(),
          .addend = values.addend.data(),
          .weight = values.weight.data(),
          .bias = nullptr,
          .normed = normed.data(),
          .size = static_cast<std::int64_t>(values.hidden.size()),
          .epsilon = epsilon};
}

const std::vector<std::size_t> sizes{1, 2, 3, 7, 15, 16, 17, 64, 100, 191, 576, 1027};

}  // namespace

TEST_CASE("RMSNorm adds the residual and scales by the root of the mean square") {
  test::for_each_simd_target([] {
    for (const std::size_t size : sizes) {
      Case values = make_case(size);
      const Case before = values;
      std::vector<float> normed(size);
      cpu::add_rms_norm(row_of(values, normed, 1e-2F));
      double squares = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const double sum = double{before.hidden[i]} + double{before.addend[i]};
        REQUIRE(values.hidden[i] == Approx(sum).epsilon(1e-6).margin(1e-6));
        squares += sum * sum;
      }
      const double scale = 1.0 / std::sqrt(squares / static_cast<double>(size) + 1e-2);
      for (std::size_t i = 0; i < size; ++i) {
        const double sum = double{before.hidden[i]} + double{before.addend[i]};
        REQUIRE(normed[i] == Approx(sum * scale * double{before.weight[i]}).epsilon(1e-5).margin(1e-6));
      }
    }
  });
}

TEST_CASE("RMSNorm without an addend leaves the residual stream as it is") {
  Case values = make_case(37);
  const std::vector<float> before = values.hidden;
  std::vector<float> normed(37);
  cpu::NormRow row = row_of(values, normed, 0.0F);
  row.addend = nullptr;
  cpu::add_rms_norm(row);
  REQUIRE(values.hidden == before);
}

TEST_CASE("LayerNorm subtracts the mean, divides by the population's deviation and adds the bias") {
  test::for_each_simd_target([] {
    for (const std::size_t size : sizes) {
      Case values = make_case(size);
      const Case before = values;
      std::vector<float> normed(size);
      cpu::NormRow row = row_of(values, normed, 1e-2F);
      row.bias = values.bias.data();
      cpu::add_layer_norm(row);
      double mean = 0;
      for (std::size_t i = 0; i < size; ++i) mean += double{before.hidden[i]} + double{before.addend[i]};
      mean /= static_cast<double>(size);
      double variance = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const double distance = double{before.hidden[i]} + double{before.addend[i]} - mean;
        variance += distance * distance / static_cast<double>(size);
      }
      for (std::size_t i = 0; i < size; ++i) {
        const double centred = double{before.hidden[i]} + double{before.addend[i]} - mean;
        const double expected =
            centred / std::sqrt(variance + 1e-2) * double{before.weight[i]} + double{before.bias[i]};
        REQUIRE(normed[i] == Approx(expected).epsilon(1e-5).margin(2e-5));
      }
    }
  });
}
