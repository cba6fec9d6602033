#include "stagebench/report/model_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <system_error>

#include "sha256.h"
#include "stagebench/contracts/error.h"
#include "stagebench/support/mapped_file.h"

namespace stagebench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t block_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t blocks = 64;

std::vector<fs::path> model_files(const fs::path& source) {
  std::error_code error;
  if (fs::is_regular_file(source, error)) return {source};
  if (!fs::is_directory(source, error)) return {};
  std::vector<fs::path> files;
  try {
    for (const auto& entry : fs::directory_iterator(source)) {
      const auto& path = entry.path();
      if (path.extension() == ".safetensors" || path.filename() == "config.json") files.push_back(path);
    }
  } catch (const fs::filesystem_error& failure) {
    throw InputError(failure.what());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string whole_digest(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

std::string sampled_digest(std::span<const std::byte> bytes) {
  Sha256 hash;
  std::array<std::byte, 8> size{};
  for (std::size_t i = 0; i < size.size(); ++i) size[i] = static_cast<std::byte>(bytes.size() >> (8 * i));
  hash.add(size);
  if (bytes.size() <= blocks * block_bytes) {
    hash.add(bytes);
    return hash.finish();
  }
  const std::uint64_t last = bytes.size() - block_bytes;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    // Quotient and remainder apart, so that the product cannot overflow.
    const std::uint64_t offset = last / (blocks - 1) * i + last % (blocks - 1) * i / (blocks - 1);
    hash.add(bytes.subspan(offset, block_bytes));
  }
  return hash.finish();
}

std::string combined_digest(const std::vector<ModelFile>& files) {
  if (files.size() == 1) return files.front().digest;
  std::string lines;
  for (const auto& file : files) lines += fmt::format("{}  {}\n", file.digest, file.name);
  return whole_digest(std::as_bytes(std::span(lines)));
}

}  // namespace

ModelIdentity identify_model(std::string_view source, std::uint64_t whole_limit_bytes) {
  ModelIdentity identity{.source = std::string(source), .files = {}, .scheme = {}, .digest = {}};
  std::vector<MappedFile> files;
  std::uint64_t total_bytes = 0;
  for (const auto& path : model_files(source)) {
    total_bytes += files.emplace_back(path).bytes().size();
  }
  if (files.empty()) return identity;
  const bool whole = total_bytes <= whole_limit_bytes;
  for (const auto& file : files) {
    const auto bytes = file.bytes();
    identity.files.push_back(
        {file.path().filename().string(), bytes.size(), whole ? whole_digest(bytes) : sampled_digest(bytes)});
  }
  identity.scheme = whole ? "sha256" : "sha256-sampled";
  identity.digest = combined_digest(identity.files);
  return identity;
}

}  // namespace stagebench
