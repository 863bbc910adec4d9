"""The maximum number of asks of a council: every seat at every step of its three cycles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.kit.schedule import Schedule, Turn
from quorate.kit.settings import read_settings
from quorate.protocols.council.rules.coverage import ON_FINDINGS, READING
from quorate.protocols.council.rules.forms import (
    MOST_GATE_FINDINGS,
    MOST_RAISED,
    Answers,
    Application,
    Assessment,
    Ballots,
    Binding,
    Coverage,
    GateReport,
    LastProposals,
    Matches,
    Patch,
)
from quorate.protocols.council.rules.lenses import SA_1
from quorate.protocols.council.rules.model import (
    GATES,
    MATCHER,
    MOST_ATTEMPTS,
    MOST_SHOWN,
    REVIEWERS,
    CouncilSettings,
    Depth,
    Phase,
)
from quorate.protocols.council.rules.protocol import ARTIFACTS
from quorate.protocols.council.rules.taxonomy import MOST_TICKETS


def schedule(protocol: Protocol[Any], _: Mapping[str, str]) -> Schedule:
    """Return the longest possible council under these settings: no seat lost, everything disputed."""
    return tuple(_turns(read_settings(CouncilSettings, protocol.settings)))


def _turns(settings: CouncilSettings) -> Iterator[Turn]:
    seats = (SA_1,) if settings.depth is Depth.STANDARD else REVIEWERS
    raised = MOST_RAISED * len(seats)
    first = MOST_GATE_FINDINGS + raised
    every = first + raised
    artifacts = tuple((brief, 1) for brief, _ in ARTIFACTS.values())
    findings = (("examine", 2), *artifacts, ("assess", len(seats)))
    said = (*findings, ("respond", len(seats)), ("remediate", len(seats)))

    def step(
        phase: Phase,
        brief: str,
        form: type[Reply],
        keys: int,
        shows: tuple[tuple[str, int], ...],
        asked: tuple[Seat, ...] = seats,
    ) -> Turn:
        shown = settings.seat_tokens or MOST_SHOWN
        most = shown if brief in (*READING, *ON_FINDINGS) else shown // 2
        return Turn(phase, brief, form, asked, keys=keys, shows=shows, most=most)

    yield Turn(Phase.CYCLE_1, "examine", GateReport, (GATES,), keys=MOST_TICKETS)
    for seat in seats:
        yield step(Phase.CYCLE_1, *ARTIFACTS[seat], MOST_TICKETS, (("examine", 1),), (seat,))
    yield Turn(Phase.CYCLE_1, "match", Matches, (MATCHER,), keys=first)
    yield step(Phase.CYCLE_2, "assess", Assessment, MOST_TICKETS, (("examine", 2), *artifacts, *artifacts))
    yield Turn(Phase.CYCLE_2, "match", Matches, (MATCHER,), keys=every)
    yield Turn(Phase.CYCLE_2, "cover", Coverage, (GATES,), keys=MOST_TICKETS)
    yield step(Phase.CYCLE_2, "respond", Answers, every, findings)
    yield step(Phase.CYCLE_2, "bind", Binding, MOST_TICKETS, (("examine", 1),))
    yield step(Phase.CYCLE_3, "remediate", LastProposals, every, (*findings, *findings))
    if len(seats) > 1:
        yield step(Phase.CYCLE_3, "vote", Ballots, every * 3, (*said, *findings))
    for _ in range(MOST_ATTEMPTS if settings.remediate else 0):
        yield step(Phase.CYCLE_3, "patch", Patch, every + MOST_TICKETS, (*said, ("apply", 1)))
        yield Turn(Phase.CYCLE_3, "apply", Application, (GATES,), keys=every)
