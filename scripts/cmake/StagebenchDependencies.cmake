# Everything comes from the system; nothing is downloaded at configure time. `scripts/setup` installs what is named here.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(simdjson REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)  # writes JSON, which simdjson 3 cannot
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto)
find_package(benchmark 1.7 REQUIRED)
include(FindOneDnn)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy>=1.0)
pkg_check_modules(pcre2 REQUIRED IMPORTED_TARGET libpcre2-8>=10.40)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(sentencepiece REQUIRED IMPORTED_TARGET sentencepiece)
if(STAGEBENCH_TESTS)
  find_package(Catch2 REQUIRED)  # 2 and 3 both work (tests/support/catch.h); a version here would ask for one major only
endif()

if(STAGEBENCH_CUDA)
  find_package(CUDAToolkit 12 REQUIRED)
else()
  find_package(CUDAToolkit 12 QUIET)
endif()
include(FindNvtxHeaders)
