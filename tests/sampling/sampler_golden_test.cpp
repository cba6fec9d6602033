// Kept sets and probabilities of transformers' warpers (tests/data/README.md).

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "stagebench/sampling/sampler.h"
#include "stagebench/support/json.h"
#include "support/catch.h"

using namespace stagebench;

TEST_CASE("kept tokens and their probabilities are those of transformers' warpers", "[sampling]") {
  const auto document =
      JsonDocument::from_file(std::filesystem::path(STAGEBENCH_TEST_DATA) / "golden" / "sampling.json");
  std::size_t cases = 0;
  for (const auto element : document.root().at("cases").as_array()) {
    const JsonValue golden(element, "case");
    INFO(golden.at("name").as_string());
    std::vector<float> logits;
    for (const auto logit : golden.at("logits").as_array()) logits.push_back(static_cast<float>(double(logit)));

    Sampler sampler({.do_sample = true,
                     .temperature = golden.at("temperature").as_double(),
                     .top_k = golden.at("top_k").as_int64(),
                     .top_p = golden.at("top_p").as_double()},
                    static_cast<std::int64_t>(logits.size()));
    const auto candidates = sampler.candidates(logits);
    std::vector<Candidate> by_id(candidates.begin(), candidates.end());
    std::sort(by_id.begin(), by_id.end(), [](const Candidate& a, const Candidate& b) { return a.id < b.id; });

    std::vector<TokenId> kept, expected_kept;
    std::vector<double> expected_probabilities;
    for (const Candidate& candidate : by_id) kept.push_back(candidate.id);
    for (const auto id : golden.at("kept").as_array()) {
      expected_kept.push_back(static_cast<TokenId>(std::int64_t(id)));
    }
    for (const auto p : golden.at("probabilities").as_array()) expected_probabilities.push_back(double(p));
    REQUIRE(kept == expected_kept);
    REQUIRE(by_id.size() == expected_probabilities.size());
    for (std::size_t i = 0; i < by_id.size(); ++i) {
      REQUIRE(by_id[i].probability == Approx(expected_probabilities[i]).epsilon(0).margin(1e-6));
      REQUIRE(by_id[i].logit == logits[static_cast<std::size_t>(by_id[i].id)]);
    }
    REQUIRE(sampler.sample(logits, 0, 0).candidates == static_cast<std::int64_t>(kept.size()));
    ++cases;
  }
  REQUIRE(cases == 167);
}
