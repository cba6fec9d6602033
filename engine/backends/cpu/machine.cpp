#include "cpu/machine.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

namespace stagebench::cpu {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// Empty where the file is not there: which of these a machine has depends on its kernel and container.
std::string text_of(const fs::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  return text.str();
}

/// The number behind `key` in lines like "MemAvailable:   123 kB" or "inactive_file 123".
std::optional<std::uint64_t> number_behind(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word;
    std::uint64_t number = 0;
    if (words >> word && word == key && words >> number) return number;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::istringstream words(text_of(path));
  std::uint64_t number = 0;
  if (words >> number) return number;  // "max" is no number: no limit
  return std::nullopt;
}

/// The process's cgroup and those above it: each may limit. A container often sees its own as the root.
std::vector<fs::path> cgroup_folders(const fs::path& root, std::string_view controller) {
  const fs::path unified = root / "sys/fs/cgroup";
  std::vector<fs::path> folders{unified, unified / controller};
  std::istringstream lines(text_of(root / "proc/self/cgroup"));
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t path_begin = line.find(":/");
    if (path_begin == std::string::npos) continue;
    const bool is_unified = line.rfind("0::", 0) == 0;
    if (!is_unified && line.find(controller) == std::string::npos) continue;
    fs::path folder = is_unified ? unified : unified / controller;
    for (const auto& part : fs::path(line.substr(path_begin + 2))) folders.push_back(folder /= part);
  }
  return folders;
}

std::uint64_t left_in_cgroup(const fs::path& folder) {
  const auto v2 = number_in(folder / "memory.max");
  const auto limit = v2 ? v2 : number_in(folder / "memory.limit_in_bytes");
  const auto used = number_in(folder / (v2 ? "memory.current" : "memory.usage_in_bytes"));
  if (!limit || !used) return kUnlimited;
  // The page cache counts as used, but the kernel gives its inactive part back when memory is wanted.
  const std::uint64_t reclaimable =
      number_behind(text_of(folder / "memory.stat"), v2 ? "inactive_file" : "total_inactive_file").value_or(0);
  const std::uint64_t held = *used - std::min(*used, reclaimable);
  return *limit - std::min(*limit, held);
}

double quota_of_cgroup(const fs::path& folder) {
  double quota = 0;
  double period = 0;
  std::istringstream v2(text_of(folder / "cpu.max"));
  if (v2 >> quota >> period && quota > 0 && period > 0) return quota / period;
  std::istringstream v1(text_of(folder / "cpu.cfs_quota_us") + " " + text_of(folder / "cpu.cfs_period_us"));
  if (v1 >> quota >> period && quota > 0 && period > 0) return quota / period;
  return std::numeric_limits<double>::infinity();
}

/// The text behind "key   : " of the first line that begins with `key`.
std::string_view field(std::string_view text, std::string_view key) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (line.substr(0, key.size()) == key) {
      const std::size_t value = line.find_first_not_of(" \t:", key.size());
      return value == std::string_view::npos ? std::string_view() : line.substr(value);
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace

CpuDescription describe_cpu(std::string_view cpuinfo) {
  CpuDescription description;
  description.model = field(cpuinfo, "model name");
  if (description.model.empty()) description.model = "unknown CPU";
  const std::string flags = " " + std::string(field(cpuinfo, "flags")) + " ";
  const auto has = [&](std::string_view flag) {
    return flags.find(" " + std::string(flag) + " ") != std::string::npos;
  };
  description.multiplies_bf16 = has("avx512_bf16") || has("amx_bf16");
  const std::array<std::pair<std::string_view, bool>, 6> sets{{{"AVX2", has("avx2") && has("fma")},
                                                               {"AVX-512", has("avx512f")},
                                                               {"VNNI", has("avx512_vnni") || has("avx_vnni")},
                                                               {"BF16", has("avx512_bf16")},
                                                               {"FP16", has("avx512_fp16")},
                                                               {"AMX", has("amx_tile")}}};
  for (const auto& [words, present] : sets) {
    if (!present) continue;
    if (!description.instruction_sets.empty()) description.instruction_sets += ", ";
    description.instruction_sets += words;
  }
  return description;
}

CpuDescription describe_this_cpu() {
  return describe_cpu(text_of("/proc/cpuinfo"));
}

double cgroup_cpu_quota(const fs::path& root) {
  double quota = std::numeric_limits<double>::infinity();
  for (const fs::path& folder : cgroup_folders(root, "cpu")) quota = std::min(quota, quota_of_cgroup(folder));
  return quota;
}

int usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails where the machine has more CPUs than cpu_set_t holds.
  const int allowed = ::sched_getaffinity(0, sizeof set, &set) == 0
                          ? CPU_COUNT(&set)
                          : static_cast<int>(std::thread::hardware_concurrency());
  const double quota = std::floor(cgroup_cpu_quota("/"));
  return std::max(1, quota < allowed ? static_cast<int>(quota) : allowed);
}

std::uint64_t available_memory_bytes(const fs::path& root) {
  const std::uint64_t kib = number_behind(text_of(root / "proc/meminfo"), "MemAvailable:").value_or(0);
  std::uint64_t available = kib * 1024;
  for (const fs::path& folder : cgroup_folders(root, "memory")) available = std::min(available, left_in_cgroup(folder));
  return available;
}

std::uint64_t available_memory_bytes() {
  return available_memory_bytes("/");
}

}  // namespace stagebench::cpu
