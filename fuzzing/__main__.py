"""`python -m fuzzing TARGET|all SECONDS [SEED]`: drive targets by coverage with atheris, each for so many seconds.

Where atheris has no wheel for this Python it says so and ends well. A failing input is written to
`fuzzing/found/TARGET-DIGEST`; tests/fuzz runs all that lie in `fuzzing/kept/` for ever.
"""

# ruff: noqa: T201, S603 (it tells its results, and starts itself)
from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
FOUND = HERE / "found"
USAGE = "usage: python -m fuzzing TARGET|all SECONDS [SEED]"
LONGEST = 4_000
"""Bytes of one input."""


def drive(name: str, seconds: int, seed: int) -> None:
    """Drive one target in this process; libFuzzer ends the process."""
    import atheris

    # Our own rooms alone: what they import is not ours to search.
    with atheris.instrument_imports(include=["quorate", "fuzzing"], enable_loader_override=False):
        from fuzzing.targets import TARGETS
    target = TARGETS[name]
    options = [
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        f"-max_len={LONGEST}",
        "-timeout=20",
        "-rss_limit_mb=2048",
    ]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={FOUND}/{name}-", "-print_final_stats=1"], target)
    atheris.Fuzz()


def main(words: list[str]) -> int:
    """Run every target that is named in a process of its own; the first that fails decides the exit code."""
    if len(words) not in (2, 3) or not words[1].isdigit():
        print(USAGE, file=sys.stderr)
        return 64
    if find_spec("atheris") is None:
        version = ".".join(str(part) for part in sys.version_info[:2])
        print(f"atheris is not installed (no wheel for Python {version}, maybe): only tests/fuzz was run.")
        return 0
    from fuzzing.targets import TARGETS

    name, seconds, seed = words[0], int(words[1]), int(words[2]) if len(words) > 2 else 1
    if name not in (*TARGETS, "all"):
        print(f"{name!r} is no target; one of {', '.join(TARGETS)}, or all", file=sys.stderr)
        return 64
    FOUND.mkdir(exist_ok=True)
    failed = [each for each in (TARGETS if name == "all" else [name]) if not _passes(each, seconds, seed)]
    print("failed: " + ", ".join(failed) if failed else "no target failed")
    return 1 if failed else 0


def _passes(name: str, seconds: int, seed: int) -> bool:
    program = "import sys; from fuzzing.__main__ import drive; drive(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))"
    words = [sys.executable, "-c", program]
    words += [name, str(seconds), str(seed)]
    ran = subprocess.run(words, check=False, cwd=HERE.parent, capture_output=True, text=True)
    said = ran.stderr.splitlines()
    runs = next((line.split()[-1] for line in said if "number_of_executed_units" in line), "?")
    print(f"{name:10} {runs:>9} inputs in {seconds} s: {'well' if ran.returncode == 0 else 'FAILED'}", flush=True)
    if ran.returncode:
        print("\n".join(said[-40:]), file=sys.stderr)
    return ran.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
