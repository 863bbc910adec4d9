"""What a person is asked, and what an answer amounts to: rulings, confirmations, and more rounds (W23, W24)."""

from __future__ import annotations

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.values import replace
from quorate.protocols.workshop.rules.closure import is_advised, overdue
from quorate.protocols.workshop.rules.focus import age, candidates, topic_in_focus
from quorate.protocols.workshop.rules.forms import Ruling, RulingChoice
from quorate.protocols.workshop.rules.holds import put, rule_on
from quorate.protocols.workshop.rules.model import PERSON, Artifact, State
from quorate.protocols.workshop.rules.next_action import DONE, FIRST, LAST, ActionRow
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.synthesis_effects import ended

NOT_PUT = {
    "too late": "it was the last round",
    "too early": "fewer than min_rounds were complete",
    "passed over": "the topics were closed first",
}
"""By the fact that tells it: why something that asks for escalation is put to nobody (W22)."""


def not_put(state: State, plan: Plan, row: ActionRow) -> tuple[Fact, ...]:
    """Tell what asks for escalation where another row of the rule decides (W22)."""
    name = {LAST: "too late", FIRST: "too early", DONE: "passed over"}.get(row)
    return (reasons(name, state, plan),) if name is not None else ()


def reasons(name: str, state: State, plan: Plan) -> Fact:
    """Tell what asks for escalation: what has lasted too long, and who is unsure (W23)."""
    due = ", ".join(f"{each.id} in its round {age(state, each.since)}" for each in overdue(state, plan))
    unsure = ", ".join(f"{each.seat} {each.confidence}" for each in state.members if each.unsure)
    return Fact.of(name, overdue=due or "none", unsure=unsure or "nobody")


def choice_of(state: State, reply: object, waiting: tuple[Artifact, ...]) -> RulingChoice:
    """Return what a person's answer amounts to: what decides nothing lets them go on (W24)."""
    if not isinstance(reply, Ruling):
        return RulingChoice.GO_ON
    nothing = {
        RulingChoice.ACCEPT: not is_advised(state, waiting),
        RulingChoice.DECIDE: reply.undecided,
        RulingChoice.APPLIED: not state.rulings,
        RulingChoice.GO_ON: False,
    }
    return RulingChoice.GO_ON if nothing[reply.choice] else reply.choice


def issue(state: State, plan: Plan, conflicts: tuple[Artifact, ...]) -> tuple[State, tuple[Fact, ...]]:
    """Issue a ruling for each conflict that it resolves; without any, one on the topic in focus (W24)."""
    facts: list[Fact] = []
    if not conflicts:
        topic = topic_in_focus(replace(state, focus=candidates(state, plan)[0]))
        assert topic is not None
        state, ruling = rule_on(state, topic.key, (topic.key,))
        facts.append(Fact.of("ruled", id=ruling, conflict=""))
    for conflict in conflicts:
        state, ruling = rule_on(ended(state, conflict), conflict.topic, conflict.about)
        facts.append(Fact.of("ruled", id=ruling, conflict=conflict.id))
    return state, tuple(facts)


def by_person(state: State, applied: bool) -> tuple[tuple[str, Key], ...]:
    """Return what a person confirms: every ruling that waits, or none."""
    return tuple((str(PERSON), ruling.id) for ruling in state.rulings) if applied else ()


def with_more_rounds(state: State, waiting: tuple[Artifact, ...]) -> State:
    """Give what was put to a person, and is open still, its rounds once more (W24)."""
    for each in waiting:
        now = state.artifact(each.id)
        if now is not None and now.open:
            state = put(state, replace(now, since=state.round + 1))
    return state
