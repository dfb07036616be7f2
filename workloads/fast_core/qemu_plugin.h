// The part of QEMU's plugin interface (version 1) that the fast core uses. Distributions ship
// QEMU without its header, so the few functions needed are declared here.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
using qemu_plugin_id_t = std::uint64_t;
using qemu_plugin_meminfo_t = std::uint32_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_CB_RW_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

using qemu_plugin_simple_cb_t = void (*)(qemu_plugin_id_t);
using qemu_plugin_udata_cb_t = void (*)(qemu_plugin_id_t, void *);
using qemu_plugin_vcpu_udata_cb_t = void (*)(unsigned, void *);
using qemu_plugin_vcpu_tb_trans_cb_t = void (*)(qemu_plugin_id_t, qemu_plugin_tb *);
using qemu_plugin_vcpu_mem_cb_t = void (*)(unsigned, qemu_plugin_meminfo_t, std::uint64_t, void *);

void qemu_plugin_reset(qemu_plugin_id_t, qemu_plugin_simple_cb_t);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, qemu_plugin_vcpu_tb_trans_cb_t);
void qemu_plugin_register_vcpu_tb_exec_cb(qemu_plugin_tb *, qemu_plugin_vcpu_udata_cb_t,
                                          qemu_plugin_cb_flags, void *);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn *, qemu_plugin_vcpu_mem_cb_t,
                                      qemu_plugin_cb_flags, qemu_plugin_mem_rw, void *);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, qemu_plugin_udata_cb_t, void *);
std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb *);
qemu_plugin_insn *qemu_plugin_tb_get_insn(const qemu_plugin_tb *, std::size_t);
std::uint64_t qemu_plugin_tb_vaddr(const qemu_plugin_tb *);
std::uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn *);
const void *qemu_plugin_insn_data(const qemu_plugin_insn *);
std::size_t qemu_plugin_insn_size(const qemu_plugin_insn *);
char *qemu_plugin_insn_disas(const qemu_plugin_insn *);
const char *qemu_plugin_insn_symbol(const qemu_plugin_insn *);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);
void qemu_plugin_outs(const char *);
}
