# Instruction floors: each tests/floors/floor_*.c is run under callgrind, which counts the same every time. Limits hold for
# one compiler, level and machine, so elsewhere there is nothing to ask.
if(CMAKE_BUILD_TYPE STREQUAL Release AND CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64
   AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    file(GLOB floor_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/floors/floor_*.c")
    foreach(source IN LISTS floor_sources)
        get_filename_component(name "${source}" NAME_WE)
        add_executable(${name} "${source}" "${PROJECT_SOURCE_DIR}/tests/floors/floors.c")
        hurray_target(${name} TOOL)
        target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
        target_link_libraries(${name} PRIVATE hurray_static m)
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
        hurray_test(${name} floor ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/tests/floors/count_instructions.py"
            $<TARGET_FILE:${name}>)
    endforeach()
endif()
