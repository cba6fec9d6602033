#include <set>
#include <string>

#include "stagebench/contracts/backend.h"
#include "stagebench/contracts/generation.h"
#include "stagebench/contracts/stage.h"
#include "support/catch.h"

using namespace stagebench;

TEST_CASE("stages have the names that files and timelines use") {
  std::string names;
  for (const auto stage : all_stages) names += std::string(name(stage)) + " ";
  REQUIRE(names == "load tokenize prefill decode_step sample detokenize ");
}

TEST_CASE("stop reasons and placements have names of their own") {
  std::set<std::string_view> names;
  for (const auto reason :
       {StopReason::eos, StopReason::max_new_tokens, StopReason::max_length, StopReason::context_full}) {
    names.insert(name(reason));
  }
  for (const auto placement : {Placement::mapped, Placement::converted, Placement::packed})
    names.insert(name(placement));
  REQUIRE(names.size() == 7);
  REQUIRE(names.count("") == 0);
}

TEST_CASE("greedy is what transformers calls it: no sampling, or a temperature of zero") {
  REQUIRE(SamplingParams{}.greedy());
  REQUIRE(SamplingParams{.do_sample = true, .temperature = 0.0}.greedy());
  REQUIRE_FALSE(SamplingParams{.do_sample = true, .temperature = 0.1}.greedy());
}
