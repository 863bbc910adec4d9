"""Gauges of a workshop: rounds, topics done, artifacts agreed upon, and the vote on drafts.

Votes of the round under way are counted and not looked into (W9).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from quorate.core.record import Record
from quorate.kit.gauges import Arrived, Gauge, arrived, latest_moves, number
from quorate.protocols.workshop.rules.history import state_of
from quorate.protocols.workshop.rules.lives import RoundStage, TopicStatus
from quorate.protocols.workshop.rules.model import Phase, State, Topic
from quorate.protocols.workshop.rules.next_action import ConcludeOn
from quorate.protocols.workshop.rules.qualification import unqualified_in
from quorate.protocols.workshop.rules.taxonomy import Agreement


def gauges(record: Record) -> tuple[Gauge, ...]:
    """Return the gauges: progress in rounds and topics, and agreement on artifacts."""
    state, settings = state_of(record), record.protocol.settings
    over = record.session.conclusion is not None
    rounds = _rounds(state, int(settings["min_rounds"]), int(settings["max_rounds"]), over)
    required = ConcludeOn(settings["conclude_on"]) is ConcludeOn.REQUIRED
    return (rounds, *_topics(state, required), *_artifacts(state), *_votes(record, state))


def _rounds(state: State, least: int, most: int, over: bool) -> Gauge:
    under_way = int(state.round > 0 and state.stage is not RoundStage.JOURNAL and not over)
    lost = state.round - state.complete - under_way
    parts = (("complete", state.complete), ("without a result", lost), ("under way", under_way))
    words = f"round {state.round} of at most {most}; {state.complete} complete, {least} needed before it may conclude"
    return Gauge("rounds", words, most, parts, needed=least)


def _topics(state: State, only_required: bool) -> Iterator[Gauge]:
    """The topics that have to be done before it may conclude (W21, W22)."""
    wanted = [topic for topic in state.topics if topic.required or not only_required]
    if not wanted:
        return
    counts = Counter(_stands(state, topic) for topic in wanted)
    parts = tuple((word, counts[word]) for word in ("done", "partial", "open"))
    noun = "required topic" if only_required else "topic"
    words = f"{counts['done']} of {number(len(wanted), noun)} done"
    yield Gauge("topics", words, len(wanted), parts, needed=len(wanted))


def _stands(state: State, topic: Topic) -> str:
    if state.done(topic):
        return "done"
    return "open" if topic.status is TopicStatus.OPEN else "partial"


def _artifacts(state: State) -> Iterator[Gauge]:
    """How far what was made is agreed upon; open questions and conflicts are no artifacts of the result."""
    live = [each for each in state.artifacts if each.live]
    if not live:
        return
    counts = Counter(each.agreement for each in live)
    parts = tuple((each.value, counts[each]) for each in Agreement)
    words = f"{counts[Agreement.CONSENSUS]} of {number(len(live), 'artifact')} agreed upon"
    if state.conflicts:
        words += f"; open: {', '.join(each.id for each in state.conflicts)}"
    yield Gauge("agreement", words, len(live), parts)


# The vote at convergence


def _votes(record: Record, state: State) -> Iterator[Gauge]:
    """The vote of the round under way, while it is held and after it (W30)."""
    if (now := arrived(record, "vote")) is not None:
        yield _under_way(len(record.session.asks[0].keys), now)
        return
    held = next((move for move in latest_moves(record) if move.phase is Phase.RESPONSES), None)
    if held is None or held.before.round != state.round:
        return
    if counted := [dict(fact.values) for fact in held.facts if fact.name == "vote"]:
        yield _counted(counted, held.after, unqualified_in(record))


RULE = "each is agreed upon with one SUPPORT and no BLOCK"


def _under_way(drafts: int, now: Arrived) -> Gauge:
    members = now.present + now.absent + now.open
    words = (
        f"{number(drafts, 'draft')}: {now.present} of {members} participants have voted, "
        f"sealed until the round ends; {RULE}"
    )
    parts = tuple((part, count * drafts) for part, count in now.parts)
    return Gauge("votes", words, members * drafts, parts, missing=None if now.present else drafts)


def _counted(counted: list[dict[str, Any]], after: State, notes: tuple[str, ...]) -> Gauge:
    """The votes that count on all drafts; one not carried needs every block lifted, or one vote for it."""
    support, block, cast = (sum(int(each[name]) for each in counted) for name in ("support", "block", "cast"))
    of = sum(member.seat not in notes for member in after.members) * len(counted)
    agreed = {each.id for each in after.artifacts if each.agreed}
    missing = sum(int(each["block"]) or 1 for each in counted if each["id"] not in agreed)
    carried = sum(each["id"] in agreed for each in counted)
    parts = (("support", support), ("stand aside", cast - support - block), ("block", block), ("absent", of - cast))
    words = f"{carried} of {number(len(counted), 'draft')} carried; {RULE}"
    still = f": {number(missing, 'vote')} still needed" if missing else ""
    return Gauge("votes", words + still, of, parts, missing=missing)
