"""What the gates find in the sample RFC and in its mutants, and how long a large RFC takes.

    python benchmarks/gates.py

Each mutant of `examples/mutants.yaml` is made in a temporary folder, read and gated, and what is found is compared with
what the mutant must lead to: kind, severity, file, line and place. Recall is how much of that was found; precision is
how much of what was found had to be. The exit code is 1 unless recall is 100 % and the sample itself has no finding.
Then an RFC of 66 tickets and 164 dependencies is read and gated; the baseline is what PyYAML's parser takes to tell the
events of its files, from which nobody has made values yet.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from quorate.files.yaml import load
from quorate.files.yaml_events import events
from quorate.protocols.council.world.gates.run import run_gates
from quorate.protocols.council.world.rfc.read import read_rfc
from tests.protocols.council.world.gates.mutated import RFC, SAMPLE, Mutant, Result, Seen, examine, mutants, try_mutant
from tests.support.generated import write_rfc

RUNS = 3
"""The fastest of so many counts."""


def tell(result: Result) -> list[str]:
    """Return the rows of a mutant: what was expected and where it was found, then what nobody expected."""
    rows = [_row(each, f"found at line {each.line}") for each in result.hit]
    rows += [_row(each, "MISSED") for each in result.missed]
    rows += [_row(each, f"EXTRA: {result.messages[each]}") for each in result.extra]
    rows += [f"candidate {each.path} like {each.existing}: found" for each in result.cousins_found]
    rows += [f"candidate {each.path} like {each.existing}: MISSED" for each in result.cousins_missed]
    return rows or ["nothing expected, nothing found"]


def _row(seen: Seen, what: str) -> str:
    return f"{seen.subcategory} {seen.severity} in {Path(seen.file).name} ({seen.place}): {what}"


def try_all(tried: Iterable[Mutant]) -> bool:
    """Print the table and the figures; returns whether all that had to be found was, and nothing in the sample."""
    clean, messages, _ = examine(SAMPLE / RFC)
    results = []
    with tempfile.TemporaryDirectory() as place:
        for number, mutant in enumerate(tried):
            result = try_mutant(mutant, Path(place) / str(number))
            results.append(result)
            for at, row in enumerate(tell(result)):
                say(f"{mutant.name if at == 0 else '':<34}{row}")
    hit, missed = sum(result.right for result in results), sum(result.wanting for result in results)
    extra = sum(len(result.extra) for result in results)
    say("")
    say(f"mutants    {len(results)}, of which {sum(result.exact for result in results)} exactly as expected")
    say(f"recall     {_share(hit, hit + missed)}")
    say(f"precision  {_share(hit, hit + extra)}")
    say(f"clean      {len(clean)} false findings in the sample itself")
    for each in clean:
        say(f"           {each}: {messages[each]}")
    return not missed and not clean


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} % ({part} of {whole})" if whole else "none expected"


def measure_large() -> None:
    """Print how long a large RFC takes to read and to gate, each as a multiple of the parser's events."""
    with tempfile.TemporaryDirectory() as place:
        folder = write_rfc(Path(place))
        files = [path for path in folder.rglob("*.*") if path.is_file()]
        texts = [(path.read_text(encoding="utf-8"), path.name) for path in files]
        baseline = fastest(lambda: [deque(events(*each), maxlen=0) for each in texts])
        rfc = read_rfc(folder)
        edges, size = sum(len(ticket.depends_on) for ticket in rfc.tickets), sum(path.stat().st_size for path in files)
        say("")
        about = f"{len(rfc.tickets)} tickets and {edges} dependencies, {size / 1_000:.0f} KB in {len(files)} files"
        say(f"an RFC of {about}")
        for name, seconds in (
            ("the parser's events", baseline),
            ("values with their places", fastest(lambda: [load(path) for path in files])),
            ("reading it", fastest(lambda: read_rfc(folder))),
            ("the gates", fastest(lambda: run_gates(rfc))),
        ):
            say(f"{name:<26}{seconds:6.3f} s, {seconds / baseline:5.2f} times the events")
        say(f"{'findings':<26}{len(run_gates(rfc).findings)}")


def fastest(work: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    found_all = try_all(mutants().values())
    measure_large()
    sys.exit(0 if found_all else 1)
