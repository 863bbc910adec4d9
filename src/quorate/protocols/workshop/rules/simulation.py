"""Simulated agents of known accuracy in a workshop.

Nothing here is right or wrong: a participant that judges "rightly" supports what is drafted, one that judges "wrongly"
speaks against it and blocks it in a vote, one that abstains stands aside. The facilitator drafts one artifact for each
of three topics and says truly who supports it; a person accepts what is recommended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quorate.core.errors import SettingError
from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.protocol import Protocol
from quorate.core.types import Ask, Seat
from quorate.kit.judgement import Judging, Mind, Truth
from quorate.kit.settings import read_settings
from quorate.protocols.workshop.rules.focus import topic_in_focus
from quorate.protocols.workshop.rules.forms import (
    AgendaReport,
    AgendaTopic,
    Bound,
    Consent,
    Focus,
    PauseChoice,
    PauseReply,
    Reading,
    Response,
    Ruling,
    RulingChoice,
    Vote,
    Votes,
)
from quorate.protocols.workshop.rules.items import KINDS, AgreementSeen
from quorate.protocols.workshop.rules.model import CLERK, FACILITATOR, PERSON, State, Verdict
from quorate.protocols.workshop.rules.next_action import Action
from quorate.protocols.workshop.rules.plan import Plan, plan_of
from quorate.protocols.workshop.rules.samples import filled
from quorate.protocols.workshop.rules.settings import WorkshopSettings
from quorate.protocols.workshop.rules.strategies import ConsensusRule
from quorate.protocols.workshop.rules.synthesis import LISTS, SYNTHESES, Becomes, Change, Method, Synthesis
from quorate.protocols.workshop.rules.taxonomy import MAKES

TEXT = Prose("text")
SURE = 80
TOPICS = 3
"""Topics of the agenda; each wants one agreed artifact."""
ROSTER = (
    "business-analyst",
    "software-architect",
    "technical-lead",
    "product-manager",
    "qa-lead",
    "security-champion",
    "devops-engineer",
    "ux-researcher",
    "documentation-specialist",
    "coding-assistant-expert",
    "oss-community-manager",
)
"""Who sits down, in this order, where a number of participants is asked for."""


def _voters(protocol: Protocol[Any]) -> tuple[Seat, ...]:
    return tuple(seat for seat in protocol.seats if seat not in (FACILITATOR, PERSON, CLERK))


def _seated(count: int) -> Mapping[str, Any]:
    if not 2 <= count <= len(ROSTER):
        raise SettingError(f"is {count}", key="seats", expected=f"a number from 2 to {len(ROSTER)}")
    return {"participants": list(ROSTER[:count])}


def _tells(ask: Ask, state: State) -> bool:
    """From the second round on participants are shown what was said, or the facilitator's synthesis of it."""
    return ask.form in (Response, Votes) and state.round > 1


def _filling(protocol: Protocol[Any]) -> Callable[[Ask, State, Mind], Reply]:
    plan = plan_of(read_settings(WorkshopSettings, protocol.settings))

    def fill(ask: Ask, state: State, mind: Mind) -> Reply:
        if issubclass(ask.form, Synthesis):
            return _Facilitator(plan, ask, state, mind).synthesis()
        match ask.form.__name__:
            case "AgendaReport":
                kind = next(each for each in MAKES[plan.settings.workflow] if not each.is_matter)
                topics = [AgendaTopic(key, True, 1, 1, (kind,), Bound.NONE) for key in ask.keys[:TOPICS]]
                return AgendaReport(tuple(topics), 1, False)
            case "Focus":
                return Focus(TEXT, TEXT, TEXT, ask.keys[0], False)
            case "Response" if mind.opinion.right is None:
                return _ABSTAINS
            case "Votes":
                return Votes(TEXT, Keyed(dict.fromkeys(ask.keys, _VOTES[mind.opinion.right])), SURE)
            case _:
                return _WORDS[ask.form]

    return fill


_VOTES: Mapping[bool | None, Vote] = {
    True: Vote(TEXT, Prose(""), Consent.SUPPORT, True),
    False: Vote(TEXT, TEXT, Consent.BLOCK, False),
    None: Vote(TEXT, Prose(""), Consent.STAND_ASIDE, True),
}
_WORDS: Mapping[type[Reply], Reply] = {
    Response: filled(Response, confidence=SURE),
    Reading: Reading(()),
    Ruling: filled(Ruling, choice=RulingChoice.ACCEPT, undecided=False),
    PauseReply: filled(PauseReply, choice=PauseChoice.GO_ON),
}
"""What is said without judging: positions are prose, no word is critical, a person accepts and lets them go on."""


_ABSTAINS: Reply = filled(Response)
"""A response without any confidence judges nothing (W37)."""


class _Facilitator:
    """What a facilitator writes who hears everybody and invents nothing."""

    def __init__(self, plan: Plan, ask: Ask, state: State, mind: Mind) -> None:
        self.plan, self.ask, self.state = plan, ask, state
        positions = {seat: plan.position(seat) for seat in plan.participants}
        self.pro = tuple(key for seat, key in positions.items() if mind.shown.get(seat) is True)
        self.con = tuple(key for seat, key in positions.items() if mind.shown.get(seat) is False)

    def synthesis(self) -> Reply:
        topic = topic_in_focus(self.state)
        about = [each for each in self.state.artifacts if topic is not None and each.topic == topic.key]
        conflicts = [each.id for each in about if each.open_conflict]
        drafts = [each.id for each in about if each.live and not each.agreed]
        if conflicts:
            return self._says(changes=(self._change(conflicts[-1], Becomes.RESOLVE),))
        if drafts and self.plan.strategy.rule is not ConsensusRule.CONSENT:
            return self._says(changes=(self._change(drafts[-1], Becomes.ENDORSE),))
        return self._says() if any(each.live for each in about) else self._drafts()

    def _drafts(self) -> Reply:
        kind = next(each for each in MAKES[self.plan.settings.workflow] if not each.is_matter)
        seen = AgreementSeen.CONSENSUS if len(self.pro) > len(self.con) else AgreementSeen.DRAFT
        item = filled(KINDS[kind], supported_by=self.pro, opposed_by=self.con, agreement=seen)
        return self._says(**{next(name for name, each in LISTS.items() if each is kind): (item,)})

    def _change(self, key: Key, becomes: Becomes) -> Change:
        method = Method.MAJORITY if self.con else Method.CONSENSUS
        given = {"supported_by": self.pro, "opposed_by": self.con, "method": method, "unexplained": False}
        change: Change = filled(Change, artifact=key, becomes=becomes, **given)
        return change

    def _says(self, **given: Any) -> Reply:
        """All criteria are covered; what matters is whether enough agree."""
        covered = tuple(key for key in self.ask.keys if key[0] == "K")
        fixed = {"covered": covered, "wish": Action.CONTINUE, "misquoted": False, "advises": True}
        form = SYNTHESES[self.plan.settings.workflow]
        said: Reply = filled(form, **fixed, **given)
        return said


JUDGING = Judging(
    truths={"agreeable": Truth("what is drafted deserves support")},
    voters=_voters,
    seated=_seated,
    filling=_filling,
    tells=_tells,
    undecided=frozenset({Verdict.INCOMPLETE, Verdict.CLOSED, Verdict.ABORTED}),
)
