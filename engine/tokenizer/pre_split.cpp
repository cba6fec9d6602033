#include "pre_split.h"

#include "split_pattern.h"
#include "utf8.h"

namespace stagebench::tokenization {
SplitStep regex_step(std::string_view oniguruma, const std::string& where) {
  return {false, std::make_unique<const Regex>(pcre2_pattern(oniguruma, where), where)};
}

Splitter::Splitter(const PreSplit& split) : split_(&split) {
  matchers_.reserve(split.steps.size());
  for (const SplitStep& step : split.steps) {
    matchers_.emplace_back();
    if (step.regex) matchers_.back().emplace(*step.regex);
  }
}

std::size_t Splitter::after_character(std::string_view text, std::size_t position) noexcept {
  return position < text.size() ? position + first_utf8_sequence(text.substr(position)).bytes : position + 1;
}

}  // namespace stagebench::tokenization
