"""Comparison of two sessions of one protocol: openings, the first ask, reply or decision that differs, and findings.

Records are compared phase by phase and seat by seat, never in the order in which replies arrived. A reply is compared
by its typed fields and marks; that its words differ is no difference, because no decision reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from quorate.codec import reply_to_data
from quorate.core.record import Asked, Record, Said
from quorate.core.shapes import Group, Many, PerKey, Shape, Text, shape_of
from quorate.core.types import Absent, Ask
from quorate.evidence.explain import ExplainedMove
from quorate.evidence.shape import at, paths
from quorate.kit.findings import Finding

MOST_FIELDS = 20
"""Fields that are named where two replies differ."""


@dataclass(frozen=True, slots=True)
class Field:
    """A typed field that differs between two replies to the same ask."""

    path: str
    first: Any
    other: Any


@dataclass(frozen=True, slots=True)
class Parting:
    """The first difference between two sessions."""

    kind: str
    """`ask`, `reply` or `decision`."""
    phase: str
    round: int
    ask: str
    """The ask's id; empty for a decision."""
    seat: str
    brief: str
    entry: int | None
    """The entry of the first session's journal that it is, where it is one."""
    what: str
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class Shared:
    """Findings of two sessions, matched by key, else by rule and place."""

    same: tuple[tuple[Finding, Finding], ...]
    only_first: tuple[Finding, ...]
    only_other: tuple[Finding, ...]


# How they began


def began(one: Record, two: Record) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Return the differences between two openings, each with both values."""
    a, b = one.opening, two.opening
    if a.seed != b.seed:
        yield "seed", (a.seed, b.seed)
    if a.version != b.version:
        yield "version", (a.version, b.version)
    for path in paths(dict(a.settings), dict(b.settings)):
        yield f"settings{path.replace('/', '.')}", (at(a.settings, path), at(b.settings, path))
    for name in sorted({*a.panel, *b.panel}):
        if a.panel.get(name) != b.panel.get(name):
            yield f"participant of {name}", (a.panel.get(name), b.panel.get(name))
    for kind, x, y in (("material", a.material, b.material), ("brief", a.briefs, b.briefs)):
        for name in sorted({*x, *y}):
            if x.get(name) != y.get(name):
                yield f"{kind} {name}", (_short(x.get(name)), _short(y.get(name)))


def _short(digest: str | None) -> str | None:
    return None if digest is None else digest[:12]


# Where they part


@dataclass(frozen=True, slots=True)
class _Phase:
    """One entry into a phase: what it asked, and what was replied by ask."""

    asked: tuple[Asked, ...]
    said: Mapping[str, Said]


def _phases(record: Record) -> dict[int, _Phase]:
    asked: dict[int, list[Asked]] = {}
    said: dict[int, dict[str, Said]] = {}
    for line in record.log:
        if isinstance(line, Asked):
            asked.setdefault(line.ask.id.entry, []).append(line)
        elif isinstance(line, Said):
            said.setdefault(line.ask.id.entry, {})[line.ask.id] = line
    return {entry: _Phase(tuple(lines), said.get(entry, {})) for entry, lines in asked.items()}


def parting(one: Record, two: Record, moves: tuple[list[ExplainedMove], list[ExplainedMove]]) -> Parting | None:
    """Return the first ask, reply or decision that differs; `moves` are the explained moves of both."""
    a, b = _phases(one), _phases(two)
    for entry in range(max((*a, *b, *(len(each) - 1 for each in moves)), default=-1) + 1):
        x, y = a.get(entry, _Phase((), {})), b.get(entry, _Phase((), {}))
        found = _asks(x, y) or _replies(x, y) or _moves(*((m[entry] if entry < len(m) else None) for m in moves))
        if found is not None:
            return found
    return None


def _asks(x: _Phase, y: _Phase) -> Parting | None:
    for index in range(max(len(x.asked), len(y.asked))):
        one, two = (each.asked[index] if index < len(each.asked) else None for each in (x, y))
        if one is not None and two is not None and _question(one.ask) == _question(two.ask):
            continue
        told = one or two
        assert told is not None
        what = f"the first asks {_said_of(one)}, the other {_said_of(two)}"
        ask = told.ask
        return Parting("ask", told.phase.name, told.round, ask.id, str(ask.seat), ask.brief, None, what)
    return None


def _question(ask: Ask) -> tuple[Any, ...]:
    return ask.seat, ask.brief, ask.form.__name__, ask.keys


def _said_of(asked: Asked | None) -> str:
    if asked is None:
        return "nothing"
    about = f" about {', '.join(map(str, asked.ask.keys))}" if asked.ask.keys else ""
    return f"{asked.ask.seat} to {asked.ask.brief}{about}"


def _replies(x: _Phase, y: _Phase) -> Parting | None:
    for asked in x.asked:
        one, two = x.said.get(asked.ask.id), y.said.get(asked.ask.id)
        a, b = _typed(one), _typed(two)
        if a == b:
            continue
        fields = tuple(Field(path, at(a, path), at(b, path)) for path in sorted(paths(a, b))[:MOST_FIELDS])
        ask, entry = asked.ask, one.envelope.seq if one is not None else None
        what = "the replies differ in typed fields"
        return Parting("reply", asked.phase.name, asked.round, ask.id, str(ask.seat), ask.brief, entry, what, fields)
    return None


def _typed(said: Said | None) -> Any:
    """Return the part of a reply that decisions see, as plain data."""
    if said is None:
        return {"replied": False}
    if isinstance(said.reply, Absent):
        return {"absent": said.reply.reason.value}
    return _without_prose(shape_of(said.ask.form), reply_to_data(said.reply))


def _without_prose(shape: Shape, data: Any) -> Any:
    """Return a reply's plain data without prose; the number of texts in a list, and the keys of texts, are kept."""
    match shape:
        case Group(fields=fields):
            return {each.name: _without_prose(each.shape, data[each.name]) for each in fields}
        case Many(item):
            return [_without_prose(item, each) for each in data]
        case PerKey(item):
            return {key: _without_prose(item, each) for key, each in data.items()}
        case Text():
            return "words"
        case _:
            return data


