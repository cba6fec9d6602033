#include "stagebench/sampling/sampler.h"

#include <hwy/highway.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "logit_patterns.h"
#include "stagebench/contracts/error.h"
#include "support/allocation_counter.h"
#include "support/catch.h"

using namespace stagebench;
using stagebench::test::allocation_count;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Eight tokens of sequence 0, then eight of sequence 1, of test::even_logits(1000).
std::vector<TokenId> sixteen_tokens(const SamplingParams& params) {
  const std::vector<float> logits = test::even_logits(1000);
  Sampler sampler(params, 1000);
  std::vector<TokenId> ids;
  for (std::uint32_t sequence = 0; sequence < 2; ++sequence) {
    for (std::uint32_t step = 0; step < 8; ++step) ids.push_back(sampler.sample(logits, sequence, step).id);
  }
  return ids;
}

struct Golden {
  SamplingParams params;
  std::int64_t kept;
  std::vector<TokenId> ids;
};

// From an independent implementation (numpy with float64, a full sort, Philox and the draw in Python's big integers).
const std::vector<Golden>& goldens() {
  static const std::vector<Golden> cases{
      {{.do_sample = true, .temperature = 1.0, .top_k = 50, .top_p = 0.95, .seed = 0},
       47,
       {597, 919, 597, 885, 21, 432, 898, 796, 775, 597, 76, 754, 953, 686, 830, 576}},
      {{.do_sample = true, .temperature = 0.7, .top_k = 0, .top_p = 0.9, .seed = 42},
       101,
       {741, 288, 940, 720, 97, 576, 783, 754, 673, 754, 343, 241, 152, 42, 186, 597}},
      {{.do_sample = true, .temperature = 1.5, .top_k = 0, .top_p = 1.0, .seed = (std::uint64_t{1} << 63) + 5},
       1000,
       {8, 50, 723, 909, 165, 757, 634, 343, 207, 529, 487, 262, 291, 349, 796, 576}},
      {{.do_sample = true, .temperature = 0.3, .top_k = 5, .top_p = 1.0, .seed = 7},
       5,
       {521, 754, 987, 987, 754, 521, 987, 144, 377, 377, 144, 987, 521, 754, 754, 987}},
  };
  return cases;
}

}  // namespace

TEST_CASE("a seed gives the tokens of an independent implementation", "[sampling]") {
  for (const Golden& golden : goldens()) {
    INFO("temperature " << golden.params.temperature);
    REQUIRE(sixteen_tokens(golden.params) == golden.ids);
    Sampler sampler(golden.params, 1000);
    REQUIRE(sampler.sample(test::even_logits(1000), 0, 0).candidates == golden.kept);
  }
}

