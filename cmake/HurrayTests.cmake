# One executable and one ctest entry for each tests/<room>/test_*.c, labelled by its room.
find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
pkg_check_modules(TEST_DATA REQUIRED IMPORTED_TARGET yajl zlib) # to read the conformance data
set(HURRAY_SHARED_DIR "${PROJECT_SOURCE_DIR}/../shared" CACHE PATH
    "Conformance inputs and model files; tests that need them skip where they are not")

file(GLOB test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*/test_*.c")
foreach(source IN LISTS test_sources)
    get_filename_component(name "${source}" NAME_WE)
    get_filename_component(room "${source}" DIRECTORY)
    get_filename_component(room "${room}" NAME)
    if(room STREQUAL interop AND NOT TARGET hurray_interop_static)
        continue()
    endif()
    # Helpers beside the tests are any other C files of the same folder and of tests/support.
    file(GLOB helpers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${room}/*.c"
        "${PROJECT_SOURCE_DIR}/tests/support/*.c")
    list(FILTER helpers EXCLUDE REGEX "/test_[^/]*\\.c$")
    add_executable(${name} "${source}" ${helpers})
    hurray_target(${name})
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
    target_compile_definitions(${name} PRIVATE _GNU_SOURCE= HRY_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
        HRY_SHARED_DIR="${HURRAY_SHARED_DIR}" HRY_BUILD_VERSION="${PROJECT_VERSION}")
    target_link_libraries(${name} PRIVATE hurray_static ${MATH_LIBRARY} PkgConfig::CMOCKA PkgConfig::TEST_DATA)
    if(room STREQUAL interop)
        target_link_libraries(${name} PRIVATE hurray_interop_static)
    elseif(room STREQUAL ffi)
        target_link_libraries(${name} PRIVATE hurray_ffi_static)
    endif()
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS ${room} TIMEOUT 300)
endforeach()

# Tests in Python need its standard library only.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB test_scripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*/test_*.py")
foreach(source IN LISTS test_scripts)
    get_filename_component(name "${source}" NAME_WE)
    get_filename_component(room "${source}" DIRECTORY)
    get_filename_component(room "${room}" NAME)
    add_test(NAME ${name} COMMAND Python3::Interpreter "${source}")
    set_tests_properties(${name} PROPERTIES LABELS ${room} TIMEOUT 300)
endforeach()
