# Armv7-A as in a Cortex-A7: NEON with fused multiply-add, hard-float calls, Arm (A32) encoding,
# one static program, which is what gem5's system call emulation runs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-linux-gnueabihf-gcc)
set(CMAKE_CXX_COMPILER arm-linux-gnueabihf-g++)
set(_core "-mcpu=cortex-a7 -mfpu=neon-vfpv4 -mfloat-abi=hard -marm")
set(CMAKE_C_FLAGS_INIT "${_core}")
set(CMAKE_CXX_FLAGS_INIT "${_core}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# SEAL's build runs small programs to see what the compiler knows.
find_program(QEMU_ARM qemu-arm)
if(QEMU_ARM)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${QEMU_ARM}")
endif()