TEST_CASE("every instruction set gives the same tokens and probabilities", "[sampling]") {
  const std::vector<float> logits = test::even_logits(1000);
  const auto use = [](std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  const auto probabilities = [&](const SamplingParams& params) {
    Sampler sampler(params, 1000);
    std::vector<double> values;
    for (const Candidate& candidate : sampler.candidates(logits)) values.push_back(candidate.probability);
    return values;
  };
  const auto targets = hwy::SupportedAndGeneratedTargets();
  REQUIRE_FALSE(targets.empty());
  for (const Golden& golden : goldens()) {
    const auto expected = probabilities(golden.params);
    for (const std::int64_t target : targets) {
      INFO(hwy::TargetName(target) << ", temperature " << golden.params.temperature);
      use(target);
      const auto ids = sixteen_tokens(golden.params);
      const auto found = probabilities(golden.params);
      use(0);
      REQUIRE(ids == golden.ids);
      REQUIRE(found == expected);  // to the last bit
    }
  }
}

TEST_CASE("drawn frequencies are the candidates' probabilities", "[sampling]") {
  constexpr std::uint32_t draws = 50'000;
  const std::vector<float> logits = test::even_logits(60);
  const std::vector<SamplingParams> all{{.do_sample = true, .temperature = 2.0, .top_k = 0, .top_p = 1, .seed = 11},
                                        {.do_sample = true, .temperature = 2.0, .top_k = 20, .top_p = 1, .seed = 12},
                                        {.do_sample = true, .temperature = 3.0, .top_k = 0, .top_p = 0.9, .seed = 13},
                                        {.do_sample = true, .temperature = 2.0, .top_k = 30, .top_p = 0.8, .seed = 14}};
  for (const SamplingParams& params : all) {
    Sampler sampler(params, 60);
    std::map<TokenId, int> counts;
    for (std::uint32_t step = 0; step < draws; ++step) ++counts[sampler.sample(logits, step % 3, step).id];
    double chi_square = 0;
    std::size_t cells = 0;
    int drawn = 0;
    for (const Candidate& candidate : sampler.candidates(logits)) {
      const double expected = candidate.probability * draws;
      const int count = counts[candidate.id];
      drawn += count;
      if (expected < 5) continue;
      chi_square += (count - expected) * (count - expected) / expected;
      ++cells;
    }
    REQUIRE(drawn == static_cast<int>(draws));  // nothing but candidates
    REQUIRE(cells > 5);
    // Exceeded with a probability below e^-8 (Laurent and Massart, 2000); the seeds are fixed, so the outcome is.
    const auto degrees = static_cast<double>(cells - 1);
    INFO("seed " << params.seed << ", chi-square " << chi_square << " with " << degrees << " degrees of freedom");
    REQUIRE(chi_square < degrees + 2 * std::sqrt(8 * degrees) + 16);
    REQUIRE(chi_square > degrees / 4);
  }
}

TEST_CASE("greedy takes the lowest id of equal logits", "[sampling]") {
  std::vector<float> logits(700, -1.0F);
  logits[300] = logits[301] = logits[699] = 4;
  for (const SamplingParams& params : {SamplingParams{}, SamplingParams{.do_sample = true, .temperature = 0}}) {
    Sampler sampler(params, 700);
    const auto choice = sampler.sample(logits, 1, 2);
    REQUIRE(choice.id == 300);
    REQUIRE(choice.candidates == 1);
    REQUIRE(sampler.candidate_limit() == 1);
    const auto candidates = sampler.candidates(logits);
    REQUIRE(candidates.size() == 1);
    REQUIRE(candidates[0].id == 300);
    REQUIRE(candidates[0].logit == 4.0F);
    REQUIRE(candidates[0].probability == 1.0);
  }
  Sampler sampler({}, 3);
  REQUIRE(sampler.sample(std::vector<float>{-0.0F, 0.0F, -1.0F}, 0, 0).id == 0);
  REQUIRE(sampler.sample(std::vector<float>{-infinity, -infinity, -5.0F}, 0, 0).id == 2);
}

TEST_CASE("candidates come most probable first, equal logits by id", "[sampling]") {
  Sampler sampler({.do_sample = true, .temperature = 1, .top_k = 3, .top_p = 1}, 6);
  const auto candidates = sampler.candidates(std::vector<float>{1, 3, 2, 3, 2, 0});
  std::vector<TokenId> ids;
  double sum = 0;
  for (const Candidate& candidate : candidates) {
    ids.push_back(candidate.id);
    sum += candidate.probability;
  }
  REQUIRE(ids == std::vector<TokenId>{1, 3, 2, 4});
  REQUIRE(sum == Approx(1.0).epsilon(1e-15));
}

TEST_CASE("the limit of candidates is known before the logits", "[sampling]") {
  REQUIRE(Sampler({.do_sample = true, .top_k = 50}, 100).candidate_limit() == 50);
  REQUIRE(Sampler({.do_sample = true, .top_k = 50}, 20).candidate_limit() == 20);
  REQUIRE(Sampler({.do_sample = true, .top_k = 0}, 100).candidate_limit() == 100);
}

TEST_CASE("tokens of -infinity are never candidates", "[sampling]") {
  const std::vector<float> logits{-infinity, 0, -infinity, 1e-3F, -infinity};
  for (const std::int64_t top_k : {0, 4}) {
    for (const double top_p : {0.999999, 1.0}) {
      Sampler sampler({.do_sample = true, .temperature = 1e6, .top_k = top_k, .top_p = top_p}, 5);
      REQUIRE(sampler.candidates(logits).size() == 2);
      for (std::uint32_t step = 0; step < 200; ++step) {
        const auto choice = sampler.sample(logits, 0, step);
        REQUIRE((choice.id == 1 || choice.id == 3));
        REQUIRE(choice.candidates == 2);
      }
    }
  }
}

TEST_CASE("extreme temperatures and logits stay within the vocabulary", "[sampling]") {
  constexpr float largest = std::numeric_limits<float>::max();
  const std::vector<float> logits{-largest, largest, 0, largest, 1e-40F};
  for (const double temperature : {5e-324, 1e-30, 1.0, 1e38, 1.7e308}) {
    INFO(temperature);
    Sampler sampler({.do_sample = true, .temperature = temperature, .top_k = 0, .top_p = 1}, 5);
    double sum = 0;
    for (const Candidate& candidate : sampler.candidates(logits)) sum += candidate.probability;
    REQUIRE(sum == Approx(1.0));
    const TokenId id = sampler.sample(logits, 0, 0).id;
    if (temperature <= 1) REQUIRE((id == 1 || id == 3));
    REQUIRE((id >= 0 && id < 5));
  }
}

TEST_CASE("a sampler used again gives what a new one gives", "[sampling]") {
  const std::vector<float> first = test::even_logits(3000), flat(3000, 2.0F), tied = test::tied_logits(3000, 3);
  for (const Golden& golden : goldens()) {
    Sampler used(golden.params, 3000);
    for (const std::vector<float>* logits : {&first, &flat, &tied, &first}) {
      for (std::uint32_t step = 0; step < 5; ++step) {
        REQUIRE(used.sample(*logits, 0, step).id == Sampler(golden.params, 3000).sample(*logits, 0, step).id);
      }
    }
  }
}

TEST_CASE("sampling does not allocate after construction", "[sampling]") {
  const std::vector<float> logits = test::even_logits(3000), flat(3000, 2.0F);
  std::vector<SamplingParams> all{{}};
  for (const Golden& golden : goldens()) all.push_back(golden.params);
  for (const SamplingParams& params : all) {
    Sampler sampler(params, 3000);
    const std::size_t before = allocation_count();
    for (std::uint32_t step = 0; step < 10; ++step) {
      sampler.sample(logits, 0, step);
      sampler.sample(flat, 0, step);
    }
    const std::size_t candidates = sampler.candidates(flat).size();
    const std::size_t after = allocation_count();
    REQUIRE(after == before);
    REQUIRE(candidates >= 1);
  }
  REQUIRE(allocation_count() > 0);
}

TEST_CASE("parameters out of range are refused with their range", "[sampling]") {
  const auto refused = [](const SamplingParams& params) { return Sampler(params, 10).candidate_limit(); };
  REQUIRE_THROWS_SAYING(refused({.temperature = -0.5}), UsageError, "temperature", ">= 0", "-0.5");
  REQUIRE_THROWS_SAYING(refused({.temperature = not_a_number}), UsageError, "temperature", "nan");
  REQUIRE_THROWS_SAYING(refused({.temperature = std::numeric_limits<double>::infinity()}), UsageError, "temperature",
                        "finite", "inf");
  REQUIRE_THROWS_SAYING(refused({.top_k = -1}), UsageError, "top_k", ">= 0", "-1");
  for (const double top_p : {0.0, -0.1, 1.0000001, not_a_number}) {
    REQUIRE_THROWS_SAYING(refused({.top_p = top_p}), UsageError, "top_p", "(0, 1]");
  }
  REQUIRE_THROWS_SAYING(Sampler({}, 0), UsageError, "vocab_size", "[1, 1048576]", "0");
  REQUIRE_THROWS_SAYING(Sampler({}, 1 << 21), UsageError, "vocab_size", "2097152");
  check({.do_sample = true, .temperature = 0, .top_k = 0, .top_p = 1});
}

TEST_CASE("logits that are no numbers are refused with their place", "[sampling]") {
  std::vector<SamplingParams> all{{}};
  for (const Golden& golden : goldens()) all.push_back(golden.params);
  for (const SamplingParams& params : all) {
    Sampler sampler(params, 300);
    std::vector<float> logits = test::even_logits(300);
    logits[299] = std::numeric_limits<float>::quiet_NaN();
    REQUIRE_THROWS_SAYING(sampler.sample(logits, 0, 0), NumericError, "nan", "299", "300");
    REQUIRE_THROWS_SAYING(sampler.candidates(logits), NumericError, "nan");
    logits[299] = infinity;
    REQUIRE_THROWS_SAYING(sampler.sample(logits, 0, 0), NumericError, "inf", "299");
    const std::vector<float> nothing(300, -infinity);
    REQUIRE_THROWS_SAYING(sampler.sample(nothing, 0, 0), NumericError, "-infinity", "300");
    const std::vector<float> short_by_one(299, 0.0F);
    REQUIRE_THROWS_SAYING(sampler.sample(short_by_one, 0, 0), UsageError, "300", "299");
    REQUIRE(sampler.sample(test::even_logits(300), 0, 0).id >= 0);  // usable afterwards
  }
}