def _moves(one: ExplainedMove | None, two: ExplainedMove | None) -> Parting | None:
    if row(one) == row(two):
        return None
    told = one or two
    assert told is not None
    what = f"the first {_decided(one)}, the other {_decided(two)}"
    return Parting("decision", told.phase, told.round, "", "", "", None, what)


def row(move: ExplainedMove | None) -> tuple[str, ...] | None:
    """Return what identifies a move: the row of the table, and its cause."""
    return None if move is None else (move.phase, move.outcome, move.to, move.cause.value)


def _decided(move: ExplainedMove | None) -> str:
    return "has not come that far" if move is None else f"decides {move.outcome} by {move.because}"


def decisions_part(
    one: list[ExplainedMove], two: list[ExplainedMove]
) -> tuple[ExplainedMove | None, ExplainedMove | None] | None:
    """Return the first move that differs in its phase, its outcome or where it leads."""
    for index in range(max(len(one), len(two))):
        a, b = (each[index] if index < len(each) else None for each in (one, two))
        if row(a) != row(b):
            return a, b
    return None


# Findings


def shared_findings(first: Iterable[Finding], other: Iterable[Finding]) -> Shared:
    """Return which findings both sessions have, and which only one has."""
    left, right = list(first), list(other)
    same: list[tuple[Finding, Finding]] = []
    for known_by in (_key, _place):
        known = {known_by(each): each for each in reversed(right)}
        for each in tuple(left):
            if (match := known.pop(known_by(each), None)) is not None:
                same.append((each, match))
                left.remove(each)
                right.remove(match)
    return Shared(tuple(same), tuple(left), tuple(right))


def _key(finding: Finding) -> Any:
    return finding.key


def _place(finding: Finding) -> Any:
    return finding.rule, finding.path, finding.line
