"""What the rules say of a move, by the recount: focus, agreement, the next action, and a person's ruling."""

from __future__ import annotations

from collections.abc import Callable

from quorate.protocols.workshop.rules.forms import Consent, RulingChoice, Votes
from quorate.protocols.workshop.rules.lives import Status
from quorate.protocols.workshop.rules.model import Artifact, Outcome, Phase
from quorate.protocols.workshop.rules.synthesis import Becomes, Method, Synthesis
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType
from tests.protocols.workshop.oracle.effects import ORDER, support, weighed
from tests.protocols.workshop.oracle.places import candidates, place, put
from tests.protocols.workshop.oracle.recount import Recount
from tests.protocols.workshop.oracle.sheet import CONSENT, JUDGED, RULES, STAGES, M, Sheet
from tests.protocols.workshop.oracle.silence import counted

Check = Callable[[Recount, M], bool]


# Focus and what comes next


def one_focus(recount: Recount, moment: M) -> bool:
    """The focus is a candidate of the first class that has any, and the question alone sets it (W5, W6)."""
    if moment.phase is Phase.QUESTION:
        return moment.after.focus in candidates(Sheet.of(recount.plan, moment.state))
    return moment.after.focus in (moment.state.focus, None)


def passes(recount: Recount, moment: M) -> bool:
    """The next round stands where the rules say: same stage, the next one, back, or a new pass (W7, W28, W31)."""
    if moment.after.round != moment.state.round + 1 or moment.state.round == 0:
        return True
    sheet = Sheet.of(recount.plan, moment.state)
    if sheet.bound:
        return True  # what is closed by now matters there; the recount looks at that
    sheet.things = Sheet.of(recount.plan, moment.after).things
    return place(sheet) == (moment.after.scene, moment.after.attempt, moment.after.focus)


def goes_back(recount: Recount, moment: M) -> bool:
    """After a vote that blocked a draft for the first time the next round refines it on the same focus (W31)."""
    begun = moment.after.round > moment.state.round and moment.state.round > 0
    stages = STAGES[recount.plan.strategy.name]
    if not begun or stages[moment.state.scene] != "convergence" or moment.state.focus is None:
        return True
    focus = moment.after.artifact(moment.state.focus)
    if focus is not None and focus.status is Status.RESOLVED:
        return True
    home = focus.topic if focus is not None else moment.state.focus
    waits = any(
        each.blocked == 1
        and each.blocked_in == moment.state.round
        and each.live
        and each.agreement is Agreement.DRAFT
        and each.topic == home
        for each in moment.after.artifacts
    )
    refined = stages[moment.after.scene] == "refinement" and moment.after.focus == moment.state.focus
    return refined if waits else moment.after.scene == 0 and moment.after.focus is None


def next_action(recount: Recount, moment: M) -> bool:
    """After a round comes what the ordered rule says, whatever the facilitator wishes (W22)."""
    if moment.phase is not Phase.PROCESSING or moment.outcome is Outcome.FAILED:
        return True
    sheet = Sheet.of(recount.plan, moment.state)
    sheet.topics, sheet.values = list(moment.after.topics), {"complete": moment.after.complete}
    action, _ = recount.action(sheet, heard=False)
    pauses = action is Outcome.CONTINUE and recount.settings.interactive
    return moment.outcome is (Outcome.PAUSE if pauses else action)


# Agreement


def consensus(recount: Recount, moment: M) -> bool:
    """Consensus comes by the strategy's rule, by a vote, or where a person settles a conflict (W18, W29, W30)."""
    old = {each.id: each for each in moment.state.artifacts}
    for each in moment.after.artifacts:
        was = old.get(each.id)
        if each.agreement is not Agreement.CONSENSUS or (was is not None and was.agreement is Agreement.CONSENSUS):
            continue
        if not (_settled(moment, each) or _voted(recount, moment, each) or _weighed(recount, moment, each)):
            return False
    return True


