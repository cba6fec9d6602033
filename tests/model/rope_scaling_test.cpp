#include "rope_scaling.h"

#include "support/catch.h"

using namespace stagebench;

TEST_CASE("Llama 3.2's RoPE divisors are those of transformers' formula") {
  const auto divisors = llama3_frequency_divisors({32.0, 1.0, 4.0, 8192}, 500000.0, 64);
  REQUIRE(divisors.size() == 32);
  REQUIRE(divisors[0] == Approx(1));
  REQUIRE(divisors[14] == Approx(1));
  REQUIRE(divisors[15] == Approx(1.65132925));
  REQUIRE(divisors[16] == Approx(3.2922621));
  REQUIRE(divisors[17] == Approx(9.66672898));
  REQUIRE(divisors[18] == Approx(32));
  REQUIRE(divisors[31] == Approx(32));
}

TEST_CASE("Llama 3.1's factor of 8 at a head of 128") {
  const auto divisors = llama3_frequency_divisors({8.0, 1.0, 4.0, 8192}, 500000.0, 128);
  REQUIRE(divisors.size() == 64);
  REQUIRE(divisors[0] == Approx(1));
  REQUIRE(divisors[28] == Approx(1));
  REQUIRE(divisors[29] == Approx(1.20748387));
  REQUIRE(divisors[30] == Approx(1.55341463));
  REQUIRE(divisors[33] == Approx(3.68425253));
  REQUIRE(divisors[35] == Approx(8));
  REQUIRE(divisors[36] == Approx(8));
  REQUIRE(divisors[63] == Approx(8));
}

TEST_CASE("A senseless scaling is named") {
  REQUIRE_FALSE(llama3_scaling_problem({32.0, 1.0, 4.0, 8192}));
  REQUIRE(llama3_scaling_problem({0.5, 1.0, 4.0, 8192})->find("factor: expected a number of at least 1") == 0);
  REQUIRE(llama3_scaling_problem({32.0, 0.0, 4.0, 8192})->find("low_freq_factor") == 0);
  REQUIRE(llama3_scaling_problem({32.0, 4.0, 4.0, 8192})->find("high_freq_factor") == 0);
  REQUIRE(llama3_scaling_problem({32.0, 1.0, 4.0, 0})->find("original_max_position_embeddings") == 0);
}
