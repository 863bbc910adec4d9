"""Planted defects of the review in what becomes of items and vetoes, and in who has judged: twenty and more of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Decision, Fact
from quorate.core.protocol import Protocol
from quorate.core.types import Absent, Replies, Seat
from quorate.kit.findings import Severity
from quorate.protocols.review.rules import ballot_count as counting
from quorate.protocols.review.rules.ballot_count import NewItem, raised_in
from quorate.protocols.review.rules.forms import Ballot, Doubts
from quorate.protocols.review.rules.model import (
    RULE_OF_VETO,
    Item,
    Outcome,
    Phase,
    ReviewSettings,
    Stance,
    Standing,
    State,
    Verdict,
)
from tests.verify.planted import Defect, deciding

Change = Callable[[State, Replies, Decision[State]], Decision[State]]
LEADS = {
    Outcome.CRITICAL_FLAW: Phase.DEBATE,
    Outcome.CONSENSUS: Phase.DEBATE,
    Outcome.ABSTENTION: Phase.DEBATE,
    Outcome.AMENDMENT_OFFERED: Phase.VETO,
    Outcome.NO_AMENDMENT: Phase.VETO,
    Outcome.AMENDED: Phase.VETO,
    Outcome.COMPROMISE: Phase.VETO,
    Outcome.IRRECONCILABLE: Phase.VETO,
    Outcome.CONFIRMED: Phase.SYNTHESIS,
    Outcome.AGREED: Phase.SYNTHESIS,
    Outcome.QUORUM_MET: Phase.ABSTAIN,
    Outcome.REDEBATE: Phase.ABSTAIN,
    Outcome.NO_QUORUM: Phase.ABSTAIN,
}


def at(outcome: Outcome, change: Callable[[State], State]) -> Defect:
    """A defect in the state that one outcome leaves."""

    def after(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
        return replace(made, state=change(made.state)) if made.outcome is outcome else made

    return deciding(LEADS[outcome], after)


def facts(phase: Phase, name: str, change: Callable[[list[Fact]], list[Fact]]) -> Defect:
    """A defect in what is told under one name."""

    def after(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
        told = [fact for fact in made.facts if fact.name == name]
        others = tuple(fact for fact in made.facts if fact.name != name)
        return replace(made, facts=(*others, *change(told)))

    return deciding(phase, after)


def debated(change: Change) -> Defect:
    return deciding(Phase.DEBATE, change)


def left(keep: Callable[[State, Replies, Item], bool]) -> Change:
    """Of the items only these are left after a ballot."""

    def after(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
        items = tuple(item for item in made.state.items if keep(state, heard, item))
        return replace(made, state=replace(made.state, items=items))

    return after


def ballot_of(heard: Replies, seat: Seat) -> Ballot | None:
    return next((reply for ask, reply in heard if ask.seat == seat and isinstance(reply, Ballot)), None)


def spoke(stance: Stance) -> Callable[[State, Replies, Item], bool]:
    """Keep what is of members that vote otherwise."""

    def keep(state: State, heard: Replies, item: Item) -> bool:
        ballot = ballot_of(heard, item.seat)
        return ballot is None or ballot.stance is not stance

    return keep


def each_item(change: Callable[[Item], Item]) -> Callable[[State], State]:
    return lambda state: replace(state, items=tuple(map(change, state.items)))


def once_more(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """What has come to an end is open again."""
    gone = tuple(item for item in state.items if item not in made.state.items)
    return replace(made, state=replace(made.state, items=(*made.state.items, *gone)))


def first(found: list[Fact]) -> list[Fact]:
    return found[1:]


def twice(found: list[Fact]) -> list[Fact]:
    return [*found, *found[:1]]


def drop(state: State) -> State:
    return replace(state, items=())


FATES: dict[str, Defect] = {f"items are lost where it decides {outcome.name}": at(outcome, drop) for outcome in LEADS}
FATES |= {
    "what is raised is not told": facts(Phase.DEBATE, "raised", first),
    "what is raised is told twice": facts(Phase.DEBATE, "raised", twice),
    "what is taken back is not told": facts(Phase.DEBATE, "ended", first),
    "what is taken back is told twice": facts(Phase.DEBATE, "ended", twice),
    "what an amendment ends is not told": facts(Phase.VETO, "ended", first),
    "what an amendment ends is told twice": facts(Phase.VETO, "ended", twice),
    "what is refuted is not told": facts(Phase.SYNTHESIS, "item", first),
    "what is refuted is told twice": facts(Phase.SYNTHESIS, "item", twice),
    "what has ended is open again": debated(once_more),
    "the worst item alone is left": debated(left(lambda _, __, item: item.severity is Severity.CRITICAL)),
    "items of who is absent are lost": debated(left(lambda _, heard, item: ballot_of(heard, item.seat) is not None)),
    "items of who agrees are lost": debated(left(spoke(Stance.SYNTHESIS))),
    "items of who opposes are lost": debated(left(spoke(Stance.OPPOSE))),
    "items of who abstains are lost": debated(left(spoke(Stance.ABSTAIN))),
    "items of earlier rounds are lost": debated(left(lambda state, _, item: item not in state.items)),
    "items of this round are lost": debated(left(lambda state, _, item: item in state.items)),
    "numbers begin anew": at(Outcome.REDEBATE, lambda state: replace(state, raised=0)),
    "numbers begin anew after an amendment": at(Outcome.AMENDED, lambda state: replace(state, raised=0)),
    "a number is left out": at(Outcome.ABSTENTION, lambda state: replace(state, raised=state.raised + 1)),
    "severities fall": at(Outcome.REDEBATE, each_item(lambda item: replace(item, severity=Severity.LOW))),
    "items change their member": at(Outcome.REDEBATE, each_item(lambda item: replace(item, seat=Seat("chair")))),
    "items gain ground": at(Outcome.CONFIRMED, each_item(lambda item: replace(item, grounded=True))),
    "items lose ground": at(Outcome.REDEBATE, each_item(lambda item: replace(item, grounded=False))),
}
"""Defects in the fates of items: every finding raised has exactly one."""


# Vetoes


Kind = Callable[[Ballot, NewItem], bool]
WITHHELD: Kind = lambda _, raised: raised.item.withheld  # noqa: E731 - named beside the others
UNGROUNDED: Kind = lambda ballot, raised: not raised.item.withheld and ballot.groundless  # noqa: E731
WITHOUT_RIGHT: Kind = lambda ballot, raised: not raised.item.withheld and not ballot.groundless  # noqa: E731
KINDS = {"withheld": WITHHELD, "ungrounded": UNGROUNDED, "without the right": WITHOUT_RIGHT}


def of_vetoes(kind: Kind, change: Callable[[NewItem], NewItem | None]) -> Mapping[str, Any]:
    """A defect in what becomes of vetoes of a kind that do not count."""

    def raised(settings: ReviewSettings, state: State, ballots: Mapping[Seat, Ballot]) -> tuple[NewItem, ...]:
        found = raised_in(settings, state, ballots)
        made = [
            change(each) if each.veto is not None and kind(ballots[each.item.seat], each) else each for each in found
        ]
        return tuple(each for each in made if each is not None)

    return {"raised_in": raised}


CHANGES: Mapping[str, Callable[[NewItem], NewItem | None]] = {
    "leaves no trace": lambda _: None,
    "is a note": lambda each: replace(each, became=counting.NOTE),
    "is no veto in the record": lambda each: replace(each, veto=None),
    "is of another severity": lambda each: replace(each, item=replace(each.item, severity=Severity.LOW)),
    "is somebody else's": lambda each: replace(each, item=replace(each.item, seat=Seat("chair"))),
}
VETOES_COUNTED: dict[str, Mapping[str, Any]] = {
    f"a veto {name} {what}": of_vetoes(kind, change) for name, kind in KINDS.items() for what, change in CHANGES.items()
}
VETOES_COUNTED |= {
    "a veto withheld has ground whatever it quotes": of_vetoes(
        WITHHELD, lambda each: replace(each, item=replace(each.item, grounded=not each.item.grounded))
    ),
    "a veto withheld counts as an item at once": of_vetoes(
        WITHHELD, lambda each: replace(each, item=replace(each.item, withheld=False))
    ),
    "another's ground carries a veto that a check speaks against": of_vetoes(
        UNGROUNDED, lambda each: replace(each, item=replace(each.item, own=False))
    ),
}


def without_withheld(state: State) -> State:
    return replace(state, items=tuple(item for item in state.items if not item.withheld))


def settled(standing: Standing) -> Change:
    """The skeptic's word that settles nothing settles a veto withheld."""

    def after(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
        doubts = [each for _, reply in heard if isinstance(reply, Doubts) for each in reply.doubts.items()]
        gone = {key for key, each in doubts if each.standing is standing}
        gone &= {item.key for item in state.items if item.withheld}  # confirmed, it is withheld no more
        items = tuple(item for item in made.state.items if item.key not in gone)
        return replace(made, state=replace(made.state, items=items))

    return after


def absent_settles(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    gone = any(isinstance(reply, Absent) for _, reply in heard)
    return replace(made, state=without_withheld(made.state)) if gone else made


def lifted_by(what: Callable[[Ballot, Item], bool]) -> Change:
    """A later ballot of its member lifts a veto withheld that it does not settle."""

    def after(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
        cast = {item.key: ballot_of(heard, item.seat) for item in made.state.items if item.withheld}
        gone = [item for item in state.items if (ballot := cast.get(item.key)) is not None and what(ballot, item)]
        items = tuple(item for item in made.state.items if item not in gone)
        told = tuple(Fact.of("ended", key=item.key, became="lifted") for item in gone)
        return replace(made, state=replace(made.state, items=items), facts=(*made.facts, *told))

    return after


def approves_withheld(protocol: Protocol[Any]) -> Protocol[Any]:
    conclude = protocol.verdicts[Phase.CONCLUSION]
    verdicts = {**protocol.verdicts, Phase.CONCLUSION: lambda state: conclude(without_withheld(state))}
    return replace(protocol, verdicts=verdicts)


VETOES: dict[str, Defect] = {
    f"a veto withheld is lost where it decides {outcome.name}": at(outcome, without_withheld)
    for outcome in (Outcome.ABSTENTION, Outcome.REDEBATE, Outcome.QUORUM_MET)
}
VETOES |= {
    "a veto withheld approves": approves_withheld,
    "a veto withheld is lifted by opposing": debated(lifted_by(lambda each, _: each.stance is Stance.OPPOSE)),
    "a veto withheld is lifted by abstaining": debated(lifted_by(lambda each, _: each.stance is Stance.ABSTAIN)),
    "a veto withheld is lifted by a veto of another class": debated(
        lifted_by(lambda each, item: each.stance is Stance.VETO and RULE_OF_VETO[each.veto_class] is not item.rule)
    ),
    "a veto that the skeptic confirms is lost": deciding(Phase.ABSTAIN, settled(Standing.CONFIRMED)),
    "a refutation without a quotation settles a veto withheld": deciding(Phase.ABSTAIN, settled(Standing.REFUTED)),
    "an absent skeptic settles a veto withheld": deciding(Phase.ABSTAIN, absent_settles),
}
"""Defects in vetoes that do not count: no approval with a veto that left no trace."""


# Who judged


def quorate(state: State) -> State:
    return replace(state, quorate=True)


def if_all(stance: Stance | None) -> Change:
    """A ballot in which all do this, or are absent, meets the quorum."""

    def after(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
        stances = {reply.stance if isinstance(reply, Ballot) else None for ask, reply in heard if ask.form is Ballot}
        met = stances == {stance} and not made.state.vetoed
        return replace(made, state=quorate(made.state)) if met else made

    return after


def if_any(what: Callable[[Ballot], bool]) -> Change:
    """One ballot of this kind is enough for a quorum, whoever else spoke."""

    def after(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
        given = [reply for _, reply in heard if isinstance(reply, Ballot)]
        met = any(map(what, given)) and not made.state.vetoed
        return replace(made, state=quorate(made.state)) if met else made

    return after


def verdict_for(what: Callable[[State], bool]) -> Defect:
    def plant(protocol: Protocol[Any]) -> Protocol[Any]:
        conclude = protocol.verdicts[Phase.CONCLUSION]

        def verdict(state: State) -> Any:
            return Verdict.APPROVED if what(state) else conclude(state)

        return replace(protocol, verdicts={**protocol.verdicts, Phase.CONCLUSION: verdict})

    return plant


def not_deserted(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    after = made.state
    if after.deserted and any(isinstance(reply, Ballot) for _, reply in heard) and not after.vetoed:
        return replace(made, state=replace(after, deserted=False, quorate=True))
    return made


UNJUDGED: dict[str, Defect] = {
    f"a quorum comes from nowhere where it decides {outcome.name}": at(outcome, quorate)
    for outcome in LEADS
    if outcome not in (Outcome.CONSENSUS, Outcome.CONFIRMED, Outcome.AGREED, Outcome.QUORUM_MET)
}
UNJUDGED |= {
    "all abstain, and that is a quorum": debated(if_all(Stance.ABSTAIN)),
    "all are absent, and that is a quorum": debated(if_all(None)),
    "all oppose, and that is a quorum": debated(if_all(Stance.OPPOSE)),
    "who opposes is a quorum": debated(if_any(lambda ballot: ballot.stance is Stance.OPPOSE)),
    "who abstains is a quorum": debated(if_any(lambda ballot: ballot.stance is Stance.ABSTAIN)),
    "whoever is unsure is a quorum": debated(if_any(lambda ballot: ballot.confidence == 0)),
    "a veto that does not count is a quorum": debated(if_any(lambda ballot: ballot.stance is Stance.VETO)),
    "who raises an item is a quorum": debated(if_any(lambda ballot: bool(ballot.items))),
    "one that came is enough of a committee": debated(not_deserted),
    "without a quorum it is approved": verdict_for(lambda state: not state.quorate and not state.vetoed),
    "where somebody was absent it is approved": verdict_for(lambda state: state.absent and not state.vetoed),
    "where too few came it is approved": verdict_for(lambda state: state.deserted and not state.vetoed),
    "where somebody opposed it is approved": verdict_for(lambda state: state.opposed and not state.vetoed),
    "where nothing was raised it is approved": verdict_for(lambda state: not state.raised and not state.vetoed),
}
"""Defects in who has to have judged: no approval that nobody judged."""
