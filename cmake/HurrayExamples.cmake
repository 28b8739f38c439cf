# Each examples/*.c is a program over the public headers alone.
file(GLOB examples CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.c")
foreach(source IN LISTS examples)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(example_${name} "${source}")
    hurray_target(example_${name} TOOL)
    target_link_libraries(example_${name} PRIVATE hurray_static m)
    set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples")
endforeach()
