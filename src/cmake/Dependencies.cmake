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
if(DEFINED catch2_SOURCE_DIR AND EXISTS "${catch2_SOURCE_DIR}/extras")
  list(APPEND CMAKE_MODULE_PATH "${catch2_SOURCE_DIR}/extras")
endif()
