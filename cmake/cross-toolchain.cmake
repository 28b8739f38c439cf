# Builds for another machine and runs the tests through an emulator. HURRAY_TRIPLET: s390x-linux-gnu, aarch64-linux-gnu,
# i686-linux-gnu; HURRAY_CROSS_ROOT: where scripts/cross_root.sh unpacked the libraries that the tests need.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HURRAY_TRIPLET HURRAY_CROSS_ROOT)
string(REGEX REPLACE "-.*" "" machine ${HURRAY_TRIPLET})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${machine})
set(CMAKE_C_COMPILER ${HURRAY_TRIPLET}-gcc)
set(library_folder ${HURRAY_TRIPLET})
if(machine STREQUAL i686) # this machine runs it by itself
    set(library_folder i386-linux-gnu)
    set(CMAKE_C_FLAGS_INIT "-msse2 -mfpmath=sse")
    set(link "-Wl,--dynamic-linker=/usr/i686-linux-gnu/lib/ld-linux.so.2,-rpath,/usr/i686-linux-gnu/lib")
else()
    set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${machine} -L /usr/${HURRAY_TRIPLET})
endif()
set(ENV{PKG_CONFIG_LIBDIR} ${HURRAY_CROSS_ROOT}/usr/lib/${library_folder}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${HURRAY_CROSS_ROOT})
set(places ${HURRAY_CROSS_ROOT}/usr/lib/${library_folder} ${HURRAY_CROSS_ROOT}/lib/${library_folder})
# Debian keeps what depends on the machine in a folder of its own.
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${HURRAY_CROSS_ROOT}/usr/include/${library_folder})
set(CMAKE_BUILD_RPATH ${places})
list(JOIN places ,-rpath-link, linked)
set(CMAKE_EXE_LINKER_FLAGS_INIT "${link} -Wl,-rpath-link,${linked}")
