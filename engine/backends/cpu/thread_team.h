#pragma once

/// The threads of one loaded model, all of them: no library below starts its own. Work is SPMD: every member runs the
/// same function on its share, with barriers between the ops, so that a forward pass wakes the team once.
///
///   team.run([&](int member) {
///     matmul_slice(member);
///     team.barrier();
///     norm_slice(member);
///   });

#include <memory>
#include <type_traits>

namespace stagebench::cpu {

class LinearWorkspace;

class ThreadTeam {
 public:
  /// Starts n_threads - 1 threads; the caller of run() is member 0. n_threads >= 1.
  explicit ThreadTeam(int n_threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const noexcept;

  /// Calls work(member) once on every member and returns when all are done. An exception of any member is rethrown
  /// here (one of them, where there are several); a member that throws must not leave others in barrier(). Not
  /// reentrant; one caller at a time. Does not allocate.
  template <typename Work>
  void run(Work&& work) {
    using Function = std::remove_reference_t<Work>;
    run_erased([](void* context, int member) { (*static_cast<Function*>(context))(member); },
               const_cast<void*>(static_cast<const void*>(&work)));
  }

  /// Inside run(): returns when every member has called it; what they wrote before is visible after. Spins, then
  /// yields.
  void barrier() noexcept;

  /// What the matrix products of this team share.
  LinearWorkspace& workspace() noexcept;

 private:
  void run_erased(void (*function)(void*, int), void* context);

  struct State;
  std::unique_ptr<State> state_;
};

/// Splits [0, count) over the members in runs of whole `granule`s, as evenly as that allows.
struct Range {
  long begin = 0;
  long end = 0;
  long size() const noexcept { return end - begin; }
};
Range share(long count, long granule, int member, int members) noexcept;

}  // namespace stagebench::cpu
