#pragma once

/// Cuts text into the words within which byte pair encoding joins, as the `tokenizers` package's pre-tokenizers do.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pcre2_regex.h"

namespace stagebench::tokenization {

/// One pre-tokenizer; each step cuts what the one before left, and sees nothing beyond its own part.
struct SplitStep {
  bool add_prefix_space = false;       ///< before the regex: " " in front of each part that has none
  std::unique_ptr<const Regex> regex;  ///< absent: no cut. Matches and what lies between them become parts
};

struct PreSplit {
  std::vector<SplitStep> steps;
};

/// Patterns in Oniguruma's form, as tokenizer.json files have them.
inline constexpr std::string_view gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view llama3_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view qwen2_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// A step that cuts by `oniguruma`. Throws InputError with `where`.
SplitStep regex_step(std::string_view oniguruma, const std::string& where);

/// Walks through the words of texts. Keeps its memory between calls; one a thread.
class Splitter {
 public:
  explicit Splitter(const PreSplit& split);

  /// Calls take(word) for each word of well-formed UTF-8 `text`, in order; words are not empty.
  template <class Take>
  void split(std::string_view text, const Take& take) {
    split_from(0, text, take);
  }

 private:
  template <class Take>
  void split_from(std::size_t step, std::string_view text, const Take& take) {
    if (text.empty()) return;
    if (step == split_->steps.size()) return take(text);
    const SplitStep& current = split_->steps[step];
    std::string prefixed;
    if (current.add_prefix_space && !text.starts_with(' ')) {
      prefixed.reserve(text.size() + 1);
      prefixed.push_back(' ');
      prefixed += text;
      text = prefixed;
    }
    if (!current.regex) return split_from(step + 1, text, take);
    RegexMatcher& matcher = *matchers_[step];
    std::size_t done = 0;
    std::size_t from = 0;
    while (from <= text.size()) {
      const auto match = matcher.next(text, from);
      if (!match) break;
      split_from(step + 1, text.substr(done, match->begin - done), take);
      split_from(step + 1, text.substr(match->begin, match->end - match->begin), take);
      done = match->end;
      from = match->end > match->begin ? match->end : after_character(text, match->end);
    }
    split_from(step + 1, text.substr(done), take);
  }

  static std::size_t after_character(std::string_view text, std::size_t position) noexcept;

  const PreSplit* split_;
  std::vector<std::optional<RegexMatcher>> matchers_;  // one a step, absent where the step has no regex
};

}  // namespace stagebench::tokenization
