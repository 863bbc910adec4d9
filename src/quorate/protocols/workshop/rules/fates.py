"""What became of each thing that was said or brought in a workshop (W39)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.record import Record
from quorate.core.session import Cause
from quorate.core.types import Absent
from quorate.kit.fates import Fate
from quorate.kit.qualification import NOTED
from quorate.protocols.workshop.rules.agreement import blocks
from quorate.protocols.workshop.rules.artifacts import artifacts
from quorate.protocols.workshop.rules.forms import Consent, Response, Votes
from quorate.protocols.workshop.rules.history import Happened, happened, state_of
from quorate.protocols.workshop.rules.model import FACILITATOR, PERSON, Phase
from quorate.protocols.workshop.rules.parts import parts_of
from quorate.protocols.workshop.rules.plan import plan_in
from quorate.protocols.workshop.rules.qualification import unqualified_in
from quorate.protocols.workshop.rules.remarks import remark_fates
from quorate.protocols.workshop.rules.rulings import NOT_PUT
from quorate.protocols.workshop.rules.synthesis import made

Data = Mapping[str, Any]
LONGEST = 160
"""Characters of somebody's words in a fate."""
HEARD = "heard"
_MATTERS = {"OQ": "question", "CONF": "conflict", "RUL": "ruling"}


def fates(record: Record) -> tuple[Fate, ...]:
    """Return what became of every artifact, matter, ruling, position, objection, escalation, refusal and document."""
    known = artifacts(record)
    moves = list(happened(record))
    titles = {each["id"]: each["title"] for each in known}
    return (
        *(_artifact(each, record) for each in known),
        *(fate for each in moves for fate in _said(each, titles, record)),
        *(fate for each in moves for fate in _escalated(each)),
        *remark_fates(moves, over=record.session.conclusion is not None, longest=LONGEST),
        *_refused(moves),
        *_documents(record),
    )


def _artifact(data: Data, record: Record) -> Fate:
    kind, matter = data["type"], data["type"] in _MATTERS
    raised = next(each.raised for each in state_of(record).artifacts if each.id == data["id"])
    seats = tuple(str(seat) for seat in plan_in(record).participants if seat in data["supported_by"])
    by = seats if raised else tuple(filter(None, (data["proposed_by"],)))
    said = data["fields"]["decision"] if kind == "RUL" else data["title"]
    became, rule = _matter(data) if matter else _thing(data)
    return Fate(data["id"], _MATTERS.get(kind, "artifact"), by, said[:LONGEST], became, rule)


def _matter(data: Data) -> tuple[str, str]:
    if data["type"] == "RUL":
        return ("applied", "W24") if data["status"] == "resolved" else ("not applied", "W24")
    if data["status"] == "open":
        return "open", "W21"
    return ("decided by a person", "W24") if data["resolution_method"] == PERSON else ("resolved", "W19")


def _thing(data: Data) -> tuple[str, str]:
    match data["status"]:
        case "superseded":
            return f"superseded by {data['superseded_by']}", "W17"
        case "withdrawn":
            return "withdrawn", "W17"
        case _:
            return {"consensus": "agreed", "draft": "draft", "conflict": "in conflict"}[data["agreement"]], "W18"


# What participants said


