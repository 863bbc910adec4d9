"""STRAT-D1, STRAT-D2, STRAT-S1, STRAT-S2: the stages of a strategy come in their order, and a debate has two sides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from quorate.core.errors import nearest
from quorate.kit.untrusted_value import Spot
from quorate.protocols.workshop.audit.problem import Finding, NotChecked, problem, unknown
from quorate.protocols.workshop.audit.read import Round, SessionFile
from quorate.protocols.workshop.audit.shape import SIDES, stance_of
from quorate.protocols.workshop.rules.forms import Consent
from quorate.protocols.workshop.rules.lives import TopicStatus
from quorate.protocols.workshop.rules.strategies import CONSENSUS, DEBATE, DISNEY, HATS, Stage, Strategy
from quorate.protocols.workshop.rules.taxonomy import Side

_LAST_OF_DEBATE = "synthesis"
"""A fourth phase that others give a debate; it takes the place of the closing's second round."""


def check_debate_phases(file: SessionFile) -> Iterator[Finding]:
    """A debate opens, rebuts, closes; every round says which it is."""
    if file.strategy is not DEBATE:
        return
    for each in file.rounds:
        own, also = each.at["debate_phase"], each.at["phase"]
        if not each.has_phase and not _broken_off(file, each):
            yield problem("STRAT-D1", own, f"round {each.place} has no phase", _order(DEBATE))
        elif own.given and also.given and own.value != also.value:
            yield problem("STRAT-D1", own, f"is {own}, but the phase is {also}", str(also))
    yield from in_order(file, DEBATE, "STRAT-D1")


def check_sides(file: SessionFile) -> Iterator[Finding]:
    """In a debate somebody argues for and somebody against, nobody on both sides, and nobody is left out (W3)."""
    if file.strategy is not DEBATE:
        return
    check, sides = "STRAT-D2", file.at["debate_sides"]
    if not sides.is_mapping:
        yield problem(check, sides, "is missing", "who argues pro and who con")
        return
    of: dict[str, str] = {}
    for side in SIDES:
        group = sides.first(side, f"{side}s")
        if side != Side.OBSERVER.value and not group.items:
            yield problem(check, group, f"nobody argues {side}", "at least one participant on each side")
        for at in group.items:
            name = at.text or ""
            if file.participants is not None and name not in file.here:
                near = nearest(name, file.participants[:300]) if len(name) <= 80 else None
                yield problem(check, at, f"{at} is not a participant of this session", "a participant", near)
            elif name in of:
                yield problem(check, at, f"{name} is {side} and {of[name]}", "one side for each")
            of.setdefault(name, side)
    for name in file.participants or ():
        if name not in of:
            yield problem(check, sides, f"{name} has no side", "pro, con or observer for everybody")
    for each in file.rounds:
        for name, position in each.positions.items():
            said = position["side"]
            if said.said and name in of and said.text != of[name]:
                yield problem(check, said, f"{name} argues {said}", of[name])


def check_disney(file: SessionFile) -> Iterator[Finding]:
    """Dreamer, realist, critic, in this order; the current phase is that of the last round."""
    if file.strategy is not DISNEY:
        return
    yield from _tracked(file, DISNEY, "STRAT-S1")
    current = file.at["current_phase"]
    if current.said and file.rounds and file.rounds[-1].phase.said and current.text != file.rounds[-1].phase.text:
        what = f"is {current}, but the last round is {file.rounds[-1].phase}"
        yield problem("STRAT-S1", current, what, str(file.rounds[-1].phase))


def check_hats(file: SessionFile) -> Iterator[Finding]:
    """Blue, white, red, black, yellow, green, blue, in this order."""
    if file.strategy is HATS:
        yield from _tracked(file, HATS, "STRAT-S2")


def _tracked(file: SessionFile, strategy: Strategy, check: str) -> Iterator[Finding]:
    if file.rounds and not any(each.has_phase for each in file.rounds):
        yield NotChecked(check, "no round says which phase it is in")
        return
    yield from in_order(file, strategy, check)


