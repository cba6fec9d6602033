# oneDNN's own package file on Debian insists on OpenCL headers, which the CPU does not need: the library and its
# version are looked up directly. Defines the target OneDnn::dnnl.

find_path(ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(ONEDNN_LIBRARY dnnl)
if(NOT ONEDNN_INCLUDE_DIR OR NOT ONEDNN_LIBRARY)
  message(FATAL_ERROR "oneDNN was not found (Debian: libdnnl-dev): run scripts/setup.")
endif()
file(STRINGS "${ONEDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h" onednn_version REGEX "define DNNL_VERSION_(MAJOR|MINOR)")
string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*" "\\1.\\2" onednn_version "${onednn_version}")
if(onednn_version VERSION_LESS 2.6)
  message(FATAL_ERROR "oneDNN 2.6 or later is needed, found ${onednn_version} in ${ONEDNN_INCLUDE_DIR}.")
endif()
message(STATUS "Found oneDNN ${onednn_version}: ${ONEDNN_LIBRARY}")
add_library(OneDnn::dnnl UNKNOWN IMPORTED)
set_target_properties(OneDnn::dnnl PROPERTIES
  IMPORTED_LOCATION "${ONEDNN_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${ONEDNN_INCLUDE_DIR}")
