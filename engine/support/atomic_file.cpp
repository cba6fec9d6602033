#include "stagebench/support/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "stagebench/contracts/error.h"

namespace stagebench {

AtomicFile::AtomicFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_path_(path_.string() + ".partial." + std::to_string(::getpid())) {
  descriptor_ = ::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail("cannot be created", errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_path_.c_str());
}

void AtomicFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("cannot be written", errno);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail("cannot be written", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    const int error_number = errno;
    ::unlink(temporary_path_.c_str());
    fail("cannot be written", error_number);
  }
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) {
    const int error_number = errno;
    ::unlink(temporary_path_.c_str());
    fail("cannot be put in place", error_number);
  }
}

void AtomicFile::fail(std::string_view what, int error_number) {
  throw ResourceError(path_.string() + ": " + std::string(what) + ": " + std::strerror(error_number));
}

}  // namespace stagebench
