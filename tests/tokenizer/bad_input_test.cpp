// Files and vocabularies that are damaged or ask for what is not supported: an InputError that says what and where.

#include "golden_file.h"
#include "sentencepiece_tokenizer.h"
#include "stagebench/contracts/error.h"
#include "stagebench/support/text_file.h"
#include "stagebench/tokenizer/load_tokenizer.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

namespace stagebench::test {
namespace {

// A tokenizer.json that loads, with one part exchanged for another.
std::string tokenizer_json(const std::string& from, const std::string& to) {
  std::string text = R"({
    "added_tokens": [{"id": 4, "content": "<s>", "special": true, "normalized": false}],
    "normalizer": null,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
    "post_processor": {"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
      "special_tokens": {"<s>": {"id": "<s>", "ids": [4], "tokens": ["<s>"]}}},
    "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
      "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
      "vocab": {"a": 0, "b": 1, "ab": 2, "c": 3}, "merges": ["a b"]}})";
  const std::size_t found = text.find(from);
  REQUIRE(found != std::string::npos);
  return text.replace(found, from.size(), to);
}

void load_json(const std::string& from, const std::string& to) {
  const TemporaryFolder folder;
  folder.write("tokenizer.json", tokenizer_json(from, to));
  load_tokenizer(folder.path());
}

TEST_CASE("the tokenizer.json that the other cases damage loads") {
  REQUIRE_NOTHROW(load_json("\"a b\"", "\"a b\""));
}

