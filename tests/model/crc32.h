#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stagebench::test {

/// CRC-32 as zlib computes it (reflected, polynomial 0xedb88320).
inline std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const std::byte byte : bytes) {
    crc ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

}  // namespace stagebench::test