def _said(each: Happened, titles: Mapping[str, str], record: Record) -> Iterator[Fate]:
    """Positions, contests and blocks of a round; what was said in a phase that was cut short was not heard."""
    heard = each.move.cause is not Cause.INTERRUPTED
    if each.move.phase is Phase.SYNTHESIS and not heard:
        yield from _unheard(each)
    if each.move.phase is not Phase.RESPONSES:
        return
    conflicts = {fact["id"]: fact["conflict"] for fact in each.facts("contested", "blocked")}
    order = {seat: number for number, seat in enumerate(plan_in(record).participants)}
    notes = unqualified_in(record)
    for said in sorted(each.said, key=lambda one: order.get(one.ask.seat, len(order))):
        if isinstance(said.reply, Absent):
            continue
        place, seat = f"{each.round}.{said.ask.seat}", (str(said.ask.seat),)
        assert isinstance(said.reply, Response | Votes)
        became, rule = _answer(heard, said.ask.seat in notes)
        yield Fate(f"position-{place}", "position", seat, said.reply.position.text[:LONGEST], became, rule)
        if isinstance(said.reply, Response):
            for key in said.reply.contested:
                text = f"contests {key} {titles.get(key, '')}"[:LONGEST]
                did = (f"raised {conflicts[key]}" if key in conflicts else "refused", "W11")
                told = did if became == HEARD else (became, rule)
                yield Fate(f"contest-{place}.{key}", "contest", seat, text, *told)
            continue
        for key, vote in said.reply.votes.items():
            if vote.stance is Consent.BLOCK and key in titles:
                did = (_blocked(key, conflicts, blocks(vote)), _rule_of_block(key))
                told = did if became == HEARD else (became, rule)
                said_so = (vote.minimum_change.text or vote.reason.text)[:LONGEST]
                yield Fate(f"block-{place}.{key}", "block", seat, said_so, *told)


def _answer(heard: bool, note: bool) -> tuple[str, str]:
    """What became of an answer and, unless it was heard, of all that was said in it (W10, W34, W40)."""
    if not heard:
        return "not heard", "W34"
    return (NOTED, "W40") if note else (HEARD, "W10")


def _unheard(each: Happened) -> Iterator[Fate]:
    """What a synthesis would have made and moved, where its phase was cut short (W34)."""
    if (synthesis := each.synthesis) is None:
        return
    words = [f"make {kind.name}: {item.title.text}" for kind, item in made(synthesis)]
    words += [f"{one.becomes.value} {one.artifact}: {one.summary.text}" for one in synthesis.changes]
    for number, text in enumerate(words, start=1):
        yield Fate(f"entry-{each.round}.{number}", "entry", (str(FACILITATOR),), text[:LONGEST], "not heard", "W34")


def _rule_of_block(key: str) -> str:
    """A block of a ruling says that it is not applied (W24); one of a draft stops it (W31)."""
    return "W24" if key.startswith("RUL") else "W31"


def _blocked(key: str, conflicts: Mapping[str, str], grounded: bool) -> str:
    if not grounded:
        return "stood aside"
    if _rule_of_block(key) == "W24":
        return f"kept {key} waiting"
    return f"raised {conflicts[key]}" if key in conflicts else f"stopped {key}"


# What was put to a person, and what was refused


def _escalated(each: Happened) -> Iterator[Fate]:
    """Every doubt and every other reason to ask a person, with what became of it (W23, W24)."""
    for fact in each.facts("escalated", *NOT_PUT):
        why = NOT_PUT.get(fact["fact"])
        became = "put to a person" if why is None else f"not put to a person: {why}"
        words = "; ".join(text for text in (fact["overdue"], fact["unsure"]) if text not in ("none", "nobody"))
        yield Fate(f"escalation-{each.round}", "escalation", (), words[:LONGEST], became, "W22")


def _refused(moves: list[Happened]) -> Iterator[Fate]:
    number = 0
    for each in moves:
        for fact in each.facts("refused"):
            number += 1
            by = str(FACILITATOR) if each.move.phase is Phase.SYNTHESIS else ""
            words = f"{fact.get('move', 'make')} {fact['id']}: {fact['why']}"[:LONGEST]
            yield Fate(f"refused-{number}", "entry", (by,) if by else (), words, "refused", "W14")


# What was brought


def _documents(record: Record) -> Iterator[Fate]:
    state, parts = state_of(record), parts_of(record)
    for number in range(1, state.parts + 1):
        part = parts[number - 1] if number <= len(parts) else ()
        titles = ", ".join(section.title for section in part)
        became = "shown" if number in state.read else "shown to nobody"
        yield Fate(f"part-{number}", "document", (), titles, became, "W38")
    if state.unlisted:
        yield Fate("part-rest", "document", (), "what no part holds", "shown to nobody", "W38")
