"""The bundle: a session as one self-contained JSON document that anybody can check.

The entries are the journal, each with its hash: they are the evidence. Everything else is derived from them for readers
who do not want to run anything, and `check_bundle` derives it again. The schema is shipped as `bundle.schema.json`.
Bundles are untrusted input: `check_bundle` believes nothing in them and never raises.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from importlib import resources
from itertools import islice
from typing import Any, cast

from quorate.codec import canonical, decode_entry, decode_opening, digest_text, reply_to_data
from quorate.codec.chain import Entry
from quorate.codec.journal_reader import check_rules
from quorate.core.errors import QuorateError, RulesChanged, StoreError
from quorate.core.form_values import with_marks
from quorate.core.protocol import Protocol
from quorate.core.record import Record
from quorate.core.types import Absent, Event, Replied
from quorate.evidence.copies import check_copies, check_material, check_seal
from quorate.evidence.derivation import Became, decision, degradation, ruling, tallies, totals_of, transcript, verdict
from quorate.evidence.explain import explain
from quorate.evidence.seal import ALGORITHM, check_chain
from quorate.evidence.shape import Problem, at, mismatches, paths, plain_problems, shown
from quorate.kit.fates import answered_for, as_data
from quorate.worth.totals import totals

__all__ = ["FORMAT", "Problem", "check_bundle", "make_bundle", "schema"]

FORMAT = "quorate-bundle/1"
Again = Callable[[Record, Mapping[str, Any]], Mapping[str, Any]]
"""Derives what a session bought and cost, given what a bundle tells of it."""
MOST_PROBLEMS = 100
"""Problems that are listed; a bundle with more is not worth more words."""


@cache
def _schema() -> dict[str, Any]:
    text = (resources.files("quorate.evidence") / "bundle.schema.json").read_text(encoding="utf-8")
    return cast("dict[str, Any]", json.loads(text))


def schema() -> dict[str, Any]:
    """Return the JSON Schema of bundles (draft 2020-12)."""
    return deepcopy(_schema())


def make_bundle(
    record: Record,
    entries: list[Entry],
    session: str,
    worth: Mapping[str, Any] | None = None,
    fates: Became | None = None,
) -> dict[str, Any]:
    """Return the bundle of a session; `entries` are its whole journal, and `record` is folded from them.

    `worth` is what the session bought and cost, as data; a bundle without it is whole. `fates` derives what became of
    what was said.
    """
    moves, told = explain(record), None if fates is None else fates(record)
    document = {
        "format": FORMAT,
        "session": record.opening.session or session,
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
        "decisions": [decision(move) for move in moves],
        "tallies": list(tallies(moves)),
        "verdict": verdict(record.session.conclusion, moves),
        "rulings": [ruling(each, answered_for(told or ())) for each in record.rulings],
        "degradation": degradation(record, moves),
        "totals": totals_of(record),
        **({} if told is None else {"fates": as_data(told)}),
        **({} if worth is None else {"worth": worth}),
        "seal": {"algorithm": ALGORITHM, "head": entries[-1].hash, "entries": len(entries)},
    }
    return cast("dict[str, Any]", json.loads(json.dumps(document)))  # nothing but JSON's own types


def _entry(entry: Entry) -> dict[str, Any]:
    """Return the entry with its body as an object; StoreError if that would not give the same text again."""
    body = json.loads(entry.body)
    if canonical(body) != entry.body:
        raise StoreError(
            f"entry {entry.seq} is not stored as canonical JSON, so its hash could not be checked elsewhere"
        )
    return {"seq": entry.seq, "hash": entry.hash, "body": body}


def _protocol(record: Record) -> dict[str, Any]:
    protocol, opening = record.protocol, record.opening
    return {
        "name": opening.protocol,
        "version": opening.version,
        "digest": opening.digest,
        "settings": dict(opening.settings),
        "briefs": dict(protocol.briefs),
        "seats": [str(seat) for seat in protocol.seats],
        "initial": protocol.initial.name,
        "table": list(_rows(protocol)),
        "interrupts": [
            {"reason": reason.value, "to": interrupt.to.name, "when": interrupt.when.value}
            for reason, interrupt in protocol.interrupts.items()
        ],
        "ends": [phase.name for phase in protocol.verdicts],
        "exit_codes": {verdict.name: code for verdict, code in protocol.exit_codes.items()},
        "rulings": {verdict.name: [each.name for each in to] for verdict, to in protocol.rulings.items()},
    }


def _rows(protocol: Protocol[Any]) -> Iterator[dict[str, str]]:
    for phase, rows in protocol.table.items():
        for outcome, to in rows.items():
            yield {"phase": phase.name, "outcome": outcome.name, "to": to.name}


def _panel(record: Record) -> dict[str, Any]:
    """Return the participant of each seat, and the models that answered according to the replies."""
    models = totals(record).models
    return {
        str(seat): {"participant": record.opening.panel.get(seat), "models": list(models.get(str(seat), ()))}
        for seat in record.protocol.seats
    }


def check_bundle(
    data: Any,
    protocol: Protocol[Any] | None,
    head: str | None = None,
    worth: Again | None = None,
    fates: Became | None = None,
) -> list[Problem]:
    """Return the problems of a bundle, those of the entries first; an empty list means that it is valid.

    With the protocol under which the session ran, everything derived is derived again; where the chain is broken there
    is nothing to derive from. `head` is the hash that the chain must end in, where it is known from elsewhere: a bundle
    that was rewritten as a whole is found out by nothing else. `worth` derives what the session bought and cost,
    `fates` what became of what was said.
    """
    if problems := plain_problems(data):
        return problems
    if problems := list(islice(mismatches(_schema(), data), MOST_PROBLEMS)):
        return problems
    entries = [Entry(each["seq"], canonical(each["body"]), each["hash"]) for each in data["entries"]]
    seal = check_chain(entries, data["seal"]["head"], data["seal"]["entries"])
    found = [*check_seal(data, seal, head), *check_material(data), *check_copies(data, seal.broken)]
    if protocol is not None and seal.ok:
        found += islice(_derived(data, entries, protocol, worth, fates), MOST_PROBLEMS)
    by_place: dict[str, Problem] = {}
    for problem in found:
        by_place.setdefault(problem.place, problem)
    return list(by_place.values())[:MOST_PROBLEMS]


def _derived(
    data: dict[str, Any], entries: list[Entry], protocol: Protocol[Any], worth: Again | None, fates: Became | None
) -> Iterator[Problem]:
    """Fold the entries again and compare everything derived from them."""
    try:
        opening, _ = decode_opening(entries[0].body)
        check_rules(protocol, opening)
    except RulesChanged as error:
        yield Problem(
            "/protocol/digest", f"the session could not be derived again: {error}", "the rules that it ran under"
        )
        return
    except QuorateError as error:
        yield Problem("/entries/0/body", str(error), "an opening")
        return
    record = Record(protocol, opening, {name: held["text"] for name, held in data["material"].items()})
    for index, entry in enumerate(entries[1:], start=1):
        try:
            event, envelope = decode_entry(entry.body, record.session.asks)
            marks = list(_marks(record, event, f"/entries/{index}/body/reply"))
            record.take(event, envelope)
        except QuorateError as error:
            yield Problem(f"/entries/{index}/body", str(error), "an event that the rules allow here")
            return
        yield from marks
    told = data.get("worth")  # bundles of before it was told have none
    if told is not None and worth is not None:
        told = worth(record, told)
    again = make_bundle(record, entries, data["session"], told, fates)
    for path in paths(again, data):
        follows = shown(at(again, path))
        yield Problem(path, f"it is {shown(at(data, path))}", f"{follows}, as it follows from the entries")


def _marks(record: Record, event: Event, place: str) -> Iterator[Problem]:
    """Recompute the marks of a reply, which decisions rely on, and compare them with those recorded."""
    if isinstance(event, Replied) and not isinstance(event.reply, Absent):
        ask = next((ask for ask in record.session.asks if ask.id == event.ask), None)
        if ask is None:
            return  # the rules do not allow it here, which is told instead
        kept, again = reply_to_data(event.reply), reply_to_data(record.marked(ask, with_marks(event.reply)))
        for path in paths(again, kept):
            yield Problem(place + path, f"it is {shown(at(kept, path))}", f"{shown(at(again, path))}, by the words")
