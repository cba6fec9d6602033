#include "added_tokens.h"

#include <utf8proc.h>

#include <algorithm>

#include "utf8.h"

namespace stagebench::tokenization {
namespace {

bool is_white_space(char32_t c) noexcept {
  return (c >= 0x9 && c <= 0xD) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_word_character(char32_t c) noexcept {
  if (c == 0x200C || c == 0x200D) return true;  // the join controls
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC: return true;
    default: return false;
  }
}

// The start of the character that ends at `end`; end itself where the bytes are no character.
std::size_t character_before(std::string_view text, std::size_t end) noexcept {
  for (std::size_t length = 1; length <= std::min<std::size_t>(4, end); ++length) {
    const Utf8Sequence sequence = first_utf8_sequence(text.substr(end - length, length));
    if (sequence.form == Utf8Form::valid && sequence.bytes == length) return end - length;
  }
  return end;
}

template <class Is>
bool starts_with(std::string_view text, const Is& is) noexcept {
  return !text.empty() && first_utf8_sequence(text).form == Utf8Form::valid && is(first_code_point(text));
}

bool is_alone(std::string_view text, std::size_t begin, std::size_t end) noexcept {
  const std::size_t before = character_before(text, begin);
  const bool word_before = before < begin && starts_with(text.substr(before), is_word_character);
  return !word_before && !starts_with(text.substr(end), is_word_character);
}

}  // namespace

AddedTokenMatcher::AddedTokenMatcher() : nodes_(1) {}

bool AddedTokenMatcher::insert(const AddedToken& token) {
  std::uint32_t node = 0;
  for (const char byte : token.content) {
    const auto& children = nodes_[node].children;
    const auto child = std::find_if(children.begin(), children.end(), [&](auto& entry) { return entry.first == byte; });
    if (child != children.end()) {
      node = child->second;
      continue;
    }
    const auto added = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    nodes_[node].children.emplace_back(byte, added);
    node = added;
  }
  if (nodes_[node].token >= 0) return false;
  nodes_[node].token = static_cast<std::int32_t>(tokens_.size());
  tokens_.push_back(token);
  starts_[static_cast<unsigned char>(token.content.front())] = true;
  return true;
}

std::pair<std::size_t, std::int32_t> AddedTokenMatcher::longest_at(std::string_view text,
                                                                   std::size_t position) const noexcept {
  std::pair<std::size_t, std::int32_t> longest{position, -1};
  std::uint32_t node = 0;
  for (std::size_t i = position; i < text.size(); ++i) {
    const auto& children = nodes_[node].children;
    const auto child =
        std::find_if(children.begin(), children.end(), [&](auto& entry) { return entry.first == text[i]; });
    if (child == children.end()) break;
    node = child->second;
    if (nodes_[node].token >= 0) longest = {i + 1, nodes_[node].token};
  }
  return longest;
}

AddedTokenMatcher::Match AddedTokenMatcher::next(std::string_view text, std::size_t from, std::size_t done) const {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (!starts_[static_cast<unsigned char>(text[i])]) continue;
    const auto [end, index] = longest_at(text, i);
    if (index < 0) continue;
    const AddedToken& token = tokens_[static_cast<std::size_t>(index)];
    if (token.single_word && !is_alone(text, i, end)) {
      i = end - 1;
      continue;
    }
    Match match{i, end, &token};
    while (token.lstrip && match.begin > done) {
      const std::size_t before = character_before(text, match.begin);
      if (before == match.begin || before < done || !starts_with(text.substr(before), is_white_space)) break;
      match.begin = before;
    }
    while (token.rstrip && starts_with(text.substr(match.end), is_white_space)) {
      match.end += first_utf8_sequence(text.substr(match.end)).bytes;
    }
    return match;
  }
  return {};
}

}  // namespace stagebench::tokenization
