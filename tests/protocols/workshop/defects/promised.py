"""Planted defects of the workshop against its promises: twenty and more for each, made by hand.

A verdict that is COMPLETE too early is so in one kind of state alone; what becomes of something is told wrongly for one
kind of thing alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Decision, Fact
from quorate.core.types import Replies
from quorate.protocols.workshop.rules.lives import Status, TopicStatus, Trigger
from quorate.protocols.workshop.rules.model import Phase, State, Verdict
from quorate.protocols.workshop.rules.parts import unread
from tests.verify.planted import Defect, P, deciding

Made = Decision[State]
Kind = Callable[[State], bool]
When = Mapping[str, Kind]


def complete_where(wrong: Kind, kind: Kind) -> Defect:
    """The session is COMPLETE in this kind of state, although something stands against it."""

    def plant(protocol: P) -> P:
        conclude = protocol.verdicts[Phase.CLOSED]

        def verdict(state: State) -> Any:
            return Verdict.COMPLETE if wrong(state) and kind(state) else conclude(state)

        return replace(protocol, verdicts={**protocol.verdicts, Phase.CLOSED: verdict})

    return plant


def _rulings(state: State) -> bool:
    return bool(state.rulings)


def _unjudged(state: State) -> bool:
    return 2 * sum(each.judged for each in state.members) < len(state.members)


def _unread(state: State) -> bool:
    return state.unlisted or bool(unread(state))


ALWAYS: Kind = lambda _: True  # noqa: E731 - one of a table of kinds
RULED: When = {
    "always": ALWAYS,
    "in the first round": lambda s: s.round == 1,
    "in the second round": lambda s: s.round == 2,
    "with a doubt": lambda s: s.unsure or bool(s.rulings),
    "by a person": lambda s: s.closed_by is Trigger.PERSON,
    "at max_rounds": lambda s: s.closed_by is Trigger.MAX_ROUNDS,
    "with one ruling": lambda s: len(s.rulings) == 1,
    "with two rulings": lambda s: len(s.rulings) == 2,
    "with a ruling of this round": lambda s: any(each.made == s.round for each in s.rulings),
    "with a ruling of an earlier round": lambda s: any(each.made < s.round for each in s.rulings),
    "with a ruling on a topic": lambda s: any("-" not in key for each in s.rulings for key in each.about),
    "with a ruling on an artifact": lambda s: any("-" in key for each in s.rulings for key in each.about),
    "with a ruling that is young": lambda s: any(each.since > s.round for each in s.rulings),
    "with a ruling that is old": lambda s: any(each.since <= s.round for each in s.rulings),
    "with all criteria met": lambda s: all(len(each.met) == each.criteria for each in s.topics),
    "with a criterion that is not met": lambda s: any(len(each.met) < each.criteria for each in s.topics),
    "with an artifact in force": lambda s: any(each.live for each in s.artifacts),
    "without an artifact": lambda s: not any(each.live for each in s.artifacts),
    "with a resolved conflict": lambda s: any(each.status is Status.RESOLVED for each in s.artifacts),
    "with nobody absent": lambda s: not s.missed,
    "with somebody absent": lambda s: s.missed,
    "with a recommendation": lambda s: s.advised > 0,
    "with an open topic": lambda s: any(each.status is not TopicStatus.CLOSED for each in s.topics),
}
"""Kinds of states that wait for a ruling."""
JUDGED: When = {
    "always": ALWAYS,
    "in the first round": lambda s: s.round == 1,
    "in the last round": lambda s: s.round == 2,
    "by a person": lambda s: s.closed_by is Trigger.PERSON,
    "at max_rounds": lambda s: s.closed_by is Trigger.MAX_ROUNDS,
    "where all have answered": lambda s: all(each.heard for each in s.members),
    "where somebody never answered": lambda s: not all(each.heard for each in s.members),
    "where nobody answered": lambda s: not any(each.heard for each in s.members),
    "where the first has answered": lambda s: s.members[0].heard,
    "where the last has answered": lambda s: s.members[-1].heard,
    "where somebody is absent now": lambda s: any(each.confidence is None for each in s.members),
    "where nobody is absent now": lambda s: all(each.confidence is not None for each in s.members),
    "with nobody absent ever": lambda s: not s.missed,
    "with somebody absent once": lambda s: s.missed,
    "with all topics closed": lambda s: all(each.status is TopicStatus.CLOSED for each in s.topics),
    "with an open topic": lambda s: any(each.status is not TopicStatus.CLOSED for each in s.topics),
    "with all criteria met": lambda s: all(len(each.met) == each.criteria for each in s.topics),
    "with a criterion that is not met": lambda s: any(len(each.met) < each.criteria for each in s.topics),
    "with the documents in one part": lambda s: s.parts == 1,
    "with the documents in parts": lambda s: s.parts > 1,
    "after a synthesis": lambda s: s.led,
    "without a synthesis": lambda s: not s.led,
}
"""Kinds of states in which too few have judged."""
READ: When = {
    "always": ALWAYS,
    "in the first round": lambda s: s.round == 1,
    "in the last round": lambda s: s.round == 2,
    "by a person": lambda s: s.closed_by is Trigger.PERSON,
    "at max_rounds": lambda s: s.closed_by is Trigger.MAX_ROUNDS,
    "where the first part was not read": lambda s: 1 not in s.read,
    "where the first part was read": lambda s: 1 in s.read,
    "where the second part was not read": lambda s: s.parts > 1 and 2 not in s.read,
    "where the third part was not read": lambda s: s.parts > 1 and 3 not in s.read,
    "where nothing was read": lambda s: not s.read,
    "where one part was not read": lambda s: len(unread(s)) == 1,
    "where two parts were not read": lambda s: len(unread(s)) == 2,
    "where four parts were not read": lambda s: len(unread(s)) == 4,
    "where files were not listed": lambda s: s.unlisted,
    "where files were not listed and all was read": lambda s: s.unlisted and not unread(s),
    "where all files were listed": lambda s: not s.unlisted,
    "where all have answered": lambda s: all(each.heard for each in s.members),
    "where somebody never answered": lambda s: not all(each.heard for each in s.members),
    "with somebody absent once": lambda s: s.missed,
    "with nobody absent ever": lambda s: not s.missed,
    "with all topics closed": lambda s: all(each.status is TopicStatus.CLOSED for each in s.topics),
    "with an open topic": lambda s: any(each.status is not TopicStatus.CLOSED for each in s.topics),
}
"""Kinds of states in which something was shown to nobody."""

# What became of something


def telling(phase: Phase, change: Callable[[tuple[Fact, ...]], tuple[Fact, ...]]) -> Defect:
    def told(state: State, heard: Replies, made: Made) -> Made:
        return replace(made, facts=change(made.facts))

    return deciding(phase, told)


def without(name: str, **values: str) -> Callable[[tuple[Fact, ...]], tuple[Fact, ...]]:
    """Leave out the facts of this name that have these values."""
    return lambda facts: tuple(fact for fact in facts if not _is(fact, name, values))


def twice(name: str, **values: str) -> Callable[[tuple[Fact, ...]], tuple[Fact, ...]]:
    return lambda facts: tuple(
        each for fact in facts for each in ((fact, fact) if _is(fact, name, values) else (fact,))
    )


def instead(name: str, other: str, **values: str) -> Callable[[tuple[Fact, ...]], tuple[Fact, ...]]:
    return lambda facts: tuple(replace(fact, name=other) if _is(fact, name, values) else fact for fact in facts)


def _is(fact: Fact, name: str, values: Mapping[str, str]) -> bool:
    return fact.name == name and values.items() <= dict(fact.values).items()


S, R = Phase.SYNTHESIS, Phase.RESPONSES
TOLD: Mapping[str, tuple[str, Defect]] = {
    "a new artifact is not told": ("moves", telling(S, without("issued"))),
    "a new artifact is told twice": ("moves", telling(S, twice("issued"))),
    "a new artifact is told as refused": ("moves", telling(S, instead("issued", "refused"))),
    "a refused entry is told as made": ("repeats", telling(S, instead("refused", "issued", id="NFR"))),
    "an amendment is not told": ("moves", telling(S, without("amended"))),
    "an amendment is told twice": ("moves", telling(S, twice("amended"))),
    "a withdrawal is not told": ("moves", telling(S, without("withdrawn"))),
    "a withdrawal is told twice": ("moves", telling(S, twice("withdrawn"))),
    "a reversal is not told": ("moves", telling(S, without("reverted"))),
    "a reversal is told twice": ("moves", telling(S, twice("reverted"))),
    "an endorsement is not told": ("moves", telling(S, without("endorsed"))),
    "an endorsement is told twice": ("moves", telling(S, twice("endorsed"))),
    "a resolution is not told": ("matters", telling(S, without("resolved"))),
    "a resolution is told twice": ("matters", telling(S, twice("resolved"))),
    "a refused amendment is not told": ("moves", telling(S, without("refused", move="amend"))),
    "a refused withdrawal is not told": ("moves", telling(S, without("refused", move="withdraw"))),
    "a refused reversal is not told": ("moves", telling(S, without("refused", move="revert"))),
    "a refused resolution is not told": ("moves", telling(S, without("refused", move="resolve"))),
    "a refused resolution is told twice": ("moves", telling(S, twice("refused", move="resolve"))),
    "a refused withdrawal is told as done": ("moves", telling(S, instead("refused", "covered", move="withdraw"))),
    "a contest is not told": ("conflicts", telling(R, without("contested"))),
    "a contest is told twice": ("conflicts", telling(R, twice("contested"))),
    "a contest is told as refused": ("conflicts", telling(R, instead("contested", "refused"))),
    "a ruling is not told": ("conflicts", telling(Phase.ESCALATION, without("ruled"))),
    "what is applied is not told": ("conflicts", telling(R, without("applied"))),
}

PROMISED: Mapping[str, Mapping[str, tuple[str, Defect]]] = {
    "no COMPLETE with an unapplied ruling": {
        f"COMPLETE with a ruling that waits, {name}": ("ruled", complete_where(_rulings, kind))
        for name, kind in RULED.items()
    },
    "no COMPLETE that too few have judged": {
        f"COMPLETE that too few judged, {name}": ("read", complete_where(_unjudged, kind))
        for name, kind in JUDGED.items()
    },
    "nothing COMPLETE while something was shown to nobody": {
        f"COMPLETE with something unread, {name}": ("read", complete_where(_unread, kind))
        for name, kind in READ.items()
    },
    "everything that was said has exactly one fate": TOLD,
}
"""By promise its planted defects, each with the small walk that shows it."""
