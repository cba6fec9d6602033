#include "utf8.h"

#include <simdjson.h>

namespace stagebench::tokenization {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) noexcept {
  return static_cast<unsigned char>(text[i]);
}

struct LeadByte {
  std::size_t length;  // 0: no sequence starts with it
  unsigned second_min, second_max;
};

LeadByte classify(unsigned lead) noexcept {
  if (lead < 0x80) return {1, 0, 0};
  if (lead >= 0xC2 && lead <= 0xDF) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Utf8Sequence first_utf8_sequence(std::string_view text) noexcept {
  const LeadByte lead = classify(byte_at(text, 0));
  if (lead.length == 0) return {Utf8Form::invalid, 1};
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (i == text.size()) return {Utf8Form::incomplete, i};
    const unsigned byte = byte_at(text, i);
    const unsigned low = i == 1 ? lead.second_min : 0x80;
    const unsigned high = i == 1 ? lead.second_max : 0xBF;
    if (byte < low || byte > high) return {Utf8Form::invalid, i};
  }
  return {Utf8Form::valid, lead.length};
}

std::size_t valid_utf8_prefix(std::string_view text) noexcept {
  if (simdjson::validate_utf8(text.data(), text.size())) return text.size();
  std::size_t position = 0;
  while (position < text.size()) {
    const Utf8Sequence sequence = first_utf8_sequence(text.substr(position));
    if (sequence.form != Utf8Form::valid) break;
    position += sequence.bytes;
  }
  return position;
}

char32_t first_code_point(std::string_view text) noexcept {
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return lead;
  const std::size_t length = classify(lead).length;
  char32_t code_point = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) code_point = (code_point << 6) | (byte_at(text, i) & 0x3FU);
  return code_point;
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto tail = [&](unsigned shift) { text.push_back(static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU))); };
  if (code_point < 0x80) {
    text.push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    text.push_back(static_cast<char>(0xC0U | (code_point >> 6)));
    tail(0);
  } else if (code_point < 0x10000) {
    text.push_back(static_cast<char>(0xE0U | (code_point >> 12)));
    tail(6);
    tail(0);
  } else {
    text.push_back(static_cast<char>(0xF0U | (code_point >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
}

void append_repaired_utf8(std::string& text, std::string_view bytes, Utf8Repair repair) {
  std::string pending(bytes);
  append_complete_utf8(text, pending, repair);
  const std::size_t replacements = pending.empty() ? 0 : repair == Utf8Repair::each_byte ? pending.size() : 1;
  for (std::size_t i = 0; i < replacements; ++i) text += replacement_character;
}

void append_complete_utf8(std::string& text, std::string& pending, Utf8Repair repair) {
  const std::size_t valid = valid_utf8_prefix(pending);
  text += std::string_view(pending).substr(0, valid);
  std::string_view rest = std::string_view(pending).substr(valid);
  while (!rest.empty()) {
    const Utf8Sequence sequence = first_utf8_sequence(rest);
    if (sequence.form == Utf8Form::incomplete) {
      pending = std::string(rest);
      return;
    }
    if (sequence.form == Utf8Form::valid) {
      text += rest.substr(0, sequence.bytes);
      rest.remove_prefix(sequence.bytes);
    } else {
      text += replacement_character;
      rest.remove_prefix(repair == Utf8Repair::each_byte ? 1 : sequence.bytes);
    }
  }
  pending.clear();
}

}  // namespace stagebench::tokenization
