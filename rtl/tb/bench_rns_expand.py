"""Bench of taco_rns_expand: residues of small signed samples."""

import random

import cocotb

from rtl.tb.reference.primes import ntt_primes
from rtl.tb.runner import bench_parameters
from rtl.tb.stream import collect, drive, join, split, start


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.5])
async def equals_python(dut, stall):
    """Every sample of eight bits, in every lane, for primes of 36 and 61 bits."""
    parameters = bench_parameters()
    lanes, residues = parameters["Lanes"], parameters["Residues"]
    primes = [*ntt_primes(4096, 36, 2), *ntt_primes(4096, 61, 14)][:residues]
    rng = random.Random(4)
    samples = [*range(-128, 128), *(rng.randrange(-128, 128) for _ in range(256))]
    groups = [samples[at : at + lanes] for at in range(0, len(samples), lanes)]
    await start(dut, in_valid_i=0, out_ready_i=0, modulus_i=join(primes, 61))
    items = ({"samples_i": join([s % 256 for s in group], 8)} for group in groups)
    cocotb.start_soon(drive(dut, "in", items, stall=stall))
    words = await collect(dut, "out", "residues_o", len(groups), stall=stall)
    for word, group in zip(words, groups, strict=True):
        assert split(word, 61, residues * lanes) == [s % q for q in primes for s in group]
