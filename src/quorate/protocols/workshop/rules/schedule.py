"""The schedule of a workshop: all its rounds, each with a question, everybody's answer and a synthesis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.protocol import Protocol
from quorate.kit.schedule import Either, Schedule, Turn
from quorate.kit.settings import read_settings
from quorate.protocols.workshop.rules.forms import AgendaReport, Focus, PauseReply, Reading, Response, Ruling, Votes
from quorate.protocols.workshop.rules.items import MOST_EACH
from quorate.protocols.workshop.rules.model import (
    CLERK,
    FACILITATOR,
    MOST_ARTIFACTS,
    MOST_CRITERIA,
    MOST_TOPICS,
    PERSON,
    Phase,
)
from quorate.protocols.workshop.rules.plan import Plan, plan_of
from quorate.protocols.workshop.rules.settings import WorkshopSettings
from quorate.protocols.workshop.rules.strategies import Stage
from quorate.protocols.workshop.rules.synthesis import SYNTHESES
from quorate.protocols.workshop.rules.views import REMEMBERED

MOST_CONTESTED = 6
"""Artifacts that one response may contest; each becomes a conflict, which holds the words of all its parties."""
WISHES = 4
"""How often a person may be asked to decide in one round."""
MOST_KEYS = MOST_TOPICS + MOST_CRITERIA + MOST_ARTIFACTS


def schedule(protocol: Protocol[Any], _: Mapping[str, str]) -> Schedule:
    """Return the longest workshop under these settings, with a person who wants to be asked at every occasion."""
    return tuple(_turns(plan_of(read_settings(WorkshopSettings, protocol.settings))))


def _turns(plan: Plan) -> Iterator[Turn | Either]:
    settings, members = plan.settings, plan.participants
    form, voting = SYNTHESES[settings.workflow], Stage.CONVERGENCE in plan.strategy.stages
    said = "respond|vote" if voting else "respond"
    yield Turn(Phase.OPENING, "agenda", AgendaReport, (CLERK,), keys=MOST_TOPICS)
    for round_ in range(1, settings.max_rounds + 1):
        before, recent = round_ - 1, min(REMEMBERED, round_ - 1)
        conflicts = min(MOST_ARTIFACTS, (MOST_CONTESTED * len(members) + MOST_EACH) * round_)
        made = (("synthesise", before + recent),)
        words = ((said, len(members) * conflicts), ("escalate", before))
        led = (*made, ("question", recent), ("pause", 1))
        yield Turn(Phase.QUESTION, "question", Focus, (FACILITATOR,), keys=MOST_KEYS, shows=led, rare=words, material=2)
        seen = (*made, ("question", 1), (said, len(members) * min(2, before)))
        answers = Turn(
            Phase.RESPONSES, "respond", Response, members, keys=MOST_KEYS, shows=seen, rare=words, material=2
        )
        votes = Turn(Phase.RESPONSES, "vote", Votes, members, keys=MOST_KEYS, shows=seen, rare=words, material=2)
        yield Either(((answers,), (votes,))) if voting else answers
        shows = (*led, ("question", 1), (said, len(members)))
        yield Turn(
            Phase.SYNTHESIS, "synthesise", form, (FACILITATOR,), keys=MOST_KEYS, shows=shows, rare=words, material=2
        )
        yield Turn(Phase.SYNTHESIS, "read", Reading, (CLERK,), keys=len(members))
        if settings.interactive:
            yield Turn(Phase.PAUSE, "pause", PauseReply, (PERSON,), shows=(("synthesise", 1), ("question", 1)))
        # A person may step in after each phase of a round; what does not get settled is put to them at its end.
        times = WISHES + settings.interactive
        yield Turn(
            Phase.ESCALATION, "escalate", Ruling, (PERSON,), times, keys=MOST_KEYS, shows=made, rare=words, material=2
        )
    yield Turn(Phase.ESCALATION, "escalate", Ruling, (PERSON,), keys=MOST_KEYS, material=2)
