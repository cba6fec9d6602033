#include "utf8.h"

#include <utf8proc.h>

namespace stagebench {

std::string valid_utf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    utf8proc_int32_t code_point = 0;
    const auto read = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &code_point);
    if (read <= 0 || code_point == 0) {
      clean += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    clean += text.substr(0, static_cast<std::size_t>(read));
    text.remove_prefix(static_cast<std::size_t>(read));
  }
  return clean;
}

}  // namespace stagebench
