"""The whole of the rules, implemented a second time: asks, decisions and the next state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from quorate.core.forms import Key, Reply
from quorate.core.types import Absent, Replies, Seat
from quorate.core.values import replace
from quorate.kit.interpretation import Interpretation
from quorate.protocols.workshop.rules.forms import (
    AgendaReport,
    Consent,
    Focus,
    PauseChoice,
    PauseReply,
    Reading,
    Response,
    Ruling,
    RulingChoice,
    Votes,
)
from quorate.protocols.workshop.rules.lives import RoundStage, SessionStatus, Status, TopicStatus, Trigger
from quorate.protocols.workshop.rules.model import Outcome, Phase, State, Topic
from quorate.protocols.workshop.rules.next_action import ConcludeOn
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.settings import EscalateOn
from quorate.protocols.workshop.rules.synthesis import SYNTHESES, Synthesis
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType
from tests.protocols.workshop.oracle.effects import remake
from tests.protocols.workshop.oracle.places import begin, begin_next, candidates, overdue, place, put, why
from tests.protocols.workshop.oracle.sheet import CONSENT, LIVE, RULES, M, Sheet, things
from tests.protocols.workshop.oracle.silence import counted, unheard

Wanted = tuple[str, str, type[Reply], tuple[Key, ...]]
LED, CLERK, PERSON = Seat("facilitator"), Seat("clerk"), Seat("person")
RESUMES = {
    RoundStage.QUESTION: Outcome.RESUME_QUESTION,
    RoundStage.RESPONSES: Outcome.RESUME_RESPONSES,
    RoundStage.SYNTHESIS: Outcome.RESUME_SYNTHESIS,
    RoundStage.ARTIFACTS: Outcome.RESUME_PROCESSING,
}


@dataclass(frozen=True, slots=True)
class Counted:
    """The expected result of a move."""

    outcome: Outcome
    differs: frozenset[str]
    """The parts of the state that are not as they should be."""
    told: tuple[tuple[str, str], ...]


class Recount:
    """Recomputes moves for one plan. The last move is cached, since all invariants look at the same one."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.settings = plan.settings
        self._last: tuple[M, Counted] | None = None

    def of(self, moment: M) -> Counted:
        if self._last is None or self._last[0] is not moment:
            sheet = Sheet.of(self.plan, moment.state)
            outcome = _PHASES[moment.phase](self, sheet, counted(moment, sheet.mute).replies)
            sheet.told += unheard(moment, sheet.mute)
            self._last = (moment, Counted(outcome, _differing(sheet, moment.after), tuple(sheet.told)))
        return self._last[1]

    # Whom a phase asks

    def wanted(self, phase: Any, state: State) -> Iterator[Wanted]:
        sheet = Sheet.of(self.plan, state)
        match phase:
            case Phase.OPENING:
                yield CLERK, "agenda", AgendaReport, tuple(Key(f"T{number}") for number in range(1, 13))
            case Phase.QUESTION:
                yield LED, "question", Focus, candidates(sheet)
            case Phase.RESPONSES:
                form: type[Reply] = Votes if sheet.votes() else Response
                disputed = {key for each in sheet.disputes for key in each.about}
                free = tuple(each.id for each in sheet.things if each.status in LIVE and each.id not in disputed)
                keys = (*(sheet.drafts() if sheet.votes() else free), *(each.id for each in sheet.rulings))
                brief = "vote" if sheet.votes() else "respond"
                yield from ((member.seat, brief, form, keys) for member in state.members)
            case Phase.SYNTHESIS:
                yield from self._wanted_after_responses(sheet)
            case Phase.PAUSE:
                yield PERSON, "pause", PauseReply, tuple(each.id for each in sheet.rulings)
            case Phase.ESCALATION:
                named = {each.id: each for each in [*put(sheet), *sheet.rulings]}
                yield PERSON, "escalate", Ruling, tuple(named)

    def _wanted_after_responses(self, sheet: Sheet) -> Iterator[Wanted]:
        positions = tuple(Key(f"P{number + 1}") for number in range(len(sheet.members)))
        heard = tuple(key for key, each in zip(positions, sheet.members, strict=True) if each.confidence is not None)
        if not heard:
            return
        here = sheet.here
        unmet = tuple(Key(f"K{number}") for number in range(1, here.criteria + 1) if number not in here.met)
        shown = tuple(each.id for each in sheet.things)
        ahead = tuple(sheet.ahead(self.settings.workflow))
        yield LED, "synthesise", SYNTHESES[self.settings.workflow], (*positions, *unmet, here.key, *shown, *ahead)
        yield CLERK, "read", Reading, heard

    # What each phase decides

    def opening(self, sheet: Sheet, heard: Replies) -> Outcome:
        reply = heard.of(CLERK)
        if not isinstance(reply, AgendaReport) or not reply.topics:
            self._close(sheet, Trigger.ERROR)
            return Outcome.UNREADABLE
        none = not any(each.required for each in reply.topics)
        sheet.topics = [
            Topic(e.key, e.required or none, e.criteria, e.minimum, e.counts, e.stage.stage) for e in reply.topics
        ]
        sheet.values |= {"parts": reply.parts, "unlisted": reply.unlisted}
        begin(sheet)
        return Outcome.OPENED

    def question(self, sheet: Sheet, heard: Replies) -> Outcome:
        reply = heard.of(LED)
        asked = isinstance(reply, Focus) and not reply.blank
        focus = reply.focus if isinstance(reply, Focus) else candidates(sheet)[0]
        missed = sheet.state.missed or not asked
        sheet.values |= {"focus": focus, "stage": RoundStage.RESPONSES, "missed": missed}
        sheet.told.append(("focus", focus))
        return Outcome.ASKED if asked else Outcome.FALLBACK

    def responses(self, sheet: Sheet, heard: Replies) -> Outcome:
        voting = sheet.votes()
        for number, member in enumerate(sheet.members):
            reply = heard.of(member.seat)
            said = reply.confidence if isinstance(reply, Response | Votes) else None
            judged = member.judged or (self.judges(reply) and member.seat not in sheet.mute)
            heard_of = member.heard or said is not None
            sheet.members[number] = replace(member, confidence=said, heard=heard_of, judged=judged)
        gone = any(member.confidence is None for member in sheet.members)
        sheet.values |= {"missed": sheet.state.missed or gone, "stage": RoundStage.SYNTHESIS}
        sheet.values["read"] = self.read(sheet)
        drafts = sheet.drafts()
        denied = self.denied(sheet, heard)
        sheet.confirm(list(self.confirmed(sheet, heard)))
        sheet.told += [("denied", key) for key in denied]
        if voting:
            self._vote(sheet, drafts, heard)
        else:
            named = {key for _, reply in heard if isinstance(reply, Response) for key in reply.contested}
            for thing in [each for each in sheet.things if each.id in named]:
                if thing.type is ArtifactType.RUL:
                    sheet.told.append(("refused", thing.id))
                    continue
                sheet.told.append(("contested", thing.id))
                sheet.dispute(thing, sheet.state.round)
        nobody = all(member.confidence is None for member in sheet.members)
        return Outcome.NO_RESPONSES if nobody else Outcome.RESPONDED

    def judges(self, reply: Reply | Absent | None) -> bool:
        """Whether somebody takes a stand: with some confidence, or by a vote for or against (W37)."""
        if isinstance(reply, Votes):
            stands = [
                v.stance is Consent.SUPPORT or (v.stance is Consent.BLOCK and not v.groundless)
                for v in reply.votes.values()
            ]
            return any(stands)
        return isinstance(reply, Response) and reply.confidence >= 1

    def read(self, sheet: Sheet) -> tuple[int, ...]:
        """The parts of the documents that somebody was shown who answered (W38)."""
        total, read = sheet.get("parts"), set(sheet.state.read)
        later = [number for number in range(2, total + 1) if number not in read] or list(range(2, total + 1))
        now = set(read)
        counting = [each for each in sheet.members if each.seat not in sheet.mute]
        for at, member in enumerate(counting):
            if member.confidence is not None:
                now |= {1, later[(at + sheet.get("round")) % len(later)] if later else 1}
        return tuple(sorted(now))

    def confirmed(self, sheet: Sheet, heard: Replies) -> Iterator[Key]:
        """The rulings that participants say are applied, by name or by a vote for them (W24)."""
        waiting = {each.id for each in sheet.rulings} - set(self.denied(sheet, heard))
        for _, reply in heard:
            if isinstance(reply, Response):
                yield from reply.applied
            if isinstance(reply, Votes):
                yield from (k for k, vote in reply.votes.items() if k in waiting and vote.stance is Consent.SUPPORT)

    def denied(self, sheet: Sheet, heard: Replies) -> list[Key]:
        """The rulings that a participant says are not applied, with what would have to change (W24)."""
        cast = [each for _, reply in heard if isinstance(reply, Votes) for each in reply.votes.items()]
        against = {key for key, vote in cast if vote.stance is Consent.BLOCK and not vote.groundless}
        return [each.id for each in sheet.rulings if each.id in against]

    def _vote(self, sheet: Sheet, drafts: tuple[Key, ...], heard: Replies) -> None:
        """A BLOCK with a change stops a draft, else a SUPPORT carries it; the second stop is a conflict (W30, W31)."""
        for key in drafts:
            thing = next(each for each in sheet.things if each.id == key)
            cast = [reply.votes[key] for _, reply in heard if isinstance(reply, Votes) and key in reply.votes]
            support = sum(vote.stance is Consent.SUPPORT for vote in cast)
            bare = sum(vote.stance is Consent.BLOCK and vote.groundless for vote in cast)
            stopped = sum(vote.stance is Consent.BLOCK for vote in cast) - bare
            sheet.told.append(("vote", f"{key} {support} {stopped} {bare} {len(cast)}"))
            thing.voted = stopped == 0
            if stopped:
                thing.blocked, thing.blocked_in = thing.blocked + 1, sheet.state.round
                if thing.blocked > 1:
                    sheet.told.append(("blocked", key))
                    sheet.dispute(thing, sheet.state.round + 1 - self.settings.max_rounds_per_conflict)
            elif support:
                thing.backing = Agreement.CONSENSUS
        sheet.weigh_anew()

    def synthesis(self, sheet: Sheet, heard: Replies) -> Outcome:
        reply, reading = heard.of(LED), heard.of(CLERK)
        self.doubt(sheet, reading)
        led = isinstance(reply, Synthesis)
        if isinstance(reply, Synthesis):
            remake(sheet, reply)
            if reply.advises:
                sheet.values["advised"] = sheet.state.round
        sheet.values |= {"led": led, "missed": sheet.state.missed or not led, "stage": RoundStage.ARTIFACTS}
        return Outcome.SYNTHESISED if led else Outcome.FALLBACK

    def doubt(self, sheet: Sheet, reading: Reply | Absent | None) -> None:
        """Note who is unsure about something critical (W23)."""
        settings, here = self.settings, sheet.get("focus") is not None and sheet.here.required
        for number, member in enumerate(sheet.members):
            unsure = member in sheet.voices and (member.confidence or 0) < settings.confidence_below
            named = not isinstance(reading, Reading) or f"P{number + 1}" in reading.critical
            critical = named or here or settings.escalate_on is EscalateOn.ANY
            sheet.members[number] = replace(member, unsure=unsure and critical)

    def processing(self, sheet: Sheet, heard: Replies) -> Outcome:
        state = sheet.state
        lost = 0 if state.led else state.lost + 1
        sheet.values |= {"stage": RoundStage.JOURNAL, "complete": state.complete + int(state.led), "lost": lost}
        if lost > 1:
            self._close(sheet, Trigger.ERROR)
            return Outcome.FAILED
        self._topics(sheet)
        return self._next(sheet, heard=False)

    def pause(self, sheet: Sheet, heard: Replies) -> Outcome:
        reply = heard.of(PERSON)
        choice = reply.choice if isinstance(reply, PauseReply) else PauseChoice.GO_ON
        sheet.confirm([each.id for each in sheet.rulings] if choice is PauseChoice.APPLIED else ())
        if choice is PauseChoice.CONCLUDE:
            self._close(sheet, Trigger.PERSON)
            return Outcome.CONCLUDE
        if choice is PauseChoice.ESCALATE:
            return Outcome.ESCALATE
        begin_next(sheet)
        return Outcome.CONTINUE

    def escalation(self, sheet: Sheet, heard: Replies) -> Outcome:
        choice, state = self.ruled(sheet.state, heard), sheet.state
        waiting, first = put(sheet), candidates(sheet)[0]
        sheet.confirm([each.id for each in sheet.rulings] if choice is RulingChoice.APPLIED else ())
        sheet.told.append(("ruling", choice.value))
        decided = choice in (RulingChoice.ACCEPT, RulingChoice.DECIDE)
        for each in waiting:
            if each.status is Status.OPEN and not (decided and each.dispute):
                each.since = state.round + 1
        disputes = [each for each in waiting if each.dispute]
        for conflict in disputes if decided else ():
            conflict.status = Status.RESOLVED
            sheet.told.append(("ruled", sheet.rule(conflict.topic, conflict.about)))
        if decided and not disputes:
            thing = sheet.thing(first)
            home = first if thing is None else thing.topic
            sheet.told.append(("ruled", sheet.rule(home, (home,))))
        sheet.weigh_anew()
        if state.stage is not RoundStage.JOURNAL:
            return RESUMES[state.stage]
        self._topics(sheet)
        return self._next(sheet, heard=True, sent_on=choice is RulingChoice.GO_ON)

    def ruled(self, state: State, heard: Replies) -> RulingChoice:
        """What a person's answer amounts to (W24)."""
        reply = heard.of(PERSON)
        if not isinstance(reply, Ruling):
            return RulingChoice.GO_ON
        empty = reply.choice is RulingChoice.DECIDE and reply.undecided
        waiting = put(Sheet.of(self.plan, state))
        last = max((each.made if each.dispute else each.made + 1 for each in waiting), default=1)
        unadvised = reply.choice is RulingChoice.ACCEPT and state.advised < last
        early = reply.choice is RulingChoice.APPLIED and not Sheet.of(self.plan, state).rulings
        return RulingChoice.GO_ON if empty or unadvised or early else reply.choice

    # What comes next

    def _topics(self, sheet: Sheet) -> None:
        """Move topics on; the one in focus closes when its pass is over, or with the last round (W20, W21)."""
        over = sheet.get("round") >= self.settings.max_rounds or sheet.bound or place(sheet)[2] is None
        for number, topic in enumerate(sheet.topics):
            if topic.status is TopicStatus.CLOSED:
                continue
            agreed = sheet.agreed(topic)
            free = not any(topic.key in sheet.homes(each) for each in [*sheet.disputes, *sheet.rulings])
            if RULES[self.plan.strategy.name] == CONSENT:
                drafts = [e for e in sheet.things if e.status in LIVE and e.agreement is Agreement.DRAFT]
                free = free and all(each.voted for each in drafts if each.topic == topic.key)
            whole = len(set(topic.met)) == topic.criteria and agreed >= topic.minimum and free
            if whole and (over or sheet.get("focus") != topic.key):
                status = TopicStatus.CLOSED
            elif topic.met or agreed:
                status = TopicStatus.PARTIAL
            else:
                continue
            if status is not topic.status:
                sheet.topics[number] = replace(topic, status=status)
                sheet.told.append(("topic", topic.key))

    def whole(self, sheet: Sheet) -> bool:
        """Nothing stands against COMPLETE: conflicts, rulings, too few who judged, parts that nobody read (W26)."""
        judged = [each for each in sheet.members if each.judged]
        read = set(sheet.get("read")) >= set(range(1, sheet.get("parts") + 1)) and not sheet.get("unlisted")
        return not sheet.disputes and not sheet.rulings and read and 2 * len(judged) >= len(sheet.members)

    def action(self, sheet: Sheet, *, heard: bool, sent_on: bool = False) -> tuple[Outcome, bool]:
        """The ordered rule (W22), and whether the topics are closed and nothing stands against it."""
        settings, left = self.settings, sheet.left()
        if settings.conclude_on is ConcludeOn.REQUIRED:
            left = [each for each in left if each.required]
        finished = not left and self.whole(sheet)
        asks = self.asks(sheet)
        if sheet.get("round") >= settings.max_rounds:
            return Outcome.CONCLUDE, finished
        if sheet.get("complete") < settings.min_rounds:
            return Outcome.CONTINUE, finished
        if finished and settings.reading is Interpretation.SEED:
            return Outcome.CONCLUDE, finished
        if asks and not heard:
            return Outcome.ESCALATE, finished
        if sent_on:
            return Outcome.CONTINUE, finished
        return (Outcome.CONCLUDE if finished else Outcome.CONTINUE), finished

    def asks(self, sheet: Sheet) -> bool:
        return self.settings.escalation and (any(e.unsure for e in sheet.members) or bool(overdue(sheet)))

    def _next(self, sheet: Sheet, *, heard: bool, sent_on: bool = False) -> Outcome:
        outcome, finished = self.action(sheet, heard=heard, sent_on=sent_on)
        if self.asks(sheet) and not heard and outcome is not Outcome.ESCALATE:
            last = sheet.get("round") >= self.settings.max_rounds
            name = "too late" if last else "passed over" if outcome is Outcome.CONCLUDE else "too early"
            sheet.told.append((name, why(sheet)))
        if outcome is Outcome.CONCLUDE:
            self._close(sheet, Trigger.AGENDA_CLOSED if finished else Trigger.MAX_ROUNDS)
        if outcome is Outcome.ESCALATE:
            sheet.told.append(("escalated", why(sheet)))
        if outcome is not Outcome.CONTINUE:
            return outcome
        if self.settings.interactive and not heard:
            return Outcome.PAUSE
        begin_next(sheet)
        return outcome

    def _close(self, sheet: Sheet, by: Trigger) -> None:
        sheet.values |= {"status": SessionStatus.CLOSED, "closed_by": by}


_PHASES: dict[Any, Any] = {
    Phase.OPENING: Recount.opening,
    Phase.QUESTION: Recount.question,
    Phase.RESPONSES: Recount.responses,
    Phase.SYNTHESIS: Recount.synthesis,
    Phase.PROCESSING: Recount.processing,
    Phase.PAUSE: Recount.pause,
    Phase.ESCALATION: Recount.escalation,
}
_PLAIN = tuple(name for name in State.__slots__ if name not in ("members", "topics", "artifacts"))


def _differing(sheet: Sheet, after: State) -> frozenset[str]:
    found = {name for name in _PLAIN if sheet.get(name) != getattr(after, name)}
    if sheet.things != things(after):
        found.add("artifacts")
    if tuple(sheet.topics) != after.topics:
        found.add("topics")
    if tuple(sheet.members) != after.members:
        found.add("members")
    return frozenset(found)
