#include "tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "json_vocabulary.h"
#include "stagebench/contracts/error.h"
#include "tokenizer_config.h"

namespace stagebench::tokenization {
namespace {

constexpr std::size_t max_split_steps = 16;

std::string_view type_of(const JsonValue& component) {
  return component.at("type").as_string();
}

[[noreturn]] void refuse(const JsonValue& component, std::string_view known) {
  component.fail(fmt::format("expected {}, found \"{}\", which is not supported", known, type_of(component)));
}

bool flag(const JsonValue& object, std::string_view key, bool absent) {
  const auto value = object.find(key);
  return value ? value->as_bool() : absent;
}

/// Calls visit(part) for `component`, or for each part where it is a Sequence whose parts stand under `key`.
template <class Visit>
void for_each_part(const JsonValue& component, std::string_view key, const Visit& visit) {
  if (type_of(component) != "Sequence") return visit(component);
  const JsonValue parts = component.at(key);
  std::size_t i = 0;
  for (const auto part : parts.as_array()) {
    for_each_part(JsonValue(part, fmt::format("{}[{}]", parts.where(), i++)), key, visit);
  }
}

bool has_nfc(const JsonValue& root) {
  bool nfc = false;
  if (const auto normalizer = root.find("normalizer")) {
    for_each_part(*normalizer, "normalizers", [&](const JsonValue& part) {
      if (type_of(part) != "NFC") refuse(part, "no normalizer or NFC");
      nfc = true;
    });
  }
  return nfc;
}

SplitStep parse_split(const JsonValue& split) {
  const std::string_view behavior = split.at("behavior").as_string();
  if (behavior != "Isolated") {
    split.at("behavior").fail(fmt::format("expected \"Isolated\", found \"{}\", which is not supported", behavior));
  }
  if (flag(split, "invert", false)) split.at("invert").fail("expected false, found true, which is not supported");
  const auto regex = split.at("pattern").find("Regex");
  if (!regex) split.at("pattern").fail("expected a Regex, found another pattern, which is not supported");
  return regex_step(regex->as_string(), regex->where());
}

PreSplit parse_pre_split(const JsonValue& pre_tokenizer) {
  PreSplit split;
  bool byte_level = false;
  for_each_part(pre_tokenizer, "pretokenizers", [&](const JsonValue& part) {
    if (byte_level) part.fail("expected nothing behind ByteLevel, found another pre-tokenizer");
    if (split.steps.size() == max_split_steps) {
      part.fail(fmt::format("expected at most {} pre-tokenizers", max_split_steps));
    }
    const std::string_view type = type_of(part);
    if (type == "Split") {
      split.steps.push_back(parse_split(part));
    } else if (type == "Digits") {
      split.steps.push_back(
          regex_step(flag(part, "individual_digits", false) ? R"(\p{N})" : R"(\p{N}+)", part.where()));
    } else if (type == "ByteLevel") {
      byte_level = true;
      SplitStep step;
      if (flag(part, "use_regex", true)) step = regex_step(gpt2_pattern, part.where());
      step.add_prefix_space = flag(part, "add_prefix_space", true);
      split.steps.push_back(std::move(step));
    } else {
      refuse(part, "Split, Digits, ByteLevel or a Sequence of these");
    }
  });
  if (!byte_level) pre_tokenizer.fail("expected a ByteLevel at the end, found none: only byte-level BPE is supported");
  return split;
}

void parse_model_options(const JsonValue& model, ByteLevelVocabulary& vocabulary) {
  if (const auto type = model.find("type"); type && type->as_string() != "BPE") refuse(model, "BPE");
  if (const auto dropout = model.find("dropout"); dropout && dropout->as_double() != 0) {
    dropout->fail("expected none, found one, which is not supported");
  }
  for (const std::string_view key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (const auto value = model.find(key); value && !value->as_string().empty()) {
      value->fail(fmt::format("expected none, found \"{}\", which is not supported", value->as_string()));
    }
  }
  if (flag(model, "byte_fallback", false)) {
    model.at("byte_fallback").fail("expected false with a ByteLevel pre-tokenizer, found true");
  }
  vocabulary.ignore_merges = flag(model, "ignore_merges", false);
  vocabulary.fuse_unknown = flag(model, "fuse_unk", false);
}

std::optional<TokenId> id_of(const ByteLevelVocabulary& vocabulary, std::string_view piece) {
  const auto found = std::find(vocabulary.pieces.begin(), vocabulary.pieces.end(), piece);
  if (piece.empty() || found == vocabulary.pieces.end()) return std::nullopt;
  return static_cast<TokenId>(found - vocabulary.pieces.begin());
}

/// The ids that one entry of a template stands for; nothing for the sequence itself.
std::optional<std::vector<TokenId>> template_ids(const JsonValue& entry, const JsonValue& processor,
                                                 const ByteLevelVocabulary& vocabulary) {
  if (entry.find("Sequence")) return std::nullopt;
  const std::string_view name = entry.at("SpecialToken").at("id").as_string();
  const JsonValue ids = processor.at("special_tokens").at(name).at("ids");
  std::vector<TokenId> found;
  for (const auto element : ids.as_array()) {
    const std::int64_t id = JsonValue(element, ids.where()).as_int64();
    if (id < 0 || id >= static_cast<std::int64_t>(vocabulary.pieces.size())) {
      ids.fail(fmt::format("expected ids from 0 to {}, found {}", vocabulary.pieces.size() - 1, id));
    }
    found.push_back(static_cast<TokenId>(id));
  }
  return found;
}

void parse_template(const JsonValue& processor, ByteLevelVocabulary& vocabulary) {
  const JsonValue single = processor.at("single");
  bool behind = false;
  std::size_t i = 0;
  for (const auto element : single.as_array()) {
    const JsonValue entry(element, fmt::format("{}[{}]", single.where(), i++));
    const auto ids = template_ids(entry, processor, vocabulary);
    if (!ids) {
      if (behind) entry.fail("expected one Sequence, found two");
      behind = true;
      continue;
    }
    auto& side = behind ? vocabulary.special.suffix : vocabulary.special.prefix;
    side.insert(side.end(), ids->begin(), ids->end());
  }
  if (!behind) single.fail("expected a Sequence among the template's parts, found none");
}

void parse_post_processor(const JsonValue& root, ByteLevelVocabulary& vocabulary) {
  const auto processor = root.find("post_processor");
  if (!processor) return;
  bool has_template = false;
  for_each_part(*processor, "processors", [&](const JsonValue& part) {
    const std::string_view type = type_of(part);
    if (type == "ByteLevel") return;  // moves offsets only
    if (type != "TemplateProcessing") refuse(part, "ByteLevel, TemplateProcessing or a Sequence of these");
    if (has_template) part.fail("expected one TemplateProcessing, found two");
    has_template = true;
    parse_template(part, vocabulary);
  });
  if (vocabulary.special.prefix.size() == 1) vocabulary.special.bos_id = vocabulary.special.prefix.front();
}

void check_decoder(const JsonValue& root) {
  for_each_part(root.at("decoder"), "decoders", [](const JsonValue& part) {
    if (type_of(part) != "ByteLevel") refuse(part, "ByteLevel");
  });
}

}  // namespace

bool is_byte_level(const JsonDocument& document) {
  const auto pre_tokenizer = document.root().find("pre_tokenizer");
  bool byte_level = false;
  if (pre_tokenizer) {
    for_each_part(*pre_tokenizer, "pretokenizers",
                  [&](const JsonValue& part) { byte_level = byte_level || type_of(part) == "ByteLevel"; });
  }
  return byte_level;
}

ByteLevelVocabulary parse_tokenizer_json(const JsonDocument& document) {
  const JsonValue root = document.root();
  const JsonValue model = root.at("model");
  ByteLevelVocabulary vocabulary;
  vocabulary.source = root.where();
  parse_model_options(model, vocabulary);
  vocabulary.split = parse_pre_split(root.at("pre_tokenizer"));
  vocabulary.nfc = has_nfc(root);
  check_decoder(root);
  if (const auto added = root.find("added_tokens")) {
    std::size_t i = 0;
    for (const auto element : added->as_array()) {
      const JsonValue entry(element, fmt::format("{}[{}]", added->where(), i++));
      const std::int64_t id = entry.at("id").as_int64();
      if (id < 0 || id > std::numeric_limits<TokenId>::max()) entry.fail(fmt::format("expected an id, found {}", id));
      vocabulary.added.push_back(parse_added_token(entry, static_cast<TokenId>(id)));
    }
  }
  vocabulary.pieces = parse_pieces(model.at("vocab"), vocabulary.added);
  vocabulary.merges = parse_merges(model.at("merges"));
  if (const auto unknown = model.find("unk_token")) {
    vocabulary.unknown_id = id_of(vocabulary, unknown->as_string());
    if (!vocabulary.unknown_id) {
      unknown->fail(fmt::format("expected a piece of the vocabulary, found \"{}\"", unknown->as_string()));
    }
  }
  parse_post_processor(root, vocabulary);
  return vocabulary;
}

}  // namespace stagebench::tokenization
