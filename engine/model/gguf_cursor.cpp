#include "gguf_cursor.h"

#include <fmt/format.h>

#include "stagebench/contracts/error.h"

namespace stagebench {

std::string quoted(std::string_view name) {
  constexpr std::size_t most_bytes = 80;
  std::string text = "'";
  for (const char character : name.substr(0, most_bytes)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte >= 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += character;
    }
  }
  return text + (name.size() > most_bytes ? "...'" : "'");
}

std::span<const std::byte> GgufCursor::read_bytes(std::uint64_t count, std::string_view what) {
  if (count > remaining()) {
    throw InputError(fmt::format("{}: truncated: expected {} bytes of {} at offset {}, found {}", source_, count, what,
                                 offset_, remaining()));
  }
  const auto found = bytes_.subspan(offset_, static_cast<std::size_t>(count));
  offset_ += static_cast<std::size_t>(count);
  return found;
}

std::string_view GgufCursor::read_string(std::string_view what) {
  const std::uint64_t at = offset();
  const auto length = read<std::uint64_t>(what);
  if (length > remaining()) {
    throw InputError(
        fmt::format("{}: {} at offset {} has a length of {} bytes, past the end of the file ({} bytes left)", source_,
                    what, at, length, remaining()));
  }
  const auto bytes = read_bytes(length, what);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t GgufCursor::read_count(std::string_view what, std::uint64_t least_bytes) {
  const auto count = read<std::uint64_t>(what);
  check_count(count, what, least_bytes);
  return count;
}

void GgufCursor::check_count(std::uint64_t count, std::string_view what, std::uint64_t least_bytes) const {
  if (count > remaining() / least_bytes) {
    throw InputError(fmt::format("{}: {} is {}, but the {} bytes left after offset {} can hold at most {}", source_,
                                 what, count, remaining(), offset_, remaining() / least_bytes));
  }
}

}  // namespace stagebench
