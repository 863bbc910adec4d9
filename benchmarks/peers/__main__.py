"""The same debate by Quorate, by nothing but asyncio and SQLite, and by five engines, each in its own environment.

    python benchmarks/peers [--only NAME ...] [--json FILE] [--folder .peers] [--quick]

Environments are made under `.peers` from the pinned versions of the `.txt` files here, and made again when those
change. What is measured is process CPU time, the least of several runs: what a flush makes the process wait is not in
it. An engine that cannot be installed, fails, or does not finish is listed as that.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from figures import late_to_early, machine, number
from rounds import PROBLEM, SAID

HERE = Path(__file__).parent
MOST_SECONDS = 1_800
"""An installation, or all debates of one engine, that take longer are given up."""
FASTER = 8
"""How many times faster than every peer that is durable per call Quorate is meant to be."""
OURS = "quorate"


@dataclass(frozen=True, slots=True)
class Engine:
    """One way to run the debate: its script, what the script is told, and the pinned packages that it needs."""

    script: str
    told: tuple[str, ...] = ()
    packages: str = ""
    """The name of its list of versions and of its environment; empty for this one."""


ENGINES = {
    "raw": Engine("with_raw.py"),
    OURS: Engine("with_quorate.py"),
    "langgraph": Engine("with_langgraph.py", (), "langgraph"),
    "langgraph-sync": Engine("with_langgraph.py", ("sync",), "langgraph"),
    "burr": Engine("with_burr.py", (), "burr"),
    "pydantic-graph": Engine("with_pydantic_graph.py", (), "pydantic-graph"),
    "llama-index-workflows": Engine("with_llama_index.py", (), "llama-index-workflows"),
    "dbos": Engine("with_dbos.py", (), "dbos"),
}
DEBATES = [
    {"agents": 3, "rounds": 3, "times": 25},
    {"agents": 10, "rounds": 3, "times": 25},
    {"agents": 3, "rounds": 200, "times": 1},
]
QUICK = [
    {"agents": 3, "rounds": 3, "times": 1},
    {"agents": 10, "rounds": 3, "times": 1},
    {"agents": 3, "rounds": 12, "times": 1},
]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(ENGINES), metavar="NAME", help=f"of {', '.join(ENGINES)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    parser.add_argument("--folder", type=Path, default=Path(".peers"), help="where the environments are, or are made")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and runs: whether it works, not how well")
    given = parser.parse_args(argv)
    debates = QUICK if given.quick else DEBATES
    found: dict[str, dict[str, Any]] = {}
    for name in dict.fromkeys([OURS, *(given.only or ENGINES)]):
        sys.stderr.write(f"measuring: {name}\n")
        found[name] = measured(ENGINES[name], given.folder, debates)
    found = {name: found[name] for name in ENGINES if name in found}
    sys.stdout.write(told(found, debates))
    if given.json is not None:
        data = {"machine": machine(), "quick": given.quick, "engines": found}
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0 if all("error" not in each for each in found.values()) else 1


def measured(engine: Engine, folder: Path, debates: list[dict[str, int]]) -> dict[str, Any]:
    """Return what an engine's script says, or why it says nothing."""
    asked = json.dumps({"problem": PROBLEM, "text": SAID, "debates": debates})
    try:
        python = environment(engine.packages, folder) if engine.packages else Path(sys.executable)
        said = run([str(python), str(HERE / engine.script), asked, *engine.told])
        found: dict[str, Any] = json.loads(said)
        return found
    except subprocess.TimeoutExpired:
        return {"name": engine.script, "error": f"not done after {MOST_SECONDS} s"}
    except subprocess.CalledProcessError as error:
        lines = (error.stderr or "").strip().splitlines()
        return {"name": engine.script, "error": lines[-1][:200] if lines else f"ended with {error.returncode}"}
    except (OSError, ValueError) as error:
        return {"name": engine.script, "error": f"{type(error).__name__}: {error}"[:200]}


def environment(name: str, folder: Path) -> Path:
    """Return the Python of an environment with exactly the versions of its list; it is made where it is not there."""
    pinned = HERE / f"{name}.txt"
    place, digest = (folder / name).absolute(), sha256(pinned.read_bytes()).hexdigest()
    python, made = place / "bin" / "python", place / "made"
    if not (made.is_file() and made.read_text(encoding="utf-8") == digest):
        sys.stderr.write(f"installing: {name}\n")
        venv.create(place, clear=True, with_pip=True)
        run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(pinned)])
        made.write_text(digest, encoding="utf-8")
    return python


def run(words: list[str]) -> str:
    left_out = ("PYTHONDONTWRITEBYTECODE", "PIP_CONSTRAINT", "PYTHONPATH")
    env = {name: value for name, value in os.environ.items() if name not in left_out}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True, timeout=MOST_SECONDS)  # noqa: S603
    return done.stdout


def told(found: dict[str, dict[str, Any]], debates: list[dict[str, int]]) -> str:
    """Return the table, and below it what each engine promises, or why it failed."""
    at, ours = machine(), found[OURS].get("debates")
    small, large, long = (f"{each['agents']}x{each['rounds']}" for each in debates)
    last = debates[2]["rounds"]
    head = ["", f"{small}, ms", "x Quorate", f"{large}, ms", "x Quorate"]
    head += [f"round {last} / 1", f"stored, {long}", "x content", f"{FASTER} x slower?"]
    rows = [head, *(_row(each, ours) for each in found.values())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    top = f"{at['python']}, {at['system']}, {at['cores']} cores, load {at['load']}, {at['at']}; process CPU time"
    versions = dict.fromkeys(each["versions"] for each in found.values() if each.get("versions"))
    notes = [f"{each['name']}: {each.get('error') or each['durability']}" for each in found.values()]
    return "\n".join([top, "; ".join(versions), "", *(_line(row, widths) for row in rows), "", *notes]) + "\n"


def _line(row: list[str], widths: list[int]) -> str:
    name, *cells = row
    aligned = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
    return "  ".join([f"{name:<{widths[0]}}", *aligned]).rstrip()


def _row(engine: dict[str, Any], ours: list[dict[str, Any]] | None) -> list[str]:
    if "error" in engine:
        return [engine["name"], "failed", *[""] * 7]
    cells, times = [engine["name"]], list[float]()
    for place, debate in enumerate(engine["debates"][:2]):
        times += [debate["cpu"] / ours[place]["cpu"]] if ours else []
        cells += [number(1e3 * debate["cpu"]), f"{times[-1]:.1f}" if times else ""]
    last = engine["debates"][2]
    cells += [f"{late_to_early(last['round_costs']):.1f}", f"{last['bytes'] / 1e6:.2f} MB"]
    return [*cells, f"{last['bytes'] / last['said']:.1f}", _promise(engine, times)]


def _promise(engine: dict[str, Any], times: list[float]) -> str:
    """Whether Quorate is as much faster as it is meant to be."""
    if engine["name"] in ("raw", "Quorate") or not times:
        return ""
    if not engine["per_call"]:
        return "not durable"
    return "yes" if min(times) >= FASTER else "no"


if __name__ == "__main__":
    sys.exit(main())
