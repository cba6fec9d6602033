#pragma once

/// Tokens that are recognised in the text as such, before anything else cuts it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stagebench/contracts/token.h"

namespace stagebench::tokenization {

/// An entry of tokenizer.json's added_tokens.
struct AddedToken {
  std::string content;  ///< not empty
  TokenId id = 0;
  bool special = false;      ///< left out by SpecialTokens::skip
  bool normalized = false;   ///< looked for in the normalised text, else in the original one
  bool single_word = false;  ///< only where no letter, digit, mark or underscore is next to it
  bool lstrip = false;       ///< takes the white space before it along
  bool rstrip = false;       ///< takes the white space behind it along
};

/// Finds the leftmost, then longest token: a trie over bytes.
class AddedTokenMatcher {
 public:
  AddedTokenMatcher();

  bool empty() const noexcept { return tokens_.empty(); }
  /// False where a token of this content is there already.
  bool insert(const AddedToken& token);

  /// Calls take_text(part) and take_token(id) in the order of the text; parts may be empty.
  template <class TakeText, class TakeToken>
  void split(std::string_view text, const TakeText& take_text, const TakeToken& take_token) const {
    std::size_t done = 0;
    std::size_t from = 0;
    while (!tokens_.empty()) {
      const Match match = next(text, from, done);
      if (match.token == nullptr) break;
      take_text(text.substr(done, match.begin - done));
      take_token(match.token->id);
      done = match.end;
      from = std::max(match.end, from);
    }
    take_text(text.substr(done));
  }

 private:
  struct Node {
    std::vector<std::pair<char, std::uint32_t>> children;  // few but at the root
    std::int32_t token = -1;
  };
  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
    const AddedToken* token = nullptr;
  };

  /// The first match at or after `from`; white space that it strips does not reach back past `done`.
  Match next(std::string_view text, std::size_t from, std::size_t done) const;
  std::pair<std::size_t, std::int32_t> longest_at(std::string_view text, std::size_t position) const noexcept;

  std::vector<Node> nodes_;
  std::vector<AddedToken> tokens_;
  std::array<bool, 256> starts_{};
};

}  // namespace stagebench::tokenization
