#include "stagebench/model/open_model.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "gguf_model.h"
#include "hugging_face_model.h"
#include "stagebench/contracts/error.h"
#include "stagebench/support/mapped_file.h"

namespace stagebench {
namespace {

std::shared_ptr<const Model> open_folder(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "config.json")) {
    throw InputError(
        fmt::format("{}: expected a Hugging Face model, that is a folder with config.json and safetensors "
                    "files, found no config.json",
                    folder.string()));
  }
  return open_hugging_face(folder);
}

std::shared_ptr<const Model> open_file(const std::filesystem::path& file) {
  constexpr std::string_view magic = "GGUF";
  const MappedFile mapped(file);
  const auto bytes = mapped.bytes();
  if (bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0) {
    return open_gguf(file);
  }
  const bool is_part_of_folder = file.extension() == ".safetensors" || file.extension() == ".json";
  throw InputError(fmt::format("{}: expected a GGUF file, which begins with \"GGUF\", found something else{}",
                               file.string(), is_part_of_folder ? ": of a Hugging Face model, give the folder" : ""));
}

}  // namespace

std::shared_ptr<const Model> open_model(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return open_folder(path);
  if (!std::filesystem::exists(path, ignored)) {
    throw InputError(
        fmt::format("{}: expected a Hugging Face folder or a GGUF file, found nothing of that name", path.string()));
  }
  return open_file(path);
}

}  // namespace stagebench
