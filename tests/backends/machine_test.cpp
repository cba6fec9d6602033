#include "cpu/machine.h"

#include <cmath>

#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace stagebench;

TEST_CASE("A CPU is described by its model and its instruction sets in words") {
  const auto zen5 = cpu::describe_cpu(
      "processor\t: 0\nmodel name\t: AMD EPYC 9755 128-Core Processor\n"
      "flags\t\t: fpu fma avx2 avx512f avx512_bf16 avx512_vnni\n");
  REQUIRE(zen5.model == "AMD EPYC 9755 128-Core Processor");
  REQUIRE(zen5.instruction_sets == "AVX2, AVX-512, VNNI, BF16");
  REQUIRE(zen5.multiplies_bf16);
  const auto zen3 = cpu::describe_cpu("model name : AMD EPYC 7763\nflags : fma avx2 avx512fake\n");
  REQUIRE(zen3.instruction_sets == "AVX2");
  REQUIRE_FALSE(zen3.multiplies_bf16);
  REQUIRE(cpu::describe_cpu("").model == "unknown CPU");
}

TEST_CASE("The cgroup's CPU quota is the tightest of the process's own and those above") {
  test::TemporaryFolder root;
  REQUIRE(std::isinf(cpu::cgroup_cpu_quota(root.path())));
  root.write("proc/self/cgroup", "0::/pod/box\n");
  root.write("sys/fs/cgroup/cpu.max", "max 100000\n");
  root.write("sys/fs/cgroup/pod/cpu.max", "250000 100000\n");
  root.write("sys/fs/cgroup/pod/box/cpu.max", "max 100000\n");
  REQUIRE(cpu::cgroup_cpu_quota(root.path()) == 2.5);
}

TEST_CASE("A cgroup of version 1 limits as well; -1 is no limit") {
  test::TemporaryFolder root;
  root.write("proc/self/cgroup", "4:cpu,cpuacct:/box\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  REQUIRE(std::isinf(cpu::cgroup_cpu_quota(root.path())));
  root.write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "150000\n");
  root.write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
  REQUIRE(cpu::cgroup_cpu_quota(root.path()) == 1.5);
}

TEST_CASE("Available memory is what the machine and the cgroup leave, reclaimable cache counted as free") {
  test::TemporaryFolder root;
  root.write("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 1 kB\nMemAvailable:    8000 kB\n");
  REQUIRE(cpu::available_memory_bytes(root.path()) == 8000 * 1024);
  root.write("sys/fs/cgroup/memory.max", "1000000\n");
  root.write("sys/fs/cgroup/memory.current", "700000\n");
  root.write("sys/fs/cgroup/memory.stat", "anon 400000\ninactive_file 100000\n");
  REQUIRE(cpu::available_memory_bytes(root.path()) == 400000);
  root.write("sys/fs/cgroup/memory.current", "2000000\n");
  REQUIRE(cpu::available_memory_bytes(root.path()) == 0);
  root.write("sys/fs/cgroup/memory.max", "max\n");
  REQUIRE(cpu::available_memory_bytes(root.path()) == 8000 * 1024);
}

TEST_CASE("This machine has a CPU and memory") {
  REQUIRE(cpu::usable_cpus() >= 1);
  REQUIRE(cpu::available_memory_bytes() > 0);
}