def _settled(moment: M, about: Artifact) -> bool:
    """A ruling about it, or about its topic, is applied by this move (W24)."""
    after = {each.id: each.status for each in moment.after.artifacts}
    return any(
        each.unapplied and after[each.id] is Status.RESOLVED and {about.id, about.topic} & set(each.about)
        for each in moment.state.artifacts
    )


def _voted(recount: Recount, moment: M, draft: Artifact) -> bool:
    """It was voted upon: nobody blocked it with a reason, and somebody supported it (W30)."""
    if RULES[recount.plan.strategy.name] != CONSENT or moment.phase is not Phase.RESPONSES:
        return False
    heard = counted(moment, recount.settings.unqualified_seats).replies
    cast = [reply.votes[draft.id] for _, reply in heard if isinstance(reply, Votes) and draft.id in reply.votes]
    blocked = any(vote.stance is Consent.BLOCK and not vote.groundless for vote in cast)
    return not blocked and any(vote.stance is Consent.SUPPORT for vote in cast)


def _weighed(recount: Recount, moment: M, artifact: Artifact) -> bool:
    """Some item or change of the synthesis gives it that, by the weights of those who answered (W12, W18)."""
    rule = RULES[recount.plan.strategy.name]
    if rule == CONSENT or moment.phase is not Phase.SYNTHESIS:
        return False
    said = next((reply for _, reply in moment.replies if isinstance(reply, Synthesis)), None)
    if said is None:
        return False
    if rule == JUDGED:
        return True
    sheet = Sheet.of(recount.plan, moment.state)
    new = [item for name, _ in ORDER for item in getattr(said, name, ())]
    old = any(each.id == artifact.id for each in moment.state.artifacts)
    about = [each.id for each in moment.state.artifacts if {artifact.id, artifact.topic} & set(each.about)]
    moved = [each for each in said.changes if not old or each.artifact in (artifact.id, *about)]
    return any(
        weighed(sheet, support(sheet, each), Agreement.DRAFT) is Agreement.CONSENSUS
        for each in (*moved, *(() if old else new))
    )


def not_by_facilitator(recount: Recount, moment: M) -> bool:
    """A conflict of code's is resolved with a majority, in a later round, and after two blocks by a person (W19)."""
    if moment.phase is not Phase.SYNTHESIS:
        return True
    said = next((reply for _, reply in moment.replies if isinstance(reply, Synthesis)), None)
    sheet = Sheet.of(recount.plan, moment.state)
    voices = len([each for each in sheet.members if each.confidence is not None])
    for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False):
        if not before.open_conflict or after.status is Status.OPEN or not before.raised:
            continue
        named = [each for each in moment.state.artifacts if each.id in before.about]
        if before.made == moment.state.round or any(each.blocked >= 2 for each in named):
            return False
        moved = [each for each in said.changes if each.artifact == before.id] if said is not None else []
        backed = [
            2 * len(support(sheet, each)) > voices
            for each in moved
            if each.becomes is Becomes.RESOLVE and each.method is not Method.FACILITATOR_DECISION
        ]
        if not any(backed):
            return False
    return True


# A person


def ruling(recount: Recount, moment: M) -> bool:
    """A person's decision resolves what was put, and nothing else (W24)."""
    if moment.phase is not Phase.ESCALATION:
        return True
    choice = recount.ruled(moment.state, counted(moment, recount.settings.unqualified_seats).replies)
    put_ = {each.id for each in put(Sheet.of(recount.plan, moment.state)) if each.dispute}
    ended = {
        before.id
        for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False)
        if before.status is not after.status and before.type is not ArtifactType.RUL
    }
    return ended == (put_ if choice in (RulingChoice.ACCEPT, RulingChoice.DECIDE) else set())


def more_rounds(recount: Recount, moment: M) -> bool:
    """Going on gives what was put all its rounds once more; nothing else makes a conflict younger (W24)."""
    asked = moment.phase is Phase.ESCALATION
    put_ = {each.id for each in put(Sheet.of(recount.plan, moment.state))} if asked else set()
    return all(
        before.type is ArtifactType.RUL
        or after.since == (moment.state.round + 1 if before.id in put_ and after.open else before.since)
        for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False)
    )
