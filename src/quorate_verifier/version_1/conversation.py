"""The conversation of a roundtable: who has the word, how a turn is followed, what a move costs (T9 to T20)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate_verifier.rules import Asked, Rules
from quorate_verifier.version_1.table import USER, WARNED_BEFORE, Cast, Talk


class Conversation(Rules):
    """Where a roundtable stands: its cast, the talk of the elaboration under way, and what went wrong so far."""

    def __init__(self, settings: Mapping[str, Any], briefs: Mapping[str, str]) -> None:
        super().__init__(settings, briefs)
        self.cast, self.talk = Cast(settings, briefs), Talk()
        self.initial = "ENTRY" if settings["start"] == "entry" else "MENU"
        self.round = 1
        self.elaborations = self.texts = 0
        self.skipped = self.missing = self.unkept = self.leaving = self.mechanical = False

    def _has_the_word(self) -> Asked:
        talk, everybody = self.talk, self.cast.personas
        match talk.step:
            case "listen":
                return "person", "turn", ()
            case "read":
                return "reader", "read", everybody
            case "classify":
                return "classifier", "classify", everybody
            case "clarify":
                return "person", "clarify", ()
        speaker, brief = talk.queue[0], "answer" if talk.addressed or talk.group else "speak"
        return self.cast.asked(speaker), brief, [each for each in everybody if each != speaker]

    def _said(self, reply: Mapping[str, Any] | None) -> str:
        match self.talk.step:
            case "listen":
                if reply is None or reply["blank"]:
                    return self._silent()
                self.talk.step = "read"
                self.talk.spoken |= {USER} if reply["words"] else set()
                return "HEARD"
            case "read" | "classify":
                return self._understood(reply)
            case "clarify":
                exits = reply is not None and reply["choice"] == "exit"
                return self._exit() if exits else self._contributed()
        return self._utterance(self.talk.queue.pop(0), reply)

    def _utterance(self, speaker: str, reply: Mapping[str, Any] | None) -> str:
        """A contribution costs a turn; a pass and the lead's redirect are free while moves are (T9, T17, T19)."""
        talk, owed = self.talk, self.talk.addressed or self.talk.group
        talk.addressed, talk.group = False, talk.group and bool(talk.queue)
        talk.step = "speak" if talk.queue else "listen"
        if reply is None:
            self.missing = True
            self.tell("persona missing", persona=speaker)
            return self._for_free("PASSED")
        if reply["blank"] or reply["manner"] == "pass":
            if owed:
                self.tell("nothing to add", persona=speaker)
            return self._for_free("PASSED")
        heard_before = set(talk.spoken)
        talk.spoken.add(speaker)
        if reply["manner"] == "redirect":
            if speaker == self.cast.lead:
                return self._for_free("REDIRECTED")
            self.tell("redirect refused", persona=speaker)
        for key in reply["challenges"]:
            self.tell("disagreement" if key in heard_before else "challenge dropped", by=speaker, against=key)
        return self._spend("SPOKE")

    def _spend(self, outcome: str) -> str:
        """Take a turn and warn where it is time to; the last one ends the talk, whatever it was (T9, T16)."""
        talk, limit = self.talk, self.cast.limit
        talk.turns, talk.free = talk.turns + 1, 0
        if talk.turns == limit - WARNED_BEFORE:
            self.tell("turn warning", turn=talk.turns, limit=limit)
        if talk.turns < limit:
            return outcome
        talk.end()
        return "LIMIT_REACHED"

    def _is_free(self) -> bool:
        """Take a free move, if there is one (T17)."""
        if self.talk.free >= self.settings["free_moves"]:
            return False
        self.talk.free += 1
        return True

    def _for_free(self, outcome: str) -> str:
        return outcome if self._is_free() else self._spend(outcome)

    def _silent(self) -> str:
        """The personas go on, the lead first, unless too little was said for too long (T14, T17)."""
        if not self._is_free():
            self.talk.end()
            return "INACTIVE"
        self.talk.give(self.cast.order())
        return "SILENT"

    def _understood(self, reply: Mapping[str, Any] | None) -> str:
        """Follow what the person's turn was read as; what nobody understands is asked back (T11 to T15)."""
        first = self.talk.step == "read"
        intent = reply["intent"] if reply is not None else "unclear"
        if intent == "exit":
            return self._exit()
        if intent == "silence" and first:
            return self._silent()
        if intent == "unclear" and first and self.settings["classifier"]:
            self.talk.step = "classify"
            return "UNCLEAR"
        if intent == "unclear" and self._is_free():
            self.talk.step = "clarify"
            return "ASKED_BACK"
        addressed = reply["addressed"] if reply is not None and intent == "address" else ()
        return self._contributed(*addressed[:1], group=intent == "group")

    def _contributed(self, to: str = "", *, group: bool = False) -> str:
        self.talk.give(self.cast.order(to), addressed=bool(to), group=group)
        self.talk.spoken.add(USER)
        return self._spend("READ")

    def _exit(self) -> str:
        self.talk.end()
        return "EXIT_REQUESTED"
