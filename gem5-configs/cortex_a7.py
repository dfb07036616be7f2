"""An in-order board for gem5 24 (Arm): client_ops in system call emulation, region by region.

    gem5.opt -d OUT gem5-configs/cortex_a7.py --core CORE.json [--checkpoint DIR | --restore DIR] \
        PROGRAM --scheme bfv ... --markers gem5

CORE.json is a core of gem5-configs/cores (``python -m models.client.core FILE.yaml`` prints it):
issue widths, functional units, caches, predictor, memory; each latency has its source there. What
is fixed here is said here. Keys are generated on the atomic CPU; from the first region on the
program runs on MinorCPU. OUT/stats.txt gets one block for each region, OUT/OPERATION.json the same
as JSON. With --checkpoint the state before the first region is kept, so that another core or
another look at the same keys costs no second key generation (caches start cold then).

Self-contained: only gem5's own modules and Python's library.
"""

import argparse
import json
from pathlib import Path

import m5
from m5.objects import (
    LRURP,
    ArmAtomicSimpleCPU,
    ArmMinorCPU,
    Cache,
    L2XBar,
    MemCtrl,
    MinorDefaultFloatSimdFU,
    MinorDefaultIntDivFU,
    MinorDefaultIntFU,
    MinorDefaultIntMulFU,
    MinorDefaultMemFU,
    MinorDefaultMiscFU,
    MinorFUPool,
    MinorFUTiming,
    Process,
    RandomRP,
    ReturnAddrStack,
    Root,
    SEWorkload,
    SimpleBTB,
    SrcClockDomain,
    StridePrefetcher,
    System,
    SystemXBar,
    TournamentBP,
    VoltageDomain,
)
from m5.params import AddrRange
from m5.stats import gem5stats

OPERATIONS = ("encode", "encrypt", "decrypt", "decode")  # by the work item that the program names

# Units are tried in this order; each class brings the operations that it executes.
UNITS = {
    "integer": MinorDefaultIntFU,
    "multiply": MinorDefaultIntMulFU,
    "divide": MinorDefaultIntDivFU,
    "floating": MinorDefaultFloatSimdFU,
    "memory": MinorDefaultMemFU,
    "misc": MinorDefaultMiscFU,
}


def functional_units(units):
    """Return MinorCPU's pool of units."""
    made = []
    for kind, unit_class in UNITS.items():
        unit = units[kind]
        for _ in range(unit["count"]):
            timing = MinorFUTiming(
                description=kind,
                srcRegsRelativeLats=[unit["forwarding"]],
                extraAssumedLat=unit["extra_latency"],
            )
            made.append(
                unit_class(opLat=unit["latency"], issueLat=unit["interval"], timings=[timing])
            )
    return MinorFUPool(funcUnits=made)


def timing_cpu(core):
    """Return the MinorCPU of a core."""
    pipeline, predictor = core["pipeline"], core["branch_predictor"]
    return ArmMinorCPU(
        cpu_id=0,
        switched_out=True,
        executeFuncUnits=functional_units(core["functional_units"]),
        decodeInputWidth=pipeline["fetch_width"],
        executeInputWidth=pipeline["issue_width"],
        executeIssueLimit=pipeline["issue_width"],
        executeMemoryIssueLimit=pipeline["memory_issue_width"],
        executeCommitLimit=pipeline["commit_width"],
        executeMaxAccessesInMemory=pipeline["accesses_in_memory"],
        executeLSQTransfersQueueSize=pipeline["transfers"],
        executeLSQStoreBufferSize=pipeline["store_buffer"],
        branchPred=TournamentBP(
            localPredictorSize=predictor["local_entries"],
            localHistoryTableSize=predictor["local_entries"],
            globalPredictorSize=predictor["global_entries"],
            choicePredictorSize=predictor["global_entries"],
            btb=SimpleBTB(numEntries=predictor["target_entries"]),
            ras=ReturnAddrStack(numEntries=predictor["return_entries"]),
        ),
    )


def cache(level, **more):
    """Return a cache of a core's level."""
    return Cache(
        size=f"{level['size_bytes']}B",
        assoc=level["ways"],
        tag_latency=level["latency"],
        data_latency=level["latency"],
        response_latency=level["response_latency"],
        mshrs=level["mshrs"],
        replacement_policy=RandomRP() if level["replacement"] == "random" else LRURP(),
        **more,
    )


