# find_package(occcalc) gives occcalc::occcalc.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/occcalc)
install(TARGETS occcalc-lib EXPORT occcalc-targets FILE_SET HEADERS)
install(EXPORT occcalc-targets NAMESPACE occcalc:: DESTINATION ${package_dir})
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/occcalc-config.cmake
     "include(\"\${CMAKE_CURRENT_LIST_DIR}/occcalc-targets.cmake\")\n")
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/occcalc-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/occcalc-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/occcalc-config-version.cmake
        DESTINATION ${package_dir})
install(DIRECTORY data/architectures data/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/occcalc)
if(OCCCALC_BUILD_TOOL)
  install(TARGETS occcalc-tool)
endif()
