# An installed package wins, a pinned source otherwise. Without a network: -DFETCHCONTENT_SOURCE_DIR_<NAME>=<checkout>.
include(FetchContent)
set(FETCHCONTENT_QUIET OFF)

set(JSON_Install OFF)
FetchContent_Declare(
  nlohmann_json
  GIT_REPOSITORY https://github.com/nlohmann/json.git
  GIT_TAG v3.11.3
  GIT_SHALLOW ON SYSTEM
  FIND_PACKAGE_ARGS 3.10)
set(occcalc_dependencies nlohmann_json)

# Payloads of GPU binaries. zstd's package and its sources name their targets apart; lz4 is packaged without CMake files.
# Static libraries are preferred: the program is one file, and the installed library names what it needs.
set(ZSTD_BUILD_PROGRAMS OFF)
set(ZSTD_BUILD_SHARED OFF)
set(ZSTD_BUILD_STATIC ON)
FetchContent_Declare(
  zstd
  GIT_REPOSITORY https://github.com/facebook/zstd.git
  GIT_TAG v1.5.6
  GIT_SHALLOW ON SYSTEM
  SOURCE_SUBDIR build/cmake
  FIND_PACKAGE_ARGS 1.4)
list(APPEND occcalc_dependencies zstd)
find_path(LZ4_INCLUDE_DIR lz4.h)
find_library(LZ4_LIBRARY NAMES liblz4.a lz4)
if(NOT LZ4_INCLUDE_DIR OR NOT LZ4_LIBRARY)
  set(LZ4_BUILD_CLI OFF)
  set(BUILD_SHARED_LIBS OFF)
  FetchContent_Declare(
    lz4
    GIT_REPOSITORY https://github.com/lz4/lz4.git
    GIT_TAG v1.9.4
    GIT_SHALLOW ON SYSTEM
    SOURCE_SUBDIR build/cmake)
  list(APPEND occcalc_dependencies lz4)
endif()

if(OCCCALC_BUILD_TOOL)
  FetchContent_Declare(
    fmt
    GIT_REPOSITORY https://github.com/fmtlib/fmt.git
    GIT_TAG 10.2.1
    GIT_SHALLOW ON SYSTEM
    FIND_PACKAGE_ARGS 9)
  FetchContent_Declare(
    CLI11
    GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git
    GIT_TAG v2.4.2
    GIT_SHALLOW ON SYSTEM
    FIND_PACKAGE_ARGS 2.1)
  list(APPEND occcalc_dependencies fmt CLI11)
endif()

if(OCCCALC_BUILD_TESTS)
  FetchContent_Declare(
    Catch2
    GIT_REPOSITORY https://github.com/catchorg/Catch2.git
    GIT_TAG v3.7.1
    GIT_SHALLOW ON SYSTEM
    FIND_PACKAGE_ARGS)
  list(APPEND occcalc_dependencies Catch2)
endif()

FetchContent_MakeAvailable(${occcalc_dependencies})

# One name for each, wherever it comes from.
add_library(occcalc-zstd INTERFACE)
foreach(name zstd::libzstd_static libzstd_static zstd::libzstd_shared)
  if(TARGET ${name})
    target_link_libraries(occcalc-zstd INTERFACE ${name})
    break()
  endif()
endforeach()
add_library(occcalc-lz4 INTERFACE)
if(TARGET lz4_static)
  target_link_libraries(occcalc-lz4 INTERFACE lz4_static)
else()
  target_link_libraries(occcalc-lz4 INTERFACE ${LZ4_LIBRARY})
  target_include_directories(occcalc-lz4 SYSTEM INTERFACE ${LZ4_INCLUDE_DIR})
endif()

if(DEFINED catch2_SOURCE_DIR AND EXISTS "${catch2_SOURCE_DIR}/extras")
  list(APPEND CMAKE_MODULE_PATH "${catch2_SOURCE_DIR}/extras")
endif()
