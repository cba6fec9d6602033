#include "pcre2_regex.h"

#include <fmt/format.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <utility>

#include "stagebench/contracts/error.h"

namespace stagebench::tokenization {
namespace {

// A pre-split backs off over white space at most, about a step a byte; more means catastrophic backtracking.
constexpr std::size_t min_match_limit = 1'000'000;
constexpr std::size_t steps_per_byte = 8;
constexpr std::uint32_t heap_limit_kib = 1U << 20U;

PCRE2_SPTR code_units(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

std::string message_of(int error) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(error, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

}  // namespace

void Regex::CodeDeleter::operator()(pcre2_real_code_8* code) const noexcept {
  pcre2_code_free(code);
}
void RegexMatcher::DataDeleter::operator()(pcre2_real_match_data_8* data) const noexcept {
  pcre2_match_data_free(data);
}
void RegexMatcher::ContextDeleter::operator()(pcre2_real_match_context_8* context) const noexcept {
  pcre2_match_context_free(context);
}

Regex::Regex(std::string_view pattern, std::string where, Engine engine) : where_(std::move(where)) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  code_.reset(pcre2_compile(code_units(pattern), pattern.size(), PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C,
                            &error, &offset, nullptr));
  if (!code_) {
    throw InputError(fmt::format("{}: expected a regular expression, found an error at byte {}: {}", where_, offset,
                                 message_of(error)));
  }
  // No machine code (a build of PCRE2 or a system that forbids it) is no error: pcre2_match interprets.
  jit_ = engine == Engine::fastest && pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE) == 0;
}

RegexMatcher::RegexMatcher(const Regex& regex)
    : regex_(&regex), data_(pcre2_match_data_create(1, nullptr)), context_(pcre2_match_context_create(nullptr)) {
  if (!data_ || !context_) throw std::bad_alloc();
  pcre2_set_heap_limit(context_.get(), heap_limit_kib);
}

std::optional<RegexMatch> RegexMatcher::next(std::string_view text, std::size_t from) {
  if (text.size() >= limit_for_bytes_) {
    limit_for_bytes_ = std::max(text.size() + 1, min_match_limit / steps_per_byte);
    const std::size_t limit = std::min<std::size_t>(limit_for_bytes_ * steps_per_byte, UINT32_MAX);
    pcre2_set_match_limit(context_.get(), static_cast<std::uint32_t>(limit));
  }
  int result = PCRE2_ERROR_JIT_STACKLIMIT;
  if (regex_->jit_) {
    result = pcre2_jit_match(regex_->code_.get(), code_units(text), text.size(), from, PCRE2_NO_UTF_CHECK, data_.get(),
                             context_.get());
  }
  // Machine code runs on 32 KiB of stack; the interpreter takes the heap for the rare text that needs more.
  if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
    result = pcre2_match(regex_->code_.get(), code_units(text), text.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                         data_.get(), context_.get());
  }
  if (result == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (result < 0) {
    throw InputError(fmt::format("{}: the regular expression fails on the text at byte {}: {}", regex_->where_, from,
                                 message_of(result)));
  }
  const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(data_.get());
  // \K is refused by the translator, so that begin <= end holds.
  return RegexMatch{bounds[0], bounds[1]};
}

}  // namespace stagebench::tokenization
