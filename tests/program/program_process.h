#pragma once

#include <string>
#include <vector>

namespace stagebench::test {

struct ProgramResult {
  int exit_code = 0;  ///< -1 where a signal ended it
  std::string out;
  std::string err;
};

/// Runs the built `stagebench` with these arguments and waits for its end.
ProgramResult run_program(const std::vector<std::string>& arguments);

/// Runs a line of sh in which $STAGEBENCH is the program.
ProgramResult run_shell(const std::string& line);

/// Checks the exit code, that stdout is empty and that stderr is one line, "stagebench: error: ...", with all the
/// words.
void require_error(const ProgramResult& result, int exit_code, const std::vector<std::string>& words);

}  // namespace stagebench::test
