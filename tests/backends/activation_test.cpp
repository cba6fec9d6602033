#include "cpu/activation.h"

#include <cmath>
#include <vector>

#include "backends/random_values.h"
#include "backends/simd_targets.h"
#include "support/catch.h"

using namespace stagebench;
using test::random_values;

namespace {

/// Some thousand values with both tails of the exponential in them.
std::vector<float> inputs() {
  std::vector<float> values = random_values(2000, 7, 3.0F);
  for (const float extreme : {0.0F, -0.0F, 1e-6F, -1e-6F, 30.0F, -30.0F, 87.0F, -87.0F, 300.0F, -300.0F, 1e4F, -1e4F}) {
    values.push_back(extreme);
  }
  values.push_back(0.5F);  // an odd number
  return values;
}

}  // namespace

TEST_CASE("SwiGLU is silu of the gate times up") {
  test::for_each_simd_target([] {
    const std::vector<float> gate = inputs();
    const std::vector<float> up = random_values(gate.size(), 8);
    std::vector<float> out(gate.size());
    cpu::swiglu(gate.data(), up.data(), static_cast<std::int64_t>(gate.size()), out.data());
    for (std::size_t i = 0; i < gate.size(); ++i) {
      const double x = gate[i];
      INFO("gate " << x);
      REQUIRE(out[i] == Approx(x / (1.0 + std::exp(-x)) * double{up[i]}).epsilon(1e-6).margin(1e-30));
    }
  });
}

TEST_CASE("GELU is its tanh approximation, to float's precision in the left tail as well") {
  test::for_each_simd_target([] {
    const std::vector<float> x = inputs();
    std::vector<float> out(x.size());
    cpu::gelu_tanh(x.data(), static_cast<std::int64_t>(x.size()), out.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double v = x[i];
      const double u = std::sqrt(2.0 / 3.14159265358979323846) * (v + 0.044715 * v * v * v);
      INFO("x " << v);
      // x e^2u / (1 + e^2u) is the same as x / 2 (1 + tanh u), which cancels in double as well.
      REQUIRE(out[i] == Approx(v / (1.0 + std::exp(-2.0 * u))).epsilon(2e-5).margin(1e-30));
      REQUIRE(out[i] == Approx(0.5 * v * (1.0 + std::tanh(u))).epsilon(1e-6).margin(2e-7));
    }
  });
}

TEST_CASE("Activations may write over their input") {
  std::vector<float> gate = random_values(100, 1);
  const std::vector<float> up = random_values(100, 2);
  std::vector<float> apart(100);
  cpu::swiglu(gate.data(), up.data(), 100, apart.data());
  cpu::swiglu(gate.data(), up.data(), 100, gate.data());
  REQUIRE(gate == apart);
}
