#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stagebench {

/// The machine as Linux shows it. What cannot be read is absent.
struct Machine {
  std::optional<std::string> cpu_model;
  std::optional<std::string> cpu_vendor;
  std::optional<std::int64_t> cpu_family;
  std::optional<std::int64_t> cpu_model_number;
  std::optional<std::int64_t> cpu_stepping;
  std::optional<std::string> isa_level;     ///< x86-64 to x86-64-v4 of the x86-64 psABI; absent on other machines
  std::vector<std::string> isa_extensions;  ///< those of /proc/cpuinfo that matrix products care about, in its words
  std::int64_t usable_cpus = 0;             ///< logical CPUs that this process may run on
  std::optional<double> cpu_quota;          ///< CPUs' worth of time that the control group allows
  std::optional<std::int64_t> numa_nodes;
  std::optional<double> mhz;            ///< of the first CPU, now
  std::optional<std::string> governor;  ///< of the first CPU's frequency
  std::optional<double> load_average;   ///< of the last minute
  std::optional<std::uint64_t> memory_bytes;
  std::optional<bool> virtualised;  ///< the CPU says that it runs under a hypervisor; x86 only
  std::string architecture;         ///< uname -m
  std::string kernel;               ///< system and release
  std::string libc;
};

/// `root` takes the place of / for the files under /proc and /sys.
Machine read_machine(const std::filesystem::path& root = "/");

/// One line: model, usable CPUs, ISA level.
std::string describe(const Machine& machine);

}  // namespace stagebench
