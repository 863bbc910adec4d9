"""The bundle: a session as one document of plain JSON values that stands alone and can be checked by anybody.

The entries are the journal, each with its hash: they are the evidence. Everything else is derived from them for readers
who do not want to run anything, and `check` derives it again. The schema is shipped as `bundle.schema.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cache
from importlib import resources
from typing import Any, cast

from quorate.core.errors import StoreError
from quorate.core.record import Asked, Record, Said
from quorate.core.types import Absent, Cause, Conclusion, Fact, Protocol, Withdraw
from quorate.evidence.explain import ExplainedMove, explain
from quorate.evidence.seal import ALGORITHM
from quorate.evidence.totals import Spent, totals
from quorate.store.codec import canonical, digest_text, reply_to_data
from quorate.store.journal import Entry

FORMAT = "quorate-bundle/1"
TALLY = "tally"
LEFT = "left the table"
"""Names of facts that all protocols share: a count of votes, and a seat that is not asked again."""


@cache
def _schema_text() -> str:
    return (resources.files("quorate.evidence") / "bundle.schema.json").read_text(encoding="utf-8")


def schema() -> dict[str, Any]:
    """Return the JSON Schema of bundles (draft 2020-12)."""
    return cast("dict[str, Any]", json.loads(_schema_text()))


def make_bundle(record: Record, entries: list[Entry], session: str) -> dict[str, Any]:
    """Return the bundle of a session; `entries` are its whole journal, of which `record` is the fold."""
    moves = explain(record)
    return {
        "format": FORMAT,
        "session": session,
        "title": record.opening.title,
        "protocol": _protocol(record),
        "seed": record.opening.seed,
        "panel": _panel(record),
        "material": {
            name: {"digest": digest_text(text), "characters": len(text), "text": text}
            for name, text in record.material.items()
        },
        "entries": [_entry(entry) for entry in entries],
        "transcript": transcript(record),
        "decisions": [_decision(move) for move in moves],
        "tallies": list(_tallies(moves)),
        "verdict": _verdict(record.session.conclusion, moves),
        "degradation": degradation(record, moves),
        "totals": _totals(record),
        "seal": {"algorithm": ALGORITHM, "head": entries[-1].hash, "entries": len(entries)},
    }


def _entry(entry: Entry) -> dict[str, Any]:
    """The entry with its body as an object; what would not give the same text again cannot be checked by others."""
    body = json.loads(entry.body)
    if canonical(body) != entry.body:
        raise StoreError(f"entry {entry.seq} is not kept as canonical JSON; its hash could not be checked elsewhere")
    return {"seq": entry.seq, "hash": entry.hash, "body": body}


def _protocol(record: Record) -> dict[str, Any]:
    protocol, opening = record.protocol, record.opening
    return {
        "name": opening.protocol,
        "version": opening.version,
        "digest": opening.digest,
        "settings": dict(opening.settings),
        "seats": [str(seat) for seat in protocol.seats],
        "initial": protocol.initial.name,
        "table": list(_rows(protocol)),
        "interrupts": [
            {"reason": reason.value, "to": interrupt.to.name, "when": interrupt.when.value}
            for reason, interrupt in protocol.interrupts.items()
        ],
        "ends": [phase.name for phase in protocol.verdicts],
        "exit_codes": {verdict.name: code for verdict, code in protocol.exit_codes.items()},
    }


def _rows(protocol: Protocol[Any]) -> Iterator[dict[str, str]]:
    for phase, rows in protocol.table.items():
        for outcome, to in rows.items():
            yield {"phase": phase.name, "outcome": outcome.name, "to": to.name}


def _panel(record: Record) -> dict[str, Any]:
    """Who was to sit on each seat, and which models answered as the replies say."""
    models = totals(record).models
    return {
        str(seat): {"participant": record.opening.panel.get(seat), "models": list(models.get(str(seat), ()))}
        for seat in record.protocol.seats
    }


def transcript(record: Record) -> list[dict[str, Any]]:
    """Return every ask in order, with its reply, or why there is none, and what it cost."""
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
    if isinstance(line.reply, Absent):
        return {"status": "absent", "absent": line.reply.reason.value, **envelope}
    return {"status": "replied", "reply": reply_to_data(line.reply), **envelope}


def _decision(move: ExplainedMove) -> dict[str, Any]:
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


def _tallies(moves: list[ExplainedMove]) -> Iterator[dict[str, Any]]:
    for move, fact in _facts(moves, TALLY):
        yield {"phase_entry": move.entry, "round": move.round, "phase": move.phase, "values": dict(fact.values)}


def _step(move: ExplainedMove) -> dict[str, Any]:
    """One link of a derivation: the decisive test, or the interruption."""
    test = move.decisive
    return {
        "phase_entry": move.entry,
        "phase": move.phase,
        "rule": test.rule if test else None,
        "claim": test.claim if test else move.because,
        "outcome": move.outcome,
        "to": move.to,
    }


def _verdict(conclusion: Conclusion | None, moves: list[ExplainedMove]) -> dict[str, Any] | None:
    if conclusion is None:
        return None
    return {
        "verdict": conclusion.verdict.name,
        "phase": conclusion.phase.name,
        "degradation": conclusion.degradation.value,
        "interrupted": conclusion.interrupted.value if conclusion.interrupted else None,
        "derivation": [_step(move) for move in moves],
    }


def degradation(record: Record, moves: list[ExplainedMove]) -> dict[str, Any]:
    """Say who was absent and why, who left, and by which test the session went on or ended without them."""
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


def _totals(record: Record) -> dict[str, Any]:
    summed = totals(record)
    return {
        "all": _spent(summed.whole),
        "seats": {seat: _spent(spent) for seat, spent in summed.seats.items()},
        "phases": {phase: _spent(spent) for phase, spent in summed.phases.items()},
        "first_at": summed.first,
        "last_at": summed.last,
    }


def _spent(spent: Spent) -> Mapping[str, Any]:
    """A cost is what is known of it, with the number of answers whose price is not."""
    told = asdict(spent)
    cost, unknown = told.pop("cost"), told.pop("unpriced")
    return told | {"cost": {"known_microdollars": cost, "answers_of_unknown_price": unknown, "words": spent.money}}
