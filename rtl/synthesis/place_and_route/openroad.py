"""Run OpenROAD on one block in a directory, and judge what it left."""

import math
import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from models.errors import ChocoError
from rtl.synthesis.place_and_route.floorplan import Floorplan
from rtl.synthesis.place_and_route.settings import Technology

FLOW = Path(__file__).with_name("flow.tcl")
Metrics = dict[str, float | str]

ACTIVITY_FOUND = 0.99
"""Least share of the driving pins that must still be there to take their recorded activity."""


def tcl(value: object) -> str:
    """Write a value as a Tcl word: a path, number or text, or a list of such, nested."""
    if isinstance(value, (list, tuple)):
        return "{" + " ".join(tcl(item) for item in value) + "}"
    if isinstance(value, bool):
        return str(int(value))
    text = "" if value is None else str(value)
    return "{" + text + "}" if not text or re.search(r"[\s\[\]$;\"\\*]", text) else text


def write_job(
    directory: Path, job: Mapping[str, object], technology: Technology, plan: Floorplan
) -> None:
    """Write ``job.tcl``, which flow.tcl reads."""
    macros = [v for n, p in plan.macros.items() for v in (n, p.x, p.y, p.orientation)]
    values = {**job, "die": plan.die, "core": plan.core, "macros": macros}
    lines = [f"set job({name}) {tcl(value)}" for name, value in values.items()]
    tech = technology.model_dump()
    for name in ("stripes", "stripe_vias", "macro_vias"):
        tech[name] = [item for row in tech[name] for item in row]
    lines += [f"set tech({name}) {tcl(value)}" for name, value in tech.items()]
    (directory / "job.tcl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(binary: Path, directory: Path, timeout_s: float | None = None) -> Metrics:
    """Run the flow in a directory that has ``job.tcl``; return what it measured, judged.

    Raises:
        ChocoError: OpenROAD stopped early, or what it left is not a placed and routed block.
    """
    metrics = directory / "metrics.tsv"
    metrics.unlink(missing_ok=True)
    log = directory / "openroad.log"
    command = [str(binary.absolute()), "-no_init", "-no_splash", "-exit", str(FLOW)]
    with log.open("w") as output:
        try:
            subprocess.run(
                command,
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=timeout_s,
                check=False,  # what it left is judged, not its exit status
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ChocoError(f"OpenROAD: {error} (see {log})") from None
    text = log.read_text(errors="replace")
    found = read_metrics(metrics)
    if found.get("finish__complete") != 1:
        errors = re.findall(r"^\[ERROR .*|^Error: .*|^.*child killed.*", text, re.MULTILINE)
        last = found and list(found)[-1]
        why = errors[0] if errors else f"no message; the last measurement is {last or 'none'}"
        raise ChocoError(f"OpenROAD did not finish: {why} (see {log})")
    judge(found)
    return found


def read_metrics(path: Path) -> Metrics:
    """Read ``metrics.tsv``; an absent file has no metrics.

    Raises:
        ChocoError: a line is not a name and a value.
    """
    if not path.exists():
        return {}
    found: Metrics = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, separator, value = line.partition("\t")
        if not separator or not value:
            raise ChocoError(f"{path}: not a name and a value: {line!r}")
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = value
    return found


def judge(metrics: Metrics) -> None:
    """Check that measurements can be those of a block that is placed, routed and driven.

    Broken rules of detailed routing and slack are results, reported as they are; what is refused is
    a measurement that means nothing.

    Raises:
        ChocoError: names the measurement.
    """
    for name, value in metrics.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ChocoError(f"OpenROAD measured {name} = {value}")
    for stage in ("synthesis", "finish"):
        _positive(
            metrics,
            (
                f"{stage}__design__instance__count__stdcell",
                f"{stage}__design__instance__area__stdcell",
                f"{stage}__timing__min_period",
                f"{stage}__power__leakage__total__active",
                f"{stage}__power__internal__total__active",
                f"{stage}__power__switching__total__active",
                f"{stage}__power__internal__total__idle",
            ),
        )
        for mode in ("active", "idle"):
            pins = _number(metrics, f"{stage}__power__activity__pins__{mode}")
            missing = _number(metrics, f"{stage}__power__activity__missing__{mode}")
            if pins < ACTIVITY_FOUND * (pins + missing):
                raise ChocoError(
                    f"{stage}: {missing:.0f} of {pins + missing:.0f} pins with recorded activity "
                    "are not in the netlist"
                )
    _positive(metrics, ("floorplan__design__core__area", "floorplan__design__die__area"))
    before = _number(metrics, "synthesis__design__instance__area__stdcell")
    after = _number(metrics, "finish__design__instance__area__stdcell")
    core = _number(metrics, "floorplan__design__core__area")
    if not before * 0.8 <= after <= core:
        raise ChocoError(
            f"cells take {after:.0f} um2 after routing, but {before:.0f} um2 were "
            f"mapped and the core has {core:.0f} um2"
        )
    if "detailedroute__route__drc_errors" in metrics:
        _positive(metrics, ("detailedroute__route__wirelength",))


def _number(metrics: Metrics, name: str) -> float:
    value = metrics.get(name)
    if not isinstance(value, float):
        raise ChocoError(f"OpenROAD did not measure {name}")
    return value


def _positive(metrics: Metrics, names: Iterable[str]) -> None:
    for name in names:
        if _number(metrics, name) <= 0:
            raise ChocoError(f"OpenROAD measured {name} = {metrics[name]}, which cannot be")
