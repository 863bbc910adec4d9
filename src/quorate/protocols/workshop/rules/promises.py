"""Invariants of the workshop about its course, one function each; those on artifacts are in artifact_promises.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quorate.core.protocol import Degradation
from quorate.core.types import Reason
from quorate.protocols.workshop.rules.forms import RulingChoice
from quorate.protocols.workshop.rules.lives import RoundStage, Status, TopicStatus, Trigger
from quorate.protocols.workshop.rules.model import Outcome, Phase, State, Verdict
from quorate.protocols.workshop.rules.next_action import ConcludeOn
from quorate.protocols.workshop.rules.recount import Recount
from quorate.protocols.workshop.rules.restaging import candidates, place, put
from quorate.protocols.workshop.rules.sheet import LIVE, STAGES, M, Sheet
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType

Check = Callable[[Recount, M], bool]
STEPS: Mapping[Any, tuple[RoundStage, RoundStage]] = {
    Phase.QUESTION: (RoundStage.QUESTION, RoundStage.RESPONSES),
    Phase.RESPONSES: (RoundStage.RESPONSES, RoundStage.SYNTHESIS),
    Phase.SYNTHESIS: (RoundStage.SYNTHESIS, RoundStage.ARTIFACTS),
    Phase.PROCESSING: (RoundStage.ARTIFACTS, RoundStage.JOURNAL),
}
"""What a round waits for before and after each phase (W4)."""


# Rounds


def not_too_early(recount: Recount, moment: M) -> bool:
    """Nothing is concluded under min_rounds but by a person or an error, or because max_rounds is reached (W22)."""
    if moment.to not in (Phase.CLOSED, Phase.ABORTED) or moment.after.complete >= recount.settings.min_rounds:
        return True
    by = moment.after.closed_by
    return by in (Trigger.PERSON, Trigger.ERROR) or moment.after.round >= recount.settings.max_rounds


def not_too_late(recount: Recount, moment: M) -> bool:
    """Never more rounds than max_rounds; the last one is the last, and none is skipped (W22, W34)."""
    before, after, most = moment.state.round, moment.after.round, recount.settings.max_rounds
    last = moment.phase is Phase.PROCESSING and before >= most
    ended = moment.to in (Phase.CLOSED, Phase.ABORTED)
    return after <= most and after - before in (0, 1) and (not last or ended)


def lost_rounds(recount: Recount, moment: M) -> bool:
    """Two rounds in a row without a synthesis end the session as an error, one does not; none counts as complete."""
    if moment.phase is not Phase.PROCESSING:
        return moment.after.complete == moment.state.complete and moment.after.lost == moment.state.lost
    led = moment.state.led
    failed = not led and moment.state.lost >= 1
    ends = moment.to is Phase.ABORTED and moment.after.closed_by is Trigger.ERROR
    return ends == failed and moment.after.complete - moment.state.complete == int(led)


def round_life(recount: Recount, moment: M) -> bool:
    """A round goes through its five stages in order, and nothing else moves it on (W4)."""
    before, after = moment.state.stage, moment.after.stage
    new = moment.after.round > moment.state.round
    if moment.phase in STEPS:
        if before is not STEPS[moment.phase][0]:
            return False
        return after is (RoundStage.QUESTION if new else STEPS[moment.phase][1])
    return after is (RoundStage.QUESTION if new else before)


# Topics


def topics(recount: Recount, moment: M) -> bool:
    """A topic goes from open to partial to closed, or at once; closed ones stay closed; only code's phases move it."""
    rank = (TopicStatus.OPEN, TopicStatus.PARTIAL, TopicStatus.CLOSED)
    if moment.phase is Phase.OPENING:
        return all(each.status is TopicStatus.OPEN for each in moment.after.topics)
    if [each.key for each in moment.state.topics] != [each.key for each in moment.after.topics]:
        return False
    for before, after in zip(moment.state.topics, moment.after.topics, strict=True):
        if rank.index(after.status) < rank.index(before.status):
            return False
        if after.status is not before.status and moment.phase not in (Phase.PROCESSING, Phase.ESCALATION):
            return False
    return True


