# The libraries. A room's sources are the C files in its folder; a file for another machine compiles to nothing.
set(core_rooms base os type kern kern/ref kern/x86 kern/arm layout quant desc tensor file wire)
set(shared_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}) # before 1.0 each minor version is another ABI

# hurray_add_library(<target> <output name> SOURCES <files> LINK <libraries>): static and shared from the same objects,
# as <target>_static and <target>_shared. The core compiles without _GNU_SOURCE, so that a plain cc builds it as well.
function(hurray_add_library target output)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK;LINK_STATIC;LINK_SHARED;DEFINITIONS" ${ARGN})
    add_library(${target}_objects OBJECT ${arg_SOURCES})
    hurray_target(${target}_objects)
    set_target_properties(${target}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target}_objects PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
    target_compile_definitions(${target}_objects PRIVATE ${arg_DEFINITIONS})
    target_link_libraries(${target}_objects PRIVATE ${arg_LINK})
    add_library(${target}_static STATIC $<TARGET_OBJECTS:${target}_objects>)
    add_library(${target}_shared SHARED $<TARGET_OBJECTS:${target}_objects>)
    foreach(kind static shared)
        hurray_target(${target}_${kind})
        set_target_properties(${target}_${kind} PROPERTIES OUTPUT_NAME ${output} LINKER_LANGUAGE C)
        target_include_directories(${target}_${kind} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    endforeach()
    target_link_libraries(${target}_static PRIVATE ${arg_LINK} PUBLIC ${arg_LINK_STATIC})
    target_link_libraries(${target}_shared PRIVATE ${arg_LINK} PUBLIC ${arg_LINK_SHARED})
    set_target_properties(${target}_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${shared_version})
    target_link_options(${target}_shared PRIVATE -Wl,--as-needed)
    if(NOT HURRAY_SANITIZE)
        target_link_options(${target}_shared PRIVATE -Wl,--no-undefined)
    endif()
    if(PROJECT_IS_TOP_LEVEL OR BUILD_SHARED_LIBS)
        set(chosen ${target}_shared)
    else()
        set(chosen ${target}_static)
        set_target_properties(${target}_shared PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    string(REGEX REPLACE "^hurray_(.+)" "\\1" short ${target})
    add_library(hurray::${short} ALIAS ${chosen})
endfunction()

set(core_sources)
foreach(room IN LISTS core_rooms)
    file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${room}/*.c")
    list(APPEND core_sources ${files})
endforeach()
hurray_add_library(hurray hurray SOURCES ${core_sources} LINK m)

file(GLOB ffi_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/ffi/*.c")
if(HURRAY_FFI AND ffi_sources)
    hurray_add_library(hurray_ffi hurray_ffi SOURCES ${ffi_sources}
        LINK_STATIC hurray_static LINK_SHARED hurray_shared)
endif()

file(GLOB interop_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/interop/*.c"
    "${PROJECT_SOURCE_DIR}/src/interop/*/*.c")
if(HURRAY_INTEROP OR HURRAY_CLI)
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(YAJL REQUIRED IMPORTED_TARGET yajl)
endif()
if(HURRAY_INTEROP AND interop_sources)
    # It uses rooms of the core that libhurray.so does not export; the shared library carries its own copy of those.
    hurray_add_library(hurray_interop hurray-interop SOURCES ${interop_sources}
        LINK $<BUILD_INTERFACE:PkgConfig::YAJL> $<INSTALL_INTERFACE:yajl>
        DEFINITIONS _GNU_SOURCE= LINK_STATIC hurray_static LINK_SHARED hurray_shared)
    target_link_libraries(hurray_interop_shared PRIVATE $<BUILD_INTERFACE:hurray_static>)
    target_link_options(hurray_interop_shared PRIVATE -Wl,--exclude-libs,ALL)
endif()
