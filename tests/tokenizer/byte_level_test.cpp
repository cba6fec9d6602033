#include <random>

#include "golden_file.h"
#include "stagebench/contracts/error.h"
#include "stagebench/tokenizer/load_tokenizer.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

namespace stagebench::test {
namespace {

std::string decode(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  return tokenizer.decode(ids, SpecialTokens::keep);
}

TEST_CASE("a megabyte without spaces is encoded and comes back") {
  // In quadratic time these would take hours; nothing here asserts a time.
  constexpr std::size_t bytes = 1'000'000;
  std::string random(bytes, ' ');
  std::mt19937 engine(5);
  for (char& c : random) c = static_cast<char>('a' + engine() % 26);
  std::vector<std::unique_ptr<Tokenizer>> tokenizers;
  tokenizers.push_back(load_tokenizer(data_path("tokenizers/gpt2")));
  tokenizers.push_back(load_tokenizer(data_path("models/tiny-llama-botchan")));
  for (const auto& tokenizer : tokenizers) {
    for (const std::string& text : {std::string(bytes, 'a'), std::string(bytes, ' '), random}) {
      const auto ids = tokenizer->encode(text, false);
      REQUIRE(ids.size() < bytes + 2);
      REQUIRE(decode(*tokenizer, ids) == text);
    }
  }
}

TEST_CASE("bytes that are not UTF-8 are encoded, each run as a word of its own") {
  const auto tokenizer = load_tokenizer(data_path("tokenizers/gpt2"));
  const std::vector<std::string> parts = {"the end", "\xFF\xFE\x80", " of it", "\xC3", " 12", "\xF0\x9F"};
  std::string text;
  std::vector<TokenId> expected;
  for (const std::string& part : parts) {
    text += part;
    const auto ids = tokenizer->encode(part, false);
    REQUIRE_FALSE(ids.empty());
    expected.insert(expected.end(), ids.begin(), ids.end());
  }
  REQUIRE(tokenizer->encode(text, false) == expected);
  REQUIRE(decode(*tokenizer, expected) == "the end\uFFFD\uFFFD\uFFFD of it\uFFFD 12\uFFFD");
}

TEST_CASE("bytes that a vocabulary has no piece for are left out, as the tokenizers package and llama.cpp do") {
  const auto tokenizer = make_tokenizer(read_smollm2_vocabulary());
  REQUIRE(decode(*tokenizer, tokenizer->encode("a\xFF\xFE\x80z", false)) == "a\uFFFDz");
}

TEST_CASE("special tokens are recognised next to bytes that are not UTF-8") {
  const auto tokenizer = load_tokenizer(data_path("tokenizers/gpt2"));
  const auto ids = tokenizer->encode("\xFF<|endoftext|>\xC3", false);
  REQUIRE(ids.size() == 3);
  REQUIRE(ids[1] == 50256);
  REQUIRE(tokenizer->decode(ids, SpecialTokens::skip) == "\uFFFD\uFFFD");
}

TEST_CASE("BOS and EOS are added as tokenizer_config.json says") {
  const TemporaryFolder folder;
  const auto load = [&](const std::string& config) {
    folder.write("tokenizer_config.json", config);
    return load_tokenizer(folder.path());
  };
  folder.write("vocab.json", R"({"a":0,"b":1,"ab":2,"<s>":3,"</s>":4})");
  folder.write("merges.txt", "#version: 0.2\na b\n");
  using Ids = std::vector<TokenId>;
  const std::string tokens = R"("bos_token":"<s>","eos_token":{"content":"</s>"})";
  REQUIRE(load("{" + tokens + "}")->encode("abb", true) == Ids{2, 1});
  REQUIRE(load("{" + tokens + R"(,"add_bos_token":true})")->encode("abb", true) == Ids{3, 2, 1});
  const auto both = load("{" + tokens + R"(,"add_bos_token":true,"add_eos_token":true})");
  REQUIRE(both->encode("abb", true) == Ids{3, 2, 1, 4});
  REQUIRE(both->encode("abb", false) == Ids{2, 1});
  REQUIRE(both->encode("", true) == Ids{3, 4});
  REQUIRE(both->bos_id() == 3);
  REQUIRE(both->eos_id() == 4);
  REQUIRE(both->encode("a</s>b", false) == Ids{0, 4, 1});
  REQUIRE_THROWS_SAYING(load(R"({"add_bos_token":true})"), InputError, "tokenizer_config.json", "add_bos_token");
  REQUIRE_THROWS_SAYING(load(R"({"eos_token":"<nope>"})"), InputError, "tokenizer_config.json", "eos_token", "<nope>");
  REQUIRE_THROWS_SAYING(load(R"({"tokenizer_class":"BloomTokenizerFast"})"), InputError, "BloomTokenizer");
}

TEST_CASE("a template's tokens give way to an explicit add_bos_token") {
  const TemporaryFolder folder;
  std::filesystem::copy(data_path("tokenizers/llama3-style/tokenizer.json"), folder.path() / "tokenizer.json");
  const auto plain = load_tokenizer(folder.path());
  const auto bos = plain->bos_id();
  REQUIRE(bos.has_value());
  REQUIRE(plain->encode("a", true).front() == *bos);
  folder.write("tokenizer_config.json", R"({"bos_token":"<|begin_of_text|>","add_bos_token":true})");
  REQUIRE(load_tokenizer(folder.path())->encode("a", true) == plain->encode("a", true));
  folder.write("tokenizer_config.json", R"({"bos_token":"<|begin_of_text|>","add_bos_token":false})");
  REQUIRE(load_tokenizer(folder.path())->encode("a", true) == plain->encode("a", false));
}

TEST_CASE("sentencepiece folders add BOS unless tokenizer_config.json says no") {
  const TemporaryFolder folder;
  std::filesystem::copy(data_path("models/tiny-llama-botchan/tokenizer.model"), folder.path() / "tokenizer.model");
  const auto plain = load_tokenizer(folder.path());
  auto ids = plain->encode("a", false);
  ids.insert(ids.begin(), *plain->bos_id());
  REQUIRE(plain->encode("a", true) == ids);
  folder.write("tokenizer_config.json", R"({"add_bos_token":false,"add_eos_token":true})");
  ids.erase(ids.begin());
  ids.push_back(*plain->eos_id());
  REQUIRE(load_tokenizer(folder.path())->encode("a", true) == ids);
}

TEST_CASE("a tokenizer.json that is not of byte level gives way to a tokenizer.model beside it") {
  const TemporaryFolder folder;
  folder.write("tokenizer.json", R"({"pre_tokenizer":null,"model":{"type":"BPE","byte_fallback":true}})");
  REQUIRE_THROWS_SAYING(load_tokenizer(folder.path()), InputError, "tokenizer.json");
  std::filesystem::copy(data_path("models/tiny-llama-botchan/tokenizer.model"), folder.path() / "tokenizer.model");
  REQUIRE(load_tokenizer(folder.path())->kind() == "sentencepiece-bpe");
}

TEST_CASE("a sentencepiece piece that reaches over a space is found") {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  vocabulary.pieces = {"<unk>", "\u2581", "a", "b", "\u2581b", "a\u2581b"};
  vocabulary.scores = {0, -4, -5, -6, -1, -2};
  vocabulary.types.assign(6, PieceType::normal);
  vocabulary.types[0] = PieceType::unknown;
  REQUIRE(make_tokenizer(vocabulary)->encode("a b b", false) == std::vector<TokenId>{1, 5, 4});
}

TEST_CASE("the byte tokenizer maps bytes to themselves and names other ids") {
  const auto tokenizer = make_byte_tokenizer(2000);
  REQUIRE(tokenizer->encode("a\xFF", true) == std::vector<TokenId>{97, 255});
  REQUIRE(decode(*tokenizer, {104, 105, 1234}) == "hi[1234]");
  REQUIRE(tokenizer->vocab_size() == 2000);
  REQUIRE_FALSE(tokenizer->bos_id().has_value());
  REQUIRE_THROWS_SAYING(make_byte_tokenizer(255), UsageError, "255");
}

}  // namespace
}  // namespace stagebench::test
