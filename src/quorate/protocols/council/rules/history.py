"""What was said in a council, read from its record: raised findings, merges, answers, votes and edits by key."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from quorate.core.decisions import Fact
from quorate.core.form_values import REFUSED, Unfit
from quorate.core.forms import Key, Reply
from quorate.core.record import Moved, Record, Said
from quorate.core.session import Cause, Move
from quorate.core.types import Absent, Seat
from quorate.core.values import replace
from quorate.protocols.council.rules.answers import proposes
from quorate.protocols.council.rules.forms import (
    Answer,
    Answers,
    Application,
    Ballot,
    Ballots,
    GateFinding,
    GateReport,
    LastProposals,
    Patch,
    Proposal,
    Raised,
)
from quorate.protocols.council.rules.merges import number_of
from quorate.protocols.council.rules.model import GATES, Outcome, Phase, State
from quorate.protocols.council.rules.replies import findings_in
from quorate.protocols.council.rules.taxonomy import BY_CODE, Field, Severity, Subcategory
from quorate.protocols.council.rules.votes import Standing

FINDING_ENTRY = re.compile(r"findings\[\d+\]|\d+ more")
"""Where a finding stands that was refused; what is not told one by one may be one."""


@dataclass(frozen=True, slots=True)
class Raising:
    """One finding as somebody raised it; `by` is a seat or the gates."""

    key: Key
    by: Seat
    cycle: int
    said: GateFinding | Raised

    @property
    def subcategory(self) -> Subcategory:
        return self.said.subcategory

    @property
    def place(self) -> Key:
        return self.said.place

    @property
    def field(self) -> Field:
        return self.said.field

    @property
    def severity(self) -> Severity:
        return self.said.severity

    @property
    def proven(self) -> bool:
        return isinstance(self.said, GateFinding)

    @property
    def description(self) -> str:
        return self.said.message.text if isinstance(self.said, GateFinding) else self.said.description.text

    @property
    def evidence(self) -> str:
        return self.said.evidence.text


@dataclass(frozen=True, slots=True)
class Proposed:
    """One remediation that is put to the vote."""

    key: Key
    finding: Key
    by: Seat
    proposal: Proposal


def moves(record: Record) -> Iterator[Move]:
    return (line.move for line in record.log if isinstance(line, Moved))


def facts(record: Record, *names: str) -> Iterator[tuple[Move, Fact, dict[str, str | int | bool]]]:
    """Yield every fact of these names, with the move it belongs to."""
    for move in moves(record):
        for fact in move.facts:
            if fact.name in names:
                yield move, fact, dict(fact.values)


def report(record: Record) -> GateReport | None:
    """Return the report of the gates, or None."""
    said = record.latest(GATES, "examine")
    return said.reply if said is not None and isinstance(said.reply, GateReport) else None


def raisings(record: Record) -> dict[Key, Raising]:
    """Return every finding as it was raised, merged ones included, in order of number."""
    by_entry = _replies_by_entry(record)
    found: dict[Key, Raising] = {}
    for move, _, values in facts(record, "raised"):
        seat, index = Seat(str(values["by"])), int(values["index"])
        reply = by_entry[move.entry, seat]
        said = reply.findings[index] if isinstance(reply, GateReport) else findings_in(reply)[index]
        key = Key(str(values["key"]))
        found[key] = Raising(key, seat, _cycle(move, said), said)
    return dict(sorted(found.items(), key=lambda item: int(item[0][1:])))


def _cycle(move: Move, said: GateFinding | Raised) -> int:
    """Return the cycle of a finding; what code counts for gates that need judgement belongs to the second."""
    if isinstance(said, GateFinding):
        return 1 if said.subcategory.gate in BY_CODE else 2
    return 1 if move.phase is Phase.CYCLE_1 else 2


def _replies_by_entry(record: Record) -> dict[tuple[int, Seat], Reply]:
    found: dict[tuple[int, Seat], Reply] = {}
    for line in record.log:
        if isinstance(line, Said) and not isinstance(line.reply, Absent):
            found[entry_of(line), line.ask.seat] = line.reply
    return found


def refused_findings(record: Record) -> list[tuple[Said, Unfit]]:
    """Return the findings of seats that did not fit their form, in the order in which they were said (C28)."""
    return [
        (line, each)
        for line in record.log
        if isinstance(line, Said) and hasattr(line.reply, "findings")
        for each in line.envelope.unfit
        if each.became == REFUSED and FINDING_ENTRY.fullmatch(each.at)
    ]


def merges(record: Record) -> dict[Key, tuple[Key, str]]:
    """Return, by finding that went into another, that one, and whether code or the seats called them one (C14)."""
    return {
        Key(str(values["key"])): (Key(str(values["into"])), str(values["how"]))
        for _, _, values in facts(record, "merged")
    }


def root(record: Record, key: Key) -> Key:
    """Return the finding that this one went into in the end, or itself."""
    into = {gone: kept for gone, (kept, _) in merges(record).items()}
    while key in into:
        key = into[key]
    return key


def by_finding(record: Record) -> dict[Key, tuple[Raising, ...]]:
    """Return every raising by the finding it went into, the finding's own first."""
    into = {gone: kept for gone, (kept, _) in merges(record).items()}
    found: dict[Key, list[Raising]] = {}
    for each in raisings(record).values():
        key = each.key
        while key in into:
            key = into[key]
        found.setdefault(key, []).append(each)
    return {key: tuple(sorted(held, key=lambda each: each.key != key)) for key, held in found.items()}


