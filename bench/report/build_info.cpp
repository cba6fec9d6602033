#include "stagebench/report/build_info.h"

#include <array>

#include "build_configuration.h"
#include "commit.h"

namespace stagebench {
namespace {

constexpr std::array<LibraryVersion, 6> libraries{{
    {"onednn", STAGEBENCH_ONEDNN_VERSION},
    {"highway", STAGEBENCH_HIGHWAY_VERSION},
    {"sentencepiece", STAGEBENCH_SENTENCEPIECE_VERSION},
    {"pcre2", STAGEBENCH_PCRE2_VERSION},
    {"simdjson", STAGEBENCH_SIMDJSON_VERSION},
    {"fmt", STAGEBENCH_FMT_VERSION},
}};

constexpr std::string_view commit = STAGEBENCH_COMMIT;

}  // namespace

const BuildInfo& build_info() {
  static const BuildInfo info{
      .version = STAGEBENCH_BUILD_VERSION,
      .commit = commit.empty() ? std::nullopt : std::optional(commit),
      .modified = commit.empty() ? std::nullopt : std::optional(STAGEBENCH_COMMIT_MODIFIED),
      .compiler = STAGEBENCH_BUILD_COMPILER,
      .build_type = STAGEBENCH_BUILD_TYPE,
      .flags = STAGEBENCH_BUILD_FLAGS,
      .sanitizers = STAGEBENCH_BUILD_SANITIZERS,
      .libraries = libraries,
  };
  return info;
}

}  // namespace stagebench
