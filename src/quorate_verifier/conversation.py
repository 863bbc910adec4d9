"""The conversation of a roundtable: who has the word, how a turn is followed, what a move costs (T9 to T20, T30)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorate_verifier.rules import Asked, Rules
from quorate_verifier.table import USER, WARNED_BEFORE, Cast, Talk
from quorate_verifier.talk_fates import TalkFates

SHARE = 3
"""Utterances of personas in a row after which the person has the word (T30)."""


class Conversation(Rules):
    """Where a roundtable stands: its cast, the talk of the elaboration under way, and what went wrong so far."""

    def __init__(self, settings: Mapping[str, Any], briefs: Mapping[str, str]) -> None:
        super().__init__(settings, briefs)
        self.cast, self.talk = Cast(settings, briefs), Talk()
        self.initial = "ENTRY" if settings["start"] == "entry" else "MENU"
        self.round = 1
        self.elaborations = self.texts = 0
        self.said = TalkFates()
        self.skipped = self.missing = self.unkept = self.leaving = self.mechanical = False
        self.by_code = self.over = False

    def _has_the_word(self) -> Asked:
        talk, everybody = self.talk, self.cast.personas
        match talk.step:
            case "listen" | "last":
                return "person", "turn", ()
            case "read":
                return "reader", "read", everybody
            case "classify":
                return "classifier", "classify", everybody
            case "clarify" | "confirm":
                return "person", "clarify", ()
        speaker, brief = talk.queue[0], "answer" if talk.addressed or talk.group else "speak"
        return self.cast.asked(speaker), brief, [each for each in everybody if each != speaker]

    def _said(self, reply: Mapping[str, Any] | None) -> str:
        match self.talk.step:
            case "listen":
                return self._heard(reply)
            case "last":
                return self._last_word(reply)
            case "read" | "classify":
                return self._understood(reply)
            case "clarify":
                exits = reply is not None and reply["choice"] == "exit"
                return self._exit() if exits else self._contributed()
            case "confirm":
                if reply is not None and reply["choice"] == "go_on":
                    self.talk.give(self.cast.order(*self.talk.queue))
                    return self._spend("SILENT")
                self._end()
                return "INACTIVE"
        return self._utterance(self.talk.queue.pop(0), reply)

    def _heard(self, reply: Mapping[str, Any] | None) -> str:
        """Take what the person said: nothing, an unknown command (T31), or words, which settle disputes (T20, T22)."""
        talk = self.talk
        talk.row = 0
        if reply is None or reply["blank"]:
            return self._silent()
        self.said.remark(reply["text"], command=reply["command"])
        if reply["command"]:
            return "NO_COMMAND" if self._is_free() else self._confirm()
        talk.step = "read"
        talk.queue = [each for each in self.cast.personas if each in talk.queue and each != self.cast.lead]
        if reply["words"]:
            talk.spoken.add(USER)
            self._settle()
        return "HEARD"

    def _last_word(self, reply: Mapping[str, Any] | None) -> str:
        """Whatever the person says at the limit ends the talk, but for a command that nobody knows (T9, T31)."""
        if reply is not None and not reply["blank"]:
            self.said.remark(reply["text"], command=reply["command"])
            if reply["command"] and self._is_free():
                return "NO_COMMAND"
            self.said.follow("the last word")
            if reply["words"] and not reply["command"]:
                self.talk.spoken.add(USER)
                self._settle()
        self._end()
        return "LIMIT_REACHED"

    def _settle(self) -> None:
        if self.talk.disputed:
            self.tell("disagreements settled", by=USER)
        self.talk.disputed = False
        self.said.settle()

    def _utterance(self, speaker: str, reply: Mapping[str, Any] | None) -> str:
        """A contribution costs a turn, a pass none, the lead's redirect one where no move is free (T9, T17, T19)."""
        talk, owed = self.talk, self.talk.addressed or self.talk.group
        talk.addressed = False
        passes = reply is None or reply["blank"] or reply["manner"] == "pass"
        self.said.has_word(speaker, passes=passes)
        if reply is None:
            self.missing = True
            self.tell("persona missing", persona=speaker)
        elif passes and owed:
            self.tell("nothing to add", persona=speaker)
        if reply is not None and passes and not reply["blank"]:
            self.said.aside(speaker, reply["says"])
        if reply is None or passes:
            return self._hand_on("PASSED", ends=not self._is_free())
        heard_before = set(talk.spoken)
        talk.spoken.add(speaker)
        if reply["manner"] == "redirect":
            if speaker == self.cast.lead:
                talk.row += talk.free < self.settings["free_moves"]  # else it is counted with its turn
                return self._hand_on(self._for_free("REDIRECTED"))
            self.tell("redirect refused", persona=speaker)
        for key in reply["challenges"]:
            holds = key in heard_before
            self.tell("disagreement" if holds else "challenge dropped", by=speaker, against=key)
            self.said.challenge(speaker, key, reply["says"], holds=holds)
            talk.disputed = talk.disputed or holds
        for key in reply["asks"] or [each for each in reply["calls"] if each != speaker]:
            self.tell("asked by name", by=speaker, of=key)
            self.said.question(speaker, key, reply["says"])
            talk.queue, talk.addressed = [key, *(each for each in talk.queue if each != key)], True
        return self._hand_on(self._spend("SPOKE", by_persona=True))

    def _hand_on(self, outcome: str, *, ends: bool = False) -> str:
        """The next persona has the word, or the person: nobody waits, or it is the person's share (T10, T30).

        `ends` is a pass where no move is free any more, after which the person has the word too (T17).
        """
        talk = self.talk
        if talk.step == "last":
            return outcome
        if talk.queue and not ends and talk.row < SHARE and not (talk.row and talk.turns == self.cast.limit - 1):
            talk.step = "speak"
            return outcome
        asked = talk.queue[:1] if talk.addressed else []
        talk.queue = asked + [each for each in self.cast.order() if each in talk.queue and each not in asked]
        talk.step, talk.addressed, talk.group = "listen", False, False
        return outcome

    def _spend(self, outcome: str, *, by_persona: bool = False) -> str:
        """Take a turn and warn where it is time to; after the last the person has the last word (T9, T16)."""
        talk, limit = self.talk, self.cast.limit
        talk.turns, talk.free, talk.row = talk.turns + 1, 0, talk.row + by_persona
        if talk.turns == limit - WARNED_BEFORE:
            self.tell("turn warning", turn=talk.turns, limit=limit)
        if talk.turns < limit:
            return outcome
        talk.end()
        talk.step = "last"
        return "LAST_WORD"

    def _end(self) -> None:
        self.said.end_talk()
        self.talk.end()

    def _is_free(self) -> bool:
        """Take a free move, if there is one (T17)."""
        if self.talk.free >= self.settings["free_moves"]:
            return False
        self.talk.free += 1
        return True

    def _for_free(self, outcome: str) -> str:
        return outcome if self._is_free() else self._spend(outcome, by_persona=True)

    def _silent(self) -> str:
        """The personas go on, those first who did not come to speak (T14)."""
        if not self._is_free():
            return self._confirm()
        self.talk.give(self.cast.order(*self.talk.queue))
        return "SILENT"

    def _confirm(self) -> str:
        """Nothing is free any more, so the person is asked whether to wrap up (T17)."""
        self.talk.step = "confirm"
        return "ASKED_BACK"

    def _understood(self, reply: Mapping[str, Any] | None) -> str:
        """Follow what the person's turn was read as; what nobody understands is asked back (T11 to T15)."""
        first = self.talk.step == "read"
        intent = reply["intent"] if reply is not None else "unclear"
        if intent == "exit":
            return self._exit()
        if intent == "silence" and first:
            self.said.follow("a silence")
            return self._silent()
        if intent == "unclear" and first and self.settings["classifier"]:
            self.talk.step = "classify"
            return "UNCLEAR"
        if intent == "unclear" and self._is_free():
            self.talk.step = "clarify"
            return "ASKED_BACK"
        addressed = reply["addressed"] if reply is not None else ()
        near = [*addressed, ""][:1] if intent == "stranger" else None
        to = addressed[:1] if intent == "address" else ()
        return self._contributed(*to, group=intent == "group", near=near)

    def _contributed(self, to: str = "", *, group: bool = False, near: Sequence[str] | None = None) -> str:
        """Who is addressed has the word, or the lead, then those who did not come to speak (T10 to T13, T32)."""
        self.talk.give(self.cast.order(to or self.cast.lead, *self.talk.queue), addressed=bool(to), group=group)
        self.talk.spoken.add(USER)
        self._settle()
        for each in near or ():
            self.tell("nobody of that name", nearest=each)
        last = self.talk.turns == self.cast.limit - 1
        put = f"put to {to}" if to else "put to all" if group else "put to the table"
        self.said.follow("the last turn" if last else put)
        return self._spend("READ")

    def _exit(self) -> str:
        self.said.follow("the end of the talk")
        self._end()
        return "EXIT_REQUESTED"
