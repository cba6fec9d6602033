# Options are on only where this is the project being built, not a part of another one.

option(STAGEBENCH_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(STAGEBENCH_WERROR "Treat warnings in our own code as errors" ${PROJECT_IS_TOP_LEVEL})
option(STAGEBENCH_FUZZERS "Build the libFuzzer targets (needs clang)" OFF)
option(STAGEBENCH_NVTX "Emit NVTX ranges" ON)
option(STAGEBENCH_CUDA "Fail where the CUDA toolkit is absent, instead of building without it" OFF)
set(STAGEBENCH_SANITIZE "" CACHE STRING "Sanitizers for all our code, e.g. address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

find_program(STAGEBENCH_CCACHE ccache)
mark_as_advanced(STAGEBENCH_CCACHE)
if(STAGEBENCH_CCACHE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${STAGEBENCH_CCACHE}")
endif()

if(STAGEBENCH_SANITIZE)
  add_compile_options(-fsanitize=${STAGEBENCH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${STAGEBENCH_SANITIZE})
endif()
