#pragma once

/// From a piece's bytes to its id: open addressing over views into the vocabulary's own strings.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "stagebench/contracts/token.h"

namespace stagebench::tokenization {

class PieceIndex {
 public:
  PieceIndex() : PieceIndex(0) {}
  /// Room for `count` pieces without a rehash.
  explicit PieceIndex(std::size_t count);

  /// `piece` must outlive the index. False where it is there already, under whatever id.
  bool insert(std::string_view piece, TokenId id);

  std::optional<TokenId> find(std::string_view piece) const noexcept {
    const std::uint64_t hash = hash_bytes(piece);
    for (std::size_t i = hash & mask_; slots_[i].id >= 0; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.hash == static_cast<std::uint32_t>(hash >> 32) && slot.size == piece.size() &&
          std::memcmp(slot.data, piece.data(), piece.size()) == 0) {
        return slot.id;
      }
    }
    return std::nullopt;
  }

 private:
  struct Slot {
    const char* data = nullptr;
    std::size_t size = 0;
    std::uint32_t hash = 0;
    TokenId id = -1;
  };

  /// Eight bytes a multiplication; keys are words and pieces, nobody gains from collisions but a crafted file, which
  /// then only loads slowly.
  static std::uint64_t hash_bytes(std::string_view bytes) noexcept {
    constexpr std::uint64_t factor = 0x9E3779B97F4A7C15U;
    std::uint64_t hash = bytes.size() * factor;
    const char* data = bytes.data();
    std::size_t left = bytes.size();
    const auto mix = [&](std::uint64_t word) {
      hash = (hash ^ word) * factor;
      hash ^= hash >> 29;
    };
    for (; left >= 8; left -= 8, data += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, data, 8);
      mix(word);
    }
    std::uint64_t tail = 0;
    if (left > 0) std::memcpy(&tail, data, left);
    mix(tail);
    return hash * factor;
  }

  void grow();

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::size_t count_ = 0;
};

}  // namespace stagebench::tokenization
