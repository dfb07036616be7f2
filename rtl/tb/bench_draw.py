"""Bench of taco_draw: every sample equals the reference's, for sequences of requests."""

import cocotb
import numpy as np

from rtl.tb.reference import random_stream
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


def corners(clipped: bool) -> np.ndarray:
    """Blocks that random ones would never hold: around every threshold, all bits alike."""
    if clipped:
        around = [t + d for t in random_stream.normal_thresholds() for d in (-1, 0, 1)]
        words = [w | sign << 63 for w in (0, *around, 2**63 - 1) for sign in (0, 1)]
        words += [0] * (-len(words) % 8)
        return np.array(words, dtype="<u8").view(np.uint8).reshape(-1, 64)
    low, high = (1 << 21) - 1, ((1 << 21) - 1) << 21
    fields = [0, low, high, low | high] * 3
    block = sum(field << 42 * i for i, field in enumerate(fields))
    return np.frombuffer(block.to_bytes(64, "little") * 2, dtype=np.uint8).reshape(2, 64)


@cocotb.test()
@cocotb.parametrize(error=[False, True])
async def corner_values(dut, error):
    """Every byte for ternary samples; extreme values and thresholds for errors."""
    parameters = bench_parameters()
    clipped = bool(parameters["ClippedNormal"])
    if error:
        blocks = corners(clipped)
        make = random_stream.clipped_normal if clipped else random_stream.centered_binomial
    else:
        values = np.arange(256, dtype=np.uint8)
        blocks, make = np.concatenate([values, values[::-1]]).reshape(-1, 64), random_stream.ternary
    expected = make(blocks)
    lanes = parameters["Lanes"]
    await start(dut, **IDLE)
    numbers = ({"block_i": int.from_bytes(block, "little")} for block in blocks)
    cocotb.start_soon(drive(dut, "block", numbers))
    request = {"request_error_i": error, "request_count_i": len(expected)}
    cocotb.start_soon(drive(dut, "request", [request]))
    words = await collect(dut, "sample", "samples_o", len(expected) // lanes)
    fields = [field for word in words for field in split(word, 8, lanes)]
    np.testing.assert_array_equal(np.array(fields, dtype=np.uint8).astype(np.int8), expected)
