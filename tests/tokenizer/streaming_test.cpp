// Streaming equals decoding, decoding equals the sentencepiece library's.

#include <sentencepiece_processor.h>

#include <random>
#include <thread>

#include "golden_file.h"
#include "sentencepiece_tokenizer.h"
#include "stagebench/contracts/error.h"
#include "stagebench/support/text_file.h"
#include "stagebench/tokenizer/load_tokenizer.h"
#include "support/catch.h"

namespace stagebench::test {
namespace {

const std::vector<std::string> model_files = {
    "tokenizers/mistral-7b-v0.1.tokenizer.model", "tokenizers/botchan_en_bpe_1000.model",
    "tokenizers/botchan_en_unigram_1000.model", "models/tiny-llama-botchan/tokenizer.model"};

std::unique_ptr<Tokenizer> load_model_file(const std::string& relative) {
  return tokenization::make_sentencepiece_tokenizer(read_text_file(data_path(relative)), relative, {});
}

std::vector<TokenId> random_ids(std::mt19937& engine, std::int64_t vocab_size) {
  std::vector<TokenId> ids(engine() % 12);
  // Half of them small: special, unknown and byte pieces come first in many vocabularies.
  for (TokenId& id : ids) {
    const auto end =
        static_cast<std::uint32_t>(engine() % 2 == 0 ? std::min<std::int64_t>(vocab_size, 270) : vocab_size);
    id = static_cast<TokenId>(engine() % end);
  }
  return ids;
}

TEST_CASE("random ids stream as they decode, for every kind of tokenizer") {
  std::vector<std::unique_ptr<Tokenizer>> tokenizers;
  for (const std::string& file : model_files) tokenizers.push_back(load_model_file(file));
  tokenizers.push_back(load_tokenizer(data_path("tokenizers/gpt2")));
  tokenizers.push_back(load_tokenizer(data_path("tokenizers/llama3-style")));
  tokenizers.push_back(make_tokenizer(read_smollm2_vocabulary()));
  tokenizers.push_back(make_byte_tokenizer(300));
  std::mt19937 engine(11);
  for (const auto& tokenizer : tokenizers) {
    for (int round = 0; round < 2000; ++round) {
      const auto ids = random_ids(engine, tokenizer->vocab_size());
      require_streaming_equals_decode(*tokenizer, ids, SpecialTokens::keep);
      require_streaming_equals_decode(*tokenizer, ids, SpecialTokens::skip);
    }
  }
}

TEST_CASE("sentencepiece decodes random ids as the library does") {
  std::mt19937 engine(12);
  for (const std::string& file : model_files) {
    const auto tokenizer = load_model_file(file);
    sentencepiece::SentencePieceProcessor library;
    REQUIRE(library.Load(data_path(file)).ok());
    for (int round = 0; round < 2000; ++round) {
      const auto ids = random_ids(engine, tokenizer->vocab_size());
      std::string expected;
      REQUIRE(library.Decode(ids, &expected).ok());
      INFO(file);
      REQUIRE(tokenizer->decode(ids, SpecialTokens::skip) == expected);
    }
  }
}

std::string random_text(std::mt19937& engine) {
  static const std::vector<std::string> parts = {" ",
                                                 "  ",
                                                 "\n",
                                                 "\t",
                                                 "a",
                                                 "the",
                                                 " of",
                                                 "ing",
                                                 "\xC3\xA9",
                                                 "\xE6\x97\xA5",
                                                 "\xF0\x9F\x99\x82",
                                                 "\xFF",
                                                 "\xE2\x96",
                                                 "\xE2\x96\x81",
                                                 "\xC0\x80",
                                                 "\xED\xA0\x80",
                                                 "\xEF\xBF\xBD",
                                                 "<s>",
                                                 "<0x41>",
                                                 "<unk>",
                                                 "1234",
                                                 "'s",
                                                 "...",
                                                 "Botchan"};
  std::string text;
  for (auto n = engine() % 20; n > 0; --n) text += parts[engine() % parts.size()];
  return text;
}

TEST_CASE("sentencepiece encodes random text, UTF-8 or not, as the library does") {
  std::mt19937 engine(13);
  for (const std::string& file : model_files) {
    const auto tokenizer = load_model_file(file);
    sentencepiece::SentencePieceProcessor library;
    REQUIRE(library.Load(data_path(file)).ok());
    for (int round = 0; round < 3000; ++round) {
      const std::string text = random_text(engine);
      std::vector<int> expected;
      REQUIRE(library.Encode(text, &expected).ok());
      INFO(file << ": " << text);
      REQUIRE(tokenizer->encode(text, false) == expected);
    }
  }
}

TEST_CASE("only BPE models that rewrite nothing are encoded without the library") {
  REQUIRE(load_model_file(model_files[0])->kind() == "sentencepiece-bpe");
  REQUIRE(load_model_file(model_files[1])->kind() == "sentencepiece");
  REQUIRE(load_model_file(model_files[2])->kind() == "sentencepiece");
  REQUIRE(load_model_file(model_files[3])->kind() == "sentencepiece-bpe");
}

TEST_CASE("control pieces of sentencepiece show their names only where special tokens are kept") {
  const auto tokenizer = load_model_file(model_files[0]);
  std::vector<TokenId> ids = tokenizer->encode("Hi", true);
  ids.push_back(*tokenizer->eos_id());
  REQUIRE(tokenizer->decode(ids, SpecialTokens::keep) == "<s> Hi</s>");
  REQUIRE(tokenizer->decode(ids, SpecialTokens::skip) == "Hi");
}

TEST_CASE("ids outside the vocabulary are refused") {
  for (const auto& tokenizer : {load_model_file(model_files[0]), load_model_file(model_files[2]),
                                load_tokenizer(data_path("tokenizers/gpt2")), make_byte_tokenizer(256)}) {
    const auto end = static_cast<TokenId>(tokenizer->vocab_size());
    REQUIRE_THROWS_SAYING(tokenizer->decode(std::vector<TokenId>{end}, SpecialTokens::keep), UsageError,
                          std::to_string(end));
    REQUIRE_THROWS_SAYING(tokenizer->streaming_decoder(SpecialTokens::skip)->push(-1), UsageError, "-1");
  }
}

TEST_CASE("threads that share a tokenizer get the same ids") {
  const auto tokenizer = load_tokenizer(data_path("tokenizers/gpt2"));
  const std::string text = read_text_file(data_path("models/gpt2-tiny-random-f16/merges.txt")).substr(0, 20'000);
  std::vector<std::vector<TokenId>> ids(4);
  std::vector<std::thread> threads;
  for (auto& mine : ids) threads.emplace_back([&] { mine = tokenizer->encode(text, false); });
  for (auto& thread : threads) thread.join();
  const auto again = load_tokenizer(data_path("tokenizers/gpt2"))->encode(text, false);
  for (const auto& mine : ids) REQUIRE(mine == again);
}

}  // namespace
}  // namespace stagebench::test
