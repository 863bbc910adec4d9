"""The schedule of a debate: every agent in every phase of every round, with all retries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.kit.schedule import Schedule, Turn
from quorate.kit.settings import read_settings
from quorate.protocols.debate.rules.model import (
    JUDGE,
    PERSON,
    Answers,
    Critiques,
    DebateSettings,
    Evaluation,
    Phase,
    Proposal,
    Questions,
    Refinement,
    Summary,
    Synthesis,
    Termination,
)


def schedule(protocol: Protocol[Any], _: Mapping[str, str]) -> Schedule:
    """Return the longest debate under these settings: nobody leaves, and absent agents reply to the last retry."""
    return tuple(_turns(read_settings(DebateSettings, protocol.settings)))


def _turns(settings: DebateSettings) -> Iterator[Turn]:
    agents, times = tuple(map(Seat, settings.agents)), 1 + settings.retries
    others, summaries = len(agents) - 1, settings.summarization.enabled
    asked = settings.clarifications_max_iterations if settings.interactive_clarifications else 0
    per_time = len(agents) * settings.clarifications_max_per_agent
    for number in range(asked):
        # Who answers in part is asked for the rest, so all answers of a time are as long as one.
        before = (("clarify", number * len(agents)), ("answer", number))
        yield Turn(Phase.CLARIFICATION, "clarify", Questions, agents, times, shows=before)
        heard = (("clarify", (number + 1) * len(agents)), ("answer", number + 1))
        yield Turn(Phase.CLARIFICATION_INPUT, "answer", Answers, (PERSON,), times, keys=per_time, shows=heard)
    common = (("clarify", asked * len(agents)), ("answer", asked)) if asked else ()
    for round_ in range(1, settings.rounds + 1):
        summary = (("summarize", 1),) if summaries and round_ > 1 else ()
        text = "propose|refine" if round_ > 1 else "propose"
        own = (*common, (text, round_), *summary)
        if round_ == 1:
            yield Turn(Phase.PROPOSAL, "propose", Proposal, agents, times, shows=common)
        elif summaries:
            yield Turn(Phase.SUMMARIZATION, "summarize", Summary, agents, times, shows=own)
        shows = (*own, (text, others))
        yield Turn(Phase.CRITIQUE, "criticise", Critiques, agents, times, keys=others, shows=shows)
        shows = (*own, ("criticise", others))
        yield Turn(Phase.REFINEMENT, "refine", Refinement, agents, times, keys=others, shows=shows)
        condition = settings.termination_condition.type
        if condition is not Termination.FIXED and round_ < settings.rounds and JUDGE not in settings.unqualified_seats:
            shows = (*common, ("propose|refine", len(agents)), ("criticise", len(agents)))
            yield Turn(Phase.EVALUATION, f"evaluate-{condition.value}", Evaluation, (JUDGE,), times, shows=shows)
    whole = (*common, ("propose|refine", len(agents)), ("criticise", settings.rounds * len(agents)))
    if summaries:
        yield Turn(Phase.SYNTHESIS, "summarize-debate", Summary, (JUDGE,), times, shows=whole)
    yield Turn(Phase.SYNTHESIS, "synthesize", Synthesis, (JUDGE,), times, shows=whole)
