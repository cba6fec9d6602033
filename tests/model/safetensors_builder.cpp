#include "safetensors_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "safetensors.h"
#include "stagebench/support/text_file.h"

namespace stagebench::test {

std::string safetensors_bytes(const std::string& header, const std::string& data) {
  std::string bytes;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    bytes.push_back(static_cast<char>(static_cast<std::uint64_t>(header.size()) >> shift & 0xffU));
  }
  return bytes + header + data;
}

std::string safetensors_bytes(const std::vector<StoredTensor>& tensors) {
  std::string header = R"({"__metadata__":{"format":"pt"})";
  std::string data;
  for (const StoredTensor& tensor : tensors) {
    header += fmt::format(R"(,"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", tensor.name, tensor.type,
                          fmt::join(tensor.shape, ","), data.size(), data.size() + tensor.data.size());
    data += tensor.data;
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');  // as the reference implementation aligns the data
  return safetensors_bytes(header, data);
}

std::vector<StoredTensor> load_safetensors(const std::filesystem::path& file) {
  const std::string bytes = read_text_file(file);
  std::vector<StoredTensor> tensors;
  for (const SafetensorsEntry& entry : parse_safetensors(std::as_bytes(std::span(bytes)), file.string())) {
    tensors.push_back({entry.name, entry.stored_type, entry.shape, bytes.substr(entry.offset, entry.bytes)});
  }
  return tensors;
}

}  // namespace stagebench::test
