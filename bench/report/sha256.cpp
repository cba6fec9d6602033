#include "sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <iterator>

#include "stagebench/contracts/error.h"

namespace stagebench {

Sha256::Sha256() : context_(::EVP_MD_CTX_new()) {
  if (context_ != nullptr && ::EVP_DigestInit_ex(context_, ::EVP_sha256(), nullptr) == 1) return;
  ::EVP_MD_CTX_free(context_);
  throw ResourceError("SHA-256: the library cannot be set up");
}

Sha256::~Sha256() {
  ::EVP_MD_CTX_free(context_);
}

void Sha256::add(std::span<const std::byte> bytes) {
  if (::EVP_DigestUpdate(context_, bytes.data(), bytes.size()) != 1) throw ResourceError("SHA-256: the library failed");
}

std::string Sha256::finish() {
  std::array<unsigned char, 32> digest{};
  if (::EVP_DigestFinal_ex(context_, digest.data(), nullptr) != 1) throw ResourceError("SHA-256: the library failed");
  std::string text;
  for (const unsigned char byte : digest) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return text;
}

}  // namespace stagebench
