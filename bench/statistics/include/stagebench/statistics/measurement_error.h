#pragma once

#include "stagebench/contracts/error.h"

namespace stagebench {

/// A measurement that cannot be: a negative time, stages that overlap, counts that contradict each other. It is refused
/// instead of becoming a number in a table. Exit code 1.
class MeasurementError : public Error {
 public:
  using Error::Error;
};

}  // namespace stagebench
