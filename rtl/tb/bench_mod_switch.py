"""Bench of taco_mod_switch: rounding division by the key prime, layers that come and go apart."""

import random

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly

from rtl.tb.reference.encryption import drop_last
from rtl.tb.reference.primes import ntt_primes
from rtl.tb.reference.transform import montgomery
from rtl.tb.runner import bench_parameters
from rtl.tb.stream import join, split, start

BEATS = 100


async def run(dut, primes: list[int], active: int, key: bool, stall: float) -> None:
    """Send random polynomials (corners first) and compare with SEAL's formula."""
    parameters = bench_parameters()
    lanes, layers = parameters["Lanes"], parameters["DataLayers"]
    rng = random.Random(layers)
    *data_primes, p = primes
    offsets, inverses = [], []
    for q in data_primes:
        offsets.append((p >> 1) % q + -(-p // q) * q if key else 0)
        inverses.append(montgomery(pow(p, -1, q) if key else 1, q))
    corners = [[0, q - 1, q >> 1, (q >> 1) + 1, 1] for q in primes]
    count = BEATS * lanes
    values = [
        (corner + [rng.randrange(q) for _ in range(count)])[:count]
        for corner, q in zip(corners, primes, strict=True)
    ]
    expected = drop_last(values, primes) if key else values[:-1]
    await start(
        dut,
        key_i=key,
        active_i=active,
        key_modulus_i=p,
        modulus_i=join(data_primes, 61),
        offset_i=join(offsets, 64),
        inverse_i=join(inverses, 61),
        key_valid_i=0,
        valid_i=0,
        ready_i=0,
    )
    sent, got = [0] * (layers + 1), [[] for _ in range(layers)]
    wanted = [j for j in range(layers) if active >> j & 1]
    while any(len(got[j]) < count for j in wanted):
        offered = [
            sent[j] < BEATS and rng.random() >= stall and (key if j == layers else active >> j & 1)
            for j in range(layers + 1)
        ]
        beats = [
            join(values[j][sent[j] * lanes : (sent[j] + 1) * lanes], 61) for j in range(layers + 1)
        ]
        willing = [rng.random() >= stall for _ in range(layers)]
        dut.valid_i.value = join(map(int, offered[:-1]), 1)
        dut.key_valid_i.value = int(offered[-1])
        dut.data_i.value = join(beats[:-1], 61 * lanes)
        dut.key_data_i.value = beats[-1]
        dut.ready_i.value = join(map(int, willing), 1)
        await ReadOnly()
        readies = [*split(int(dut.ready_o.value), 1, layers), int(dut.key_ready_o.value)]
        valids = split(int(dut.valid_o.value), 1, layers)
        data = split(int(dut.data_o.value), 64 * lanes, layers)
        for j in range(layers + 1):
            sent[j] += bool(offered[j] and readies[j])
        for j in range(layers):
            if valids[j] and willing[j]:
                assert j in wanted
                got[j] += split(data[j], 64, lanes)
        await FallingEdge(dut.clk_i)
    for j in wanted:
        assert got[j] == expected[j], j


@cocotb.test()
async def rounds_as_seal(dut):
    """All layers, one layer, key primes larger and smaller than the data primes, no key prime."""
    layers = bench_parameters()["DataLayers"]
    large, small = ntt_primes(8192, 61, layers + 1), ntt_primes(4096, 36, layers + 1)
    everything = (1 << layers) - 1
    await run(dut, list(large), everything, True, 0.0)
    await run(dut, list(small), everything, True, 0.4)
    await run(dut, [*small[:-1], large[0]], everything, True, 0.2)
    await run(dut, [*large[:-1], small[0]], 1, True, 0.2)
    await run(dut, list(small), 1, False, 0.2)
