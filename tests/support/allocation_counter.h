#pragma once

#include <cstddef>

namespace stagebench::test {

/// How often the program has called operator new, in any form and thread. Link allocation_counter.cpp: it replaces the
/// global operators.
std::size_t allocation_count() noexcept;

}  // namespace stagebench::test
