#pragma once

/// What this machine has, as Linux says it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace stagebench::cpu {

struct CpuDescription {
  std::string model;             ///< "AMD EPYC 9655", or "unknown CPU"
  std::string instruction_sets;  ///< in words, "AVX2, AVX-512, BF16"; may be empty
  bool multiplies_bf16 = false;  ///< natively: AVX512_BF16 or AMX
};

/// From the text of /proc/cpuinfo.
CpuDescription describe_cpu(std::string_view cpuinfo);
CpuDescription describe_this_cpu();

/// CPUs that this process may use: its affinity mask, and its cgroup's quota rounded down (members of a team wait for
/// each other by spinning, so a fraction of a CPU does not pay for a thread). At least 1.
int usable_cpus();

/// Bytes that can be allocated now without swapping: MemAvailable, and what the cgroup leaves.
std::uint64_t available_memory_bytes();

/// The same under another root folder than "/", where proc/ and sys/ lie.
double cgroup_cpu_quota(const std::filesystem::path& root);  ///< in CPUs; infinity where there is none
std::uint64_t available_memory_bytes(const std::filesystem::path& root);

}  // namespace stagebench::cpu
