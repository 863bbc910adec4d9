"""Worth: the benefit and cost of a deliberation, as one value for bundle, report, explanation and programs.

It follows from the record alone, but for what was learnt elsewhere (`Learnt`): a correlation measured on past sessions,
and the truth. Where a protocol makes no findings there is nothing to say of them, and nothing said; where nobody took a
position, or none that can be counted, that is said, since people look for who was swayed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any

from quorate.core.record import Record, Said
from quorate.core.types import Absent
from quorate.kit.definition import Definition
from quorate.kit.positions import MATTER, Position
from quorate.worth.cacheable import Cacheable, caching_data
from quorate.worth.first_round import FirstRound, FirstRoundVerdict, first_round, first_round_data, is_voter
from quorate.worth.mind_changes import Swayed, in_short, swayed, swayed_data
from quorate.worth.totals import Spent, counted, dollars, totals
from quorate.worth.votes import ASSUMED, MeasuredCorrelation, Votes, votes_data, votes_of

MOST_TOLD = 10
"""Changes of position that are told one by one; the rest are counted."""
NO_FIRST_VOTE = (
    "No seat whose judgement counts took a position of its own on the matter before it was shown others: there is no "
    "first vote and no single seat to compare with."
)
FREE = "check"
"""The source of findings that no seat raised."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """What is known beyond the session: from other sessions, or afterwards."""

    measured: MeasuredCorrelation | None = None
    """How far these voters err together."""
    truth: Mapping[str, bool] = field(default_factory=dict)
    """By what a position is about (MATTER, a finding): whether it is good or true."""
    missing: str = ""
    """What could not be learnt, as a sentence; empty for nothing."""


NOTHING_LEARNT = Learnt()


@dataclass(frozen=True, slots=True)
class Survived:
    """The findings that a session leaves open."""

    by_seats: int
    by_checks: int
    """Those that checks proved, which takes no tokens."""


@dataclass(frozen=True, slots=True)
class Worth:
    """The benefit and cost of a deliberation."""

    votes: Votes | None
    """Of the seats that took a position on the matter; None where none did."""
    voices: Votes | None
    """Of the seats that spoke to it without a vote on it, as in a debate or a roundtable; None where all voted."""
    swayed: tuple[Swayed, ...] | None
    """None where nobody took a side of one thing twice."""
    lacking: str
    """What cannot be told of positions, and why, in a sentence; empty where nothing is lacking."""
    truth: Mapping[str, bool]
    survived: Survived | None
    """None for a protocol that makes no findings."""
    first: FirstRound | None
    caching: Cacheable | None
    whole: Spent
    phases: Mapping[str, Spent]
    missing: str = ""
    """What could not be learnt, as a sentence; empty for nothing."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The full text, one sentence per fact."""
        return tuple(self._sentences())

    @property
    def short(self) -> tuple[str, ...]:
        """The short text: effective votes, changes of position, and the verdict of the first round alone."""
        changed = (self.lacking,) if self.swayed is None else (in_short(self.swayed), self.lacking)
        first = self.first.sentences if self.first is not None else ()
        return (*self._votes(), *filter(None, changed), *first)

    def _sentences(self) -> Iterator[str]:
        if self.first is not None:
            yield from self.first.sentences
        yield from self._votes()
        if self.swayed is not None:
            yield in_short(self.swayed)
            if len(self.swayed) > 1:
                yield from map(str, self.swayed[:MOST_TOLD])
            if len(self.swayed) > MOST_TOLD:
                yield f"{len(self.swayed) - MOST_TOLD} more changes are in the bundle."
        if self.lacking:
            yield self.lacking
        if self.survived is not None:
            yield self._per_finding(self.survived)
        if self.caching is not None and self.caching.whole.of:
            yield self.caching.says
        if self.whole.tokens_cached:
            yield self.whole.cached_words
        yield from _unanswered(self.whole)

    def _votes(self) -> Iterator[str]:
        if (votes := self.votes) is not None:
            count = "1 seat" if votes.nominal == 1 else f"{votes.nominal} seats"
            yield f"{count} took a position on the matter ({votes.held_by}){votes.says()}."
            if votes.measured is not None and votes.by_measure is not None:
                yield (
                    f"By what was measured they are worth about {float(votes.by_measure):.1f} (correlation of errors "
                    f"{float(votes.measured.phi):.2f}, {votes.measured.says})."
                )
        if self.missing:
            yield self.missing
        if (voices := self.voices) is not None:
            count = "1 seat" if voices.nominal == 1 else f"{voices.nominal} seats"
            yield f"{count} spoke without a vote on the matter ({voices.held_by}){voices.says('as votes ')}."
        if any(each is not None and each.assumed is not None for each in (votes, voices)):
            yield ASSUMED

    def _per_finding(self, survived: Survived) -> str:
        if not survived.by_seats + survived.by_checks:
            return "No finding is left open."
        free = f"{counted(survived.by_checks, 'finding')} of checks" if survived.by_checks else ""
        if not survived.by_seats:
            return f"{free} left open, and none of a seat."
        left = " and ".join(filter(None, (f"{counted(survived.by_seats, 'finding')} of seats", free)))
        tokens = f"{self.whole.tokens // survived.by_seats:,} tokens"
        return f"{left} left open: {tokens} and {_money(self.whole, survived.by_seats)} for each that a seat raised."


