#include "golden_file.h"

#include <sentencepiece_processor.h>

#include <charconv>

#include "stagebench/support/json.h"
#include "support/catch.h"
#include "utf8.h"

namespace stagebench::test {
namespace {

std::vector<std::string> read_strings(const JsonValue& array) {
  std::vector<std::string> strings;
  for (const auto element : array.as_array()) strings.emplace_back(std::string_view(element));
  return strings;
}

std::vector<TokenId> read_ids(simdjson::dom::element array) {
  std::vector<TokenId> ids;
  for (const auto id : simdjson::dom::array(array)) ids.push_back(static_cast<TokenId>(std::int64_t(id)));
  return ids;
}

std::vector<std::vector<TokenId>> read_id_lists(const JsonValue& array) {
  std::vector<std::vector<TokenId>> lists;
  for (const auto element : array.as_array()) lists.push_back(read_ids(element));
  return lists;
}

}  // namespace

std::string data_path(const std::string& relative) {
  return std::string(STAGEBENCH_TEST_DATA) + "/" + relative;
}

TokenizerGolden read_tokenizer_golden(const std::string& file, const std::string& name) {
  const JsonDocument document = JsonDocument::from_file(data_path("golden/" + file));
  const JsonValue entry = document.root().at("tokenizers").at(name);
  TokenizerGolden golden;
  golden.strings = read_strings(document.root().at("strings"));
  golden.ids = read_id_lists(entry.at("ids"));
  if (const auto lists = entry.find("ids_with_special")) golden.ids_with_special = read_id_lists(*lists);
  golden.decoded = read_strings(entry.at("decoded"));
  if (const auto texts = entry.find("decoded_skipping_special")) golden.decoded_skipping_special = read_strings(*texts);
  REQUIRE(golden.strings.size() >= 69);
  REQUIRE(golden.ids.size() == golden.strings.size());
  REQUIRE(golden.decoded.size() == golden.strings.size());
  return golden;
}

void require_streaming_equals_decode(const Tokenizer& tokenizer, const std::vector<TokenId>& ids,
                                     SpecialTokens special) {
  const auto decoder = tokenizer.streaming_decoder(special);
  std::string text;
  for (const TokenId id : ids) {
    const std::string added = decoder->push(id);
    REQUIRE(tokenization::valid_utf8_prefix(added) == added.size());
    text += added;
  }
  text += decoder->finish();
  REQUIRE(text == tokenizer.decode(ids, special));
  REQUIRE(decoder->finish().empty());
}

void require_golden(const Tokenizer& tokenizer, const TokenizerGolden& golden) {
  for (std::size_t i = 0; i < golden.strings.size(); ++i) {
    INFO("string " << i << ": " << golden.strings[i]);
    // Twice: the second time, words are known.
    REQUIRE(tokenizer.encode(golden.strings[i], false) == golden.ids[i]);
    REQUIRE(tokenizer.encode(golden.strings[i], false) == golden.ids[i]);
    if (!golden.ids_with_special.empty()) {
      REQUIRE(tokenizer.encode(golden.strings[i], true) == golden.ids_with_special[i]);
    }
    REQUIRE(tokenizer.decode(golden.ids[i], SpecialTokens::keep) == golden.decoded[i]);
    if (!golden.decoded_skipping_special.empty()) {
      REQUIRE(tokenizer.decode(golden.ids[i], SpecialTokens::skip) == golden.decoded_skipping_special[i]);
    }
    require_streaming_equals_decode(tokenizer, golden.ids[i], SpecialTokens::keep);
    require_streaming_equals_decode(tokenizer, golden.ids[i], SpecialTokens::skip);
  }
}

Vocabulary read_smollm2_vocabulary() {
  const JsonDocument document = JsonDocument::from_file(data_path("tokenizers/smollm2/vocabulary.json"));
  const JsonValue root = document.root();
  Vocabulary vocabulary;
  vocabulary.source = "smollm2";
  vocabulary.model = root.at("model").as_string();
  vocabulary.pre = root.at("pre").as_string();
  vocabulary.pieces = read_strings(root.at("pieces"));
  vocabulary.merges = read_strings(root.at("merges"));
  vocabulary.bos_id = static_cast<TokenId>(root.at("bos_id").as_int64());
  vocabulary.eos_id = static_cast<TokenId>(root.at("eos_id").as_int64());
  vocabulary.add_bos = root.at("add_bos").as_bool();
  vocabulary.types.assign(vocabulary.pieces.size(), PieceType::normal);
  for (const auto& [key, value] : root.at("types").as_object()) {
    std::size_t id = 0;
    std::from_chars(key.data(), key.data() + key.size(), id);
    vocabulary.types.at(id) = static_cast<PieceType>(std::int64_t(value));
  }
  return vocabulary;
}

Vocabulary vocabulary_of_sentencepiece_model(const std::string& file) {
  sentencepiece::SentencePieceProcessor processor;
  REQUIRE(processor.Load(file).ok());
  Vocabulary vocabulary;
  vocabulary.source = file;
  vocabulary.model = "llama";
  vocabulary.bos_id = processor.bos_id();
  vocabulary.eos_id = processor.eos_id();
  vocabulary.unknown_id = processor.unk_id();
  for (int id = 0; id < processor.GetPieceSize(); ++id) {
    vocabulary.pieces.push_back(processor.IdToPiece(id));
    vocabulary.scores.push_back(processor.GetScore(id));
    vocabulary.types.push_back(processor.IsByte(id)      ? PieceType::byte
                               : processor.IsControl(id) ? PieceType::control
                               : processor.IsUnknown(id) ? PieceType::unknown
                                                         : PieceType::normal);
  }
  return vocabulary;
}

}  // namespace stagebench::test
