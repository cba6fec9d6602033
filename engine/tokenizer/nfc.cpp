#include "nfc.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <vector>

#include "utf8.h"

namespace stagebench::tokenization {
namespace {

int combining_class(utf8proc_int32_t code_point) noexcept {
  return utf8proc_get_property(code_point)->combining_class;
}

std::vector<utf8proc_int32_t> decompose(std::string_view text) {
  std::vector<utf8proc_int32_t> code_points;
  code_points.reserve(text.size());
  while (!text.empty()) {
    std::array<utf8proc_int32_t, 8> parts{};  // canonical decompositions have 4 at most
    int boundary_class = 0;
    const auto n =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(first_code_point(text)), parts.data(),
                                static_cast<utf8proc_ssize_t>(parts.size()),
                                static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_STABLE), &boundary_class);
    code_points.insert(code_points.end(), parts.begin(), parts.begin() + std::max<utf8proc_ssize_t>(n, 0));
    text.remove_prefix(first_utf8_sequence(text).bytes);
  }
  return code_points;
}

// utf8proc's own ordering sorts by exchanging neighbours, which takes forever on a long run of marks.
void order_marks(std::vector<utf8proc_int32_t>& code_points) {
  for (auto run = code_points.begin(); run != code_points.end();) {
    if (combining_class(*run) == 0) {
      ++run;
      continue;
    }
    const auto end = std::find_if(run, code_points.end(), [](auto c) { return combining_class(c) == 0; });
    std::stable_sort(run, end, [](auto a, auto b) { return combining_class(a) < combining_class(b); });
    run = end;
  }
}

}  // namespace

bool is_surely_nfc(std::string_view text) noexcept {
  // 0xCC leads U+0300 to U+033F.
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xCC; });
}

std::string to_nfc(std::string_view text) {
  if (is_surely_nfc(text)) return std::string(text);
  std::vector<utf8proc_int32_t> code_points = decompose(text);
  order_marks(code_points);
  const auto n = utf8proc_normalize_utf32(code_points.data(), static_cast<utf8proc_ssize_t>(code_points.size()),
                                          static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  std::string composed;
  composed.reserve(text.size());
  for (utf8proc_ssize_t i = 0; i < n; ++i) {
    append_utf8(composed, static_cast<char32_t>(code_points[static_cast<std::size_t>(i)]));
  }
  return composed;
}

}  // namespace stagebench::tokenization
