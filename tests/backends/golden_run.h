#pragma once

/// Holds a loaded model to a file of tests/data/golden: what Hugging Face transformers gave for the same weights.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stagebench/contracts/backend.h"
#include "stagebench/support/json.h"
#include "support/catch.h"

namespace stagebench::test {

/// What came behind some ids.
struct GoldenPlace {
  std::vector<TokenId> top_ids;  ///< best first
  std::vector<double> top_logits;
  double gap() const { return top_logits[0] - top_logits[1]; }
};

struct GoldenResult {
  std::vector<TokenId> prompt_ids;
  std::vector<TokenId> new_ids;
  std::vector<GoldenPlace> prefill;  ///< behind each token of the prompt
  std::vector<GoldenPlace> steps;    ///< what each new id was chosen from
};

inline std::vector<TokenId> golden_ids(const simdjson::dom::element& array) {
  std::vector<TokenId> ids;
  for (const auto id : array.get_array()) ids.push_back(static_cast<TokenId>(id.get_int64()));
  return ids;
}

inline std::vector<GoldenPlace> golden_places(const simdjson::dom::element& array) {
  std::vector<GoldenPlace> places;
  for (const auto place : array.get_array()) {
    places.push_back({golden_ids(place["top5_ids"]), {}});
    for (const auto logit : place["top5_logits"].get_array()) places.back().top_logits.push_back(logit.get_double());
  }
  return places;
}

inline std::vector<GoldenResult> read_golden(const std::string& name) {
  const auto file = std::filesystem::path(STAGEBENCH_TEST_DATA) / "golden" / (name + ".json");
  const auto document = JsonDocument::from_file(file);
  std::vector<GoldenResult> results;
  for (const auto result : document.root().at("results").as_array()) {
    results.push_back({golden_ids(result["prompt_ids"]), golden_ids(result["new_ids"]),
                       golden_places(result["prefill"]), golden_places(result["steps"])});
  }
  REQUIRE_FALSE(results.empty());
  return results;
}

inline TokenId arg_max(std::span<const float> logits) {
  return static_cast<TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

inline void require_top_logits(std::span<const float> logits, const GoldenPlace& golden) {
  for (std::size_t i = 0; i < golden.top_ids.size(); ++i) {
    INFO("top " << i << ", id " << golden.top_ids[i]);
    REQUIRE(logits[static_cast<std::size_t>(golden.top_ids[i])] ==
            Approx(golden.top_logits[i]).epsilon(1e-3).margin(1e-4));
  }
}

/// Greedy ids equal, and the five best logits within 1e-3 of the golden's: behind each step, and behind each token of
/// the prompt.
inline void require_golden_logits(LoadedModel& loaded, const std::vector<GoldenResult>& results) {
  for (const GoldenResult& golden : results) {
    const auto session = loaded.new_session({.batch = 1, .context_tokens = 64});
    const std::span<const TokenId> prompt(golden.prompt_ids);
    for (std::size_t length = 1; length <= prompt.size(); ++length) {
      INFO("prefix of " << length << " tokens");
      session->reset();
      session->prefill(prompt.first(length));
      require_top_logits(session->logits(), golden.prefill[length - 1]);
    }
    for (std::size_t step = 0; step < golden.new_ids.size(); ++step) {
      INFO("step " << step);
      require_top_logits(session->logits(), golden.steps[step]);
      const TokenId id = arg_max(session->logits());
      REQUIRE(id == golden.new_ids[step]);
      session->decode_step({&id, 1});
    }
  }
}

/// With the golden's ids fed in: the same best id wherever the golden's lead is larger than what rounding to a 16-bit
/// type may turn round.
inline void require_golden_choices(LoadedModel& loaded, const std::vector<GoldenResult>& results) {
  constexpr double kLead = 0.05;
  int compared = 0;
  for (const GoldenResult& golden : results) {
    const auto session = loaded.new_session({.batch = 1, .context_tokens = 64});
    const auto require_same_choice = [&](const GoldenPlace& place) {
      if (place.gap() <= kLead) return;
      ++compared;
      INFO("depth " << session->depth() << ", lead " << place.gap());
      REQUIRE(arg_max(session->logits()) == place.top_ids[0]);
    };
    const std::span<const TokenId> prompt(golden.prompt_ids);
    for (std::size_t length = 1; length <= prompt.size(); ++length) {
      session->reset();
      session->prefill(prompt.first(length));
      require_same_choice(golden.prefill[length - 1]);
    }
    for (std::size_t step = 0; step < golden.new_ids.size(); ++step) {
      require_same_choice(golden.steps[step]);
      session->decode_step({&golden.new_ids[step], 1});
    }
  }
  REQUIRE(compared > 20);
}

}  // namespace stagebench::test