def closing(recount: Recount, moment: M) -> bool:
    """A topic closes with all its criteria met, its number agreed upon, and no conflict of its own open (W21)."""
    after = moment.after
    was = {each.key for each in moment.state.topics if each.status is TopicStatus.CLOSED}
    for topic in after.topics:
        if topic.status is not TopicStatus.CLOSED or topic.key in was:
            continue
        own = [each for each in after.artifacts if each.topic == topic.key]
        agreed = [each for each in own if each.type in topic.counts and each.status in LIVE]
        counted = sum(each.agreement is Agreement.CONSENSUS for each in agreed)
        held = any(each.type is ArtifactType.CONF and each.status is Status.OPEN for each in own)
        if topic.met != tuple(range(1, topic.criteria + 1)) or counted < topic.minimum or held:
            return False
    return True


def kept(recount: Recount, moment: M) -> bool:
    """A closed topic keeps what it was closed with, unless somebody contests it (W17)."""
    if moment.phase is not Phase.SYNTHESIS:
        return True
    before = {each.key: each for each in moment.state.topics}
    return all(
        moment.after.agreed(topic) >= topic.minimum or moment.state.agreed(before[topic.key]) < topic.minimum
        for topic in moment.after.topics
        if topic.status is TopicStatus.CLOSED
    )


def criteria(recount: Recount, moment: M) -> bool:
    """Criteria stay met, and a synthesis meets only those of the topic in focus (W20)."""
    if moment.phase is Phase.OPENING:
        return not any(each.met for each in moment.after.topics)
    for before, after in zip(moment.state.topics, moment.after.topics, strict=True):
        if before.met == after.met:
            continue
        here = Sheet.of(recount.plan, moment.state).here.key
        more = set(before.met) < set(after.met) and moment.phase is Phase.SYNTHESIS and after.key == here
        if not more or not all(1 <= number <= after.criteria for number in after.met):
            return False
    return True


# Focus and stages


def one_focus(recount: Recount, moment: M) -> bool:
    """The focus is a candidate of the first class that has any, and the question alone sets it (W5, W6)."""
    if moment.phase is Phase.QUESTION:
        return moment.after.focus in candidates(Sheet.of(recount.plan, moment.state))
    return moment.after.focus in (moment.state.focus, None)


def same_focus(recount: Recount, moment: M) -> bool:
    """A pass keeps its focus; what ends the pass, or a bound agenda, frees it (W7)."""
    before, after = moment.state, moment.after
    if before.focus is None or after.focus == before.focus:
        return True
    begun = after.round == before.round + 1
    bound = any(t.stage is not None and t.stage.value in STAGES[recount.plan.strategy.name] for t in before.topics)
    return begun and after.focus is None and (bound or after.scene == 0)


def in_order(recount: Recount, moment: M) -> bool:
    """Stages come in their order; a new pass begins with the first; a stage is repeated at most once (W27, W28)."""
    before, after = moment.state, moment.after
    if after.round == before.round:
        return (after.scene, after.attempt) == (before.scene, before.attempt)
    stages = STAGES[recount.plan.strategy.name]
    if any(each.stage is not None and each.stage.value in stages for each in after.topics) or before.round == 0:
        return True  # a bound agenda passes over what is done; the recount looks at that
    again = after.scene == before.scene and after.attempt == before.attempt + 1 == 1
    back = stages[before.scene] == "convergence" and stages[after.scene] == "refinement"
    ended = after.scene == 0 and after.focus is None
    return (again and recount.plan.strategy.name == "disney") or back or ended or after.scene == before.scene + 1


# What comes next


def next_action(recount: Recount, moment: M) -> bool:
    """After a round comes what the ordered rule says, whatever the facilitator wishes (W22)."""
    if moment.phase is not Phase.PROCESSING or moment.outcome is Outcome.FAILED:
        return True
    sheet = Sheet.of(recount.plan, moment.state)
    sheet.topics, sheet.values = list(moment.after.topics), {"complete": moment.after.complete}
    action, _ = recount.action(sheet, heard=False)
    pauses = action is Outcome.CONTINUE and recount.settings.interactive
    return moment.outcome is (Outcome.PAUSE if pauses else action)


def finished(recount: Recount, state: State) -> bool:
    """The topics that have to be are closed, and no conflict is open (W26)."""
    every = recount.settings.conclude_on is ConcludeOn.ALL
    topics_ = [each for each in state.topics if every or each.required]
    sheet = Sheet.of(recount.plan, state)
    done = all(map(sheet.done, topics_))
    return bool(state.topics) and done and not any(each.open_conflict for each in state.artifacts)


