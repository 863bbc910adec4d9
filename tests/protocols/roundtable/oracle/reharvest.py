"""The results of a talk, implemented independently: synthesis, documents and record."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.values import replace
from quorate.protocols.roundtable.rules.forms import Appended, Kept, Recorded, Synthesis, Written
from quorate.protocols.roundtable.rules.model import USER, Outcome, State, Step
from quorate.protocols.roundtable.rules.personas import Cast


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected result of a move."""

    outcome: Enum
    state: State
    facts: tuple[Fact, ...] = ()


def synthesis(cast: Cast, state: State, reply: object) -> Expected:
    record = replace(state, step=Step.RECORD, spoken=(), targets=(), tries=0, disputed=False)
    left = [Fact.of("disagreements left open", elaboration=state.elaborations)] if state.disputed else []
    if state.step is Step.APPEND:
        return _added(state, record, reply)
    if state.step is Step.END:
        return Expected(Outcome.GIVEN_UP, state)
    if not state.turn:
        return Expected(Outcome.NOTHING_SAID, state)
    if state.step is Step.RECORD:
        return Expected(Outcome.NOTHING_TO_ADD, state)
    if state.mechanical or (state.turn == 1 and USER not in state.spoken):
        why = "no model may be asked any more" if state.mechanical else "only the framing was said"
        return Expected(Outcome.SUMMARISED, record, (Fact.of("synthesis by code", why=why), *left))
    if not isinstance(reply, Synthesis):
        if state.tries == 0:
            return Expected(Outcome.RETRY, replace(state, tries=1))
        facts = (Fact.of("synthesis by code", why="the lead gave no synthesis"), *left)
        return Expected(Outcome.SUMMARISED, replace(record, missing=True), facts)
    return _harvest(cast, state, reply, left)


def _harvest(cast: Cast, state: State, reply: Synthesis, left: list[Fact]) -> Expected:
    documents = [Key(f"D{n + 1}") for n in range(cast.settings.documents)]
    table = [*(Key(each.seat) for each in cast.personas), USER]
    facts, count, hit, kept = list[Fact](), 0, set[Key](), list[Fact]()
    for name, of, may in (
        ("insights", "by", state.spoken),
        ("decisions", "by", state.spoken),
        ("open_questions", "resolver", table),
        ("action_items", "owner", table),
    ):
        for item in (item for item in getattr(reply, name) if not item.blank):
            count += 1
            facts += [Fact.of("attribution dropped", list=name, key=k) for k in getattr(item, of) if k not in may]
            facts += [Fact.of("document unknown", list=name, key=k) for k in item.document if k not in documents]
            own = [key for key in item.document if key in documents] or documents
            hit |= set(own[:1])
            kept.append(Fact.of("item kept", list=name, document="".join(own[:1])))
    found = tuple(key for key in documents if key in hit)
    outcome = Outcome.SYNTHESISED if found else Outcome.NOTHING_TO_ADD
    after = replace(
        state, step=Step.APPEND if found else Step.RECORD, targets=found, tries=0, spoken=(), disputed=False
    )
    return Expected(outcome, after, (Fact.of("synthesised", items=count), *facts, *kept, *left))


def _added(state: State, record: State, reply: object) -> Expected:
    facts, failed = [], False
    for key in state.targets:
        own = [e for e in reply.documents if e.document == key] if isinstance(reply, Appended) else []
        result = own[0].result if own else Written.FAILED
        failed = failed or result is Written.FAILED
        facts.append(Fact.of(f"document {result.value}", key=key, lines=own[0].lines if own else 0))
    return Expected(Outcome.APPENDED, replace(record, unkept=True) if failed else record, tuple(facts))


def recorded(state: State, reply: object) -> Expected:
    result = reply.result if isinstance(reply, Recorded) else Kept.FAILED
    fact = Fact.of(f"record {result.value}", elaboration=state.elaborations, turns=state.turn)
    lost = state.unkept or result is Kept.FAILED
    after = State(state.elaborations, missing=state.missing, unkept=lost, leaving=state.leaving)
    return Expected(Outcome.CONCLUDED if state.leaving else Outcome.RECORDED, after, (fact,))