def worth(
    record: Record,
    definition: Definition,
    learnt: Learnt = NOTHING_LEARNT,
    ruled: FirstRoundVerdict | None = None,
    caching: Cacheable | None = None,
) -> Worth:
    """Return the worth of a session so far; `ruled` and `caching` are computed by rerunning it."""
    positions, judging = definition.positions(record), definition.judging
    voters = _models(record, positions)
    votes = votes_of(voters, learnt.measured)
    turned = swayed(record, positions, learnt.truth)
    summed = totals(record)
    first = first_round(record, positions, judging, ruled)
    return Worth(
        votes,
        votes_of(_spoke(record, definition, voters)),
        turned,
        _lacking(record, definition, positions, turned, first),
        learnt.truth,
        _survived(record, definition),
        first,
        caching,
        summed.whole,
        summed.phases,
        learnt.missing,
    )


def _models(record: Record, positions: tuple[Position, ...]) -> dict[str, str]:
    """Return the model of each seat that took a position on the matter, from its last position."""
    model = {line.envelope.seq: line.envelope.model for line in record.log if isinstance(line, Said)}
    seated = record.opening.panel
    return {
        str(each.seat): model.get(each.seq) or seated.get(each.seat, "")
        for each in positions
        if each.about == MATTER and each.holds is not None
    }


def _spoke(record: Record, definition: Definition, voters: Mapping[str, str]) -> dict[str, str]:
    """Return the models of voting seats that replied but took no position on the matter."""
    return {
        str(line.ask.seat): line.envelope.model or record.opening.panel.get(line.ask.seat, "")
        for line in record.log
        if isinstance(line, Said)
        and not isinstance(line.reply, Absent)
        and str(line.ask.seat) not in voters
        and definition.judging is not None
        and is_voter(record, definition.judging, str(line.ask.seat))
    }


def _survived(record: Record, definition: Definition) -> Survived | None:
    if definition.findings is None or record.session.conclusion is None:
        return None
    found = definition.findings(record)
    checks = sum(each.source == FREE for each in found)
    return Survived(len(found) - checks, checks)


# In words


def _lacking(
    record: Record,
    definition: Definition,
    positions: tuple[Position, ...],
    turned: tuple[Swayed, ...] | None,
    first: FirstRound | None,
) -> str:
    """Say why nothing is reported about positions, so that a missing figure is not taken for zero."""
    if definition.positions is Definition.positions:
        return (
            f"The protocol {definition.name} takes no positions that code could read: nothing can flip, and there is "
            "no first vote to compare with."
        )
    over = record.session.conclusion is not None
    if not positions:
        took = "took a position" if over else "has taken a position yet"
        return f"No seat {took} that code could read: nothing could flip."
    if all(each.about != MATTER for each in positions):
        once = "" if turned is not None else ", and nobody took a side of the same one twice, so nothing could flip"
        so_far = "" if over else "So far "
        told = f"{so_far}positions were taken on single things, none on the matter as a whole{once}: there is no "
        return f"{told[0].upper()}{told[1:]}first vote on it to compare with."
    flip = "" if turned is not None else "Nobody took a side of the same thing twice: nothing could flip."
    vote = "" if first is not None else NO_FIRST_VOTE
    return " ".join(filter(None, (flip, vote)))


def _unanswered(spent: Spent) -> Iterator[str]:
    """Say which asks are not counted because nobody answered them."""
    if spent.spared:
        were, whose = ("was", "its vote") if spent.spared == 1 else ("were", "their votes")
        yield f"{counted(spent.spared, 'ask')} {were} spared: {whose} could not have changed what was decided."
    if spent.withdrawn:
        were = "was" if spent.withdrawn == 1 else "were"
        told = f"{counted(spent.withdrawn, 'ask')} {were} withdrawn before an answer came"
        yield f"{told}; what calls under way had taken by then is not counted."


def _money(spent: Spent, share: int) -> str:
    """Return the cost per item as text; an unknown cost stays unknown."""
    if spent.unpriced and not spent.cost:
        return "an unknown price"
    return f"{'at least ' if spent.unpriced else ''}{dollars(spent.cost // share)}"


# As data


def worth_data(found: Worth) -> dict[str, Any]:
    """Return the worth as plain data without floats, as a bundle holds it."""
    return {
        "says": list(found.sentences),
        "votes": votes_data(found.votes),
        "voices": votes_data(found.voices),
        "changes": None if found.swayed is None else [swayed_data(each) for each in found.swayed],
        "truth": dict(found.truth),
        "first_round": first_round_data(found.first),
        "findings": _findings_data(found),
        "prompts": caching_data(found.caching),
        "phases": {name: _spent_data(spent) for name, spent in found.phases.items()},
        "all": _spent_data(found.whole),
        "by": maker(),
    }


@cache
def maker() -> str:
    """Return the name and version of this program, since other versions may count and word the worth differently."""
    return f"quorate {version('quorate')}"


def _spent_data(spent: Spent) -> dict[str, Any]:
    return {
        "asks": spent.asks,
        "by_code": spent.by_code,
        "spared": spent.spared,
        "withdrawn": spent.withdrawn,
        "tokens": spent.tokens,
        **({"tokens_cached": spent.tokens_cached} if spent.tokens_cached else {}),
        "known_microdollars": spent.cost,
        "answers_of_unknown_price": spent.unpriced,
    }


def _findings_data(found: Worth) -> dict[str, Any] | None:
    if (survived := found.survived) is None:
        return None
    each = survived.by_seats
    return {
        "left_open": survived.by_seats + survived.by_checks,
        "by_seats": survived.by_seats,
        "by_checks": survived.by_checks,
        "tokens_for_each": found.whole.tokens // each if each else None,
        "known_microdollars_for_each": found.whole.cost // each if each else None,
    }
