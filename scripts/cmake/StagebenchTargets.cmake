# One function a kind of target. A layer's headers lie in <layer>/include/stagebench/<layer>/, and only the layers that
# it names are on its include path: an upward or sideways include does not build.

add_library(stagebench_warnings INTERFACE)
target_compile_options(stagebench_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast
  # GCC 12 and 13 see overlaps in std::string that cannot be (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,14>>:-Wno-restrict>
  $<$<BOOL:${STAGEBENCH_WERROR}>:-Werror>)
# GCC 13 warns falsely about the insides of fmt 9: "forming offset 4 is out of the bounds [0, 4]", or
# "writing between 5 and 9223372036854775807 bytes into a region of size 4".
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(stagebench_warnings INTERFACE -Wno-array-bounds -Wno-stringop-overflow)
endif()

# A layer without sources: stagebench_add_header_layer(contracts [DEPENDS other ...])
function(stagebench_add_header_layer layer)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(stagebench_${layer} INTERFACE)
  target_include_directories(stagebench_${layer} INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}/include")
  target_compile_features(stagebench_${layer} INTERFACE cxx_std_20)
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(stagebench_${layer} INTERFACE stagebench_${dependency})
  endforeach()
  stagebench_check_headers(${layer})
endfunction()

# stagebench_add_layer(tokenizer SOURCES a.cpp ... DEPENDS contracts support LIBRARIES Some::Target)
# DEPENDS are layers that show in the public headers; LIBRARIES are outside ones and stay private.
function(stagebench_add_layer layer)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  add_library(stagebench_${layer} STATIC ${ARG_SOURCES})
  target_include_directories(stagebench_${layer}
    PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}/include" PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(stagebench_${layer} PUBLIC stagebench_${dependency})
  endforeach()
  target_link_libraries(stagebench_${layer} PRIVATE ${ARG_LIBRARIES} stagebench_warnings)
  stagebench_check_headers(${layer})
endfunction()

# Proves that each public header compiles alone: one generated source a header.
function(stagebench_check_headers layer)
  if(NOT STAGEBENCH_TESTS)
    return()
  endif()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}/include"
       "${CMAKE_CURRENT_SOURCE_DIR}/include/*.h")
  set(generated)
  foreach(header IN LISTS headers)
    string(MAKE_C_IDENTIFIER "${header}" identifier)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/header_alone/${identifier}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"@header@\"\n" @ONLY)
    list(APPEND generated "${source}")
  endforeach()
  if(generated)
    add_library(stagebench_${layer}_headers OBJECT ${generated})
    target_link_libraries(stagebench_${layer}_headers PRIVATE stagebench_${layer} stagebench_warnings)
  endif()
endfunction()

# stagebench_add_test(tokenizer SOURCES a_test.cpp LAYERS tokenizer [LIBRARIES ...])
# One Catch2 executable a layer; it may include the layer's private headers.
function(stagebench_add_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LAYERS;LIBRARIES" ${ARGN})
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE stagebench_test_support stagebench_warnings ${ARG_LIBRARIES})
  foreach(layer IN LISTS ARG_LAYERS)
    target_link_libraries(${name}_test PRIVATE stagebench_${layer})
    get_target_property(source_dir stagebench_${layer} SOURCE_DIR)
    target_include_directories(${name}_test PRIVATE "${source_dir}")
  endforeach()
  add_test(NAME ${name} COMMAND ${name}_test)
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
endfunction()

# stagebench_add_fuzzer(gguf SOURCES gguf_fuzz.cpp LAYERS model): with STAGEBENCH_FUZZERS only.
function(stagebench_add_fuzzer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LAYERS" ${ARGN})
  add_executable(${name}_fuzz ${ARG_SOURCES})
  target_compile_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name}_fuzz PRIVATE stagebench_warnings)
  foreach(layer IN LISTS ARG_LAYERS)
    target_link_libraries(${name}_fuzz PRIVATE stagebench_${layer})
    get_target_property(source_dir stagebench_${layer} SOURCE_DIR)
    target_include_directories(${name}_fuzz PRIVATE "${source_dir}")
  endforeach()
endfunction()
