# NVTX is header-only. It comes from the CUDA toolkit where there is one, else from PyPI's nvidia-nvtx, which
# scripts/setup installs into .venv. Defines the target stagebench_nvtx, empty where STAGEBENCH_NVTX is off.

add_library(stagebench_nvtx INTERFACE)
if(NOT STAGEBENCH_NVTX)
  target_compile_definitions(stagebench_nvtx INTERFACE NVTX_DISABLE)
endif()
if(TARGET CUDA::nvtx3)
  target_link_libraries(stagebench_nvtx INTERFACE CUDA::nvtx3)
else()
  file(GLOB nvtx_wheel_dirs "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/*/include")
  find_path(NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h HINTS ${nvtx_wheel_dirs})
  if(NOT NVTX_INCLUDE_DIR)
    message(FATAL_ERROR "The NVTX headers (nvtx3/nvToolsExt.h) were found neither in a CUDA toolkit nor in .venv: "
                        "run scripts/setup, or set NVTX_INCLUDE_DIR.")
  endif()
  target_include_directories(stagebench_nvtx SYSTEM INTERFACE "${NVTX_INCLUDE_DIR}")
endif()
target_link_libraries(stagebench_nvtx INTERFACE ${CMAKE_DL_LIBS})
