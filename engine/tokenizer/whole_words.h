#pragma once

/// Which pieces come out whole when their own text is encoded as a word. Most words of a text are pieces, but a piece
/// may be out of reach of the merges, so that each is tried once, when it first occurs, and remembered. Not known in
/// advance: trying all pieces would cost more than loading the rest.

#include <atomic>
#include <cstddef>
#include <memory>

#include "stagebench/contracts/token.h"

namespace stagebench::tokenization {

/// Threads share it: a mark is only ever set, and always for the same pieces.
class WholeWords {
 public:
  explicit WholeWords(std::size_t pieces) : whole_(std::make_unique<std::atomic<bool>[]>(pieces)) {}

  bool is_whole(TokenId id) const noexcept { return at(id).load(std::memory_order_relaxed); }
  void set_whole(TokenId id) const noexcept { at(id).store(true, std::memory_order_relaxed); }

 private:
  std::atomic<bool>& at(TokenId id) const noexcept { return whole_[static_cast<std::size_t>(id)]; }

  std::unique_ptr<std::atomic<bool>[]> whole_;
};

}  // namespace stagebench::tokenization
