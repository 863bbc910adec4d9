"""Councils that went any way at all: answers, joins and votes that no walk of `verify` combines.

Every move keeps every invariant, the independent verifier derives the same verdict and the same fates, and no BLOCKER
of three seats leaves before an approval without a quorum against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from quorate.catalog import definition_of
from quorate.core.protocol import Moment
from quorate.core.record import Asked, Moved, Record, Said
from quorate.core.session import Cause
from quorate.core.types import Replies
from quorate.evidence.bundle import make_bundle
from quorate.protocols.council.rules.forms import Vote
from quorate.protocols.council.rules.model import APPROVALS, Depth
from quorate.protocols.council.rules.result.overview import Overview
from quorate.protocols.council.rules.taxonomy import Severity
from quorate_verifier import verify
from tests.support.councils import SEATS, Sitting

FINDINGS = ("INCOMPLETE_PLAN T1 steps", "INCOMPLETE_PLAN T2 steps", "AMBIGUOUS_SCOPE T1 scope")
GATES = ("INCOMPLETE_PLAN T1 steps MAJOR", "SCOPE_OVERLAP T2 MINOR", "ORPHAN_TICKET T3 MAJOR")
WORST = tuple(each.value for each in Severity)
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"depth": "STANDARD"},
    {"reading": "seed"},
    {"quorum": 3},
    {"channel": "evidence", "most_majors": 9, "deadlock_min_severity": "BLOCKER"},
)


def held(chance: Random, settings: dict[str, Any]) -> Sitting:
    """Hold one council; whoever says nothing is quiet."""
    seats = SEATS[:1] if settings.get("depth") == "STANDARD" else SEATS
    sitting = Sitting(max_episodes=None, stall_after=None, **settings)
    sitting.gates(*(each for each in GATES if chance.random() < 0.2))
    sitting.review({seat: _findings(chance) for seat in seats})
    sitting.assess({seat: _findings(chance) if chance.random() < 0.4 else () for seat in seats})
    sitting.cover(refused=int(chance.random() < 0.1))
    for _ in range(2):
        if keys := _asked(sitting, "respond", "vote"):
            if sitting.open[0].brief == "respond":
                given = {seat: {key: _answer(chance, keys) for key in keys if chance.random() < 0.9} for seat in seats}
                sitting.respond(given)
            else:
                sitting.vote(_votes(chance, keys))
    return sitting.finish()


def _asked(sitting: Sitting, *briefs: str) -> list[str]:
    """Answer quietly until one of these briefs is asked, and return its keys."""
    while sitting.open and sitting.open[0].brief not in briefs:
        sitting.take_quietly()
    return [str(key) for key in sitting.open[0].keys] if sitting.open else []


def _votes(chance: Random, keys: list[str]) -> dict[str, dict[str, str]]:
    votes = ("SUPPORT", "OPPOSE", "OPPOSE", "REFUTE", "ABSTAIN")
    leaning = chance.choice(votes)
    return {seat: {key: leaning if chance.random() < 0.6 else chance.choice(votes) for key in keys} for seat in SEATS}


def _findings(chance: Random) -> list[str]:
    return [f"{chance.choice(FINDINGS)} {chance.choice(WORST)}" for _ in range(chance.choice((0, 1, 1, 2)))]


def _answer(chance: Random, keys: list[str]) -> str:
    said = chance.choice(("CONFIRM", "CONFIRM", "DISPUTE", "ABSTAIN", f"SEVERITY {chance.choice(WORST)}"))
    fix = " fix" if chance.random() < 0.5 else ""
    same = [key for key in keys if chance.random() < 0.5]
    return f"{said}{fix} same {' '.join(same)}" if same and chance.random() < 0.7 else said + fix


def moments(record: Record) -> Iterator[Moment[Any]]:
    """Every move as an invariant sees it."""
    moves = [line.move for line in record.log if isinstance(line, Moved)]
    conclusion = record.session.conclusion
    for number, move in enumerate(moves):
        own = f"{move.entry}."
        asks = tuple(line.ask for line in record.log if isinstance(line, Asked) and line.ask.id.startswith(own))
        said = [line for line in record.log if isinstance(line, Said) and line.ask.id.startswith(own)]
        said.sort(key=lambda line: int(line.ask.id.partition(".")[2]))
        end = conclusion if number == len(moves) - 1 else None
        yield Moment(
            move.phase,
            move.before,
            asks,
            Replies(tuple((line.ask, line.reply) for line in said)),
            move.outcome,
            move.to,
            move.after,
            end.verdict if end else None,
            move.outcome if move.cause is Cause.INTERRUPTED else None,  # type: ignore[arg-type]
            move.facts,
            end.degradation if end else None,
        )


def gone_unopposed(sitting: Sitting) -> list[str]:
    """The BLOCKERs of seats that an approval leaves behind without a quorum against them, or against their severity."""
    conclusion, reading = sitting.record.session.conclusion, Overview(sitting.record)
    if conclusion is None or conclusion.verdict not in APPROVALS or reading.depth is Depth.STANDARD:
        return []
    quorum = int(sitting.opening.settings["quorum"])

    def opposed(item: str) -> bool:
        return list(reading.votes(item).values()).count(Vote.OPPOSE.value) >= quorum  # type: ignore[arg-type]

    found = []
    for key, each in reading.raisings.items():
        root = str(key)
        while root in reading.merges:
            root = str(reading.merges[root][0])  # type: ignore[index]
        if each.severity is Severity.BLOCKER and not (opposed(root) or opposed(f"S{root[1:]}")):
            found.append(str(key))
    return found


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda each: " ".join(map(str, each.values())) or "by default")
def test_every_move_holds_and_the_verifier_derives_the_same(settings: dict[str, Any]) -> None:
    """C9, C14, C16, C17, C28, C37, C47."""
    ends: set[str | None] = set()
    for seed in range(40):
        sitting = held(Random(seed), settings)
        for moment in moments(sitting.record):
            broken = [each.name for each in sitting.protocol.invariants if not each.holds(moment)]
            assert broken == [], (seed, moment.phase.name, moment.outcome.name)
        told = definition_of(sitting.opening).fates
        report = verify(make_bundle(sitting.record, sitting.entries, sitting.opening.session, fates=told))
        assert report.differences == [], seed
        assert report.verdict == sitting.verdict, seed
        assert gone_unopposed(sitting) == [], seed
        ends.add(sitting.verdict)
    assert len(ends) >= 2, ends
