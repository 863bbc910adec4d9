"""A debate with one phase more: a fact checker reads every critique before the authors refine their texts.

Nothing of Quorate is changed. A protocol is a value, so another protocol is made from it: one node, two rows, one
brief, one seat and what its views show. `quorate verify` proves the result like any other protocol, and an entry
point of the group `quorate.protocols` that points to DEFINITION offers it to the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Annotated

from quorate.core.decisions import Decision, Test, choose, otherwise
from quorate.core.forms import AtMost, Prose, Reply
from quorate.core.protocol import Domain, Node, Protocol
from quorate.core.record import Record
from quorate.core.types import Ask, Question, Replies, Seat
from quorate.core.view import Section, View
from quorate.protocols.debate import DEFINITION as DEBATE
from quorate.protocols.debate import build as build_debate
from quorate.protocols.debate.rules.model import JUDGE, DebateSettings, Outcome, Phase, State
from quorate.protocols.debate.rules.protocol import Debate
from quorate.protocols.debate.rules.views import Views

CHECKER = Seat("checker")
BRIEF = """\
# Check the facts

Read the proposals and the critiques of this round. Name every claim about the world (a figure, a property of a
product, a law) that is wrong or that nobody could know, and say why. Do not judge the proposals themselves.
"""


class FactPhase(Enum):
    FACT_CHECK = "fact_check"


class FactOutcome(Enum):
    FACTS_CHECKED = "facts_checked"


@dataclass(frozen=True, slots=True)
class FactCheck(Reply):
    doubtful: Annotated[tuple[Prose, ...], AtMost(10), "each claim that is wrong or cannot be known, and why"]


def ask_checker(_: State) -> tuple[Question, ...]:
    return (Question(CHECKER, "check-facts", FactCheck),)


def take_check(state: State, replies: Replies) -> Decision[State]:
    """Go on either way; without the checker the debate falls back to going on unchecked."""
    here = Test("F1", FactOutcome.FACTS_CHECKED, "the checker has replied", CHECKER in replies.present())
    return choose(state, (here, otherwise("F2", Outcome.FALLBACK)))


class CheckedViews(Views):
    """Show the checker what the judge would see, and the authors what the checker said."""

    def __call__(self, record: Record, ask: Ask) -> View:
        if ask.seat == CHECKER:
            return super().__call__(record, replace(ask, seat=JUDGE, brief="evaluate-quality"))
        shown = super().__call__(record, ask)
        said = record.latest(CHECKER, "check-facts")
        if ask.brief != "refine" or said is None or not isinstance(said.reply, FactCheck):
            return shown
        words = "\n".join(f"- {prose}" for prose in said.reply.doubtful) or "No claim is doubtful."
        return replace(shown, sections=(*shown.sections, Section("The fact checker", words, cut=2)))


def build(settings: DebateSettings, briefs: Mapping[str, str], seed: int) -> Protocol[State]:
    """Build the debate, and put the fact check between critique and refinement."""
    debate = build_debate(settings, briefs, seed)
    critique = {
        **debate.table[Phase.CRITIQUE],
        Outcome.CRITIQUES_COMPLETE: FactPhase.FACT_CHECK,
        Outcome.FALLBACK: FactPhase.FACT_CHECK,
    }
    check = {FactOutcome.FACTS_CHECKED: Phase.REFINEMENT, Outcome.FALLBACK: Phase.REFINEMENT}
    claims = Domain(lambda _: (FactCheck(()), FactCheck((Prose("claim"),))), "the list leads nowhere", exact=True)
    return replace(
        debate,
        name="checked-debate",
        nodes={**debate.nodes, FactPhase.FACT_CHECK: Node(ask_checker, take_check)},
        table={**debate.table, Phase.CRITIQUE: critique, FactPhase.FACT_CHECK: check},
        seats=(*debate.seats, CHECKER),
        view=CheckedViews(Debate(settings, seed)),
        briefs={"check-facts": BRIEF, **debate.briefs},
        domains={**debate.domains, FactCheck: claims},
    )


DEFINITION = replace(
    DEBATE, name="checked-debate", title="A debate in which every critique is checked for facts", build=build
)
