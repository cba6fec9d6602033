#pragma once

namespace stagebench {

/// The program `stagebench`: parses the command line, runs a command and turns errors into one line on stderr and an
/// exit code: 0 done, 1 a failed run, 2 wrong usage. Text goes to stdout, tables and progress to stderr.
int run_program(int argc, const char* const* argv);

}  // namespace stagebench
