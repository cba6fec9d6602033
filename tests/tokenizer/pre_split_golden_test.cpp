// GGUF's pre-splits by name, against llama.cpp on the same vocabulary.

#include "golden_file.h"
#include "nfc.h"
#include "stagebench/support/json.h"
#include "stagebench/tokenizer/load_tokenizer.h"
#include "support/catch.h"

namespace stagebench::test {
namespace {

// llama.cpp does not normalise for "qwen2" as the model's tokenizer.json does, and counts U+180E, which has not been
// white space since Unicode 6.3, to it: such strings are compared with the `tokenizers` package elsewhere.
bool is_comparable(std::string_view text) {
  return tokenization::to_nfc(text) == text && text.find("\xE1\xA0\x8E") == std::string_view::npos;
}

TEST_CASE("each pre-split that a GGUF can name gives llama.cpp's ids") {
  const JsonDocument document = JsonDocument::from_file(data_path("golden/pre-splits.json"));
  std::vector<std::string> strings;
  for (const auto text : document.root().at("strings").as_array()) strings.emplace_back(std::string_view(text));
  Vocabulary vocabulary = read_smollm2_vocabulary();
  for (const auto& [name, lists] : document.root().at("ids").as_object()) {
    vocabulary.pre = name;
    const auto tokenizer = make_tokenizer(vocabulary);
    std::size_t i = 0;
    std::size_t compared = 0;
    for (const auto list : simdjson::dom::array(lists)) {
      std::vector<TokenId> ids;
      for (const auto id : simdjson::dom::array(list)) ids.push_back(static_cast<TokenId>(std::int64_t(id)));
      const std::string& text = strings.at(i++);
      if (!is_comparable(text)) continue;
      INFO(name << ": " << text);
      CHECK(tokenizer->encode(text, false) == ids);
      ++compared;
    }
    REQUIRE(compared >= 80);
  }
}

}  // namespace
}  // namespace stagebench::test
