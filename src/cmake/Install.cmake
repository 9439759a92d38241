# find_package(occcalc) gives occcalc::occcalc.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/occcalc)
install(TARGETS occcalc-lib EXPORT occcalc-targets FILE_SET HEADERS)
install(EXPORT occcalc-targets NAMESPACE occcalc:: DESTINATION ${package_dir})
# A static library names what it needs; packages of lz4 have no CMake files.
file(
  WRITE ${CMAKE_CURRENT_BINARY_DIR}/occcalc-config.cmake
  [[
find_library(OCCCALC_ZSTD_LIBRARY NAMES libzstd.a zstd zstd_static REQUIRED)
find_library(OCCCALC_LZ4_LIBRARY NAMES liblz4.a lz4 lz4_static REQUIRED)
include("${CMAKE_CURRENT_LIST_DIR}/occcalc-targets.cmake")
set_property(TARGET occcalc::occcalc APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${OCCCALC_ZSTD_LIBRARY}
                                                     ${OCCCALC_LZ4_LIBRARY})
]])
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/occcalc-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/occcalc-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/occcalc-config-version.cmake
        DESTINATION ${package_dir})
install(DIRECTORY data/architectures data/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/occcalc)
install(FILES data/gpus.json DESTINATION ${CMAKE_INSTALL_DATADIR}/occcalc)
if(OCCCALC_BUILD_TOOL)
  install(TARGETS occcalc-tool)
endif()
