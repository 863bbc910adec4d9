"""Invariants of the workshop, written independently of the functions that decide; `verify` proves them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quorate.core.protocol import Invariant
from quorate.protocols.workshop.rules import artifact_promises as a
from quorate.protocols.workshop.rules import promises as p
from quorate.protocols.workshop.rules.model import Outcome, Phase, State
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.promises import Check
from quorate.protocols.workshop.rules.recount import Recount
from quorate.protocols.workshop.rules.sheet import M

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
    about = ("id", "key", "topic", "choice")
    found = []
    for fact in moment.facts:
        values = dict(fact.values)
        whole = fact.name in ("vote", "escalated")
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
    ("nothing is concluded before min_rounds but by a person or an error", "W22 W26", p.not_too_early),
    ("never more rounds than max_rounds, and the last one is the last", "W22 W34", p.not_too_late),
    ("two lost rounds in a row end the session, and none is complete", "W13", p.lost_rounds),
    ("a round goes through its stages in order", "W4", p.round_life),
    ("no artifact is ever removed or becomes another", "W15", a.never_less),
    ("ids are counted per type, and none is issued twice", "W15", a.ids),
    ("no artifact without a round that made it", "W13 W15", a.made_by_a_round),
    ("no synthesis makes more than sixty artifacts", "W15", a.not_too_many),
    ("terminal artifacts stay terminal", "W14", a.terminal),
    ("artifacts move along the rows of their lives alone", "W14 W16", a.along_rows),
    ("what is superseded has a replacement of the same synthesis", "W17", a.replaced),
    ("consensus comes by the strategy's rule alone", "W12 W18 W29 W30", a.consensus),
    ("what is contested has a conflict at once", "W11", a.contested),
    ("in conflict exactly while a conflict about it is open", "W11 W18", a.in_conflict),
    ("a block stops a draft, and the second one is a conflict", "W30 W31", a.blocked),
    ("a blocked draft goes back to refinement on the same focus", "W31", a.goes_back),
    ("a conflict of code's is not resolved by the facilitator alone", "W19", a.not_by_facilitator),
    ("topics move on and never back", "W20 W21", p.topics),
    ("a topic closes only with everything that it needs", "W21", p.closing),
    ("a closed topic keeps what it was closed with", "W17", p.kept),
    ("criteria stay met, and those of the topic in focus alone are", "W20", p.criteria),
    ("the focus is one candidate of the first class", "W5 W6", p.one_focus),
    ("a pass keeps its focus", "W7", p.same_focus),
    ("stages come in order and none is left out", "W27 W28", p.in_order),
    ("the next round stands where its pass has come to", "W7 W28 W31", p.passes),
    ("the next action is the ordered rule's", "W22 W23 W25", p.next_action),
    ("a person's decision resolves what was put and nothing else", "W24", p.ruling),
    ("going on gives conflicts their rounds once more", "W24", p.more_rounds),
    ("a detour changes conflicts and nothing else", "W25", p.detour),
    ("every outcome leads where it should", "W4 W22 W25", _leads),
    ("every decision is the one that the rules name", "W2 W8 W13 W22 W25", _decides),
    ("artifacts are what the rules make of what was said", "W11-W19 W24 W30 W31", _as_counted("artifacts")),
    ("topics are what the rules make of what was said", "W2 W20 W21", _as_counted("topics")),
    ("who has answered, and how sure, is noted for its round alone", "W10 W12", _as_counted("members")),
    ("rounds, stages and focus are counted", "W5-W8 W28", _as_counted("round", "stage", "scene", "attempt", "focus")),
    ("what a round has brought is noted", "W13 W28", _as_counted("fresh", "led", "advised", "complete", "lost")),
    ("an unsure response asks for escalation where it is critical", "W23", _as_counted("unsure")),
    ("absences are noted", "W35", _as_counted("missed")),
    ("a session is closed by what ended it", "W26", _as_counted("status", "closed_by")),
    ("the record is told what was done and refused, and nothing else", "W14 W33", _told),
)


def invariants(plan: Plan) -> tuple[Invariant[State], ...]:
    """Return the invariants for this plan; an interruption (W25, W34) has its own."""
    recount = Recount(plan)

    def always(check: Check) -> Callable[[M], bool]:
        return lambda moment: check(recount, moment)

    def normally(check: Check) -> Callable[[M], bool]:
        """Limit a check to the workshop's own phases; phases added by others have their own invariants."""

        def holds(moment: M) -> bool:
            ours = isinstance(moment.phase, Phase) and moment.interrupted is None
            return not ours or check(recount, moment)

        return holds

    return (
        *(Invariant(name, rule, normally(check)) for name, rule, check in PROMISES),
        Invariant("every phase asks exactly whom the rules name", "W1 W5 W8-W10 W24 W30", normally(_asks())),
        Invariant("COMPLETE only where the topics are closed and no conflict is open", "W26", always(p.verdict)),
        Invariant("a verdict says how much of the table was missing", "W35", always(p.degraded)),
        Invariant("an interruption decides nothing and keeps what there is", "W25 W34", always(p.interrupted)),
    )
