// Regions whose cycles on an in-order dual-issue core follow from its parameters; no C library.
#define REPEAT(text) text text text text text text text text text text

__attribute__((noinline, used)) void choco_region_begin(void) { asm volatile("" ::: "memory"); }
__attribute__((noinline, used)) void choco_region_end(void) { asm volatile("" ::: "memory"); }

static char data[1 << 20] __attribute__((aligned(64)));

#define KERNEL(name, body)                                                                        \
    __attribute__((noinline)) static void name(void) {                                            \
        asm volatile("mov r0, #1000\n1:\n" body "\nsubs r0, r0, #1\nbne 1b\n"               \
                     ::"r"(data) : "r0", "r1", "r2", "r3", "r4", "r5", "cc", "memory");           \
    }

KERNEL(dependent_adds, REPEAT("add r1, r1, #1\n"))
KERNEL(independent_adds, REPEAT(REPEAT("add r1, r2, #1\nadd r3, r2, #1\n")))
KERNEL(dependent_multiplies, REPEAT("mul r1, r1, r2\n"))

__attribute__((noinline)) static void walk(unsigned bytes, unsigned stride) {
    for (int round = 0; round < 4; ++round) {
        for (unsigned i = 0; i < bytes; i += stride) {
            asm volatile("ldr r1, [%0]" ::"r"(data + i) : "r1", "memory");
        }
    }
}

#define REGION(call)                                                                              \
    choco_region_begin();                                                                         \
    call;                                                                                         \
    choco_region_end();

void _start(void) {
    REGION(dependent_adds())
    REGION(independent_adds())
    REGION(dependent_multiplies())
    REGION(walk(16 << 10, 64))   // fits the first level
    REGION(walk(96 << 10, 64))   // fits the second level
    REGION(walk(1 << 20, 64))    // fits none
    asm volatile("mov r7, #1\nmov r0, #0\nsvc #0");
}
