#pragma once

/// Reads little-endian values from bytes that nobody has checked: every read knows how much is left.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace stagebench {

/// A name out of the file, fit for a message: in quotes, unprintable bytes as \xNN, cut after 80 bytes.
std::string quoted(std::string_view name);

class GgufCursor {
 public:
  /// `source` stands at the front of messages and, like `bytes`, outlives the cursor.
  GgufCursor(std::span<const std::byte> bytes, std::string_view source) : bytes_(bytes), source_(source) {}

  std::uint64_t offset() const noexcept { return offset_; }
  std::uint64_t remaining() const noexcept { return bytes_.size() - offset_; }

  /// `what` names the value in the InputError for a file that ends before it.
  template <typename T>
  T read(std::string_view what) {
    static_assert(std::endian::native == std::endian::little, "GGUF is little-endian, and so are its readers here");
    T value;
    std::memcpy(&value, read_bytes(sizeof(T), what).data(), sizeof(T));
    return value;
  }

  std::span<const std::byte> read_bytes(std::uint64_t count, std::string_view what);

  /// A 64-bit length and that many bytes. Throws InputError where the length goes past the end.
  std::string_view read_string(std::string_view what);

  /// A 64-bit count of things that take at least `least_bytes` each. Throws InputError where the rest of the file
  /// could not hold that many, so that callers may allocate by it.
  std::uint64_t read_count(std::string_view what, std::uint64_t least_bytes);
  void check_count(std::uint64_t count, std::string_view what, std::uint64_t least_bytes) const;

 private:
  std::span<const std::byte> bytes_;
  std::string_view source_;
  std::size_t offset_ = 0;
};

}  // namespace stagebench
