// Any bytes as tokenizer.json: either an Error, or a tokenizer that encodes and decodes.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "byte_level_bpe.h"
#include "stagebench/contracts/error.h"
#include "tokenizer_json.h"

namespace {

constexpr std::string_view text =
    "It's 12345 o'clock, na\xC3\xAFve cafe\xCC\x81 \xE6\x97\xA5\xF0\x9F\x99\x82 <s><|im_end|>\r\n\n  \t\xFF\xC3 x  ";

void encode_and_decode(const stagebench::Tokenizer& tokenizer) {
  const auto ids = tokenizer.encode(text, true);
  for (const auto special : {stagebench::SpecialTokens::keep, stagebench::SpecialTokens::skip}) {
    const auto decoder = tokenizer.streaming_decoder(special);
    std::string streamed;
    for (const auto id : ids) streamed += decoder->push(id);
    streamed += decoder->finish();
    if (streamed != tokenizer.decode(ids, special)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const stagebench::JsonDocument document({reinterpret_cast<const char*>(data), size}, "fuzz");
    encode_and_decode(stagebench::tokenization::ByteLevelBpe(stagebench::tokenization::parse_tokenizer_json(document)));
  } catch (const stagebench::Error&) {
  }
  return 0;
}
