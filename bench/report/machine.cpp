#include "stagebench/report/machine.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

namespace stagebench {
namespace {

namespace fs = std::filesystem;

/// Files under /proc have no size, so they cannot be mapped. Empty where it cannot be read.
std::string read_system_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// The value of the first line "key : value".
std::optional<std::string> value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || trim(line.substr(0, colon)) != key) continue;
    const auto value = trim(line.substr(colon + 1));
    if (!value.empty()) return std::string(value);
  }
  return std::nullopt;
}

template <typename Number>
std::optional<Number> number_at_start(std::string_view text) {
  text = trim(text);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

template <typename Number>
std::optional<Number> number_of(std::string_view text, std::string_view key) {
  const auto value = value_of(text, key);
  return value ? number_at_start<Number>(*value) : std::nullopt;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

bool has(const std::vector<std::string>& flags, std::string_view flag) {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

/// The levels of the x86-64 psABI, in the kernel's words (pni is SSE3, abm has LZCNT).
std::string isa_level(const std::vector<std::string>& flags) {
  const std::array<std::initializer_list<std::string_view>, 3> levels{{
      {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"},
      {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"},
      {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
  }};
  int level = 1;
  for (const auto& needed : levels) {
    if (!std::all_of(needed.begin(), needed.end(), [&](auto flag) { return has(flags, flag); })) break;
    ++level;
  }
  return level == 1 ? "x86-64" : fmt::format("x86-64-v{}", level);
}

void read_cpu(Machine& machine, const std::string& cpuinfo) {
  machine.cpu_model = value_of(cpuinfo, "model name");
  machine.cpu_vendor = value_of(cpuinfo, "vendor_id");
  machine.cpu_family = number_of<std::int64_t>(cpuinfo, "cpu family");
  machine.cpu_model_number = number_of<std::int64_t>(cpuinfo, "model");
  machine.cpu_stepping = number_of<std::int64_t>(cpuinfo, "stepping");
  machine.mhz = number_of<double>(cpuinfo, "cpu MHz");
  if (const auto line = value_of(cpuinfo, "flags")) {
    const auto flags = words(*line);
    machine.isa_level = isa_level(flags);
    machine.virtualised = has(flags, "hypervisor");
    for (const auto* extension :
         {"avx_vnni", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_bf16", "amx_int8", "amx_tile"}) {
      if (has(flags, extension)) machine.isa_extensions.emplace_back(extension);
    }
  } else if (const auto features = value_of(cpuinfo, "Features")) {  // Arm
    const auto flags = words(*features);
    for (const auto* extension : {"asimd", "asimddp", "fphp", "bf16", "i8mm", "sve", "sve2"}) {
      if (has(flags, extension)) machine.isa_extensions.emplace_back(extension);
    }
  }
}

std::optional<double> cpu_quota(const fs::path& root) {
  // cgroup v2: "QUOTA PERIOD" in microseconds, or "max PERIOD".
  const auto fields = words(read_system_file(root / "sys/fs/cgroup/cpu.max"));
  if (fields.size() != 2) return std::nullopt;
  const auto quota = number_at_start<double>(fields[0]);
  const auto period = number_at_start<double>(fields[1]);
  if (!quota || !period || *period <= 0) return std::nullopt;
  return *quota / *period;
}

std::optional<std::int64_t> numa_nodes(const fs::path& root) {
  std::error_code error;
  std::int64_t count = 0;
  for (fs::directory_iterator entry(root / "sys/devices/system/node", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("node") && number_at_start<int>(std::string_view(name).substr(4))) ++count;
  }
  return count > 0 ? std::optional(count) : std::nullopt;
}

std::optional<std::uint64_t> memory_bytes(const fs::path& root) {
  const auto kibibytes = number_of<std::uint64_t>(read_system_file(root / "proc/meminfo"), "MemTotal");
  return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
}

std::int64_t usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

Machine read_machine(const fs::path& root) {
  Machine machine;
  read_cpu(machine, read_system_file(root / "proc/cpuinfo"));
  machine.usable_cpus = usable_cpus();
  machine.cpu_quota = cpu_quota(root);
  machine.numa_nodes = numa_nodes(root);
  const auto governor = read_system_file(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (!trim(governor).empty()) machine.governor = trim(governor);
  machine.load_average = number_at_start<double>(read_system_file(root / "proc/loadavg"));
  machine.memory_bytes = memory_bytes(root);
  utsname system{};
  if (::uname(&system) == 0) {
    machine.architecture = system.machine;
    machine.kernel = fmt::format("{} {}", system.sysname, system.release);
  }
  machine.libc = fmt::format("glibc {}", ::gnu_get_libc_version());
  return machine;
}

std::string describe(const Machine& machine) {
  return fmt::format("{}, {} {}, {}", machine.cpu_model.value_or("CPU of unknown model"), machine.usable_cpus,
                     machine.usable_cpus == 1 ? "CPU" : "CPUs", machine.isa_level.value_or(machine.architecture));
}

}  // namespace stagebench
