#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace stagebench {

struct LibraryVersion {
  std::string_view name;
  std::string_view version;
};

/// What this program was built from and how.
struct BuildInfo {
  std::string_view version;                ///< of the project
  std::optional<std::string_view> commit;  ///< 40 hexadecimal digits; absent where the sources are no checkout
  std::optional<bool> modified;            ///< files that git tracks differed from the commit
  std::string_view compiler;               ///< name and version
  std::string_view build_type;
  std::string_view flags;
  std::string_view sanitizers;  ///< empty: none
  std::span<const LibraryVersion> libraries;
};

const BuildInfo& build_info();

}  // namespace stagebench
