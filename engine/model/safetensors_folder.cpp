#include "safetensors_folder.h"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "stagebench/contracts/error.h"
#include "stagebench/support/json.h"

namespace stagebench {
namespace {

/// A shard lies beside its index: a plain file name, so that an index cannot reach other files.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

using WeightMap = std::map<std::string, std::string, std::less<>>;  // tensor -> shard

WeightMap read_weight_map(const JsonValue& root) {
  const JsonValue weight_map = root.at("weight_map");
  WeightMap shards;
  for (const auto field : weight_map.as_object()) {
    const JsonValue value(field.value, fmt::format("{}.{}", weight_map.where(), field.key));
    const std::string_view shard = value.as_string();
    if (!is_plain_name(shard)) {
      value.fail(fmt::format("expected the name of a file in the same folder, found \"{}\"", shard));
    }
    if (!shards.emplace(field.key, shard).second) value.fail("expected each tensor once, found it twice");
  }
  return shards;
}

}  // namespace

SafetensorsFolder::SafetensorsFolder(const std::filesystem::path& folder) {
  const auto single = folder / "model.safetensors";
  const auto index = folder / "model.safetensors.index.json";
  if (std::filesystem::exists(single)) {
    listing_ = single.string();
    add_file(single);
  } else if (std::filesystem::exists(index)) {
    listing_ = index.string();
    add_shards(folder, index);
  } else {
    throw InputError(
        fmt::format("{}: expected model.safetensors or model.safetensors.index.json, found neither", folder.string()));
  }
}

void SafetensorsFolder::add_file(const std::filesystem::path& path) {
  files_.emplace_back(path);
  const auto bytes = files_.back().bytes();
  for (SafetensorsEntry& entry : parse_safetensors(bytes, path.string())) {
    const auto data = bytes.subspan(static_cast<std::size_t>(entry.offset), static_cast<std::size_t>(entry.bytes));
    std::string name = entry.name;
    const auto [place, inserted] = tensors_.emplace(std::move(name), Tensor{std::move(entry), path.string(), data});
    if (!inserted) {
      throw InputError(fmt::format("{}: {}: expected each tensor once, found it in {} too", path.string(), place->first,
                                   place->second.file));
    }
  }
}

void SafetensorsFolder::add_shards(const std::filesystem::path& folder, const std::filesystem::path& index) {
  const WeightMap shards = read_weight_map(JsonDocument::from_file(index).root());
  std::set<std::string> names;
  for (const auto& [tensor, shard] : shards) names.insert(shard);
  for (const std::string& name : names) {
    if (!std::filesystem::exists(folder / name)) {
      throw InputError(fmt::format("{}: expected the file {} beside it, found none", index.string(), name));
    }
    add_file(folder / name);
  }
  for (const auto& [tensor, shard] : shards) {
    const auto found = tensors_.find(tensor);
    const std::string expected = (folder / shard).string();
    if (found == tensors_.end() || found->second.file != expected) {
      throw InputError(fmt::format("{}: {}: expected it in {}, found it {}", index.string(), tensor, expected,
                                   found == tensors_.end() ? "nowhere" : "in " + found->second.file));
    }
  }
  for (const auto& [name, tensor] : tensors_) {
    if (!shards.contains(name)) {
      throw InputError(fmt::format("{}: {}: expected every tensor in the index, found this one only in {}",
                                   index.string(), name, tensor.file));
    }
  }
}

}  // namespace stagebench
