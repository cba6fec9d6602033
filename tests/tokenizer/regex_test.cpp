#include <vector>

#include "pcre2_regex.h"
#include "pre_split.h"
#include "split_pattern.h"
#include "stagebench/contracts/error.h"
#include "support/catch.h"

namespace stagebench::tokenization {
namespace {

std::vector<std::string> words(std::string_view text, std::string_view pattern) {
  PreSplit split;
  split.steps.push_back(regex_step(pattern, "test"));
  std::vector<std::string> found;
  Splitter(split).split(text, [&](std::string_view word) { found.emplace_back(word); });
  return found;
}

TEST_CASE("the interpreter and the compiled code match the same") {
  const std::string pattern = pcre2_pattern(llama3_pattern, "test");
  const Regex fast(pattern, "test");
  const Regex slow(pattern, "test", Regex::Engine::interpreter);
  REQUIRE_FALSE(slow.is_compiled_to_machine_code());
  const std::string text = "It's 12345 o'clock,\r\n\n  na\xC3\xAFve \xE6\x97\xA5\xE6\x9C\xAC ... \t x   ";
  RegexMatcher one(fast);
  RegexMatcher other(slow);
  std::size_t matches = 0;
  for (std::size_t from = 0; from < text.size(); ++matches) {
    const auto a = one.next(text, from);
    const auto b = other.next(text, from);
    REQUIRE(a.has_value());
    REQUIRE(b.has_value());
    REQUIRE(a->begin == b->begin);
    REQUIRE(a->end == b->end);
    from = a->end;
  }
  REQUIRE(matches > 10);
}

TEST_CASE("text between matches and empty matches cut as well") {
  using List = std::vector<std::string>;
  REQUIRE(words("a1b22c", R"(\p{N})") == List{"a", "1", "b", "2", "2", "c"});
  REQUIRE(words("abc", "b*") == List{"a", "b", "c"});
  REQUIRE(words("", "b*").empty());
  REQUIRE(words("\xC3\xA9\xC3\xA9", "x*") == List{"\xC3\xA9", "\xC3\xA9"});
}

TEST_CASE("a pattern that backtracks without end is an error, not a hang") {
  const std::string text(60, 'a');
  for (const auto engine : {Regex::Engine::fastest, Regex::Engine::interpreter}) {
    const Regex regex("(?:a+a+)+[bd]", "tokenizer.json: pre_tokenizer", engine);
    RegexMatcher matcher(regex);
    REQUIRE_THROWS_SAYING(matcher.next(text + "c", 0), InputError, "tokenizer.json: pre_tokenizer", "limit");
  }
}

TEST_CASE("a match longer than the compiled code's stack falls back to the interpreter") {
  const Regex regex("(?:a|bc)+c", "test");
  RegexMatcher matcher(regex);
  const std::string text = std::string(50'000, 'a') + "c";
  const auto match = matcher.next(text, 0);
  REQUIRE(match.has_value());
  REQUIRE(match->end == text.size());
}

TEST_CASE("long white space and long words pass the limits") {
  REQUIRE(words(std::string(3'000'000, ' ') + "x", gpt2_pattern).size() == 2);
  REQUIRE(words(std::string(3'000'000, ' '), llama3_pattern).size() == 1);
  REQUIRE(words(std::string(3'000'000, 'x'), llama3_pattern).size() == 1);
}

TEST_CASE("what means something else to another library is refused by name") {
  for (const std::string construct :
       {R"(\w)", R"(\h)", R"(\K)", R"(\1)", R"(\x)", "^", "$", ".", "(?P", "(?R", "(*", "{,"}) {
    INFO(construct);
    REQUIRE_THROWS_SAYING(pcre2_pattern("a" + construct, "here"), InputError, "here", construct, "not supported");
  }
  REQUIRE_THROWS_SAYING(pcre2_pattern("[a-z&&[x]]", "here"), InputError, "&&");
  REQUIRE_THROWS_SAYING(pcre2_pattern("[[x]]", "here"), InputError, "nested");
  REQUIRE_THROWS_SAYING(pcre2_pattern(R"([\S])", "here"), InputError, R"(\S)");
  REQUIRE_THROWS_SAYING(pcre2_pattern("[a", "here"), InputError, "does not end");
  REQUIRE_THROWS_SAYING(pcre2_pattern("a\\", "here"), InputError, "ends the pattern");
  REQUIRE_THROWS_SAYING(pcre2_pattern("a{1,3}+", "here"), InputError, "{n,m}+");
  REQUIRE_THROWS_SAYING(pcre2_pattern(R"(\pL)", "here"), InputError, R"(\p)", "braces");
  REQUIRE_THROWS_SAYING(regex_step("(", "here"), InputError, "here", "byte 1");
}

TEST_CASE("white space is Unicode's") {
  using List = std::vector<std::string>;
  REQUIRE(words("a\xC2\x85\xC2\xA0\xE2\x80\x83z", R"(\s+)") == List{"a", "\xC2\x85\xC2\xA0\xE2\x80\x83", "z"});
  REQUIRE(words("a\xE1\xA0\x8Ez", R"(\s)") == List{"a\xE1\xA0\x8Ez"});
  REQUIRE(words(" \xE1\xA0\x8E", R"([^\s]+|\S)") == List{" ", "\xE1\xA0\x8E"});
}

}  // namespace
}  // namespace stagebench::tokenization
