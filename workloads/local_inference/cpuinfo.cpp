// The processor that XNNPACK chooses its kernels for: a Cortex-A7, wherever the program runs.
//
// XNNPACK asks the cpuinfo library, which reads /proc and /sys. A simulator shows the host's, or
// none; so the program answers itself.
#include <cpuinfo.h>

extern "C" {

cpuinfo_arm_isa cpuinfo_isa = [] {
    cpuinfo_arm_isa isa{};
    isa.thumb = isa.thumb2 = true;
    isa.armv5e = isa.armv6 = isa.armv6k = isa.armv7 = isa.armv7mp = true;
    isa.idiv = true;
    isa.vfpv2 = isa.vfpv3 = isa.d32 = isa.fp16 = isa.fma = isa.neon = true;
    return isa;
}();

bool cpuinfo_initialize() { return true; }

void cpuinfo_deinitialize() {}

const cpuinfo_uarch_info *cpuinfo_get_uarch(uint32_t) {
    static const cpuinfo_uarch_info core = [] {
        cpuinfo_uarch_info info{};
        info.uarch = cpuinfo_uarch_cortex_a7;
        info.midr = 0x410FC075;  // Arm, Cortex-A7 r0p5
        info.processor_count = info.core_count = 1;
        return info;
    }();
    return &core;
}
}
