"""Invariants of who has the word: the person's share, whoever is asked by name, and how a talk is left."""

from __future__ import annotations

from collections.abc import Callable

from quorate.core.protocol import Moment
from quorate.core.types import Seat
from quorate.protocols.roundtable.rules.forms import Clarified, Manner, Turn, Utterance, WhatWasMeant
from quorate.protocols.roundtable.rules.model import PERSON, Outcome, Phase, State, Step
from quorate.protocols.roundtable.rules.personas import Cast

M = Moment[State]
Check = Callable[[Cast, M], bool]


def _in_talk(moment: M) -> bool:
    return moment.phase is Phase.DISCUSSION_LOOP and moment.interrupted is None


def _said(moment: M) -> object:
    return moment.replies.pairs[0][1] if moment.replies.pairs else None


def _counted(cast: Cast, moment: M) -> bool:
    """What personas say is counted, the framing included, until the person has the word and no longer (T30)."""
    before, after, reply = moment.state, moment.after, _said(moment)
    if moment.outcome is Outcome.FRAMED:
        return after.row == 1
    if not _in_talk(moment) or moment.to is not Phase.DISCUSSION_LOOP:
        return moment.interrupted is not None or moment.to is Phase.DISCUSSION_LOOP or after.row == 0
    if before.step is not Step.SPEAK or after.step is Step.LAST:
        return after.row == 0
    redirects = isinstance(reply, Utterance) and not reply.blank and reply.manner is Manner.REDIRECT
    return after.row == before.row + (after.turn > before.turn or redirects)


def _persons_word(cast: Cast, moment: M) -> bool:
    """A persona has the word only while the person's share allows it, else the person is asked (T30)."""
    before, after = moment.state, moment.after
    if _in_talk(moment) and before.step in (Step.LISTEN, Step.LAST) and [ask.seat for ask in moment.asks] != [PERSON]:
        return False
    if _in_talk(moment) and before.step is Step.SPEAK and moment.outcome is Outcome.LAST_WORD:
        return before.row == 0
    if moment.to is not Phase.DISCUSSION_LOOP or after.step is not Step.SPEAK:
        return True
    return after.row < 3 and (after.row == 0 or after.turn < cast.settings.turns - 1)


def _asked(moment: M) -> list[Seat]:
    """Return whom a persona has asked by name in this move."""
    return [Seat(str(dict(fact.values)["of"])) for fact in moment.facts if fact.name == "asked by name"]


def _answers(cast: Cast, moment: M) -> bool:
    """Whom a contribution asks by name is next, by key or in its words, and nobody else is said to be asked (T19)."""
    reply, before, after = _said(moment), moment.state, moment.after
    named: list[Seat] = []
    if _in_talk(moment) and before.step is Step.SPEAK and isinstance(reply, Utterance) and not reply.blank:
        passes = reply.manner is Manner.PASS
        redirects = reply.manner is Manner.REDIRECT and before.queue[0] == cast.lead.seat
        named = [seat for seat in map(Seat, reply.asks or reply.calls) if seat != before.queue[0]]
        named = [] if passes or redirects else named
    if _asked(moment) != named:
        return False
    if not named or moment.to is not Phase.DISCUSSION_LOOP or after.step is Step.LAST:
        return True
    return list(after.queue[:1]) == named and after.addressed == (after.step is Step.SPEAK)


def _waits(cast: Cast, moment: M) -> bool:
    """Who did not come to speak keeps the word through the person's turn (T10)."""
    before, after = moment.state, moment.after
    if not _in_talk(moment) or moment.to is not Phase.DISCUSSION_LOOP:
        return True
    if after.step is Step.LAST:
        return not after.queue
    if before.step is Step.SPEAK:
        waiting = {*before.queue[1:], *_asked(moment)}
        return set(after.queue) == waiting and len(after.queue) == len(waiting)
    if moment.outcome not in (Outcome.READ, Outcome.SILENT):
        lead = {cast.lead.seat} if moment.outcome is Outcome.HEARD else set()  # it comes before them in any case
        return set(after.queue) == set(before.queue) - lead
    called = after.queue[0] if after.addressed else None if moment.outcome is Outcome.SILENT else cast.lead.seat
    waiting, others = set(before.queue) - {called}, [seat for seat in after.queue if seat != called]
    return set(others[: len(waiting)]) == waiting


def _leaves(cast: Cast, moment: M) -> bool:
    """A talk is left after the person was asked: by a word, the last one, or not wanting to go on (T9, T17)."""
    reply, before = _said(moment), moment.state
    if not _in_talk(moment) or moment.to is Phase.DISCUSSION_LOOP:
        return True
    if moment.outcome is Outcome.LIMIT_REACHED:
        return before.step is Step.LAST
    goes_on = isinstance(reply, Clarified) and reply.choice is WhatWasMeant.GO_ON
    if moment.outcome is Outcome.INACTIVE:
        return before.step is Step.CONFIRM and not goes_on
    return before.step in (Step.READ, Step.CLASSIFY, Step.CLARIFY) and not goes_on


def _confirms(cast: Cast, moment: M) -> bool:
    """The person is asked whether to wrap up after a silence or an unknown command, where nothing is free (T17)."""
    before, after = moment.state, moment.after
    if not _in_talk(moment) or after.step is not Step.CONFIRM:
        return not _in_talk(moment) or before.step is not Step.CONFIRM or moment.outcome is not Outcome.ASKED_BACK
    silent = before.step in (Step.LISTEN, Step.READ) and moment.outcome is Outcome.ASKED_BACK
    return silent and before.free == after.free == cast.settings.free_moves and before.turn == after.turn


def _no_command(cast: Cast, moment: M) -> bool:
    """An unknown command is heard by nobody, costs no turn and changes nothing but the free moves (T31)."""
    reply, before, after = _said(moment), moment.state, moment.after
    unknown = isinstance(reply, Turn) and reply.command and not reply.blank and moment.interrupted is None
    if not unknown:
        return moment.outcome is not Outcome.NO_COMMAND
    same = (after.turn, after.spoken, after.queue, after.disputed) == (
        before.turn,
        before.spoken,
        before.queue,
        before.disputed,
    )
    if before.free < cast.settings.free_moves:
        return same and moment.outcome is Outcome.NO_COMMAND and after.step is before.step
    if before.step is Step.LAST:
        return same and moment.outcome is Outcome.LIMIT_REACHED
    return same and moment.outcome is Outcome.ASKED_BACK and after.step is Step.CONFIRM


def _passes(cast: Cast, moment: M) -> bool:
    """No pass costs a turn; where nothing is free any more the person has the word after it (T17)."""
    if not _in_talk(moment) or moment.outcome is not Outcome.PASSED:
        return True
    over = moment.state.free == cast.settings.free_moves
    return moment.after.turn == moment.state.turn and (not over or moment.after.step is Step.LISTEN)


WORD_CHECKS: tuple[tuple[str, str, Check], ...] = (
    ("what personas say in a row is counted", "T30", _counted),
    ("the person gets the word", "T30", _persons_word),
    ("who is asked by name has the word next", "T19", _answers),
    ("who did not come to speak comes next", "T10", _waits),
    ("a talk is left after the person was asked", "T17", _leaves),
    ("the person is asked before a silence ends the talk", "T17", _confirms),
    ("no pass takes a turn", "T17", _passes),
    ("an unknown command is heard by nobody and costs nothing", "T31", _no_command),
)
