#include "program_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "stagebench/support/text_file.h"
#include "support/catch.h"
#include "support/temporary_folder.h"

extern char** environ;

namespace stagebench::test {

namespace {

ProgramResult run(std::vector<std::string> words) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  const auto err = folder.path() / "err";
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t process = 0;
  const int failure = posix_spawn(&process, argv.front(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::runtime_error("cannot start " + words.front());
  int status = 0;
  waitpid(process, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text_file(out), read_text_file(err)};
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{STAGEBENCH_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run(std::move(words));
}

ProgramResult run_shell(const std::string& line) {
  return run({"/bin/sh", "-c", "STAGEBENCH=" STAGEBENCH_PROGRAM "; " + line});
}

void require_error(const ProgramResult& result, int exit_code, const std::vector<std::string>& words) {
  INFO("stderr: " << result.err);
  REQUIRE(result.exit_code == exit_code);
  REQUIRE(result.out.empty());
  REQUIRE(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  REQUIRE(result.err.rfind("stagebench: error: ", 0) == 0);
  for (const auto& word : words) {
    INFO("expected word: " << word);
    REQUIRE(result.err.find(word) != std::string::npos);
  }
}

}  // namespace stagebench::test
