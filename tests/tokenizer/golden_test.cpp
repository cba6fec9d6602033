// The ids and decodings of the `tokenizers`, transformers and sentencepiece packages.

#include "golden_file.h"
#include "sentencepiece_tokenizer.h"
#include "stagebench/support/text_file.h"
#include "stagebench/tokenizer/load_tokenizer.h"
#include "support/catch.h"

namespace stagebench::test {
namespace {

std::unique_ptr<Tokenizer> load_model_file(const std::string& relative) {
  const std::string file = data_path(relative);
  return tokenization::make_sentencepiece_tokenizer(read_text_file(file), file, {});
}

TEST_CASE("sentencepiece models give the library's ids and texts") {
  require_golden(*load_model_file("tokenizers/mistral-7b-v0.1.tokenizer.model"),
                 read_tokenizer_golden("tokenizers.json", "mistral_v1_bpe_bytefallback"));
  require_golden(*load_model_file("tokenizers/botchan_en_bpe_1000.model"),
                 read_tokenizer_golden("tokenizers.json", "botchan_bpe_nfkc"));
  require_golden(*load_model_file("tokenizers/botchan_en_unigram_1000.model"),
                 read_tokenizer_golden("tokenizers.json", "botchan_unigram_nfkc"));
  require_golden(*load_tokenizer(data_path("models/tiny-llama-botchan")),
                 read_tokenizer_golden("tokenizers.json", "tiny_llama_botchan"));
}

TEST_CASE("sentencepiece vocabularies of a GGUF give the library's ids and texts") {
  const auto mistral =
      make_tokenizer(vocabulary_of_sentencepiece_model(data_path("tokenizers/mistral-7b-v0.1.tokenizer.model")));
  require_golden(*mistral, read_tokenizer_golden("tokenizers.json", "mistral_v1_bpe_bytefallback"));
  const auto tiny =
      make_tokenizer(vocabulary_of_sentencepiece_model(data_path("models/tiny-llama-botchan/tokenizer.model")));
  require_golden(*tiny, read_tokenizer_golden("tokenizers.json", "tiny_llama_botchan"));
}

TEST_CASE("GPT-2's tokenizer.json and its vocab.json with merges.txt give the same ids") {
  const TokenizerGolden golden = read_tokenizer_golden("tokenizers.json", "gpt2");
  require_golden(*load_tokenizer(data_path("tokenizers/gpt2")), golden);
  require_golden(*load_tokenizer(data_path("models/gpt2-tiny-random-f16")), golden);
}

TEST_CASE("SmolLM2's vocabulary out of its GGUF gives the ids of its tokenizer.json") {
  require_golden(*make_tokenizer(read_smollm2_vocabulary()), read_tokenizer_golden("tokenizers.json", "smollm2"));
}

TEST_CASE("tokenizer.json files in other styles give the ids of the tokenizers package") {
  for (const std::string style : {"llama3-style", "qwen2-style", "prefix-space-style"}) {
    INFO(style);
    require_golden(*load_tokenizer(data_path("tokenizers/" + style)),
                   read_tokenizer_golden("tokenizer-styles.json", style));
  }
}

}  // namespace
}  // namespace stagebench::test
