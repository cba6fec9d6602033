#include "tokenizer_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "stagebench/contracts/error.h"

namespace stagebench::tokenization {
namespace {

std::optional<bool> find_bool(const JsonValue& object, std::string_view key) {
  const auto value = object.find(key);
  if (!value) return std::nullopt;
  return value->as_bool();
}

// A special token is a string or an added token's object.
std::optional<std::string> find_token(const JsonValue& object, std::string_view key) {
  const auto value = object.find(key);
  if (!value) return std::nullopt;
  return std::string(value->is_object() ? value->at("content").as_string() : value->as_string());
}

TokenId id_from_key(std::string_view key, const JsonValue& decoder) {
  TokenId id = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
  if (error != std::errc() || end != key.data() + key.size() || id < 0) {
    decoder.fail(fmt::format("expected ids as keys, found \"{}\"", key));
  }
  return id;
}

void settle(std::optional<bool> add, std::optional<TokenId> id, std::string_view token, std::string_view flag,
            const TokenizerConfig& config, std::vector<TokenId>& ids) {
  if (!add) return;
  if (*add && !id) {
    throw InputError(fmt::format("{}: {}: expected a {} to add, found none", config.source, flag, token));
  }
  if (!*add && id) ids.erase(std::remove(ids.begin(), ids.end(), *id), ids.end());
  if (*add && std::find(ids.begin(), ids.end(), *id) == ids.end()) ids.push_back(*id);
}

}  // namespace

AddedToken parse_added_token(const JsonValue& entry, TokenId id) {
  AddedToken token;
  token.content = entry.at("content").as_string();
  if (token.content.empty()) entry.fail("expected an added token with content, found an empty one");
  token.id = id;
  token.special = find_bool(entry, "special").value_or(false);
  token.normalized = find_bool(entry, "normalized").value_or(!token.special);
  token.single_word = find_bool(entry, "single_word").value_or(false);
  token.lstrip = find_bool(entry, "lstrip").value_or(false);
  token.rstrip = find_bool(entry, "rstrip").value_or(false);
  return token;
}

TokenizerConfig read_tokenizer_config(const std::filesystem::path& folder) {
  const auto path = folder / "tokenizer_config.json";
  TokenizerConfig config;
  config.source = path.string();
  if (!std::filesystem::exists(path)) return config;
  const JsonDocument document = JsonDocument::from_file(path);
  const JsonValue root = document.root();
  if (const auto name = root.find("tokenizer_class")) {
    std::string_view text = name->as_string();
    if (text.ends_with("Fast")) text.remove_suffix(4);
    config.tokenizer_class = text;
  }
  config.add_bos = find_bool(root, "add_bos_token");
  config.add_eos = find_bool(root, "add_eos_token");
  config.add_prefix_space = find_bool(root, "add_prefix_space");
  config.bos_token = find_token(root, "bos_token");
  config.eos_token = find_token(root, "eos_token");
  config.unk_token = find_token(root, "unk_token");
  if (const auto decoder = root.find("added_tokens_decoder")) {
    for (const auto& [key, value] : decoder->as_object()) {
      const JsonValue entry(value, fmt::format("{}.{}", decoder->where(), key));
      config.added.push_back(parse_added_token(entry, id_from_key(key, *decoder)));
    }
  }
  return config;
}

void apply_config(const TokenizerConfig& config, const std::function<std::optional<TokenId>(std::string_view)>& id_of,
                  SpecialIds& special) {
  const auto look_up = [&](const std::optional<std::string>& token, std::string_view key) -> std::optional<TokenId> {
    if (!token) return std::nullopt;
    const auto id = id_of(*token);
    if (!id) {
      throw InputError(
          fmt::format("{}: {}: expected a token of the vocabulary, found \"{}\"", config.source, key, *token));
    }
    return id;
  };
  if (const auto id = look_up(config.bos_token, "bos_token")) special.bos_id = id;
  if (const auto id = look_up(config.eos_token, "eos_token")) special.eos_id = id;
  settle(config.add_bos, special.bos_id, "bos_token", "add_bos_token", config, special.prefix);
  settle(config.add_eos, special.eos_id, "eos_token", "add_eos_token", config, special.suffix);
}

}  // namespace stagebench::tokenization
