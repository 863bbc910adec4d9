"""The gauges of a council: cycles, gates passed, findings resolved, and votes on contested items.

Votes of the current phase are counted, never disclosed (C41).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from quorate.core.record import Line, Moved, Record
from quorate.core.session import Withdraw
from quorate.kit.gauges import Arrived, Gauge, arrived, counter, latest_moves, number
from quorate.protocols.council.rules.history import report
from quorate.protocols.council.rules.model import Outcome, Resolution, State
from quorate.protocols.council.rules.result.gates import gates
from quorate.protocols.council.rules.result.overview import Overview
from quorate.protocols.council.rules.taxonomy import GateStatus
from quorate.protocols.council.rules.votes import Standing, to_vote

CYCLES = 3
VOTED_ON = {
    "F": ("votes", "contested finding"),
    "S": ("votes on severities", "severity"),
    "P": ("votes on remediations", "remediation"),
}
"""What is voted upon by the first letter of its key: the name of the gauge, and the noun."""


def gauges(record: Record) -> tuple[Gauge, ...]:
    """Return the gauges: progress through the cycles, gates passed, and vote counts."""
    reading = Overview(record)
    state = reading.state
    cycle = counter("cycles", "cycle", state.cycle, CYCLES)
    return (cycle, _gates(reading), *_findings(state), *_votes(record, state))


def _gates(reading: Overview) -> Gauge:
    """Return the gates as in the bundle; an undecided gate is shown as such, not as `NOT_APPLICABLE`."""
    said = report(reading.record)
    without = {run.gate.value for run in said.gates if run.status is GateStatus.NOT_APPLICABLE} if said else set()
    counts = Counter(_word(gate, without) for gate in gates(reading))
    parts = tuple((word, counts[word]) for word in ("passed", "failed", "not applicable", "undecided"))
    of = sum(counts.values())
    told = "; ".join(f"{count} {word}" for word, count in parts[1:] if count)
    return Gauge("gates", f"{counts['passed']} of {of} gates passed" + (f"; {told}" if told else ""), of, parts)


def _word(gate: Mapping[str, Any], without: set[str]) -> str:
    match GateStatus(gate["status"]):
        case GateStatus.PASSED:
            return "passed"
        case GateStatus.FAILED:
            return "failed"
        case GateStatus.NOT_APPLICABLE:
            return "not applicable" if gate["gate_id"] in without else "undecided"


def _findings(state: State) -> Iterator[Gauge]:
    counts = Counter(each.resolution for each in state.findings)
    if not state.findings:
        return
    of, stuck, left = len(state.findings), counts[Resolution.DEADLOCKED], counts[Resolution.OPEN]
    parts = (("resolved", of - stuck - left), ("deadlocked", stuck), ("open", left))
    told = "".join(f"; {count} {word}" for word, count in parts[1:] if count)
    yield Gauge("findings", f"{of - stuck - left} of {number(of, 'finding')} resolved{told}", of, parts)


# Votes


def _votes(record: Record, state: State) -> Iterator[Gauge]:
    quorum = int(record.protocol.settings["quorum"])
    if (now := arrived(record, "vote")) is not None:
        keys = to_vote(state)
        for letter in VOTED_ON:
            if items := sum(key.startswith(letter) for key in keys):
                yield _under_way(letter, items, now, quorum)
        return
    held = next((move for move in latest_moves(record) if move.outcome is Outcome.VOTED), None)
    counted = [dict(fact.values) for fact in held.facts if fact.name == "vote"] if held is not None else []
    for letter in VOTED_ON:
        if own := [values for values in counted if str(values["key"]).startswith(letter)]:
            yield _counted(letter, own, len(state.seats), _not_needed(record), quorum)


def _not_needed(record: Record) -> int:
    """Return how many seats were not waited for because the vote was already settled (C24)."""
    places = reversed(range(len(record.log)))
    voted = next(place for place in places if _is_vote(record.log[place]))
    effects = takewhile(lambda line: isinstance(line, Moved | Withdraw), record.log[voted:])
    return sum(isinstance(line, Withdraw) for line in effects)


def _is_vote(line: Line) -> bool:
    return isinstance(line, Moved) and line.move.outcome is Outcome.VOTED


def _under_way(letter: str, items: int, now: Arrived, quorum: int) -> Gauge:
    name, noun = VOTED_ON[letter]
    seats = now.present + now.absent + now.open
    missing = max(0, quorum - now.present) * items
    words = (
        f"{number(items, noun)}: {now.present} of {seats} seats have voted, sealed until the vote ends; "
        f"{quorum} votes on each decide"
    )
    still = f": {number(missing, 'vote')} still needed" if missing else ""
    parts = tuple((part, count * items) for part, count in now.parts)
    return Gauge(name, words + still, seats * items, parts, quorum * items, missing or None)


def _counted(letter: str, counted: list[dict[str, Any]], seats: int, spared: int, quorum: int) -> Gauge:
    """Return the votes on all items together; an undecided item lacks votes or a refuting quotation (C22, C23)."""
    name, noun = VOTED_ON[letter]
    sums = {word: sum(int(values[word]) for values in counted) for word in ("support", "oppose", "abstain")}
    stands = Counter(Standing(values["stands"]) for values in counted)
    undecided = [values for values in counted if values["stands"] == Standing.SPLIT.value]
    missing = sum(max(0, quorum - max(int(values["support"]), int(values["oppose"]))) for values in undecided)
    of = seats * len(counted)
    told = ", ".join(f"{stands[each]} {each.value}" for each in Standing if stands[each])
    words = f"{number(len(counted), noun)}, {quorum} votes decide each: {told}"
    still = f": {number(missing, 'vote')} lacking for a quorum" if missing else ""
    cast = (("for", sums["support"]), ("against", sums["oppose"]), ("abstained", sums["abstain"]))
    not_needed = spared * len(counted)
    absent = of - sum(sums.values()) - not_needed
    parts = (*cast, ("absent", absent), ("not needed", not_needed))
    return Gauge(name, words + still, of, parts, None, (missing or None) if undecided else 0)
