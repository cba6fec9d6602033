#include "sentencepiece_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "stagebench/contracts/error.h"

namespace stagebench::tokenization {
namespace {

struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;  // of a varint or of four bytes
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
      case 5: field.value = little_endian(take(4)); break;
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

  static std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
    return value;
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

// Field numbers are those of sentencepiece_model.proto.

void read_piece(FieldReader fields, Vocabulary& vocabulary) {
  std::string_view piece;
  std::uint64_t type = static_cast<std::uint64_t>(PieceType::normal);
  float score = 0;
  for (Field field; fields.next(field);) {
    if (field.number == 1) piece = field.bytes;
    if (field.number == 2) score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    if (field.number == 3) type = field.value;
  }
  vocabulary.pieces.emplace_back(piece);
  vocabulary.scores.push_back(score);
  // GGUF took its numbers from these. Others are refused with the rest of the vocabulary's checks.
  vocabulary.types.push_back(static_cast<PieceType>(std::min<std::uint64_t>(type, 255)));
}

struct SpecialNames {
  std::string bos = "<s>";
  std::string eos = "</s>";
};

void read_trainer(FieldReader fields, SentencepieceModel& model, SpecialNames& names) {
  constexpr std::uint64_t bpe = 2;
  for (Field field; fields.next(field);) {
    if (field.number == 3) model.is_bpe = field.value == bpe;
    if (field.number == 24) model.whitespace_as_suffix = field.value != 0;
    if (field.number == 35) model.byte_fallback = field.value != 0;
    if (field.number == 44) model.unknown_surface = field.bytes;
    if (field.number == 46) names.bos = field.bytes;
    if (field.number == 47) names.eos = field.bytes;
  }
}

void read_normalizer(FieldReader fields, SentencepieceModel& model) {
  for (Field field; fields.next(field);) {
    if (field.number == 2) model.has_normalizer = !field.bytes.empty();
    if (field.number == 3) model.add_dummy_prefix = field.value != 0;
    if (field.number == 4) model.remove_extra_whitespaces = field.value != 0;
    if (field.number == 5) model.escape_whitespaces = field.value != 0;
  }
}

void read_denormalizer(FieldReader fields, SentencepieceModel& model) {
  for (Field field; fields.next(field);) {
    if (field.number == 2) model.has_denormalizer = !field.bytes.empty();
  }
}

std::optional<TokenId> control_piece(const Vocabulary& vocabulary, std::string_view name) {
  for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id) {
    if (vocabulary.pieces[id] == name && vocabulary.types[id] == PieceType::control) return static_cast<TokenId>(id);
  }
  return std::nullopt;
}

}  // namespace

SentencepieceModel read_sentencepiece_model(std::string_view model_proto, const std::string& source) {
  SentencepieceModel model;
  model.unknown_surface = default_unknown_surface;
  SpecialNames names;
  FieldReader fields(model_proto, source);
  for (Field part; fields.next(part);) {
    const FieldReader inner(part.bytes, source);
    if (part.number == 1) read_piece(inner, model.vocabulary);
    if (part.number == 2) read_trainer(inner, model, names);
    if (part.number == 3) read_normalizer(inner, model);
    if (part.number == 5) read_denormalizer(inner, model);
  }
  model.vocabulary.source = source;
  model.vocabulary.model = "llama";
  model.vocabulary.bos_id = control_piece(model.vocabulary, names.bos);
  model.vocabulary.eos_id = control_piece(model.vocabulary, names.eos);
  model.vocabulary.add_space_prefix = model.add_dummy_prefix;
  return model;
}

}  // namespace stagebench::tokenization