def answers(record: Record) -> dict[Key, dict[Seat, Answer]]:
    """Return the answers by finding and seat."""
    found: dict[Key, dict[Seat, Answer]] = {}
    for seat, reply in _said(record, "respond"):
        if isinstance(reply, Answers):
            for key, answer in reply.answers.items():
                found.setdefault(key, {})[seat] = answer
    return found


def proposals(record: Record) -> dict[Key, Proposed]:
    """Return the remediations of BLOCKER and MAJOR findings by the key they are voted on under, in that order."""
    state = _before_vote(record)
    given: dict[Key, list[tuple[Key, Seat, Proposal]]] = {}
    for line in (*_lines(record, "respond"), *_lines(record, "remediate")):
        if entry_of(line) in decided(record):
            for key, proposal in _proposed(line.reply):
                given.setdefault(root(record, key), []).append((key, line.ask.seat, proposal))
    found: dict[Key, Proposed] = {}
    for finding in state.findings:
        told = sorted(given.get(finding.key, ()), key=lambda each: number_of(each[0]))
        for _, seat, proposal in told if finding.grave else ():
            if proposes(proposal):
                key = Key(f"P{len(found) + 1}")
                found[key] = Proposed(key, finding.key, seat, proposal)
    return found


def _proposed(reply: object) -> Iterator[tuple[Key, Proposal]]:
    if isinstance(reply, Answers):
        yield from ((key, answer.proposal) for key, answer in reply.answers.items())
    if isinstance(reply, LastProposals):
        yield from reply.proposals.items()


def decided(record: Record) -> frozenset[int]:
    """Return the entries of phases that came to a decision; what is said in others counts for nothing (C33)."""
    return frozenset(move.entry for move in moves(record) if move.cause is not Cause.INTERRUPTED)


def _before_vote(record: Record) -> State:
    """Return the state in which the vote is or was held."""
    last = next((move for move in moves(record) if move.outcome is Outcome.VOTED), None)
    state: State = last.before if last is not None else record.session.state
    return state


def carried(record: Record) -> frozenset[Key]:
    """Return the remediations that the vote carried; all of them if nobody votes (C25, C37)."""
    stood = [values for _, _, values in facts(record, "vote")]
    if len(record.session.state.seats) == 1:
        return frozenset(proposals(record))
    return frozenset(Key(str(values["key"])) for values in stood if values["stands"] == Standing.SUPPORTED.value)


def votes(record: Record) -> dict[Key, dict[Seat, Ballot]]:
    """Return the votes by item and seat."""
    found: dict[Key, dict[Seat, Ballot]] = {}
    for seat, reply in _said(record, "vote"):
        if isinstance(reply, Ballots):
            for key, ballot in reply.votes.items():
                found.setdefault(key, {})[seat] = ballot
    return found


def patches(record: Record, held: Collection[Key] = ()) -> list[Patch]:
    """Return the edits to try in the order of the asks: those that held before, then the last attempt (C38)."""
    said = [line for line in _lines(record, "patch") if isinstance(line.reply, Patch)]
    last = max((entry_of(line) for line in said), default=0)
    found = []
    for line in said:
        assert isinstance(line.reply, Patch)
        edits = [edit for edit in line.reply.edits if entry_of(line) == last or edit.finding in held]
        if edits:
            found.append(replace(line.reply, edits=tuple(edits)))
    return found


def applications(record: Record) -> list[Application]:
    return [reply for _, reply in _said(record, "apply") if isinstance(reply, Application)]


def _said(record: Record, brief: str) -> list[tuple[Seat, Reply]]:
    """Return the replies to a brief in the order of the asks, not of arrival."""
    return [(line.ask.seat, line.reply) for line in _lines(record, brief) if not isinstance(line.reply, Absent)]


def _lines(record: Record, brief: str) -> list[Said]:
    said = [line for line in record.log if isinstance(line, Said) and line.ask.brief == brief]
    return sorted(said, key=lambda line: tuple(int(part) for part in line.ask.id.split(".")))


def entry_of(line: Said) -> int:
    """Return in which entry of its phase it was said."""
    return int(line.ask.id.partition(".")[0])
