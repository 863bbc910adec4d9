"""The positions of a workshop: what participants voted on drafts, and what they contested, each in its own word.

Nobody votes on the matter as a whole. Who supports something, the facilitator says (W12, W18), and that is its reading:
whoever was read wrongly contests, so a reading taken for a position would make a flip out of a mistake. Who does not
contest says nothing. A text that was amended is another thing, as it is in a review. What was said in a phase that is
under way or was cut short is not looked into.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from quorate.core.forms import Key
from quorate.core.record import Record, Said
from quorate.core.session import Cause
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.kit.positions import Position
from quorate.protocols.workshop.rules.agreement import blocks
from quorate.protocols.workshop.rules.focus import scene_of, topic_in_focus
from quorate.protocols.workshop.rules.forms import Consent, Response, Vote, Votes
from quorate.protocols.workshop.rules.history import happened
from quorate.protocols.workshop.rules.model import Phase, State
from quorate.protocols.workshop.rules.plan import plan_in
from quorate.protocols.workshop.rules.strategies import Sight

CONTESTS = "contests it"
HOLDS = {Consent.SUPPORT: True, Consent.STAND_ASIDE: None, Consent.BLOCK: False}
READ_BACK = 2
"""Rounds before its own that a seat reads word for word where its stage sees everything (W27)."""


def positions(record: Record) -> tuple[Position, ...]:
    """Return what participants held of drafts and artifacts, in the order in which they said it."""
    found = _Found(record)
    for each in happened(record):
        if each.move.cause is Cause.INTERRUPTED:
            continue
        if each.move.phase is Phase.RESPONSES:
            found.hear(each.said, each.move.before)
        for fact in each.facts("amended", "reverted"):
            found.versions[fact["id"]] += 1
    return tuple(found.told())


class _Found:
    def __init__(self, record: Record) -> None:
        self.plan = plan_in(record)
        self.versions: Counter[str] = Counter()
        """How often each artifact was amended, or had an amendment reverted."""
        self._taken: list[tuple[Position, int]] = []
        """What was held, of which version of a thing."""

    def hear(self, said: tuple[Said, ...], state: State) -> None:
        """Take the answers of one round; `state` is the one in which they were asked for."""
        before = [position for position, _ in self._taken]
        for line in filter(lambda each: self.plan.counts(each.ask.seat), said):
            for key, stance, holds in _held(line):
                shown = self._shown(line, state, key, before)
                position = Position(line.ask.seat, line.round, str(key), stance, holds, line.envelope.seq, shown)
                self._taken.append((position, self.versions[key]))

    def told(self) -> Iterator[Position]:
        """The positions, those on a text that is no more under a name of their own."""
        for position, version in self._taken:
            gone = version < self.versions[position.about]
            yield replace(position, about=_before(position.about, version)) if gone else position

    def _shown(self, said: Said, state: State, key: Key, before: list[Position]) -> tuple[Seat, ...]:
        """Whose positions on it the seat was shown: words of the last rounds, and who has contested it (W27)."""
        scene, artifact, topic = scene_of(state, self.plan), state.artifact(key), topic_in_focus(state)
        reads = scene.sees is Sight.EVERYTHING
        in_full = isinstance(said.reply, Votes) or (artifact is not None and topic and artifact.topic == topic.key)
        named = bool(in_full) and scene.shows_conflicts and scene.sees is not Sight.NOTHING
        others = (
            each.seat
            for each in before
            if each.about == key
            and each.seat != said.ask.seat
            and ((reads and each.round >= said.round - READ_BACK) or (named and each.stance == CONTESTS))
        )
        return tuple(dict.fromkeys(others))


def _held(said: Said) -> Iterator[tuple[Key, str, bool | None]]:
    match said.reply:
        case Votes(votes=votes):
            for key, vote in votes.items():
                counted = _counted(vote)
                yield key, counted.value, HOLDS[counted]
        case Response(contested=contested):
            for key in contested:
                yield key, CONTESTS, False
        case _:
            return


def _counted(vote: Vote) -> Consent:
    """A vote as it counts: a block without the least change that would lift it stands aside (W30)."""
    return Consent.STAND_ASIDE if vote.stance is Consent.BLOCK and not blocks(vote) else vote.stance


def _before(key: str, version: int) -> str:
    return f"{key} before {'it was amended' if not version else f'amendment {version + 1}'}"
