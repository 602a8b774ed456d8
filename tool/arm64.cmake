# The image's tool for arm64, built on another machine. DRYDOCK_ARM64 is a folder with Debian's arm64 packages of
# libyaml, nettle, fmt, tl::expected and nlohmann-json, unpacked (docker/packages.sh makes it).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_STRIP aarch64-linux-gnu-strip)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DRYDOCK_ARM64)

set(CMAKE_FIND_ROOT_PATH ${DRYDOCK_ARM64})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${DRYDOCK_ARM64})
set(ENV{PKG_CONFIG_LIBDIR} ${DRYDOCK_ARM64}/usr/lib/aarch64-linux-gnu/pkgconfig:${DRYDOCK_ARM64}/usr/share/pkgconfig)

find_program(DRYDOCK_QEMU NAMES qemu-aarch64-static qemu-aarch64)
set(CMAKE_CROSSCOMPILING_EMULATOR ${DRYDOCK_QEMU})
