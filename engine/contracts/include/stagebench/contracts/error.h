#pragma once

/// Errors that a caller can act on.
///
/// A message says what was expected, what was found and where (file, key, offset, flag). Libraries throw these and
/// never print or exit; the program turns them into one line on stderr and the exit code given here.

#include <stdexcept>
#include <string>

namespace stagebench {

/// Any failure that is not our own mistake. Exit code 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the caller asked for is not possible or contradicts itself: a flag, a prompt, a sampling value. Exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A file is missing, is not what it should be or is damaged. Exit code 1.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The machine cannot give what is needed: memory, disk space, a device. Exit code 1.
class ResourceError : public Error {
 public:
  using Error::Error;
};

/// A computation produced something that is not a number. Exit code 1.
class NumericError : public Error {
 public:
  using Error::Error;
};

}  // namespace stagebench
