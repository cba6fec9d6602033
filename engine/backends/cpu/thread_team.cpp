#include "cpu/thread_team.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "cpu/linear_workspace.h"
#include "stagebench/contracts/error.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace stagebench::cpu {

namespace {

// A pause takes some 15-60 ns: a barrier in a forward pass is over in less than what this many take.
constexpr int pauses_before_yield = 1000;
// Between two calls of run() members stay awake for some hundreds of microseconds, the gap between two decode steps.
constexpr int yields_before_sleep = 500;
constexpr std::size_t cache_line_bytes = 64;

void pause() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

}  // namespace

struct ThreadTeam::State {
  explicit State(int n_threads)
      // Spinning helps only where the member that is waited for runs meanwhile.
      : pauses(static_cast<unsigned>(n_threads) <= std::thread::hardware_concurrency() ? pauses_before_yield : 0),
        errors(static_cast<std::size_t>(n_threads)),
        workspace(n_threads) {}

  /// Spins, then yields, until done().
  template <typename Done>
  void wait(Done done) const noexcept {
    for (int i = 0; i < pauses; ++i) {
      if (done()) return;
      pause();
    }
    while (!done()) std::this_thread::yield();
  }

  /// Returns the number of the run that began, which is not `seen`. Spins, then yields, then sleeps.
  int wait_for_run(int seen) noexcept {
    for (int i = 0; i < pauses; ++i) {
      if (const int current = run_number.load(std::memory_order_acquire); current != seen) return current;
      pause();
    }
    for (int i = 0; i < yields_before_sleep; ++i) {
      if (const int current = run_number.load(std::memory_order_acquire); current != seen) return current;
      std::this_thread::yield();
    }
    // Sequentially consistent with start(): either this sees the new number or start() sees the sleeper.
    sleepers.fetch_add(1);
    run_number.wait(seen);
    sleepers.fetch_sub(1);
    return run_number.load(std::memory_order_acquire);
  }

  void start() noexcept {
    run_number.fetch_add(1);
    if (sleepers.load() != 0) run_number.notify_all();
  }

  void work_as(int member) noexcept {
    try {
      function(context, member);
    } catch (...) {
      errors[static_cast<std::size_t>(member)] = std::current_exception();
    }
  }

  void serve(int member) noexcept {
    int seen = 0;
    for (;;) {
      seen = wait_for_run(seen);
      if (stopping) return;
      work_as(member);
      unfinished.fetch_sub(1, std::memory_order_release);
    }
  }

  void stop() noexcept {
    stopping = true;
    start();
    for (std::thread& thread : threads) thread.join();
  }

  const int pauses;
  // Written by the caller before start(), read by members after they saw the run's number.
  void (*function)(void*, int) = nullptr;
  void* context = nullptr;
  bool stopping = false;
  std::vector<std::exception_ptr> errors;
  std::vector<std::thread> threads;
  LinearWorkspace workspace;

  alignas(cache_line_bytes) std::atomic<int> run_number{0};
  std::atomic<int> sleepers{0};
  alignas(cache_line_bytes) std::atomic<int> unfinished{0};
  alignas(cache_line_bytes) std::atomic<int> arrived{0};
  alignas(cache_line_bytes) std::atomic<unsigned> barrier_number{0};
};

ThreadTeam::ThreadTeam(int n_threads) {
  if (n_threads < 1) throw UsageError("a thread team needs at least 1 thread, got " + std::to_string(n_threads));
  state_ = std::make_unique<State>(n_threads);
  state_->threads.reserve(static_cast<std::size_t>(n_threads - 1));
  try {
    for (int member = 1; member < n_threads; ++member) {
      state_->threads.emplace_back([state = state_.get(), member] { state->serve(member); });
    }
  } catch (const std::system_error& error) {
    const std::size_t started = state_->threads.size();
    state_->stop();
    throw ResourceError("started " + std::to_string(started + 1) + " of " + std::to_string(n_threads) +
                        " threads: " + error.what());
  }
}

ThreadTeam::~ThreadTeam() {
  state_->stop();
}

int ThreadTeam::size() const noexcept {
  return static_cast<int>(state_->errors.size());
}

LinearWorkspace& ThreadTeam::workspace() noexcept {
  return state_->workspace;
}

void ThreadTeam::run_erased(void (*function)(void*, int), void* context) {
  State& state = *state_;
  state.function = function;
  state.context = context;
  state.unfinished.store(size() - 1, std::memory_order_relaxed);
  if (size() > 1) state.start();
  state.work_as(0);
  state.wait([&state] { return state.unfinished.load(std::memory_order_acquire) == 0; });

  std::exception_ptr first;
  for (std::exception_ptr& error : state.errors) {
    if (error && !first) first = error;
    error = nullptr;
  }
  if (first) std::rethrow_exception(first);
}

void ThreadTeam::barrier() noexcept {
  State& state = *state_;
  if (size() == 1) return;
  const unsigned number = state.barrier_number.load(std::memory_order_relaxed);
  if (state.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == size()) {
    // The last one in: the count is reset before the others are let go, so that the next barrier starts at zero.
    state.arrived.store(0, std::memory_order_relaxed);
    state.barrier_number.store(number + 1, std::memory_order_release);
  } else {
    state.wait([&state, number] { return state.barrier_number.load(std::memory_order_acquire) != number; });
  }
}

Range share(long count, long granule, int member, int members) noexcept {
  const long granules = (count + granule - 1) / granule;
  const auto bound = [&](long index) { return std::min(count, granules * index / members * granule); };
  return {bound(member), bound(member + 1)};
}

}  // namespace stagebench::cpu
