#pragma once

/// PCRE2, compiled to machine code where its JIT is available and interpreted elsewhere.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct pcre2_real_code_8;
struct pcre2_real_match_data_8;
struct pcre2_real_match_context_8;

namespace stagebench::tokenization {

/// Immutable after construction: threads share it, each with a RegexMatcher of its own.
class Regex {
 public:
  enum class Engine { fastest, interpreter };

  /// `pattern` in PCRE2's syntax, matched against UTF-8 with Unicode properties. Throws InputError with `where` and
  /// PCRE2's message.
  Regex(std::string_view pattern, std::string where, Engine engine = Engine::fastest);

  bool is_compiled_to_machine_code() const noexcept { return jit_; }

 private:
  friend class RegexMatcher;
  struct CodeDeleter {
    void operator()(pcre2_real_code_8* code) const noexcept;
  };
  std::unique_ptr<pcre2_real_code_8, CodeDeleter> code_;
  std::string where_;
  bool jit_ = false;
};

struct RegexMatch {
  std::size_t begin, end;  ///< bytes; begin <= end
};

/// What one thread needs to match: allocated once, not for each match.
class RegexMatcher {
 public:
  explicit RegexMatcher(const Regex& regex);

  /// The first match of well-formed UTF-8 `text` that begins at byte `from` or later. Throws InputError where the
  /// pattern needs more steps or memory than any sensible one does.
  std::optional<RegexMatch> next(std::string_view text, std::size_t from);

 private:
  struct DataDeleter {
    void operator()(pcre2_real_match_data_8* data) const noexcept;
  };
  struct ContextDeleter {
    void operator()(pcre2_real_match_context_8* context) const noexcept;
  };
  const Regex* regex_;
  std::unique_ptr<pcre2_real_match_data_8, DataDeleter> data_;
  std::unique_ptr<pcre2_real_match_context_8, ContextDeleter> context_;
  std::size_t limit_for_bytes_ = 0;
};

}  // namespace stagebench::tokenization
