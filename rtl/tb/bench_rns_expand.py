"""Bench of taco_rns_expand: residues of small signed samples."""

import random

import cocotb

from rtl.tb.reference.primes import ntt_primes
from rtl.tb.runner import bench_parameters
from rtl.tb.stream import collect, drive, join, split, start


@cocotb.test()
@cocotb.parametrize(bits=[36, 61], stall=[0.0, 0.5])
async def equals_python(dut, bits, stall):
    """Every sample of eight bits, in every lane."""
    lanes = bench_parameters()["Lanes"]
    prime = ntt_primes(4096, bits, 1)[0]
    rng = random.Random(4)
    samples = [*range(-128, 128), *(rng.randrange(-128, 128) for _ in range(256))]
    groups = [samples[at : at + lanes] for at in range(0, len(samples), lanes)]
    await start(dut, in_valid_i=0, out_ready_i=0, modulus_i=prime)
    items = ({"in_data_i": join([s % 256 for s in group], 8)} for group in groups)
    cocotb.start_soon(drive(dut, "in", items, stall=stall))
    words = await collect(dut, "out", "out_data_o", len(groups), stall=stall)
    for word, group in zip(words, groups, strict=True):
        assert split(word, 61, lanes) == [s % prime for s in group]