def verdict(recount: Recount, moment: M) -> bool:
    """COMPLETE exactly where the topics are closed and no conflict is open; else what ended it says which (W26)."""
    if moment.verdict is None:
        return moment.after.closed_by is None
    by = moment.after.closed_by
    if moment.to is Phase.ABORTED:
        return moment.verdict is Verdict.ABORTED and by is Trigger.ERROR
    if finished(recount, moment.after):
        return moment.verdict is Verdict.COMPLETE and by is not Trigger.ERROR
    wanted = {Trigger.PERSON: Verdict.CLOSED, Trigger.MAX_ROUNDS: Verdict.INCOMPLETE}
    return by is not None and wanted.get(by) is moment.verdict


# A person


def ruling(recount: Recount, moment: M) -> bool:
    """A person's decision resolves what was put, and nothing else (W24)."""
    if moment.phase is not Phase.ESCALATION:
        return True
    choice = recount.ruled(moment.state, moment.replies)
    put_ = {each.id for each in put(Sheet.of(recount.plan, moment.state))}
    ended = {
        before.id
        for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False)
        if before.status is not after.status
    }
    return ended == (set() if choice is RulingChoice.GO_ON else put_)


def more_rounds(recount: Recount, moment: M) -> bool:
    """Going on gives what was put all its rounds once more; nothing else makes a conflict younger (W24)."""
    going = moment.phase is Phase.ESCALATION and recount.ruled(moment.state, moment.replies) is RulingChoice.GO_ON
    put_ = {each.id for each in put(Sheet.of(recount.plan, moment.state))} if going else set()
    return all(
        after.since == (moment.state.round + 1 if before.id in put_ else before.since)
        for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False)
    )


def detour(recount: Recount, moment: M) -> bool:
    """A ruling in the middle of a round changes conflicts and what they are about, and the round goes on (W25)."""
    if moment.phase is not Phase.ESCALATION or moment.state.stage is RoundStage.JOURNAL:
        return True
    goes_to = {
        RoundStage.QUESTION: Phase.QUESTION,
        RoundStage.RESPONSES: Phase.RESPONSES,
        RoundStage.SYNTHESIS: Phase.SYNTHESIS,
        RoundStage.ARTIFACTS: Phase.PROCESSING,
    }
    about = {each.about for each in moment.state.artifacts if each.open_conflict}
    changed = {
        before.id
        for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=True)
        if before != after and not before.open_conflict and before.id not in about
    }
    same = all(
        getattr(moment.state, name) == getattr(moment.after, name) for name in State.__slots__ if name != "artifacts"
    )
    return not changed and same and moment.to is goes_to[moment.state.stage]


def degraded(recount: Recount, moment: M) -> bool:
    """A verdict says how much of the table was missing (W35)."""
    if moment.degradation is None:
        return moment.verdict is None
    state = moment.after
    if state.lost > 0 or any(not each.heard for each in state.members):
        return moment.degradation is Degradation.BELOW_SETTINGS
    return moment.degradation is (Degradation.WITHIN_SETTINGS if state.missed else Degradation.NONE)


def interrupted(recount: Recount, moment: M) -> bool:
    """An interruption decides nothing: it closes the session and says by whom, or puts it to a person (W25, W34)."""
    reason, before, after = moment.interrupted, moment.state, moment.after
    if reason is None:
        return True
    if reason is Reason.ESCALATION:
        return moment.to is Phase.ESCALATION and after == before and not moment.asks
    by = Trigger.PERSON if reason is Reason.WISH else Trigger.ERROR
    at_once = reason in (Reason.WISH, Reason.CANCELLED, Reason.BUDGET)
    waits = reason is Reason.STALL
    in_time = not (at_once and not moment.asks) and not (waits and moment.asks)  # what waits withdraws no ask
    same = all(
        getattr(before, name) == getattr(after, name) for name in State.__slots__ if name not in ("status", "closed_by")
    )
    to = Phase.CLOSED if reason is Reason.WISH else Phase.ABORTED
    return same and after.closed_by is by and moment.to is to and in_time and verdict(recount, moment)


def passes(recount: Recount, moment: M) -> bool:
    """The next round stands where the rules say: same stage, the next one, back, or a new pass (W7, W28, W31)."""
    if moment.after.round != moment.state.round + 1 or moment.state.round == 0:
        return True
    sheet = Sheet.of(recount.plan, moment.state)
    if sheet.bound:
        return True  # what is closed by now matters there; the recount looks at that
    sheet.things = Sheet.of(recount.plan, moment.after).things
    return place(sheet) == (moment.after.scene, moment.after.attempt, moment.after.focus)
