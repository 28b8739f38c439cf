# What every object of the project is compiled with, as the target hurray_flags.
add_library(hurray_flags INTERFACE)
target_compile_options(hurray_flags INTERFACE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wvla
    # The bits of a result must not depend on what the compiler fuses.
    -ffp-contract=off -fno-math-errno
    # On 32-bit machines programs that are not installed count in the format's 64 bits.
    $<$<NOT:$<AND:$<BOOL:$<TARGET_PROPERTY:HURRAY_TOOL>>,$<EQUAL:${CMAKE_SIZEOF_VOID_P},4>>>:-Wconversion>
    # s390x would compute with floats as doubles.
    $<$<C_COMPILER_ID:GNU>:-fexcess-precision=fast>)
target_compile_definitions(hurray_flags INTERFACE _FILE_OFFSET_BITS=64)
if(HURRAY_WERROR)
    target_compile_options(hurray_flags INTERFACE -Werror)
endif()
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86|i.86|AMD64")
    # x87 arithmetic would give other bits than every other machine.
    target_compile_options(hurray_flags INTERFACE -msse2 -mfpmath=sse)
endif()
if(HURRAY_SANITIZE)
    target_compile_options(hurray_flags INTERFACE -fsanitize=${HURRAY_SANITIZE} -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_link_options(hurray_flags INTERFACE -fsanitize=${HURRAY_SANITIZE})
endif()

# Settings of a target of ours: the flags, C17 without extensions, nothing exported that is not marked.
# TOOL stands for programs that are not installed.
function(hurray_target name)
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:hurray_flags>)
    set_target_properties(${name} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden)
    if("TOOL" IN_LIST ARGN)
        set_target_properties(${name} PROPERTIES HURRAY_TOOL ON)
    endif()
endfunction()
