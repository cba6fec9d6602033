#include "stagebench/report/machine.h"

#include <string>
#include <vector>

#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;
using stagebench::test::TemporaryFolder;

namespace {

const std::string level_2 = "fpu cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3";
const std::string level_3 = level_2 + " avx avx2 bmi1 bmi2 f16c fma abm movbe xsave";
const std::string level_4 = level_3 + " avx512f avx512bw avx512cd avx512dq avx512vl";

Machine with_flags(const std::string& flags) {
  const TemporaryFolder root;
  root.write("proc/cpuinfo", "flags\t\t: " + flags + "\n");
  return read_machine(root.path());
}

}  // namespace

TEST_CASE("a machine is read from the kernel's files") {
  const TemporaryFolder root;
  root.write("proc/cpuinfo",
             "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\n"
             "model name\t: AMD EPYC 9B45\nstepping\t: 1\ncpu MHz\t\t: 2600.125\nflags\t\t: " +
                 level_4 +
                 " avx512_bf16 avx512_vnni hypervisor\npower management:\n\n"
                 "processor\t: 1\nmodel name\t: another\ncpu MHz\t\t: 1\n");
  root.write("proc/meminfo", "MemTotal:       24684084 kB\nMemFree:         100 kB\n");
  root.write("proc/loadavg", "0.38 0.37 0.40 1/96 11411\n");
  root.write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  root.write("sys/devices/system/node/node0/cpulist", "0\n");
  root.write("sys/devices/system/node/node1/cpulist", "1\n");
  root.write("sys/devices/system/node/online", "0-1\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  const auto machine = read_machine(root.path());
  REQUIRE(machine.cpu_model == "AMD EPYC 9B45");
  REQUIRE(machine.cpu_vendor == "AuthenticAMD");
  REQUIRE(machine.cpu_family == 26);
  REQUIRE(machine.cpu_model_number == 2);
  REQUIRE(machine.cpu_stepping == 1);
  REQUIRE(machine.isa_level == "x86-64-v4");
  REQUIRE(machine.isa_extensions == std::vector<std::string>{"avx512_vnni", "avx512_bf16"});
  REQUIRE(machine.virtualised == true);
  REQUIRE(machine.mhz == 2600.125);
  REQUIRE(machine.memory_bytes == 24684084ULL * 1024);
  REQUIRE(machine.load_average == 0.38);
  REQUIRE(machine.cpu_quota == 1.5);
  REQUIRE(machine.numa_nodes == 2);
  REQUIRE(machine.governor == "powersave");
}

TEST_CASE("what cannot be read is absent") {
  const TemporaryFolder root;
  const auto machine = read_machine(root.path());
  REQUIRE((!machine.cpu_model && !machine.cpu_vendor && !machine.cpu_family && !machine.cpu_model_number));
  REQUIRE((!machine.cpu_stepping && !machine.isa_level && !machine.cpu_quota && !machine.numa_nodes));
  REQUIRE((!machine.mhz && !machine.governor && !machine.load_average && !machine.memory_bytes));
  REQUIRE(!machine.virtualised);
  root.write("sys/fs/cgroup/cpu.max", "max 100000\n");
  REQUIRE(!read_machine(root.path()).cpu_quota);
}

TEST_CASE("the instruction set has the levels of the x86-64 psABI") {
  REQUIRE(with_flags("fpu sse2").isa_level == "x86-64");
  REQUIRE(with_flags(level_2).isa_level == "x86-64-v2");
  REQUIRE(with_flags(level_3).isa_level == "x86-64-v3");
  REQUIRE(with_flags(level_4).isa_level == "x86-64-v4");
  // AVX-512 without what comes before it is no level 4.
  REQUIRE(with_flags("avx512f avx512bw avx512cd avx512dq avx512vl").isa_level == "x86-64");
  REQUIRE(with_flags(level_2).virtualised == false);
}

TEST_CASE("this machine has what every machine has") {
  const auto machine = read_machine();
  REQUIRE(machine.usable_cpus >= 1);
  REQUIRE(machine.memory_bytes > 0ULL);
  REQUIRE(machine.kernel.starts_with("Linux "));
  REQUIRE(machine.libc.starts_with("glibc 2."));
  REQUIRE(!machine.architecture.empty());
}

TEST_CASE("a machine is described in one line") {
  Machine machine;
  machine.cpu_model = "AMD EPYC 9B45";
  machine.isa_level = "x86-64-v4";
  machine.usable_cpus = 2;
  REQUIRE(describe(machine) == "AMD EPYC 9B45, 2 CPUs, x86-64-v4");
  machine.usable_cpus = 1;
  machine.isa_level.reset();
  machine.architecture = "aarch64";
  machine.cpu_model.reset();
  REQUIRE(describe(machine) == "CPU of unknown model, 1 CPU, aarch64");
}
