#include "sentencepiece_settings.h"

#include <fmt/format.h>

#include <cstdint>

#include "stagebench/contracts/error.h"

namespace stagebench::tokenization {
namespace {

struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;  // of a varint
  std::string_view bytes;   // of a string or a message
};

/// The fields of one message, in order (protobuf.dev, "Encoding").
class FieldReader {
 public:
  FieldReader(std::string_view message, const std::string& source) : rest_(message), source_(source) {}

  bool next(Field& field) {
    if (rest_.empty()) return false;
    const std::uint64_t tag = varint();
    field = {tag >> 3U, 0, {}};
    switch (tag & 7U) {
      case 0: field.value = varint(); break;
      case 1: take(8); break;
      case 2: field.bytes = take(varint()); break;
      case 5: take(4); break;
      default: fail("a known wire type");
    }
    return true;
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
    fail("a number of ten bytes at most");
  }

  std::string_view take(std::uint64_t bytes) {
    if (bytes > rest_.size()) fail(fmt::format("{} more bytes", bytes));
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  [[noreturn]] void fail(std::string_view expected) const {
    throw InputError(fmt::format("{}: not a sentencepiece model: expected {}, {} bytes before the end of a message",
                                 source_, expected, rest_.size()));
  }

  std::string_view rest_;
  const std::string& source_;
};

}  // namespace

SentencepieceSettings read_sentencepiece_settings(std::string_view model_proto, const std::string& source) {
  SentencepieceSettings settings;
  FieldReader model(model_proto, source);
  for (Field part; model.next(part);) {
    FieldReader fields(part.bytes, source);
    if (part.number == 2) {  // trainer_spec
      for (Field field; fields.next(field);) {
        if (field.number == 44) settings.unknown_surface = field.bytes;
      }
    } else if (part.number == 3) {  // normalizer_spec
      for (Field field; fields.next(field);) {
        if (field.number == 3) settings.add_dummy_prefix = field.value != 0;
        if (field.number == 4) settings.remove_extra_whitespaces = field.value != 0;
      }
    } else if (part.number == 5) {  // denormalizer_spec
      for (Field field; fields.next(field);) {
        if (field.number == 2 && !field.bytes.empty()) settings.has_denormalizer = true;
      }
    }
  }
  return settings;
}

}  // namespace stagebench::tokenization
