"""An independent second implementation of the rules: the expected result of each move.

It shares no code with talk.py, harvest.py and protocol.py, and is written the other way round: first what happened
at the table, then what that costs, then who has the word.
"""

from __future__ import annotations

from dataclasses import fields

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.protocol import Moment
from quorate.core.types import Reason, Seat
from quorate.core.values import replace
from quorate.protocols.roundtable.rules.forms import (
    Clarified,
    Framing,
    Intent,
    Manner,
    Menu,
    MenuChoice,
    Reading,
    Turn,
    Utterance,
    WhatWasMeant,
)
from quorate.protocols.roundtable.rules.model import USER, Contexts, Outcome, Phase, State, Step
from quorate.protocols.roundtable.rules.personas import Cast
from tests.protocols.roundtable.oracle.reharvest import Expected, recorded, synthesis

M = Moment[State]


class Recount:
    """Recomputes one move at a time, for one cast."""

    def __init__(self, cast: Cast) -> None:
        self.cast, self.settings = cast, cast.settings
        written = self.settings.max_turns or 0
        self.limit = written if written >= 3 else 10
        self.lead = cast.lead.seat
        self.everybody = sorted(cast.personas, key=lambda each: each.seat != self.lead)
        self._known: tuple[M, Expected] | None = None

    def of(self, moment: M) -> Expected:
        if self._known is None or self._known[0] is not moment:
            self._known = (moment, self._expect(moment))
        return self._known[1]

    def differs(self, moment: M) -> set[str]:
        """Return the fields of the state that differ from the recount."""
        wanted = self.of(moment).state
        if wanted == moment.after:
            return set()
        return {f.name for f in fields(State) if getattr(wanted, f.name) != getattr(moment.after, f.name)}

    def _expect(self, moment: M) -> Expected:
        state = moment.state
        reply = moment.replies.pairs[0][1] if moment.replies.pairs else None
        if moment.interrupted is not None:
            return Expected(moment.interrupted, interrupted(state, moment.interrupted))
        match moment.phase:
            case Phase.MENU:
                return self._menu(state, reply)
            case Phase.ENTRY:
                return self._entry(state)
            case Phase.TOPIC_FRAMING:
                return self._framing(state, reply)
            case Phase.DISCUSSION_LOOP if state.step is Step.SPEAK:
                return self._voice(state, reply)
            case Phase.DISCUSSION_LOOP:
                return self._person(state, reply)
            case Phase.SYNTHESIS:
                return synthesis(self.cast, state, reply)
            case _:
                return recorded(state, reply)

    # The menu

    def _menu(self, state: State, reply: object) -> Expected:
        said = reply.choice if isinstance(reply, Menu) else None
        if said is MenuChoice.SKIP and not self.settings.step:
            said = MenuChoice.TEXT
        left = replace(state, texts=0)
        if said is MenuChoice.TEXT:
            facts = (Fact.of("feedback", number=state.texts + 1),)
            if state.texts == 3:
                return Expected(Outcome.CONTINUE, left, facts)
            return Expected(Outcome.FEEDBACK, replace(state, texts=state.texts + 1), facts)
        if said is MenuChoice.SKIP:
            return Expected(Outcome.SKIP, replace(left, skipped=True))
        if said is MenuChoice.ELABORATE:
            if state.elaborations == self.settings.max_elaborations:
                most = self.settings.max_elaborations
                return Expected(Outcome.CONTINUE, left, (Fact.of("elaborations used up", most=most),))
            return Expected(Outcome.ELABORATE, left)
        return Expected(Outcome.CONTINUE, left)

    def _entry(self, state: State) -> Expected:
        count, facts = state.elaborations + 1, []
        if not self.cast.lead_known:
            facts.append(Fact.of("lead unknown", phase=self.settings.phase, lead=self.lead))
        if self.limit > 20:
            facts.append(Fact.of("many turns", limit=self.limit, advised=20))
        begun = Fact.of("introduced", elaboration=count, lead=self.lead, limit=self.limit)
        return Expected(Outcome.INTRODUCED, replace(state, elaborations=count, step=Step.FRAME), (begun, *facts))

    # The talk

    def _framing(self, state: State, reply: object) -> Expected:
        others = [each.seat for each in self.everybody[1:]]
        if isinstance(reply, Framing):
            others.sort(key=lambda seat: seat != Seat(reply.addressed))
        here = isinstance(reply, Framing)
        facts = () if here else (Fact.of("framing by code", lead=self.lead),)
        spoken = (Key(self.lead),) if here else ()
        after = replace(state, turn=1, row=1, queue=tuple(others), addressed=True, spoken=spoken)
        after = replace(after, step=Step.SPEAK, missing=state.missing or not here)
        return Expected(Outcome.FRAMED, after, (*facts, *self._warned(0, 1)))

    def _warned(self, before: int, after: int) -> tuple[Fact, ...]:
        at = self.limit - 2
        return (Fact.of("turn warning", turn=at, limit=self.limit),) if before < at <= after else ()

    def _voice(self, state: State, reply: object) -> Expected:
        """A persona had the word: what it did, and what that costs."""
        who, next_ = state.queue[0], state.queue[1:]
        facts: list[Fact] = []
        did = Manner.PASS
        if not isinstance(reply, Utterance):
            facts.append(Fact.of("persona missing", persona=who))
        elif reply.blank or reply.manner is Manner.PASS:
            facts += [Fact.of("nothing to add", persona=who)] if state.addressed or state.group else []
        else:
            did = reply.manner
            if did is Manner.REDIRECT and who != self.lead:
                did = Manner.CONTRIBUTE
                facts.append(Fact.of("redirect refused", persona=who))
        if did is Manner.CONTRIBUTE and isinstance(reply, Utterance):
            for key in reply.challenges:
                name = "disagreement" if key in state.spoken else "challenge dropped"
                facts.append(Fact.of(name, by=who, against=key))
            by_name = reply.asks if reply.asks else tuple(key for key in reply.calls if Seat(key) != who)
            for key in by_name:
                facts.append(Fact.of("asked by name", by=who, of=key))
                next_ = (Seat(key), *(seat for seat in next_ if seat != Seat(key)))
        outcome = {
            Manner.CONTRIBUTE: Outcome.SPOKE,
            Manner.REDIRECT: Outcome.REDIRECTED,
            Manner.PASS: Outcome.PASSED,
        }[did]
        after = replace(
            state,
            queue=next_,
            addressed=any(fact.name == "asked by name" for fact in facts),
            spoken=state.spoken if did is Manner.PASS else self._heard(state, Key(who)),
            missing=state.missing if isinstance(reply, Utterance) else True,
            disputed=state.disputed or any(fact.name == "disagreement" for fact in facts),
        )
        stays = did is Manner.PASS and state.free == self.settings.free_moves
        if stays:
            waiting = tuple(each.seat for each in self.everybody if each.seat in next_)
            return Expected(outcome, replace(after, queue=waiting, step=Step.LISTEN, group=False), tuple(facts))
        made = self._counted(state, after, outcome, facts, costs=did is Manner.CONTRIBUTE)
        if made.outcome is Outcome.LAST_WORD:
            return made
        return replace(made, state=self._whose_word(state, made.state, redirected=did is Manner.REDIRECT))

    def _whose_word(self, before: State, after: State, *, redirected: bool) -> State:
        """The person's, where nobody waits, or personas have had their share, or the last turn is next (T10, T30)."""
        row = before.row + int(after.turn > before.turn or redirected)
        last_is_next = after.turn == self.limit - 1 and row > 0
        if after.queue and row < 3 and not last_is_next:
            return replace(after, row=row, step=Step.SPEAK)
        waiting = sorted(after.queue, key=[each.seat for each in self.everybody].index)
        if after.addressed:
            waiting.sort(key=lambda seat: seat != after.queue[0])
        return replace(after, row=row, step=Step.LISTEN, queue=tuple(waiting), addressed=False, group=False)

    def _person(self, state: State, reply: object) -> Expected:
        """The person had the word, or somebody says what the person's words meant."""
        if state.step is Step.LISTEN:
            state = replace(state, row=0)
        match state.step, reply:
            case Step.LAST, _:
                return self._last(state, reply if isinstance(reply, Turn) and not reply.blank else None)
            case Step.LISTEN, Turn(blank=False, command=True):
                if state.free == self.settings.free_moves:
                    return Expected(Outcome.ASKED_BACK, replace(state, step=Step.CONFIRM))
                return Expected(Outcome.NO_COMMAND, replace(state, free=state.free + 1))
            case Step.LISTEN, Turn(blank=False, words=more):
                others = tuple(each.seat for each in self.everybody[1:] if each.seat in state.queue)
                after = replace(state, step=Step.READ, queue=others)
                if not more:
                    return Expected(Outcome.HEARD, after)
                after = replace(after, spoken=self._heard(state, USER), disputed=False)
                return Expected(Outcome.HEARD, after, self._over_with(state))
            case Step.CONFIRM, Clarified(choice=WhatWasMeant.GO_ON):
                return self._counted(state, self._going_on(state), Outcome.SILENT, [], costs=True)
            case Step.CONFIRM, _:
                return Expected(Outcome.INACTIVE, over(state))
            case Step.LISTEN, _:
                return self._hush(state)
            case Step.CLARIFY, Clarified(choice=WhatWasMeant.EXIT):
                return Expected(Outcome.EXIT_REQUESTED, over(state))
            case Step.CLARIFY, _:
                return self._words(state)
            case Step.READ, Reading(intent=Intent.SILENCE):
                return self._hush(state)
            case _, Reading(intent=Intent.EXIT):
                return Expected(Outcome.EXIT_REQUESTED, over(state))
            case _, Reading(intent=Intent.ADDRESS, addressed=(one, *_)):
                return self._words(state, Seat(one))
            case _, Reading(intent=Intent.GROUP):
                return self._words(state, group=True)
            case _, Reading(intent=Intent.STRANGER, addressed=named):
                return self._words(state, facts=(Fact.of("nobody of that name", nearest="".join(named)),))
            case _, Reading(intent=Intent.CONTRIBUTION | Intent.ADDRESS | Intent.SILENCE):
                return self._words(state)
            case _:
                return self._unread(state)

    def _last(self, state: State, reply: Turn | None) -> Expected:
        """Nothing follows the last word; an unknown command is none, as long as a move is free (T9, T31)."""
        if reply and reply.command and state.free < self.settings.free_moves:
            return Expected(Outcome.NO_COMMAND, replace(state, free=state.free + 1))
        if not reply or reply.command or not reply.words:
            return Expected(Outcome.LIMIT_REACHED, over(state))
        said = replace(over(state), spoken=self._heard(state, USER), disputed=False)
        return Expected(Outcome.LIMIT_REACHED, said, self._over_with(state))

    def _hush(self, state: State) -> Expected:
        if state.free == self.settings.free_moves:
            return Expected(Outcome.ASKED_BACK, replace(state, step=Step.CONFIRM))
        return Expected(Outcome.SILENT, replace(self._going_on(state), free=state.free + 1))

    def _going_on(self, state: State) -> State:
        """Who waits has the word, then everybody else."""
        others = (each.seat for each in self.everybody if each.seat not in state.queue)
        return replace(state, step=Step.SPEAK, queue=(*state.queue, *others))

    def _over_with(self, state: State) -> tuple[Fact, ...]:
        return (Fact.of("disagreements settled", by=USER),) if state.disputed else ()

    def _unread(self, state: State) -> Expected:
        if state.step is Step.READ and self.settings.classifier:
            return Expected(Outcome.UNCLEAR, replace(state, step=Step.CLASSIFY))
        if state.free < self.settings.free_moves:
            return Expected(Outcome.ASKED_BACK, replace(state, step=Step.CLARIFY, free=state.free + 1))
        return self._words(state)

    def _words(
        self, state: State, to: Seat | None = None, group: bool = False, facts: tuple[Fact, ...] = ()
    ) -> Expected:
        first = [to or self.lead]
        waiting = [seat for seat in state.queue if seat not in first]
        queue = first + waiting + [e.seat for e in self.everybody if e.seat not in (*first, *waiting)]
        after = replace(
            state,
            step=Step.SPEAK,
            queue=tuple(queue),
            addressed=to is not None,
            group=group,
            spoken=self._heard(state, USER),
            disputed=False,
        )
        return self._counted(state, after, Outcome.READ, [*self._over_with(state), *facts], costs=True)

    def _heard(self, state: State, who: Key) -> tuple[Key, ...]:
        places = [*(each.seat for each in self.cast.personas), USER]
        return tuple(sorted({*state.spoken, who}, key=places.index))

    def _counted(self, state: State, after: State, outcome: Outcome, facts: list[Fact], costs: bool) -> Expected:
        if not costs and state.free < self.settings.free_moves:
            return Expected(outcome, replace(after, free=state.free + 1), tuple(facts))
        turn = state.turn + 1
        after = replace(after, turn=turn, free=0)
        told = (*facts, *self._warned(state.turn, turn))
        if turn == self.limit:
            return Expected(Outcome.LAST_WORD, replace(over(after), step=Step.LAST), told)
        return Expected(outcome, after, told)

    def asked(self, seat: Seat) -> Seat:
        return seat if self.settings.contexts is Contexts.SEPARATE else Seat("ensemble")


def over(state: State) -> State:
    """The talk is over."""
    return replace(state, queue=(), row=0, addressed=False, group=False, free=0, step=Step.SYNTHESISE)


def interrupted(state: State, reason: Reason) -> State:
    """Where an interruption leaves the state: nothing that was said or counted is lost (T26, T27)."""
    if reason is Reason.CANCELLED:
        return state
    written = state.step in (Step.APPEND, Step.RECORD)
    after = replace(state if written else over(state), leaving=True)
    if reason is Reason.WISH:
        return after
    if state.mechanical:
        return replace(state, step=Step.END, unkept=True)
    if written or (not state.turn and state.step is not Step.FRAME):
        return replace(after, mechanical=True)
    last = after.step if state.spoken else Step.END
    return replace(after, mechanical=True, missing=True, step=last)
