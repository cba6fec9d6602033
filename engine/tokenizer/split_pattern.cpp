#include "split_pattern.h"

#include <fmt/format.h>

#include <array>

#include "stagebench/contracts/error.h"

namespace stagebench::tokenization {
namespace {

// Unicode's White_Space, which is Oniguruma's \s.
constexpr std::string_view white_space = R"(\p{Z}\x{9}-\x{d}\x{85})";

constexpr std::string_view plain_escapes = "rntfdD";
constexpr std::string_view punctuation = R"(!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~ )";

class Translator {
 public:
  Translator(std::string_view pattern, const std::string& where) : pattern_(pattern), where_(where) {}

  std::string run() {
    while (position_ < pattern_.size()) {
      const char c = pattern_[position_];
      if (c == '\\') {
        escape(false);
      } else if (c == '[') {
        character_class();
      } else if (c == '(') {
        group();
      } else if (follows("}+")) {
        refuse("{n,m}+", "possessive for PCRE2, a repeated repetition for Oniguruma");
      } else if (follows("{,")) {
        refuse("{,n}", "literal text for PCRE2, a repetition for Oniguruma");
      } else if (c == '^' || c == '$' || c == '.') {
        refuse(std::string(1, c), "anchors and the dot do not occur in known pre-splits");
      } else {
        copy(1);
      }
    }
    return std::move(out_);
  }

 private:
  bool follows(std::string_view text) const { return pattern_.substr(position_).starts_with(text); }

  void copy(std::size_t bytes) {
    out_ += pattern_.substr(position_, bytes);
    position_ += bytes;
  }

  void escape(bool in_class) {
    if (position_ + 1 >= pattern_.size()) refuse("\\", "it ends the pattern");
    const char c = pattern_[position_ + 1];
    if (c == 's') {
      out_ += in_class ? std::string(white_space) : fmt::format("[{}]", white_space);
      position_ += 2;
    } else if (c == 'S' && !in_class) {
      out_ += fmt::format("[^{}]", white_space);
      position_ += 2;
    } else if (c == 'p' || c == 'P') {
      const std::size_t end = pattern_.find('}', position_);
      if (!pattern_.substr(position_ + 2).starts_with('{') || end == std::string_view::npos) {
        refuse(fmt::format("\\{}", c), "the name of a property in braces is expected behind it");
      }
      copy(end + 1 - position_);
    } else if (plain_escapes.find(c) != std::string_view::npos || punctuation.find(c) != std::string_view::npos) {
      copy(2);
    } else {
      refuse(fmt::format("\\{}", c), "its meaning may differ between regular expression libraries");
    }
  }

  void character_class() {
    copy(1);
    if (follows("^")) copy(1);
    if (follows("]")) refuse("[]", "a class that begins with a bracket");
    while (position_ < pattern_.size() && pattern_[position_] != ']') {
      if (pattern_[position_] == '\\') {
        escape(true);
      } else if (pattern_[position_] == '[') {
        refuse("[ inside a class", "nested classes");
      } else if (follows("&&")) {
        refuse("&&", "intersections of classes");
      } else {
        copy(1);
      }
    }
    if (position_ == pattern_.size()) refuse("[", "the class does not end");
    copy(1);
  }

  void group() {
    constexpr std::array<std::string_view, 7> known{"(?:", "(?i:", "(?=", "(?!", "(?<=", "(?<!", "(?>"};
    for (const std::string_view opening : known) {
      if (follows(opening)) return copy(opening.size());
    }
    if (follows("(?") || follows("(*")) refuse(pattern_.substr(position_, 3), "this kind of group");
    copy(1);
  }

  [[noreturn]] void refuse(std::string_view construct, std::string_view why) const {
    throw InputError(
        fmt::format("{}: \"{}\" at byte {} of the pattern is not supported: {}", where_, construct, position_, why));
  }

  std::string_view pattern_;
  const std::string& where_;
  std::size_t position_ = 0;
  std::string out_;
};

}  // namespace

std::string pcre2_pattern(std::string_view oniguruma, const std::string& where) {
  return Translator(oniguruma, where).run();
}

}  // namespace stagebench::tokenization
