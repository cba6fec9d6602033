#include "utf8.h"
#include "byte_alphabet.h"
#include "nfc.h"
#include "support/catch.h"

namespace stagebench::tokenization {
namespace {

std::string repaired(std::string_view bytes, Utf8Repair repair) {
  std::string text;
  append_repaired_utf8(text, bytes, repair);
  return text;
}

const std::string R(replacement_character);

TEST_CASE("each maximal subpart becomes one U+FFFD") {
  // The examples of the Unicode Standard, chapter 3.9, tables 3-8 to 3-11, which Rust's from_utf8_lossy follows.
  const auto repair = [](std::string_view bytes) { return repaired(bytes, Utf8Repair::each_subpart); };
  REQUIRE(repair("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") == R + R + R + R + R + R + R + R + "A");
  REQUIRE(repair("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41") == R + R + R + R + R + R + R + R + "A");
  REQUIRE(repair("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42") == R + R + R + R + R + "A" + R + R + "B");
  REQUIRE(repair("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") == R + R + R + R + "A");
  REQUIRE(repair("a\xF0\x9F\x99") == "a" + R);
  REQUIRE(repair("a\xF0\x9F\x99\x82") == "a\xF0\x9F\x99\x82");
}

TEST_CASE("sentencepiece's repair replaces each byte") {
  const auto repair = [](std::string_view bytes) { return repaired(bytes, Utf8Repair::each_byte); };
  REQUIRE(repair("a\xF0\x9F\x99") == "a" + R + R + R);
  REQUIRE(repair("\xE1\x80\xE2\x41") == R + R + R + "A");
}

TEST_CASE("incomplete characters are held back until they are decided") {
  std::string text;
  std::string pending = "a\xF0\x9F";
  append_complete_utf8(text, pending, Utf8Repair::each_subpart);
  REQUIRE(text == "a");
  REQUIRE(pending == "\xF0\x9F");
  pending += "\x99\x82";
  append_complete_utf8(text, pending, Utf8Repair::each_subpart);
  REQUIRE(text == "a\xF0\x9F\x99\x82");
  REQUIRE(pending.empty());
}

TEST_CASE("stretches that are UTF-8 and those that are not alternate") {
  std::string parts;
  split_by_validity(
      "ab\xFF\xFE\xC3\xA9\xE2\x82", [&](std::string_view part) { parts += "v" + std::to_string(part.size()); },
      [&](std::string_view part) { parts += "i" + std::to_string(part.size()); });
  REQUIRE(parts == "v2i2v2i2");
}

TEST_CASE("code points are written and read back") {
  for (const char32_t code_point :
       {U'\0', U'a', U'\x7F', U'\x80', U'\u07FF', U'\u0800', U'\uFFFF', U'\U00010000', U'\U0010FFFF'}) {
    std::string text;
    append_utf8(text, code_point);
    REQUIRE(valid_utf8_prefix(text) == text.size());
    REQUIRE(first_code_point(text) == code_point);
    REQUIRE(first_utf8_sequence(text).bytes == text.size());
  }
}

TEST_CASE("the byte alphabet is GPT-2's") {
  // encoder.py of openai/gpt-2: space is U+0120, newline U+010A, soft hyphen the last one, U+0143.
  REQUIRE(byte_alphabet()[' '] == 0x120);
  REQUIRE(byte_alphabet()['\n'] == 0x10A);
  REQUIRE(byte_alphabet()[0xAD] == 0x143);
  REQUIRE(byte_alphabet()['a'] == 'a');
  REQUIRE(byte_alphabet()[0xFF] == 0xFF);
  REQUIRE(bytes_of_piece("\xC4\xA0"
                         "a\xC3\xA9")
              .value() == " a\xE9");
  REQUIRE_FALSE(bytes_of_piece("a b").has_value());
  REQUIRE_FALSE(bytes_of_piece("\xFF").has_value());
}

TEST_CASE("normalisation form C composes, orders marks and keeps exclusions decomposed") {
  // From NormalizationTest.txt of the Unicode Character Database: columns 1 (or 3) and 2.
  REQUIRE(to_nfc("e\xCC\x81") == "\xC3\xA9");
  REQUIRE(to_nfc("\xE2\x84\xAB") == "\xC3\x85");                              // U+212B
  REQUIRE(to_nfc("\xE1\xB8\x8A\xCC\xA3") == "\xE1\xB8\x8C\xCC\x87");          // 1E0A 0323 -> 1E0C 0307
  REQUIRE(to_nfc("\xE0\xA5\x98") == "\xE0\xA4\x95\xE0\xA4\xBC");              // 0958, excluded
  REQUIRE(to_nfc("\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8") == "\xEA\xB0\x81");  // 1100 1161 11A8
  REQUIRE(to_nfc("a\xD6\xAE\xCC\x81\xCC\x80\xCC\x95"
                 "b") ==
          "\xC3\xA1\xD6\xAE\xCC\x80\xCC\x95"
          "b");
  REQUIRE(is_surely_nfc("caf\xC3\xA9"));
  REQUIRE_FALSE(is_surely_nfc("e\xCC\x81"));
}

TEST_CASE("a long run of combining marks is put in order without quadratic work") {
  // With utf8proc's own ordering this would be 10^10 exchanges: the test would run into its time limit.
  std::string marks = "e";
  for (int i = 0; i < 200'000; ++i) marks += i % 2 == 0 ? "\xCC\x80" : "\xCC\xA3";  // classes 230 and 220
  const std::string composed = to_nfc(marks);
  REQUIRE(composed.starts_with("\xE1\xBA\xB9"));  // U+1EB9, e with dot below
  REQUIRE(composed.ends_with("\xCC\x80"));
}

}  // namespace
}  // namespace stagebench::tokenization
