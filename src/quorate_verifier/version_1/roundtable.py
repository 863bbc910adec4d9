"""What follows in a roundtable: its rules are T1 to T29."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorate_verifier.rules import Asked, Heard, degree, exits, leads, table
from quorate_verifier.version_1.conversation import Conversation
from quorate_verifier.version_1.table import MANY_TURNS, USER, Talk

MOST_TEXTS, MOST_TRIES = 3, 2
NAMED = {"insights": "by", "decisions": "by", "open_questions": "resolver", "action_items": "owner"}
"""The lists of a synthesis, and what in each names somebody."""


class Roundtable(Conversation):
    """Personas and a person talk, within a limit of turns, and what comes of it is added to documents."""

    table = table("""
        MENU: ELABORATE ENTRY, CONTINUE LEFT, SKIP LEFT, FEEDBACK
        ENTRY: INTRODUCED TOPIC_FRAMING
        TOPIC_FRAMING: FRAMED DISCUSSION_LOOP
        DISCUSSION_LOOP: SPOKE, PASSED, REDIRECTED, HEARD, SILENT, READ, UNCLEAR, ASKED_BACK
        DISCUSSION_LOOP: EXIT_REQUESTED SYNTHESIS, LIMIT_REACHED SYNTHESIS, INACTIVE SYNTHESIS
        SYNTHESIS: RETRY, SYNTHESISED, APPENDED STATE_PERSIST, NOTHING_TO_ADD STATE_PERSIST
        SYNTHESIS: SUMMARISED STATE_PERSIST, NOTHING_SAID LEFT, GIVEN_UP ABORTED
        STATE_PERSIST: RECORDED MENU, CONCLUDED LEFT
    """)
    interrupts = leads(ABORTED="cancelled", SYNTHESIS="budget episodes stall wish")
    after = frozenset()
    ends = frozenset(("LEFT", "ABORTED"))
    initial = "MENU"
    uncounted = frozenset(("person", "reader", "clerk"))
    codes = exits(CONTINUE=0, SKIP=0, ABORTED=3)
    derived = "the menu, who has the word, every turn, how the talk ends, what is kept of the synthesis and the verdict"
    left_out = ("what a person's words mean: taken as the reader, the classifier or the person says",)

    # Whom a phase asks: one seat at a time (T2)

    def asked(self, phase: str) -> Sequence[Asked]:
        cast, step = self.cast, self.talk.step
        match phase:
            case "MENU":
                return [("person", "menu", ())]
            case "TOPIC_FRAMING":
                return [(cast.asked(cast.lead), "frame", cast.others)]
            case "DISCUSSION_LOOP":
                return [self._has_the_word()]
            case "SYNTHESIS" if step == "append":
                return [("clerk", "append", self.talk.targets)]
            case "SYNTHESIS" if step == "synthesise" and not self.mechanical and not self.talk.only_framed:
                return [(cast.asked(cast.lead), "synthesise", [*cast.personas, USER, *cast.documents])]
            case "STATE_PERSIST":
                return [("clerk", "record", ())]
        return []

    # What follows

    def decide(self, phase: str, heard: Sequence[Heard]) -> str:
        reply = heard[0].reply if heard else None
        match phase:
            case "MENU":
                return self._menu(reply)
            case "ENTRY":
                return self._introduce()
            case "TOPIC_FRAMING":
                return self._frame(reply)
            case "DISCUSSION_LOOP":
                return self._said(reply)
            case "SYNTHESIS":
                return self._synthesis(reply) if heard else self._without_asking()
        return self._record(reply)

    def _menu(self, reply: Mapping[str, Any] | None) -> str:
        """Elaborate, leave, or hear a text and offer the menu again (T4, T5)."""
        choice = reply["choice"] if reply is not None else "continue"
        text = choice == "text" or (choice == "skip" and not self.settings["step"])
        texts, self.texts = self.texts, 0
        if text:
            self.tell("feedback", number=texts + 1)
            self.texts = texts + 1 if texts < MOST_TEXTS else 0
            return "FEEDBACK" if self.texts else "CONTINUE"
        if choice == "skip":
            self.skipped = True
            return "SKIP"
        if choice == "elaborate" and self.elaborations < self.settings["max_elaborations"]:
            return "ELABORATE"
        if choice == "elaborate":
            self.tell("elaborations used up", most=self.settings["max_elaborations"])
        return "CONTINUE"

    def _introduce(self) -> str:
        """Begin an elaboration, and say what is odd about its settings (T3, T7)."""
        self.elaborations += 1
        self.round, self.talk, limit = self.elaborations, Talk(), self.cast.limit
        self.talk.step = "frame"
        self.tell("introduced", elaboration=self.elaborations, lead=self.cast.lead, limit=limit)
        if not self.cast.known:
            self.tell("lead unknown", phase=self.settings["phase"], lead=self.cast.lead)
        if limit > MANY_TURNS:
            self.tell("many turns", limit=limit, advised=MANY_TURNS)
        return "INTRODUCED"

    def _frame(self, reply: Mapping[str, Any] | None) -> str:
        """The framing is turn 1, the lead's or code's; whom it addresses has the word, then the others (T8, T10)."""
        lead, others = self.cast.lead, self.cast.others
        first = reply["addressed"] if reply is not None else others[0]
        self.talk.give([first, *(each for each in others if each != first)], addressed=True)
        if reply is None:
            self.missing = True
            self.tell("framing by code", lead=lead)
        else:
            self.talk.spoken = {lead}
        self._spend("FRAMED")
        return "FRAMED"

    # What comes of it

    def _without_asking(self) -> str:
        """Nothing was said, a limit was hit, or there is only the framing (T21, T26, T27)."""
        if self.talk.step == "end":
            return "GIVEN_UP"
        if self.talk.turns == 0:
            return "NOTHING_SAID"
        if self.talk.step == "record":
            return "NOTHING_TO_ADD"
        self.tell("synthesis by code")
        return self._to_record("SUMMARISED")

    def _to_record(self, outcome: str) -> str:
        self.talk.step, self.talk.spoken, self.talk.tries, self.talk.targets = "record", set(), 0, []
        return outcome

    def _synthesis(self, reply: Mapping[str, Any] | None) -> str:
        """The lead is asked twice at most; what it says goes to documents, if there is anything to add (T21, T23)."""
        if self.talk.step == "append":
            return self._appended(reply)
        if reply is None:
            self.talk.tries += 1
            if self.talk.tries < MOST_TRIES:
                return "RETRY"
            self.missing = True
            self.tell("synthesis by code")
            return self._to_record("SUMMARISED")
        items = [(name, each) for name in NAMED for each in reply[name] if not each["blank"]]
        self.tell("synthesised", items=len(items))
        targets = {self._target(name, each) for name, each in items}
        self._to_record("")
        self.talk.targets = [key for key in self.cast.documents if key in targets]
        if not self.talk.targets:
            return "NOTHING_TO_ADD"
        self.talk.step = "append"
        return "SYNTHESISED"

    def _target(self, name: str, item: Mapping[str, Any]) -> str:
        """Return the document that an item goes to; drop names and documents that do not hold (T22, T23)."""
        able = self.talk.spoken if NAMED[name] == "by" else {*self.cast.personas, USER}
        for key in item[NAMED[name]]:
            if key not in able:
                self.tell("attribution dropped", list=name, key=key)
        for key in item["document"]:
            if key not in self.cast.documents:
                self.tell("document unknown", list=name, key=key)
        known = [key for key in item["document"] if key in self.cast.documents]
        return next(iter([*known, *self.cast.documents]), "")

    def _appended(self, reply: Mapping[str, Any] | None) -> str:
        """What became of every document; one that is not reported was not written (T23, T25)."""
        told = {each["document"]: each for each in (reply["documents"] if reply is not None else ())}
        for key in self.talk.targets:
            result = told[key]["result"] if key in told else "failed"
            self.tell(f"document {result}", key=key, lines=told[key]["lines"] if key in told else 0)
            self.unkept = self.unkept or result == "failed"
        return self._to_record("APPENDED")

    def _record(self, reply: Mapping[str, Any] | None) -> str:
        result = reply["result"] if reply is not None else "failed"
        self.unkept = self.unkept or result == "failed"
        self.tell(f"record {result}", elaboration=self.elaborations, turns=self.talk.turns)
        self.talk, self.mechanical = Talk(), False
        return "CONCLUDED" if self.leaving else "RECORDED"

    # How it ends

    def progress(self, brief: str, reply: Mapping[str, Any]) -> bool:
        """A pass brings nothing, nor does a reading that reads nothing."""
        if brief in ("speak", "answer"):
            return not reply["blank"] and reply["manner"] != "pass"
        return brief != "classify" or reply["intent"] != "unclear"

    def interrupt(self, phase: str, reason: str) -> None:
        """Wrap up what is under way, without a model after a limit; a second limit ends it at once (T26, T27)."""
        talk = self.talk
        if reason == "cancelled":
            return
        if reason != "wish":
            if self.mechanical:
                talk.step, self.unkept = "end", True
                return
            cut_short = (talk.turns > 0 or talk.step == "frame") and talk.step not in ("append", "record")
            self.mechanical, self.missing = True, self.missing or cut_short
            if cut_short and not talk.spoken:
                self.leaving, talk.step = True, "end"
                return
        self.leaving = True
        if talk.step not in ("append", "record"):
            talk.end()

    def verdict(self, phase: str) -> str:
        return "ABORTED" if phase == "ABORTED" else "SKIP" if self.skipped else "CONTINUE"

    def degradation(self) -> str:
        return degree(self.unkept, self.missing)
