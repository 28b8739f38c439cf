# One executable and one ctest entry for each tests/<room>/test_*.c, labelled by its room; one entry for each script
# tests/<room>/test_*.sh and test_*.py. A name that holds "_slow" labels the test slow. Exit code 77 means skipped.
enable_testing()
find_package(PkgConfig REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
pkg_check_modules(TEST_DATA REQUIRED IMPORTED_TARGET yajl zlib) # to read the conformance data
set(HURRAY_SHARED_DIR "${PROJECT_SOURCE_DIR}/../shared" CACHE PATH
    "Conformance inputs and model files; tests that need them skip where they are not")

# What every test may rely on, scripts by the environment and programs by their definitions too.
set(test_environment "HURRAY_SOURCE_DIR=${PROJECT_SOURCE_DIR}" "HURRAY_BUILD_DIR=${PROJECT_BINARY_DIR}"
    "HURRAY_SHARED_DIR=${HURRAY_SHARED_DIR}" "CC=${CMAKE_C_COMPILER}" "LC_ALL=C.UTF-8" "PYTHONDONTWRITEBYTECODE=1"
    "ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:strict_string_checks=1"
    "UBSAN_OPTIONS=print_stacktrace=1" "TSAN_OPTIONS=halt_on_error=1")
# What scripts start a program of ours with: nothing where this machine runs it by itself.
list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
list(APPEND test_environment "HURRAY_EMULATOR=${emulator}")
if(TARGET hurray_cli AND emulator)
    # Scripts start the command by one path.
    file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/tests/hurray-emulated"
        CONTENT "#!/bin/sh\nexec ${emulator} $<TARGET_FILE:hurray_cli> \"$@\"\n"
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    list(APPEND test_environment "HURRAY=${PROJECT_BINARY_DIR}/tests/hurray-emulated")
elseif(TARGET hurray_cli)
    list(APPEND test_environment "HURRAY=$<TARGET_FILE:hurray_cli>")
endif()

if(TARGET hurray_interop_static)
    list(APPEND test_environment "HURRAY_INTEROP=1")
endif()

set(test_seconds 300)
if(HURRAY_SANITIZE OR CMAKE_CROSSCOMPILING)
    set(test_seconds 900)
endif()

# hurray_test(<name> <labels> <command>...)
function(hurray_test name labels)
    add_test(NAME ${name} COMMAND ${ARGN})
    if(name MATCHES "_slow")
        list(APPEND labels slow)
    endif()
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${test_seconds} SKIP_RETURN_CODE 77
        ENVIRONMENT "${test_environment}")
endfunction()

# What tests of several rooms share.
set(test_definitions _GNU_SOURCE= HRY_SOURCE_DIR="${PROJECT_SOURCE_DIR}" HRY_SHARED_DIR="${HURRAY_SHARED_DIR}"
    HRY_BUILD_VERSION="${PROJECT_VERSION}")
file(GLOB support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.c")
list(FILTER support EXCLUDE REGEX "/test_[^/]*\\.c$")
add_library(hurray_test_support INTERFACE)
if(support)
    add_library(hurray_test_support_objects STATIC ${support})
    hurray_target(hurray_test_support_objects TOOL)
    target_include_directories(hurray_test_support_objects PRIVATE "${PROJECT_SOURCE_DIR}/src"
        "${PROJECT_SOURCE_DIR}/tests")
    target_compile_definitions(hurray_test_support_objects PRIVATE ${test_definitions})
    target_link_libraries(hurray_test_support_objects PUBLIC hurray_static m PkgConfig::CMOCKA PkgConfig::TEST_DATA)
    target_link_libraries(hurray_test_support INTERFACE hurray_test_support_objects)
endif()

file(GLOB test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*/test_*.c")
foreach(source IN LISTS test_sources)
    get_filename_component(name "${source}" NAME_WE)
    get_filename_component(room "${source}" DIRECTORY)
    get_filename_component(room "${room}" NAME)
    if((room STREQUAL interop AND NOT TARGET hurray_interop_static) OR
       (room STREQUAL ffi AND NOT TARGET hurray_ffi_static))
        continue()
    endif()
    # The other C files of a folder are what its tests share.
    file(GLOB helpers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${room}/*.c")
    list(FILTER helpers EXCLUDE REGEX "/test_[^/]*\\.c$")
    add_executable(${name} "${source}" ${helpers})
    hurray_target(${name} TOOL)
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
    target_compile_definitions(${name} PRIVATE ${test_definitions})
    target_link_libraries(${name} PRIVATE hurray_test_support)
    if(room STREQUAL interop)
        target_link_libraries(${name} PRIVATE hurray_interop_static)
    elseif(room STREQUAL ffi)
        target_link_libraries(${name} PRIVATE hurray_ffi_static)
    endif()
    target_link_libraries(${name} PRIVATE hurray_static m PkgConfig::CMOCKA PkgConfig::TEST_DATA)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    hurray_test(${name} ${room} ${name})
endforeach()

# Scripts need the shell or Python's standard library only. What looks at the tree and at what is installed says the
# same in every build, so one build asks it.
file(GLOB scripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*/test_*.sh" "${PROJECT_SOURCE_DIR}/tests/*/test_*.py")
foreach(script IN LISTS scripts)
    get_filename_component(name "${script}" NAME_WE)
    get_filename_component(room "${script}" DIRECTORY)
    get_filename_component(room "${room}" NAME)
    if((room STREQUAL cli AND NOT TARGET hurray_cli) OR
       (room MATCHES "^(house|install|docs)$" AND (HURRAY_SANITIZE OR CMAKE_CROSSCOMPILING)))
        continue()
    endif()
    if(script MATCHES "\\.py$")
        hurray_test(${name} ${room} ${Python3_EXECUTABLE} "${script}")
    else()
        hurray_test(${name} ${room} sh "${script}")
    endif()
endforeach()

if(NOT HURRAY_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
    include(HurrayFloors)
endif()
