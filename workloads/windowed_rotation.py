"""Stage: windowed rotations in sequence, by masking and by rotational redundancy (Figure 4).

For each parameter set, window and way, a ciphertext of random values is rotated inside its window
again and again. After each rotation its noise budget is measured; while there is any, it is
decrypted and compared with numpy's roll. Redundant windows have a whole window of copies less a
slot, which is enough for any sequence.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field
from tqdm import tqdm

from models import noise
from models.config.base import Section
from models.config.workloads import Permutation
from models.errors import ChocoError
from models.parameters import ParameterSet
from models.permutation_schema import METHODS, WINDOWED_ROTATION, WINDOWED_ROTATION_TIMINGS
from models.provenance import combine, model
from models.stage import Job, run_stage
from models.tables import write_table
from workloads import he
from workloads.he import seal
from workloads.packing.evaluator import CountingEvaluator, make_galois_keys
from workloads.packing.permutation import MaskedRotation, RedundantRotation, Windows, roll

COUNTED = ("rotations", "plain_multiplications", "additions", "ntts", "intts")
_REPETITIONS = 9


class Settings(Section):
    """The study and the HE parameters that it names."""

    seed: int = Field(ge=0, lt=2**32, description="seed of keys, messages and encryption noise")
    parameter_sets: dict[str, ParameterSet] = Field(description="by name, those of permutation")
    permutation: Permutation


def stage(job: Job[Settings]) -> None:
    """Rotate; outputs ``rotations`` (deterministic) and ``timings``."""
    settings, study = job.settings, job.settings.permutation
    rows: list[dict[str, Any]] = []
    timings: list[dict[str, Any]] = []
    cases = [
        (name, method, length)
        for name in study.parameter_sets
        for method in METHODS
        for length in study.windows
    ]
    for name, method, length in tqdm(cases, desc="windowed rotations", unit="window"):
        keys = {"parameter_set": name, "method": method, "window_slots": length}
        case = _Case(settings.parameter_sets[name], method, length, settings.seed)
        rows += [keys | row for row in case.rotate(study.rotations)]
        timings.append(keys | case.time())
    write_table(pd.DataFrame(rows), job.outputs["rotations"], WINDOWED_ROTATION)
    write_table(pd.DataFrame(timings), job.outputs["timings"], WINDOWED_ROTATION_TIMINGS)


@dataclass(frozen=True)
class _Way:
    """One way to rotate inside windows: the windows as packed, and how to make each rotation."""

    windows: Windows
    step: int
    make: Callable[[int], MaskedRotation | RedundantRotation]
    """From the offset at which the last rotation ended."""
    predict: Callable[[noise.Noise], noise.Noise]


def _way(method: str, evaluator: CountingEvaluator, length: int) -> _Way:
    step = max(1, length // 4)
    if method == "masking":
        windows = Windows(evaluator.row_size, length)
        masked = MaskedRotation(evaluator, windows, step)
        return _Way(windows, step, lambda _: masked, noise.rotate_window)
    windows = Windows(evaluator.row_size, length, after=length - 1)
    return _Way(
        windows,
        step,
        lambda offset: RedundantRotation(evaluator, windows, step, offset),
        noise.rotate,
    )


class _Case:
    """Keys, a fresh ciphertext and its windowed rotation."""

    def __init__(self, parameters: ParameterSet, method: str, length: int, base_seed: int) -> None:
        entropy = (base_seed, parameters.poly_modulus_degree, METHODS.index(method), length)
        seed = int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])
        he.seed(seed)
        self._parameters = parameters
        self._context = he.context(parameters)
        self._evaluator = CountingEvaluator(self._context)
        self._way = _way(method, self._evaluator, length)
        generator = seal.KeyGenerator(self._context)
        self._decryptor = seal.Decryptor(self._context, generator.secret_key())
        self._encoder = seal.BatchEncoder(self._context)
        row = self._evaluator.row_size
        steps = {self._way.step, (self._way.step - length) % row}
        self._evaluator.set_keys(make_galois_keys(generator, steps), None)
        self._keys = len(steps)
        random = np.random.default_rng(seed)
        self._values = random.integers(0, 256, self._way.windows.shape)
        encryptor = seal.Encryptor(self._context, generator.create_public_key())
        packed = self._evaluator.encode(self._way.windows.pack(self._values))
        self._fresh = encryptor.encrypt(packed)

    def rotate(self, count: int) -> Iterator[dict[str, Any]]:
        """Yield a row after each rotation, until no budget is left or ``count`` is reached."""
        parameters, way = self._parameters, self._way
        predicted = noise.fresh(parameters)
        ciphertext, values, offset = self._fresh, self._values, 0
        for consecutive in range(count + 1):
            if consecutive:
                rotation = way.make(offset)
                offset = getattr(rotation, "end", 0)
                ciphertext = rotation.apply(ciphertext)
                values = roll(values, way.step)
                predicted = way.predict(predicted)
            counts = self._evaluator.take_counts()
            budget_bits = self._budget_bits(ciphertext, values)
            yield {
                "poly_modulus_degree": parameters.poly_modulus_degree,
                "log2_t": parameters.log2_t,
                "coeff_modulus_bits": ",".join(map(str, parameters.coeff_modulus_bits)),
                "slots_per_value": way.windows.slots_per_value,
                "galois_keys": self._keys,
                "consecutive": consecutive,
                "budget_bits": budget_bits,
                "predicted_bits": round(predicted.budget_bits, 3),
                **{name: counts[name] for name in COUNTED},
                "provenance": combine(he.seal_provenance(), model("noise")),
            }
            if not budget_bits:
                return

    def _budget_bits(self, ciphertext: Any, values: np.ndarray[Any, Any]) -> int:
        budget_bits = int(self._decryptor.invariant_noise_budget(ciphertext))
        slots = self._encoder.decode(self._decryptor.decrypt(ciphertext)).reshape(2, -1)
        if budget_bits and not np.array_equal(self._way.windows.unpack(slots), values):
            raise ChocoError(f"a ciphertext with {budget_bits} bits of budget decrypts wrongly")
        return budget_bits

    def time(self) -> dict[str, Any]:
        """Return server seconds of one windowed rotation of the fresh ciphertext."""
        rotation = self._way.make(0)
        times = []
        for _ in range(_REPETITIONS):
            start = perf_counter()
            rotation.apply(self._fresh)
            times.append(perf_counter() - start)
        return {
            "repetitions": _REPETITIONS,
            "time_s": median(times),
            "time_min_s": min(times),
            "provenance": he.seal_provenance(),
        }


if __name__ == "__main__":
    run_stage(stage, Settings)
