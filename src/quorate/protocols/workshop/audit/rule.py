"""STR-008: nothing is concluded too early or too late, and each next action is one that the ordered rule allows (W22).

A file does not hold everything that the rule looks at. So every combination of conditions that agrees with the file is
put to the rule, and an action that follows from none of them is wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from quorate.kit.untrusted_value import many
from quorate.protocols.workshop.audit.disputes import disputed
from quorate.protocols.workshop.audit.problem import Finding, NotChecked, problem
from quorate.protocols.workshop.audit.read import Round, SessionFile, StatedArtifact
from quorate.protocols.workshop.audit.verdict_check import below_minimum
from quorate.protocols.workshop.rules.lives import SessionStatus, TopicStatus, Trigger
from quorate.protocols.workshop.rules.next_action import RULE, Action, Closed, ConcludeOn, Conditions, combinations
from quorate.protocols.workshop.rules.next_action import next_action as decide

CHECK = "STR-008"
MOST_ROUNDS = 200
"""Rounds that are looked at; no session may have as many."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a file says about the conditions after a round; None where it does not say."""

    at_maximum: bool
    under_minimum: bool
    triggered: bool | None
    closed: Closed | None
    barred: bool | None
    conclude_on: ConcludeOn | None

    def agrees(self, conditions: Conditions) -> bool:
        pairs = (
            (self.at_maximum, conditions.at_maximum),
            (self.under_minimum, conditions.under_minimum),
            (self.triggered, conditions.triggered),
            (self.closed, conditions.closed),
            (self.barred, conditions.barred),
            (self.conclude_on, conditions.conclude_on),
        )
        return all(known is None or known == held for known, held in pairs)


@dataclass(frozen=True, slots=True)
class Dispute:
    """A conflict, as far as the file dates it."""

    created: int | None
    resolved: int | None
    dated: bool
    """The file has a place for the round that resolved it."""

    @classmethod
    def of(cls, conflict: StatedArtifact) -> Dispute:
        return cls(conflict.created, conflict.resolved, conflict.at["resolved_round"].exists)

    def open_after(self, each: Round) -> bool | None:
        """Whether it was open when the next action was decided; None where that cannot be known."""
        if self.created is None:
            return None
        if self.created > each.place:
            return False
        if self.resolved is None:
            return True if self.dated else None
        if self.resolved == each.place and each.escalated:
            return None
        return self.resolved > each.place


def check_rule(file: SessionFile) -> Iterator[Finding]:
    """Each round's next action follows from the rule, a conclusion ends the session, and a closed one has an end."""
    low, high = file.settings["min_rounds"].whole, file.settings["max_rounds"].whole
    yield from _ending(file)
    if low is None or high is None:
        yield NotChecked(CHECK, "the file has no settings with min_rounds and max_rounds")
        return
    if low > high:
        at = file.settings["min_rounds"]
        yield problem(CHECK, at, f"min_rounds is {low}, above max_rounds ({high})", "at most max_rounds")
        return
    if len(file.rounds) > high:
        what = f"{many(len(file.rounds), 'round')} were held, but max_rounds is {high}"
        yield problem(CHECK, file.rounds[high].at, what, f"at most {high}")
    complete = 0
    disputes, losing = [Dispute.of(conflict) for conflict in file.conflicts], _losing(file)
    for each in file.rounds[:MOST_ROUNDS]:
        complete += each.complete
        if each.action.text not in {action.value for action in Action} or _broken_off(file, each):
            continue  # The round under way, or STR-002 has said so.
        known = _known(file, disputes, losing, each, complete, low, high)
        rows = {decide(conditions) for conditions in combinations() if known.agrees(conditions)}
        if each.action.text not in {action.value for action, _ in rows}:
            right = " or ".join(sorted({action.value for action, _ in rows}))
            why = "; ".join(RULE[place].says for place in sorted({place for _, place in rows}))
            what = f"is {each.action} after round {each.place}, with {complete} complete"
            yield problem(CHECK, each.action, what, f"{right} ({why})")


def _broken_off(file: SessionFile, each: Round) -> bool:
    """Whether the session ended here without the rule: an error asks nobody (W13)."""
    return each is file.rounds[-1] and file.at["closed_by"].text == Trigger.ERROR.value


