# Each arrow of the design is an include direction: data flows one way, and nobody includes against it.
#   cmake -DSOURCE_DIR=... -P include_directions.cmake

# What a folder may include, beside the standard library and itself. Third-party headers are named by their prefix.
set(may_include_include "occcalc/")
set(may_include_model "occcalc/;model/")
set(may_include_analysis "occcalc/;model/;analysis/")
set(may_include_input "occcalc/;input/;nlohmann/;zstd\\.h;lz4\\.h")
set(may_include_report "occcalc/;report/;fmt/")
set(may_include_cli "occcalc/;model/;analysis/;input/;report/;cli/")
set(may_include_cmake "occcalc/;input/;cmake/")

# Names in angle brackets that are the system's: the standard library has no slash, POSIX a few.
set(system_headers "^([a-z_0-9]+|cxxabi\\.h|fcntl\\.h|unistd\\.h|sys/stat\\.h|sys/ioctl\\.h|sys/mman\\.h|poll\\.h|regex\\.h|signal\\.h)$")

set(faults "")
set(checked 0)

function(check_file folder file)
  string(REPLACE ";" "|" allowed "${may_include_${folder}}")
  file(STRINGS "${file}" lines REGEX "^#include")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include [<\"]([^>\"]+)[>\"].*" "\\1" header "${line}")
    if(line MATCHES "^#include <" AND header MATCHES "${system_headers}")
      if(folder MATCHES "include|model|analysis" AND header MATCHES "\\.h$")
        string(APPEND faults "${file}: includes <${header}>, but the library is standard C++ only\n")
      endif()
    elseif(header STREQUAL "CLI/CLI.hpp" AND file MATCHES "src/cli/arguments\\.cpp$")
      # the only file that includes CLI11
    elseif(NOT header MATCHES "^(${allowed})")
      string(APPEND faults "${file}: includes ${header}; ${folder} may include ${allowed} and the standard library\n")
    endif()
    if(header MATCHES "^(fstream|fcntl\\.h)$" AND NOT file MATCHES "src/cli/files\\.cpp$|src/cmake/")
      string(APPEND faults "${file}: includes ${header}, but only src/cli/files.cpp opens files\n")
    endif()
  endforeach()
  set(faults "${faults}" PARENT_SCOPE)
endfunction()

foreach(folder include model analysis input report cli cmake)
  if(folder STREQUAL "include")
    file(GLOB_RECURSE files "${SOURCE_DIR}/include/*.hpp")
  else()
    file(GLOB_RECURSE files "${SOURCE_DIR}/src/${folder}/*.hpp" "${SOURCE_DIR}/src/${folder}/*.cpp")
  endif()
  foreach(file IN LISTS files)
    check_file(${folder} "${file}")
    math(EXPR checked "${checked} + 1")
  endforeach()
endforeach()

if(checked LESS 30)
  message(FATAL_ERROR "only ${checked} files were found below ${SOURCE_DIR}")
endif()
if(faults)
  message(FATAL_ERROR "${faults}")
endif()
message(STATUS "${checked} files include in the right direction")
