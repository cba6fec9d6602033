#pragma once

/// Runs kernels on every instruction set that they were compiled for and that this machine has.

#include <cstdint>
#include <string>

#include <hwy/targets.h>

#include "support/catch.h"

namespace stagebench::test {

template <typename Body>
void for_each_simd_target(const Body& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    INFO("SIMD target: " << hwy::TargetName(target));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace stagebench::test
