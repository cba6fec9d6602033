# cmake -DSOURCE_DIR=... -DOUTPUT=... -P write_commit.cmake
# Writes a header that names the commit of SOURCE_DIR, at each build; the file is touched only when it changes.

cmake_minimum_required(VERSION 3.25)
set(commit "")
set(modified false)
find_program(GIT git)
if(GIT AND EXISTS "${SOURCE_DIR}/.git")  # not a folder that merely lies inside some other checkout
  # A build must not take git's locks away from someone who commits at that moment.
  set(ENV{GIT_OPTIONAL_LOCKS} 0)
  execute_process(COMMAND "${GIT}" -C "${SOURCE_DIR}" rev-parse --verify HEAD
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(commit "")
  else()
    execute_process(COMMAND "${GIT}" -C "${SOURCE_DIR}" status --porcelain --untracked-files=no
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      set(modified true)
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[#pragma once

// Written at each build.

#define STAGEBENCH_COMMIT "@commit@"
#define STAGEBENCH_COMMIT_MODIFIED @modified@
]])
