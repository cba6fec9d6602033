#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagebench {

struct ModelFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::string digest;  ///< hexadecimal, by ModelIdentity::scheme
};

/// Which weights were run, so that two runs can be told to be of the same model.
struct ModelIdentity {
  std::string source;                 ///< as Model::source() says
  std::vector<ModelFile> files;       ///< by name; empty for synthetic weights, which `source` and the shape identify
  std::optional<std::string> scheme;  ///< see identify_model; absent without files
  /// The digest of the only file; of several the SHA-256 of lines "digest  name\n" as sha256sum prints them.
  std::optional<std::string> digest;
};

/// `source` is a GGUF file, or a folder whose config.json and *.safetensors count; what is no path is taken to be
/// synthetic. The scheme is `sha256`, of whole files, where they have at most `whole_limit_bytes` together (a second or
/// two). Larger ones are `sha256-sampled`: SHA-256 of a file's size (8 bytes, little-endian) and of 64 blocks of 1 MiB
/// spread evenly from its start to its end, or of all of it where it has no more than that. Throws InputError for files
/// that cannot be read.
ModelIdentity identify_model(std::string_view source, std::uint64_t whole_limit_bytes = std::uint64_t{1} << 30);

}  // namespace stagebench