def _ending(file: SessionFile) -> Iterator[Finding]:
    """Nothing follows a conclusion, and what closed a session has left its trace."""
    for each in file.rounds[:-1]:
        if each.action.text == Action.CONCLUDE.value:
            left = len(file.rounds) - each.place
            yield problem(CHECK, each.action, f"round {each.place} concludes, but {many(left, 'round')} follow")
    by = file.at["closed_by"].text
    if file.at["status"].text != SessionStatus.CLOSED.value or not file.rounds:
        return
    if by in (Trigger.AGENDA_CLOSED.value, Trigger.MAX_ROUNDS.value):
        last = file.rounds[-1]
        if last.action.text == Action.CONTINUE.value and not last.escalated:
            what = f"the last round goes on, but the session was closed by: {by}"
            yield problem(CHECK, last.action, what, Action.CONCLUDE.value)


def _losing(file: SessionFile) -> frozenset[str]:
    """The topics that may have lost an agreed artifact for a while, by a conflict about it (W21)."""
    ids = disputed(file)
    return frozenset(each.topic or "" for each in file.artifacts if each.id in ids)


def _known(
    file: SessionFile,
    disputes: list[Dispute],
    losing: Collection[str],
    each: Round,
    complete: int,
    low: int,
    high: int,
) -> Known:
    on = file.settings["conclude_on"].text
    return Known(
        at_maximum=each.place >= high,
        under_minimum=complete < low,
        triggered=_triggered(file, disputes, each),
        closed=_closed(file, losing, each),
        barred=_conflict(disputes, each) or None,
        conclude_on=next((word for word in ConcludeOn if word.value == on), None),
    )


def _conflict(disputes: list[Dispute], each: Round) -> bool | None:
    """Whether a conflict was open after the round; unknown where a person has settled some in it (W24)."""
    standing = [dispute.open_after(each) for dispute in disputes]
    if True in standing:
        return True
    return None if None in standing else False


def _closed(file: SessionFile, losing: Collection[str], each: Round) -> Closed | None:
    """Which topics were closed after the round and had what they need; unknown where the file does not date it."""
    if each.escalated:
        return None
    last = each is file.rounds[-1]
    everything, required, sure = True, True, True
    some = any(topic["critical"].flag for topic in file.topics.values())  # where nothing is required everything is
    for name, topic in file.topics.items():
        when = topic["closed_round"].whole
        closed = topic["status"].text == TopicStatus.CLOSED.value
        if closed and last:
            closed = not below_minimum(topic)  # it has lost what it was closed with (W21)
        elif closed:
            if when is None:
                return None
            closed = when <= each.place
            if closed and name in losing:
                return None
        everything &= closed
        if not closed:
            sure &= topic["critical"].flag is not None
            required &= some and topic["critical"].flag is False
    if everything:
        return Closed.ALL
    if not sure:
        return None
    return Closed.REQUIRED if required else Closed.NOT_ALL_REQUIRED


def _triggered(file: SessionFile, disputes: list[Dispute], each: Round) -> bool | None:
    """Whether something asked for escalation; the file may well not hold what did (W23)."""
    if file.settings["escalation"].flag is False:
        return False
    if file.settings["escalation"].flag is None or each.escalated or not each.complete:
        return None
    return True if _unsure(file, each) or _lasting(file, disputes, each) else None


def _unsure(file: SessionFile, each: Round) -> bool:
    """Somebody is less sure than the limit about a required topic."""
    limit = file.settings["confidence_below"].number
    topic = file.topics.get(each.topic or "")
    if limit is None or topic is None or topic["critical"].flag is not True:
        return False
    share = limit if isinstance(limit, float) else limit / 100
    said = (at["confidence"].number for name, at in each.positions.items() if name not in file.notes)
    return any(confidence is not None and confidence < share for confidence in said)


def _lasting(file: SessionFile, disputes: list[Dispute], each: Round) -> bool:
    """A conflict is in exactly the round in which it is escalated, and nobody has given it more."""
    most = file.settings["max_rounds_per_conflict"].whole
    begun = each.place - most + 1 if most is not None else 0
    if begun < 1 or not all(one.complete and not one.escalated for one in file.rounds[begun - 1 : each.place]):
        return False
    return any(dispute.created == begun and dispute.open_after(each) for dispute in disputes)
