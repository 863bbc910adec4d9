"""Terminal output before a council starts: the RFC, the gate results, the depth and the lenses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from quorate.cli.style import Styled
from quorate.cli.text import count

if TYPE_CHECKING:
    from quorate.protocols.council.world.council import Convened
    from quorate.protocols.council.world.gate_passage import Gated

MOST_SHOWN = 20
"""Findings and files left out that are listed before a council; the reports have all of them."""
STATUS_STYLES = {"PASSED": "green", "FAILED": "bold red", "N/A": "dim", "COUNTED": ""}
JUDGED = "LLM-ASSISTED"
PREFIX = "GATE-TCK-"
WIDTH = 66
"""Columns of a text that goes over several lines, beside the margin."""
TIE = "\N{NO-BREAK SPACE}"
SEVERITY_STYLES = {"BLOCKER": "bold red", "MAJOR": "red", "MINOR": "yellow", "INFO": "dim"}
MARGIN = "         "


def tell_rfc(gated: Gated) -> Iterator[Styled]:
    """Yield lines about what was read and what was not."""
    read = gated.receipt["rfc"]
    written = gated.version_written
    version = gated.version if written == gated.version else f"{gated.version} (written: {written or 'none'})"
    yield (("council  ", "dim"), (f"{gated.id} ", "bold"), f"{gated.title}, {version}")
    index = {
        "index": f"an index of {count(read['files'], 'file')}",
        "tree": f"a tree of {count(read['files'], 'file')}",
        "none": "no index of the code",
    }[read["ccp"]]
    counts = (count(read[f"{noun}s"], noun) for noun in ("ticket", "requirement", "component"))
    yield (MARGIN, f"{', '.join(counts)}, {index}")
    for each in gated.receipt["left_out"][:MOST_SHOWN]:
        yield (MARGIN, (f"left out: {each['path']}, {each['why']}", "dim"))
    if masked := gated.receipt["masked"]:
        yield (MARGIN, (f"{count(masked, 'secret')} masked", "yellow"))


def tell_gates(gated: Gated) -> Iterator[Styled]:
    """Yield the result of every gate, one line each, and the findings, the worst first.

    A gate that needs judgement is shown as COUNTED, never as passed, if code found nothing.
    """
    names = [each.gate.removeprefix(PREFIX) for each in gated.gates]
    for place, (each, name) in enumerate(zip(gated.gates, names, strict=True)):
        status = "COUNTED" if each.type == JUDGED and each.status == "PASSED" else each.status
        status = "N/A" if status == "NOT_APPLICABLE" else status
        yield (
            ("gates    " if place == 0 else MARGIN, "dim"),
            (f"{status:7}  ", STATUS_STYLES[status]),
            f"{name.ljust(max(map(len, names)))}  ",
            (each.reason, "" if status == "FAILED" else "dim"),
        )
    for place, found in enumerate(gated.findings[:MOST_SHOWN]):
        yield (
            ("found    " if place == 0 else MARGIN, "dim"),
            (f"{found.severity:7}  ", SEVERITY_STYLES[found.severity]),
            f"{found.file}:{found.line}  ",
            (found.subcategory, "dim"),
        )
        for line in wrap(found.message, WIDTH, break_on_hyphens=False):
            yield (MARGIN, f"         {line}")
    if (more := len(gated.findings) - MOST_SHOWN) > 0:
        yield (MARGIN, (f"and {count(more, 'finding')} more", "dim"))


def tell_result(gated: Gated) -> Iterator[Styled]:
    """Yield the last line: whether anything blocks."""
    if not gated.blocking:
        yield (("result   ", "dim"), ("no gate found a BLOCKER", "green"))
        return
    yield (("result   ", "dim"), (count(gated.blocking, "BLOCKER finding"), "bold red"))


def tell_council(convened: Convened) -> Iterator[Styled]:
    """Yield the depth and its reason, the lenses of each seat, and the budget."""
    yield (("depth    ", "dim"), f"{convened.depth}: ", (convened.why, "dim"))
    for place, seated in enumerate(convened.seats):
        yield (("lenses   " if place == 0 else MARGIN, "dim"), f"{seated.seat} {seated.role}")
        modes = [f"{number} {name}".replace(" ", TIE) for number, name in seated.lenses]
        for line in wrap(", ".join(modes), WIDTH, break_on_hyphens=False):
            yield (MARGIN, (f"  {line.replace(TIE, ' ')}", "dim"))
    drawn = f"drawn from {convened.session_seed}"
    if convened.relaxed:
        drawn += f", without regard to {' and '.join(convened.relaxed)}"
    yield (MARGIN, (drawn, "dim"))
    spend = "no limit on tokens" if convened.tokens is None else f"at most {convened.tokens:,} tokens"
    yield (("budget   ", "dim"), spend)
    if convened.tight:
        yield (MARGIN, (f"of the RFC's {convened.of:,} tokens a seat is shown {convened.shown:,} at a time,", "yellow"))
        yield (MARGIN, ("so that the budget lasts; --set budget.tokens=N allows more", "yellow"))


def gates_as_data(gated: Gated) -> dict[str, Any]:
    """Return what the gates found as plain data, for `--json`."""
    return {
        "rfc": {
            "id": gated.id,
            "title": gated.title,
            "version": gated.version,
            "version_written": gated.version_written,
        },
        "receipt": dict(gated.receipt),
        "gates": [asdict(each) for each in gated.gates],
        "findings": [asdict(each) for each in gated.findings],
        "blocking": gated.blocking,
        "exit_code": 1 if gated.blocking else 0,
    }
