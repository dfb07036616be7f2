"""Bench of taco_draw: every sample equals the reference's, for sequences of requests."""

import cocotb
import numpy as np

from rtl.tb.reference.random_stream import Samples, random_blocks
from rtl.tb.runner import bench_parameters
from rtl.tb.stream import collect, drive, split, start

IDLE = {"request_valid_i": 0, "block_valid_i": 0, "sample_ready_i": 0}
SEED = bytes(range(32))
REQUESTS = ((False, 64), (True, 64), (True, 8), (False, 8), (False, 3072), (True, 1024), (True, 16))


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0), (0.6, 0.0), (0.0, 0.6)])
async def equals_the_reference(dut, stalls):
    """Ternary and error requests in turn, with a slow generator or a slow reader."""
    parameters = bench_parameters()
    lanes = parameters["Lanes"]
    reference = Samples(SEED, 9, clipped=bool(parameters["ClippedNormal"]))
    expected = np.concatenate(
        [reference.error(count) if error else reference.ternary(count) for error, count in REQUESTS]
    )
    blocks = random_blocks(SEED, 9, 0, reference.next_block)
    await start(dut, **IDLE)
    numbers = ({"block_i": int.from_bytes(block, "little")} for block in blocks)
    requests = ({"request_error_i": e, "request_count_i": n} for e, n in REQUESTS)
    cocotb.start_soon(drive(dut, "block", numbers, stall=stalls[0]))
    cocotb.start_soon(drive(dut, "request", requests))
    words = await collect(dut, "sample", "samples_o", len(expected) // lanes, stall=stalls[1])
    fields = [field for word in words for field in split(word, 8, lanes)]
    got = np.array(fields, dtype=np.uint8).astype(np.int8)
    np.testing.assert_array_equal(got, expected)