def _broken_off(file: SessionFile, each: Round) -> bool:
    """Whether it is the round in which the session was left, before it was under way."""
    return each is file.rounds[-1] and not each.complete


def _order(strategy: Strategy) -> str:
    return ", then ".join(stage.value for stage in strategy.stages)


def in_order(file: SessionFile, strategy: Strategy, check: str) -> Iterator[Finding]:
    """No stage is left out and none comes back, but for the passes that the rules allow (W6, W7, W28, W31)."""
    stages = strategy.stages
    before: tuple[Round, int] | None = None
    bound = _bound(file, strategy)
    sent_back = False
    for each in file.rounds:
        if not each.has_phase:
            continue
        here = _place(each.phase, stages, before[1] if before else None)
        if here is None:
            yield unknown(check, each.phase, f"phase of {strategy.name}", [stage.value for stage in stages])
            continue
        sent_back = sent_back or (before is not None and strategy is CONSENSUS and _blocked(before[0]))
        again = sent_back and before is not None and (before[1], here) == (len(stages) - 1, len(stages) - 2)
        if not again and not _may_follow(file, before, each, here, strategy, bound):
            after = f"round {each.place} is {each.phase}"
            if before is not None:
                after += f", and round {before[0].place} was {stages[before[1]].value}"
            yield problem(check, each.phase, after, _order(strategy))
        before = (each, here)


def _place(at: Spot, stages: tuple[Stage, ...], before: int | None) -> int | None:
    """Which stage is meant; the two blue hats may go by one name."""
    said = "-".join((at.text or "").lower()[:80].replace("_", " ").replace("-", " ").split())
    last = len(stages) - 1
    if said == "blue" and Stage.BLUE_OPEN in stages:
        return last if before is not None and before >= last - 1 else 0
    if said == _LAST_OF_DEBATE and Stage.CLOSING in stages:
        return last
    return next((place for place, stage in enumerate(stages) if stage.value == said), None)


def _may_follow(
    file: SessionFile,
    before: tuple[Round, int] | None,
    each: Round,
    here: int,
    strategy: Strategy,
    bound: Mapping[str, set[str]],
) -> bool:
    if before is None:
        return here == 0
    last, was = before
    if here in (was, was + 1):
        return True
    new_pass = was == len(strategy.stages) - 1 or last.focus != each.focus
    skipped = range(was + 1, here) if here > was else range(here) if new_pass else None
    # Only where topics are bound to stages can a stage have nothing left to do.
    return skipped is not None and all(_done(file, bound.get(strategy.stages[stage].value)) for stage in skipped)


def _blocked(each: Round) -> bool:
    """Whether somebody blocked in the round; also true where the round records no stances."""
    said = [stance for position in each.positions.values() for stance in position["stances"].entries.values()]
    stances = [stance_of(at["stance"].text if at.is_mapping else at.text) for at in said]
    return not stances or Consent.BLOCK in stances


def _bound(file: SessionFile, strategy: Strategy) -> Mapping[str, set[str]]:
    """The topics of each stage, where an agenda binds them: as it says, or as each topic had its own stage (W6)."""
    found: dict[str, set[str]] = defaultdict(set)
    if strategy is not DISNEY:
        return found
    for name, topic in file.topics.items():
        if topic["stage"].said:
            found[topic["stage"].text or ""].add(name)
    if found:
        return found
    stages: dict[str, set[str]] = defaultdict(set)
    for each in file.rounds:
        stages[each.topic or ""].add(each.phase.text or "")
    if all(len(each) == 1 for each in stages.values()):
        for topic_id, (stage,) in stages.items():
            found[stage].add(topic_id)
    return found


def _done(file: SessionFile, topics: set[str] | None) -> bool:
    """Every topic of a stage is closed, so that there is nothing left for it."""
    closed = {name for name, at in file.topics.items() if at["status"].text == TopicStatus.CLOSED.value}
    return bool(topics) and closed.issuperset(topics or ())
