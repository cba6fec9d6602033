#pragma once

/// Before a loop of constant length over an array of vectors: only when it is unrolled do they stay in registers.
#if defined(__clang__)
#define STAGEBENCH_UNROLL _Pragma("clang loop unroll(full)")
#else
#define STAGEBENCH_UNROLL _Pragma("GCC unroll 32")
#endif