def memory_controller(memory, memory_range):
    """Return the controller with its device, at the width and the clock of the board."""
    device = getattr(m5.objects, memory["gem5_device"])(range=memory_range)
    if memory["device_bus_bits"] is not None:
        device.devices_per_rank = memory["device_bus_bits"] // int(device.device_bus_width)
    if memory["device_clock_hz"] is not None:
        period_s = 1 / memory["device_clock_hz"]
        device.tCK = f"{period_s * 1e9}ns"
        # double data rate: two beats a cycle
        device.tBURST = f"{int(device.burst_length) / 2 * period_s * 1e9}ns"
    return MemCtrl(dram=device)


def board(core, command):
    """Return the system: both CPUs share the caches, so that they are warm at the switch."""
    caches = core["caches"]
    system = System(
        mem_mode="atomic",
        mem_ranges=[AddrRange(core["memory"]["size_bytes"])],
        cache_line_size=caches["line_bytes"],
        exit_on_work_items=True,
    )
    system.clk_domain = SrcClockDomain(
        clock=f"{core['clock_hz']}Hz", voltage_domain=VoltageDomain()
    )
    system.cpu = ArmAtomicSimpleCPU(cpu_id=0)
    system.timing_cpu = timing_cpu(core)

    # The second level holds what the first evicts, clean or dirty (as gem5's ex5_LITTLE).
    system.icache = cache(caches["l1i"], is_read_only=True, writeback_clean=True, tgts_per_mshr=20)
    system.dcache = cache(caches["l1d"], writeback_clean=True, tgts_per_mshr=8, write_buffers=4)
    system.l2 = cache(
        caches["l2"],
        clusivity="mostly_excl",
        tgts_per_mshr=12,
        write_buffers=16,
        # Arm DDI 0464: the A7 prefetches streams of loads
        prefetcher=StridePrefetcher(degree=1, latency=1, prefetch_on_access=True),
    )
    # One cycle each way, which with the cache latencies makes the core's bus_latency.
    system.l2bus = L2XBar()
    system.membus = SystemXBar()
    system.cpu.icache_port = system.icache.cpu_side
    system.cpu.dcache_port = system.dcache.cpu_side
    system.icache.mem_side = system.l2bus.cpu_side_ports
    system.dcache.mem_side = system.l2bus.cpu_side_ports
    system.l2bus.mem_side_ports = system.l2.cpu_side
    system.l2.mem_side = system.membus.cpu_side_ports
    system.mem_ctrl = memory_controller(core["memory"], system.mem_ranges[0])
    system.mem_ctrl.port = system.membus.mem_side_ports
    system.system_port = system.membus.cpu_side_ports

    system.workload = SEWorkload.init_compatible(command[0])
    # System call 398 (rseq) is not emulated; recent C libraries ask for it unless told not to.
    process = Process(
        cmd=command, executable=command[0], env=["GLIBC_TUNABLES=glibc.pthread.rseq=0"]
    )
    for cpu in (system.cpu, system.timing_cpu):
        cpu.workload = process
        cpu.createThreads()
        cpu.createInterruptController()
        # Both need their table walkers connected, or the switch fails.
        cpu.mmu.connectWalkerPorts(system.l2bus.cpu_side_ports, system.l2bus.cpu_side_ports)
    return system


def main():
    """Run the program to its end, with a block of statistics for each region."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--core", type=Path, required=True, help="core file (JSON)")
    parser.add_argument("--checkpoint", help="keep the state before the first region here")
    parser.add_argument("--restore", help="start from such a state")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="program and its arguments")
    options = parser.parse_args()

    system = board(json.loads(options.core.read_text()), options.command)
    root = Root(full_system=False, system=system)
    m5.instantiate(options.restore)

    on_timing_cpu = False
    event = None if options.restore else m5.simulate()
    while event is None or event.getCause() in ("workbegin", "workend"):
        if event is not None and event.getCause() == "workend":
            m5.stats.dump()
            name = OPERATIONS[event.getCode()]
            with Path(m5.options.outdir, f"{name}.json").open("w") as output:
                gem5stats.get_simstat(root).dump(output)
        else:
            if event is not None and options.checkpoint and not on_timing_cpu:
                m5.checkpoint(options.checkpoint)
            if not on_timing_cpu:
                m5.switchCpus(system, [(system.cpu, system.timing_cpu)])
                on_timing_cpu = True
            m5.stats.reset()
        event = m5.simulate()
    print(f"{event.getCause()} at tick {m5.curTick()}")
    raise SystemExit(event.getCode())


if __name__ == "__m5_main__":
    main()
