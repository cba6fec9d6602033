#include "cpu/thread_team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "stagebench/contracts/error.h"
#include "support/catch.h"

using namespace stagebench;
using cpu::ThreadTeam;

TEST_CASE("Every member of a team runs the work once, each under its own number") {
  for (int size : {1, 2, 3, 5, 8}) {
    ThreadTeam team(size);
    REQUIRE(team.size() == size);
    std::vector<int> calls(static_cast<std::size_t>(size));
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> caller_is_member_0{false};
    for (int repetition = 0; repetition < 100; ++repetition) {
      team.run([&](int member) {
        ++calls[static_cast<std::size_t>(member)];
        if (member == 0) caller_is_member_0 = std::this_thread::get_id() == caller;
      });
    }
    REQUIRE(calls == std::vector<int>(static_cast<std::size_t>(size), 100));
    REQUIRE(caller_is_member_0);
  }
}

TEST_CASE("What members wrote before a barrier is seen by all behind it") {
  for (int size : {1, 2, 3, 4}) {
    ThreadTeam team(size);
    std::vector<int> values(static_cast<std::size_t>(size));
    std::atomic<int> wrong{0};
    for (int repetition = 0; repetition < 20; ++repetition) {
      team.run([&](int member) {
        for (int round = 1; round <= 50; ++round) {
          values[static_cast<std::size_t>(member)] = round;
          team.barrier();
          for (int value : values) wrong += value != round ? 1 : 0;
          team.barrier();
        }
      });
    }
    REQUIRE(wrong == 0);
  }
}

TEST_CASE("What the caller wrote before run is seen by members, and what they wrote is seen after it") {
  ThreadTeam team(3);
  int input = 0;
  std::vector<int> output(3);
  for (int repetition = 1; repetition <= 500; ++repetition) {
    input = repetition;
    team.run([&](int member) { output[static_cast<std::size_t>(member)] = input + member; });
    REQUIRE(output == std::vector<int>{repetition, repetition + 1, repetition + 2});
  }
}

TEST_CASE("A team that fell asleep wakes up for the next run") {
  ThreadTeam team(3);
  std::atomic<int> calls{0};
  for (int repetition = 0; repetition < 5; ++repetition) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    team.run([&](int) { ++calls; });
  }
  REQUIRE(calls == 15);
}

TEST_CASE("A member's exception comes out of run, and the team works on") {
  ThreadTeam team(3);
  for (int thrower = 0; thrower < 3; ++thrower) {
    REQUIRE_THROWS_SAYING(team.run([&](int member) {
      if (member == thrower) throw std::runtime_error("from " + std::to_string(member));
    }),
                          std::runtime_error, "from " + std::to_string(thrower));
    std::atomic<int> calls{0};
    team.run([&](int) { ++calls; });
    REQUIRE(calls == 3);
  }
}

TEST_CASE("Where all members throw, one exception comes out") {
  ThreadTeam team(4);
  REQUIRE_THROWS_SAYING(team.run([](int) { throw InputError("damaged"); }), InputError, "damaged");
  team.run([](int) {});
}

TEST_CASE("A team without threads is refused") {
  REQUIRE_THROWS_SAYING(ThreadTeam(0), UsageError, "1", "0");
  REQUIRE_THROWS_SAYING(ThreadTeam(-3), UsageError, "1", "-3");
}

TEST_CASE("Shares cover the range once, in whole granules, and differ by one granule at most") {
  for (long count : {0L, 1L, 7L, 16L, 17L, 960L, 49152L}) {
    for (long granule : {1L, 4L, 16L}) {
      for (int members : {1, 2, 3, 5}) {
        long next = 0;
        long smallest = count + granule;
        long largest = 0;
        for (int member = 0; member < members; ++member) {
          const cpu::Range range = cpu::share(count, granule, member, members);
          INFO(count << " / " << granule << ", member " << member << " of " << members);
          REQUIRE(range.begin == next);
          REQUIRE(range.end >= range.begin);
          REQUIRE((range.end % granule == 0 || range.end == count));
          const long granules = (range.size() + granule - 1) / granule;
          smallest = std::min(smallest, granules);
          largest = std::max(largest, granules);
          next = range.end;
        }
        REQUIRE(next == count);
        REQUIRE(largest - smallest <= 1);
      }
    }
  }
}
