"""The rules of the workshop a second time: what every move should have asked, decided and left, and whether it did.

It is written from RULES.md and calls none of the functions that decide. With it `verify` finds the planted defects, and
tests hold the protocol itself against it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quorate.core.protocol import Invariant, Protocol
from quorate.core.values import replace
from quorate.kit.settings import read_settings
from quorate.protocols.workshop.rules.model import Outcome, Phase, State
from quorate.protocols.workshop.rules.plan import plan_of
from quorate.protocols.workshop.rules.settings import WorkshopSettings
from tests.protocols.workshop.oracle import promises as p
from tests.protocols.workshop.oracle.promises import Check
from tests.protocols.workshop.oracle.recount import Recount
from tests.protocols.workshop.oracle.sheet import M

LEADS: Mapping[Any, Mapping[Any, Phase]] = {
    Phase.OPENING: {Outcome.OPENED: Phase.QUESTION, Outcome.UNREADABLE: Phase.ABORTED},
    Phase.QUESTION: dict.fromkeys((Outcome.ASKED, Outcome.FALLBACK), Phase.RESPONSES),
    Phase.RESPONSES: dict.fromkeys((Outcome.RESPONDED, Outcome.NO_RESPONSES), Phase.SYNTHESIS),
    Phase.SYNTHESIS: dict.fromkeys((Outcome.SYNTHESISED, Outcome.FALLBACK), Phase.PROCESSING),
    Phase.PROCESSING: {
        Outcome.CONTINUE: Phase.QUESTION,
        Outcome.PAUSE: Phase.PAUSE,
        Outcome.ESCALATE: Phase.ESCALATION,
        Outcome.CONCLUDE: Phase.CLOSED,
        Outcome.FAILED: Phase.ABORTED,
    },
    Phase.PAUSE: {
        Outcome.CONTINUE: Phase.QUESTION,
        Outcome.ESCALATE: Phase.ESCALATION,
        Outcome.CONCLUDE: Phase.CLOSED,
    },
    Phase.ESCALATION: {
        Outcome.CONTINUE: Phase.QUESTION,
        Outcome.CONCLUDE: Phase.CLOSED,
        Outcome.RESUME_QUESTION: Phase.QUESTION,
        Outcome.RESUME_RESPONSES: Phase.RESPONSES,
        Outcome.RESUME_SYNTHESIS: Phase.SYNTHESIS,
        Outcome.RESUME_PROCESSING: Phase.PROCESSING,
    },
}
"""Where every outcome leads (W4, W22, W24, W25)."""


def _as_counted(*parts: str) -> Check:
    """Return a check that these parts of the state match the independent recount."""
    wanted = frozenset(parts)
    return lambda recount, moment: recount.of(moment).differs.isdisjoint(wanted)


def _decides(recount: Recount, moment: M) -> bool:
    return moment.outcome is recount.of(moment).outcome


def _told(recount: Recount, moment: M) -> bool:
    """The record is told what was made, moved, refused, voted and ruled, in order, and nothing else."""
    about = ("id", "key", "topic", "choice", "seat")
    found = []
    for fact in moment.facts:
        values = dict(fact.values)
        whole = fact.name in ("vote", "escalated", "too late", "too early", "passed over")
        said = [str(values[name]) for name in (values if whole else about) if name in values]
        found.append((fact.name, " ".join(said) if whole else next(iter(said), "")))
    return tuple(found) == recount.of(moment).told


def _leads(recount: Recount, moment: M) -> bool:
    return not isinstance(moment.to, Phase) or LEADS[moment.phase].get(moment.outcome) is moment.to


def _asks() -> Check:
    """Every phase asks exactly whom the rules name, once each, about exactly what concerns it."""
    seen: list[Any] = [None, None]

    def holds(recount: Recount, moment: M) -> bool:
        if seen[0] is moment.asks and seen[1] is moment.state and moment.asks:
            return True  # the same asks as a moment ago, answered otherwise
        wanted = list(recount.wanted(moment.phase, moment.state))
        if [(ask.seat, ask.brief, ask.form, ask.keys) for ask in moment.asks] != wanted:
            return False
        seen[:] = moment.asks, moment.state
        return True

    return holds


PROMISES: tuple[tuple[str, str, Check], ...] = (
    ("the focus is one candidate of the first class", "W5 W6", p.one_focus),
    ("the next round stands where its pass has come to", "W7 W28 W31", p.passes),
    ("a blocked draft goes back to refinement on the same focus", "W31", p.goes_back),
    ("the next action is the ordered rule's", "W22 W23 W25", p.next_action),
    ("consensus comes by the strategy's rule alone", "W12 W18 W29 W30", p.consensus),
    ("a conflict of code's is not resolved by the facilitator alone", "W19", p.not_by_facilitator),
    ("a person's decision is what its answer amounts to", "W24", p.ruling),
    ("going on gives conflicts their rounds once more", "W24", p.more_rounds),
    ("every outcome leads where it should", "W4 W22 W25", _leads),
    ("every decision is the one that the rules name", "W2 W8 W13 W22 W25", _decides),
    ("artifacts are what the rules make of what was said", "W11-W19 W24 W30 W31", _as_counted("artifacts")),
    ("topics are what the rules make of what was said", "W2 W20 W21", _as_counted("topics")),
    ("who has answered, judged, and is unsure is noted", "W10 W12 W23 W37", _as_counted("members")),
    ("rounds, stages and focus are counted", "W5-W8 W28", _as_counted("round", "stage", "scene", "attempt", "focus")),
    ("what a round has brought is noted", "W13 W28", _as_counted("fresh", "led", "advised", "complete", "lost")),
    ("what was shown to whom is noted", "W38", _as_counted("parts", "unlisted", "read")),
    ("absences are noted", "W35", _as_counted("missed")),
    ("a session is closed by what ended it", "W26", _as_counted("status", "closed_by")),
    ("the record is told what was done and refused, and nothing else", "W14 W33", _told),
)


def oracle(settings: WorkshopSettings) -> tuple[Invariant[State], ...]:
    """Return what holds of every move of a workshop with these settings, interruptions aside."""
    recount = Recount(plan_of(settings))

    def normally(check: Check) -> Callable[[M], bool]:
        """Limit a check to the workshop's own phases; phases added by others have their own invariants."""

        def holds(moment: M) -> bool:
            ours = isinstance(moment.phase, Phase) and moment.interrupted is None
            return not ours or check(recount, moment)

        return holds

    return (
        *(Invariant(name, rule, normally(check)) for name, rule, check in PROMISES),
        Invariant("every phase asks exactly whom the rules name", "W1 W5 W8-W10 W24 W30", normally(_asks())),
    )


def with_oracle(protocol: Protocol[Any]) -> Protocol[Any]:
    """Return the protocol with the oracle among its invariants."""
    settings = read_settings(WorkshopSettings, protocol.settings)
    return replace(protocol, invariants=(*protocol.invariants, *oracle(settings)))
