"""Data derived from a record for bundles and reports: transcript, decisions, tallies, verdict, fates, totals.

Everything is plain JSON values, so that what is derived here can be compared with what somebody else says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, cast

from quorate.codec import reply_to_data
from quorate.codec.entries import measured_to_data
from quorate.core.decisions import Fact
from quorate.core.record import Asked, Record, Ruling, Said
from quorate.core.session import Cause, Conclusion, Withdraw
from quorate.core.types import Absent
from quorate.evidence.explain import ExplainedMove
from quorate.kit.definition import Definition
from quorate.kit.fates import UNFIT, Fate
from quorate.worth.totals import Spent, totals

TALLY = "tally"
LEFT = "left the table"
"""Names of facts that all protocols share: a count of votes, and a seat that is not asked again."""
Became = Callable[[Record], tuple[Fate, ...] | None]
"""Derives all fates from a record; None where the protocol does not say and everything fitted."""


def transcript(record: Record) -> list[dict[str, Any]]:
    """Return every ask in order, with its reply or why there is none, and its cost."""
    asks: dict[str, dict[str, Any]] = {}
    for line in record.log:
        match line:
            case Asked():
                asks[line.ask.id] = _asked(line)
            case Said():
                asks[line.ask.id] |= _said(line)
            case Withdraw(ask_id):
                asks[ask_id]["status"] = "withdrawn"
            case _:
                continue
    return list(asks.values())


def _asked(line: Asked) -> dict[str, Any]:
    return {
        "ask": str(line.ask.id),
        "seat": str(line.ask.seat),
        "brief": line.ask.brief,
        "form": line.ask.form.__name__,
        "keys": [str(key) for key in line.ask.keys],
        "phase": line.phase.name,
        "round": line.round,
        "status": "open",
    }


def _said(line: Said) -> dict[str, Any]:
    envelope = asdict(line.envelope)
    for name in ("unfit", "tokens_cached", "measured"):
        if not envelope[name]:
            del envelope[name]  # no bundle of before it was kept has one
    if line.envelope.measured:
        envelope["measured"] = measured_to_data(line.envelope.measured)
    if isinstance(line.reply, Absent):
        return {"status": "absent", "absent": line.reply.reason.value, **envelope}
    return {"status": "replied", "reply": reply_to_data(line.reply), **envelope}


def decision(move: ExplainedMove) -> dict[str, Any]:
    """Return one move with what was heard, its tests, its row, the rows not taken and its facts."""
    return {
        "phase_entry": move.entry,
        "round": move.round,
        "phase": move.phase,
        "heard": [asdict(heard) for heard in move.heard],
        "cause": move.cause.value,
        "because": [asdict(test) for test in move.tests],
        "outcome": move.outcome,
        "to": move.to,
        "detail": move.detail,
        "not_taken": [asdict(row) for row in move.others],
        "facts": [{"name": fact.name, "values": dict(fact.values)} for fact in move.facts],
    }


def _facts(moves: Iterable[ExplainedMove], name: str) -> Iterator[tuple[ExplainedMove, Fact]]:
    return ((move, fact) for move in moves for fact in move.facts if fact.name == name)


def tallies(moves: list[ExplainedMove]) -> Iterator[dict[str, Any]]:
    """Yield every count of votes, with the phase that made it."""
    for move, fact in _facts(moves, TALLY):
        yield {"phase_entry": move.entry, "round": move.round, "phase": move.phase, "values": dict(fact.values)}


def _step(move: ExplainedMove) -> dict[str, Any]:
    """Return one step of a derivation: the decisive test, or the interruption."""
    test = move.decisive
    return {
        "phase_entry": move.entry,
        "phase": move.phase,
        "rule": test.rule if test else None,
        "claim": move.claim,
        "outcome": move.outcome,
        "to": move.to,
    }


def verdict(conclusion: Conclusion | None, moves: list[ExplainedMove]) -> dict[str, Any] | None:
    """Return the verdict with the decisive tests that led to it; None before the session has concluded."""
    if conclusion is None:
        return None
    return {
        "verdict": conclusion.verdict.name,
        "phase": conclusion.phase.name,
        "degradation": conclusion.degradation.value,
        "interrupted": conclusion.interrupted.value if conclusion.interrupted else None,
        "derivation": [_step(move) for move in moves],
    }


def ruling(line: Ruling, files: Sequence[str] = ()) -> dict[str, Any]:
    """Return one ruling on the conclusion, with its entry, its time, and the files that it answers for, if any."""
    told = {"verdict": line.verdict.name, "by": line.by, "reason": line.reason}
    answers = {"answers_for": list(files)} if files else {}
    return {"seq": line.envelope.seq, "at": line.envelope.at, **told, **answers}


def degradation(record: Record, moves: list[ExplainedMove]) -> dict[str, Any]:
    """Return who was absent and why, who left, and the test by which the session went on or ended without them."""
    conclusion = record.session.conclusion
    told = {line.ask.id: line for line in record.log if isinstance(line, Said) and isinstance(line.reply, Absent)}
    absences = [
        {
            "ask": str(said.ask.id),
            "seat": str(said.ask.seat),
            "phase": said.phase.name,
            "round": said.round,
            "reason": cast("Absent", said.reply).reason.value,
            "detail": said.envelope.detail,
        }
        for said in told.values()
    ]
    without = [move for move in moves if move.absent() and move.cause is not Cause.INTERRUPTED]
    return {
        "level": conclusion.degradation.value if conclusion else None,
        "absences": absences,
        "left": [
            {"seat": str(dict(fact.values).get("seat", "")), "phase": move.phase, "round": move.round}
            for move, fact in _facts(moves, LEFT)
        ],
        "applied": [_step(move) for move in without],
    }


def totals_of(record: Record) -> dict[str, Any]:
    """Return the cost of the session in total, by seat and by phase."""
    summed = totals(record)
    return {
        "all": _spent(summed.whole),
        "seats": {seat: _spent(spent) for seat, spent in summed.seats.items()},
        "phases": {phase: _spent(spent) for phase, spent in summed.phases.items()},
        "first_at": summed.first,
        "last_at": summed.last,
    }


def _spent(spent: Spent) -> dict[str, Any]:
    """Return a sum as plain data; it includes asks answered by code and asks without an answer.

    A cost is the known part, with the number of answers whose price is unknown.
    """
    return {
        "asks": spent.put,
        "replies": spent.replies + spent.code_replies,
        "absent": spent.absent + spent.code_absent,
        "withdrawn": spent.withdrawn + spent.spared,
        "tokens_in": spent.tokens_in,
        "tokens_out": spent.tokens_out,
        "elapsed": spent.elapsed,
        "cost": {
            "known_microdollars": spent.cost,
            "answers_of_unknown_price": spent.unpriced,
            "words": spent.money,
        },
    }


def became_in(definition: Definition) -> Became:
    """Return what derives the fates of this protocol's sessions, those of entries that did not fit the last."""

    def became(record: Record) -> tuple[Fate, ...] | None:
        told = None if definition.fates is None else definition.fates(record)
        unfit = unfit_fates(record, definition.entries_rule)
        return (*(told or ()), *unfit) if unfit else told

    return became


def unfit_fates(record: Record, rule: str) -> tuple[Fate, ...]:
    """Return the fate of every entry that was refused, kept elsewhere or cut, in the order of the journal."""
    return tuple(
        Fate(f"{line.ask.id} {each.at}", UNFIT, (str(line.ask.seat),), each.said, f"{each.became}: {each.why}", rule)
        for line in record.log
        if isinstance(line, Said)
        for each in line.envelope.unfit
    )
