# What make install puts where: headers, libraries, the command, pkg-config files and the CMake package. Nothing in the
# tree names the place it was built for, so it can be moved.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/hurray)
file(RELATIVE_PATH prefix_from_pc "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" /prefix)

# hurray_install(<target> <name in hurray::>): both libraries of a target.
function(hurray_install target name)
    set_target_properties(${target}_shared PROPERTIES EXPORT_NAME ${name})
    set_target_properties(${target}_static PROPERTIES EXPORT_NAME ${name}-static)
    install(TARGETS ${target}_shared ${target}_static EXPORT hurray-targets
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# hurray_install_pc(<name> <description> <library> <requires> <requires.private> <libs.private>)
function(hurray_install_pc pc_name pc_description pc_library pc_requires pc_requires_private pc_libs_private)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/hurray.pc.in" "${PROJECT_BINARY_DIR}/${pc_name}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${pc_name}.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/hurray/*.h")
hurray_install(hurray hurray)
hurray_install_pc(hurray "Tensors in the Hurray format" hurray "" "" -lm)
if(TARGET hurray_interop_shared)
    hurray_install(hurray_interop interop)
    hurray_install_pc(hurray-interop "Other tensor formats in and out of Hurray" hurray-interop hurray yajl "")
else()
    list(FILTER headers EXCLUDE REGEX "/interop\\.h$")
endif()
if(TARGET hurray_ffi_shared)
    hurray_install(hurray_ffi ffi)
    hurray_install_pc(hurray_ffi "The Hurray format's C ABI" hurray_ffi hurray "" "")
    install(FILES "${PROJECT_SOURCE_DIR}/include/hurray.h" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
if(TARGET hurray_cli)
    install(TARGETS hurray_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hurray)
install(FILES LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT hurray-targets NAMESPACE hurray:: DESTINATION ${package_folder})
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/hurray-config.cmake.in"
    "${PROJECT_BINARY_DIR}/hurray-config.cmake" INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/hurray-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/hurray-config.cmake" "${PROJECT_BINARY_DIR}/hurray-config-version.cmake"
    DESTINATION ${package_folder})