TEST_CASE("what a tokenizer.json asks for and is not supported is refused by name") {
  const std::string byte_level = R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": true})";
  const auto refuses = [](const std::string& from, const std::string& to, const std::string& place,
                          const std::string& name) {
    INFO(to);
    REQUIRE_THROWS_SAYING(load_json(from, to), InputError, "tokenizer.json", place, name);
  };
  refuses("\"BPE\"", "\"WordPiece\"", "model", "WordPiece");
  refuses("\"dropout\": null", "\"dropout\": 0.1", "dropout", "not supported");
  refuses("\"continuing_subword_prefix\": null", "\"continuing_subword_prefix\": \"##\"", "subword_prefix", "##");
  refuses("\"end_of_word_suffix\": null", "\"end_of_word_suffix\": \"</w>\"", "end_of_word_suffix", "</w>");
  refuses("\"byte_fallback\": false", "\"byte_fallback\": true", "byte_fallback", "true");
  refuses("\"normalizer\": null", R"("normalizer": {"type": "Lowercase"})", "normalizer", "Lowercase");
  refuses("\"normalizer\": null",
          R"("normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Strip"}]})",
          "normalizers[1]", "Strip");
  refuses(byte_level, R"({"type": "Whitespace"})", "pre_tokenizer", "Whitespace");
  refuses(byte_level, R"({"type": "Digits"})", "pre_tokenizer", "ByteLevel");
  refuses(byte_level, R"({"type": "Sequence", "pretokenizers": [)" + byte_level + R"(, {"type": "Digits"}]})",
          "pretokenizers[1]", "ByteLevel");
  const auto split = [&](const std::string& rest) {
    return R"({"type": "Sequence", "pretokenizers": [{"type": "Split", )" + rest + "}, " + byte_level + "]}";
  };
  refuses(byte_level, split(R"("pattern": {"Regex": "a"}, "behavior": "Removed")"), "behavior", "Removed");
  refuses(byte_level, split(R"("pattern": {"Regex": "a"}, "behavior": "Isolated", "invert": true)"), "invert", "true");
  refuses(byte_level, split(R"("pattern": {"String": "a"}, "behavior": "Isolated")"), "pattern", "Regex");
  refuses(byte_level, split(R"("pattern": {"Regex": "\\w+"}, "behavior": "Isolated")"), "pattern.Regex", "\\w");
  refuses(byte_level, split(R"("pattern": {"Regex": "(a"}, "behavior": "Isolated")"), "pattern.Regex", "regular");
  refuses("TemplateProcessing", "BertProcessing", "post_processor", "BertProcessing");
  refuses(R"("decoder": {"type": "ByteLevel"})", R"("decoder": {"type": "Metaspace"})", "decoder", "Metaspace");
}

TEST_CASE("damage in a tokenizer.json is found and placed") {
  const auto refuses = [](const std::string& from, const std::string& to, const std::string& place,
                          const std::string& name) {
    INFO(to);
    REQUIRE_THROWS_SAYING(load_json(from, to), InputError, "tokenizer.json", place, name);
  };
  refuses("\"model\"", "\"nodel\"", "model", "none");
  refuses("\"c\": 3", "\"c\": \"3\"", "model.vocab", "whole number");
  refuses("\"c\": 3", "\"c\": 2", "model.vocab", "id 2");
  refuses("\"c\": 3", "\"c\": -3", "model.vocab", "-3");
  refuses("\"c\": 3", "\"c\": 1000000000", "model.vocab", "1000000000");
  refuses("\"c\": 3", "\"a\": 3", "\"a\"", "ids 0 and 3");
  refuses("\"c\": 3", "\"\": 3", "model.vocab", "empty");
  refuses("\"c\": 3", "\"" + std::string(5000, 'c') + "\": 3", "piece 3", "5000");
  refuses("\"a b\"", "\"a d\"", "merge 0", "ad");
  refuses("\"a b\"", "\"ab\"", "merge 0", "two pieces");
  refuses("\"a b\"", "\"a b\", \"a b\"", "merge 1", "again");
  refuses("\"a b\"", "[\"a\", \"b\", \"c\"]", "merge 0", "two pieces");
  refuses("\"content\": \"<s>\"", "\"content\": \"\"", "added_tokens[0]", "empty");
  refuses("\"id\": 4", "\"id\": 3", "model.vocab", "<s>");
  refuses("\"id\": 4", "\"id\": 5000000000", "added_tokens[0]", "5000000000");
  refuses("\"ids\": [4]", "\"ids\": [5]", "ids", "found 5");
  refuses("\"unk_token\": null", "\"unk_token\": \"<unk>\"", "unk_token", "<unk>");
  refuses("{\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}", "{\"SpecialToken\": {\"id\": \"<s>\"}}", "single",
          "Sequence");
}

Vocabulary small_vocabulary() {
  Vocabulary vocabulary;
  vocabulary.source = "small.gguf";
  vocabulary.model = "gpt2";
  vocabulary.pre = "gpt-2";
  vocabulary.pieces = {"a", "b", "ab", "<s>"};
  vocabulary.types = {PieceType::normal, PieceType::normal, PieceType::normal, PieceType::control};
  vocabulary.merges = {"a b"};
  return vocabulary;
}

TEST_CASE("a vocabulary that contradicts itself is refused with its source") {
  REQUIRE(make_tokenizer(small_vocabulary())->encode("ab<s>", false) == std::vector<TokenId>{2, 3});
  const auto refuses = [](const auto& damage, const std::string& place, const std::string& found) {
    INFO(place);
    for (const std::string model : {"gpt2", "llama"}) {
      Vocabulary vocabulary = small_vocabulary();
      vocabulary.model = model;
      vocabulary.scores = {0, 0, 0, 0};
      vocabulary.unknown_id = 3;
      damage(vocabulary);
      REQUIRE_THROWS_SAYING(make_tokenizer(vocabulary), InputError, "small.gguf", place, found);
    }
  };
  refuses([](Vocabulary& v) { v.model = "bert"; }, "model", "bert");
  refuses([](Vocabulary& v) { v.pieces.clear(); }, "pieces", "found 0");
  refuses([](Vocabulary& v) { v.pieces[1] = "a"; }, "\"a\"", "ids 0 and 1");
  refuses([](Vocabulary& v) { v.pieces[1] = std::string(5000, 'a'); }, "piece 1", "5000");
  refuses([](Vocabulary& v) { v.scores.pop_back(); }, "scores", "found 3");
  refuses([](Vocabulary& v) { v.types.pop_back(); }, "types", "found 3");
  refuses([](Vocabulary& v) { v.types[2] = static_cast<PieceType>(9); }, "types", "found 9");
  refuses([](Vocabulary& v) { v.bos_id = 4; }, "bos_id", "found 4");
  refuses([](Vocabulary& v) { v.eos_id = -1; }, "eos_id", "found -1");
  refuses([](Vocabulary& v) { v.unknown_id = 99; }, "unknown_id", "found 99");
  refuses([](Vocabulary& v) { v.padding_id = 99; }, "padding_id", "found 99");
  refuses([](Vocabulary& v) { v.add_bos = true; }, "BOS", "none");
}

TEST_CASE("a byte-level vocabulary is refused for its pre-split or its merges") {
  Vocabulary vocabulary = small_vocabulary();
  vocabulary.pre = "viking";
  REQUIRE_THROWS_SAYING(make_tokenizer(vocabulary), InputError, "small.gguf", "pre-split", "\"viking\"", "llama-bpe");
  vocabulary.pre.clear();
  REQUIRE_THROWS_SAYING(make_tokenizer(vocabulary), InputError, "small.gguf", "pre-split", "found none");
  vocabulary = small_vocabulary();
  vocabulary.merges = {"a c"};
  REQUIRE_THROWS_SAYING(make_tokenizer(vocabulary), InputError, "small.gguf", "merge 0", "ac");
  vocabulary.merges = {"a"};
  REQUIRE_THROWS_SAYING(make_tokenizer(vocabulary), InputError, "small.gguf", "merge 0", "left right");
}

TEST_CASE("a sentencepiece vocabulary is refused without scores or without a stand-in for unknown characters") {
  Vocabulary vocabulary = small_vocabulary();
  vocabulary.model = "llama";
  vocabulary.unknown_id = 3;
  REQUIRE_THROWS_SAYING(make_tokenizer(vocabulary), InputError, "small.gguf", "scores", "none");
  vocabulary.scores = {0, 0, std::numeric_limits<float>::quiet_NaN(), 0};
  REQUIRE_THROWS_SAYING(make_tokenizer(vocabulary), InputError, "small.gguf", "score 2", "nan");
  vocabulary.scores = {0, 0, 0, 0};
  REQUIRE(make_tokenizer(vocabulary)->encode("abzz", false) == std::vector<TokenId>{3, 2, 3});
  vocabulary.unknown_id.reset();
  REQUIRE_THROWS_SAYING(make_tokenizer(vocabulary), InputError, "small.gguf", "unknown", "neither");
}

TEST_CASE("a damaged sentencepiece model is refused") {
  for (const std::string file :
       {"botchan_en_bpe_1000.model", "botchan_en_unigram_1000.model", "mistral-7b-v0.1.tokenizer.model"}) {
    const std::string good = read_text_file(data_path("tokenizers/" + file));
    const auto load = [&](std::string_view bytes) { tokenization::make_sentencepiece_tokenizer(bytes, file, {}); };
    REQUIRE_NOTHROW(load(good));
    REQUIRE_THROWS_SAYING(load(""), InputError, file);
    REQUIRE_THROWS_SAYING(load("this is no model"), InputError, file);
    REQUIRE_THROWS_SAYING(load(std::string_view(good).substr(0, good.size() / 2)), InputError, file);
    REQUIRE_THROWS_SAYING(load(good + "\x0F"), InputError, file, "wire type");
    REQUIRE_THROWS_SAYING(load(good + "\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"), InputError, file, "more bytes");
  }
}

TEST_CASE("a folder without a tokenizer, and files that are no JSON, are refused") {
  const TemporaryFolder folder;
  REQUIRE_THROWS_SAYING(load_tokenizer(folder.path()), InputError, folder.path().string(), "found none");
  folder.write("tokenizer.json", "{");
  REQUIRE_THROWS_SAYING(load_tokenizer(folder.path()), InputError, "tokenizer.json", "JSON");
  folder.write("tokenizer.json", "[]");
  REQUIRE_THROWS_SAYING(load_tokenizer(folder.path()), InputError, "tokenizer.json", "object");
  std::filesystem::remove(folder.path() / "tokenizer.json");
  folder.write("vocab.json", R"({"a":0,"b":1})");
  folder.write("merges.txt", "#version: 0.2\na\n");
  REQUIRE_THROWS_SAYING(load_tokenizer(folder.path()), InputError, "merges.txt", "line 2");
  folder.write("merges.txt", "");
  folder.write("tokenizer_config.json", R"({"add_bos_token":"yes"})");
  REQUIRE_THROWS_SAYING(load_tokenizer(folder.path()), InputError, "tokenizer_config.json", "add_bos_token");
  folder.write("tokenizer_config.json", R"({"added_tokens_decoder":{"x":{"content":"y"}}})");
  REQUIRE_THROWS_SAYING(load_tokenizer(folder.path()), InputError, "added_tokens_decoder", "\"x\"");
}

}  // namespace
}  // namespace stagebench::test
