"""Promises that hold for every protocol they concern: nothing said vanishes, and nothing is approved unseen.

By protocol and promise: the invariants that say so, and the defects that are planted against them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.kit.settings import read_settings
from tests.protocols.council.defects import mutants as council
from tests.protocols.council.defects.vanished import PLANTED as VANISHED
from tests.protocols.debate.defects.planted_promises import ALL as DEBATES
from tests.protocols.debate.defects.test_debate_promises import planted as in_debate
from tests.protocols.review.defects import mutants as review
from tests.protocols.review.defects.lost import FATES, UNJUDGED, VETOES, VETOES_COUNTED
from tests.protocols.review.defects.test_unread import reviews as readings
from tests.protocols.review.defects.unread import DEFECTS as UNREAD
from tests.protocols.roundtable.defects.planted_promises import ALL as ROUNDTABLES
from tests.protocols.roundtable.defects.test_roundtable_promises import planted as in_roundtable
from tests.protocols.workshop.defects import mutants as workshop
from tests.protocols.workshop.defects.promised import PROMISED as PROMISED_OF_WORKSHOPS
from tests.verify.mutants import BY_HAND, Fate, Mutant, run

ONE_FATE = "every finding raised has exactly one fate"
NO_FALL = "no severity falls without a vote"
SHOWN = "no approval while something was shown to nobody"
TRACE = "no approval with a veto that left no trace"
JUDGED = "no approval that nobody judged"
APPLIED = "no COMPLETE with an unapplied ruling"
GATES = "no gate passes on nothing"
ANSWERABLE = "no approval over a finding that nobody could answer"
CALLED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "workshop": {
        ONE_FATE: ("everything that was said has exactly one fate",),
        SHOWN: ("nothing COMPLETE while something was shown to nobody",),
        JUDGED: ("no COMPLETE that too few have judged",),
        APPLIED: ("no COMPLETE with an unapplied ruling or an open conflict",),
    },
    "debate": {
        ONE_FATE: (
            "every question has exactly one fate",
            "every question that waits is answered or told to be unanswered",
            "every critique has exactly one fate",
            "nothing waits into another round or the synthesis",
        )
    },
    "roundtable": {
        ONE_FATE: (
            "every disagreement has exactly one fate",
            "every challenge is a disagreement or dropped",
            "every item of a synthesis has exactly one place",
            "every document that is to be added to has exactly one fate",
        ),
        JUDGED: ("no document is written that nobody summed up",),
    },
}
"""What a promise is called where a protocol has other words for it."""


@dataclass(frozen=True)
class Promise:
    """A promise in one protocol, with the defects that are planted against it."""

    protocol: str
    name: str
    defects: tuple[Mutant, ...]
    run: Callable[[Mutant], Fate] = run

    @property
    def invariants(self) -> tuple[str, ...]:
        return CALLED.get(self.protocol, {}).get(self.name, (self.name,))

    def stated(self) -> set[str]:
        """Return those of the invariants that the protocol has."""
        definition = catalog.definition(self.protocol)
        built = definition.build(read_settings(definition.settings, {}), catalog.briefs(definition), 7)
        return {each.name for each in built.invariants} & set(self.invariants)

    def missed(self, defects: Iterable[Mutant]) -> list[str]:
        """Return the names of the defects that are not found."""
        return [each.name for each in defects if self.run(each).number is None]

    def alone(self, mutant: Mutant) -> Mutant:
        """Return a defect of a protocol that has no other invariants than these."""

        def build() -> Mapping[str, Protocol[Any]]:
            return {name: self._bare(protocol) for name, protocol in mutant.build().items()}

        return replace(mutant, build=build)

    def _bare(self, protocol: Protocol[Any]) -> Protocol[Any]:
        return replace(protocol, invariants=tuple(e for e in protocol.invariants if e.name in self.invariants))


def _reviews() -> Iterable[Promise]:
    made = {each.name: each for each in review.by_hand()}
    for name, own in ((ONE_FATE, FATES), (TRACE, {**VETOES, **VETOES_COUNTED}), (JUDGED, UNJUDGED)):
        yield Promise("review", name, tuple(made[f"{BY_HAND}: {each}"] for each in own))
    material = catalog.definition("review").proven_with()
    yield Promise("review", SHOWN, tuple(Mutant(BY_HAND, each, _unread(each), material) for each in UNREAD))


def _unread(name: str) -> Callable[[], Mapping[str, Protocol[Any]]]:
    return lambda: {profile: UNREAD[name](protocol) for profile, protocol in readings().items()}


def _councils() -> Iterable[Promise]:
    made = council.by_hand()
    return (Promise("council", name, tuple(each for each in made if each.kind == name)) for name in VANISHED)


def _workshops() -> Iterable[Promise]:
    made = {each.name: each for each in workshop.by_hand()}
    names = {APPLIED: APPLIED} | {words[0]: name for name, words in CALLED["workshop"].items()}
    for promise, own in PROMISED_OF_WORKSHOPS.items():
        planted = tuple(made[f"{BY_HAND}: {each}"] for each in own)
        yield Promise("workshop", names[promise], planted, workshop.fate)


def _talks() -> Iterable[Promise]:
    for name, promise in (("fates", ONE_FATE), ("summed up", JUDGED)):
        made = (in_roundtable(each, defect) for each, defect in ROUNDTABLES[name].items())
        yield Promise("roundtable", promise, tuple(made))
    for name, promise in (("fates", ONE_FATE), ("judged", JUDGED)):
        yield Promise("debate", promise, tuple(in_debate(each, defect) for each, defect in DEBATES[name].items()))


PROMISES = (*_reviews(), *_councils(), *_workshops(), *_talks())
"""Every promise in every protocol that it concerns."""
