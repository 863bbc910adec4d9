"""What follows in a roundtable: of its rules T1 to T27 those that count turns, end the talk and lead to the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorate_verifier.rules import Heard, Rules, leads, table

LEAST_TURNS, DEFAULT_TURNS, MOST_TEXTS = 3, 10, 3
RECORDED = {"record written", "record repaired", "record failed"}


class Roundtable(Rules):
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
    ends = frozenset(("LEFT", "ABORTED"))
    initial = "MENU"
    derived = "the menu, every turn against the limit, free moves, how the talk ends, retries and the verdict"
    left_out = (
        "which persona speaks next, with shared contexts who speaks, and what the synthesis becomes in documents",
        "how the reader understood the person's words: taken as recorded",
    )

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        most = settings["max_turns"]
        self.limit = most if most is not None and most >= LEAST_TURNS else DEFAULT_TURNS
        self.elaborations = self.texts = self.turns = self.free = self.missing = 0
        self.lead = ""
        self.wrapping = False
        self.left = "CONTINUE"
        self.initial = "ENTRY" if settings["start"] == "entry" else "MENU"

    def asked(self, phase: str) -> Sequence[tuple[str, str]] | None:
        if phase == "MENU":
            return [("person", "menu")]
        return [] if phase == "ENTRY" else None  # one seat at a time: looked at in `decide`

    def decide(self, phase: str, heard: Sequence[Heard]) -> str:
        if len(heard) > 1:
            raise ValueError(f"{len(heard)} seats are asked at once (T2)")
        one = heard[0] if heard else None
        match phase:
            case "MENU":
                return self._menu(one.reply if one is not None else None)
            case "ENTRY":
                told = next(fact["values"] for fact in self.facts if fact["name"] == "introduced")
                self.elaborations, self.lead = self.elaborations + 1, str(told["lead"])
                self.turns = self.free = self.missing = 0
                if told["limit"] != self.limit:
                    raise ValueError(f"the limit is stated as {told['limit']} and is {self.limit} (T3)")
                return "INTRODUCED"
            case "TOPIC_FRAMING":
                self.turns = 1
                return "FRAMED"
            case "DISCUSSION_LOOP":
                return self._talk(one)
            case "SYNTHESIS":
                return self._synthesis(one)
        return self._persist()

    def _menu(self, reply: Mapping[str, Any] | None) -> str:
        choice = reply["choice"] if reply is not None else "continue"
        if choice == "skip" and not self.settings["step"]:
            choice = "text"  # at the end of a phase there is nothing to skip (T4)
        if choice == "skip":
            self.left = "SKIP"
            return "SKIP"
        if choice == "elaborate" and self.elaborations < self.settings["max_elaborations"]:
            self.texts = 0
            return "ELABORATE"
        if choice == "text" and self.texts < MOST_TEXTS:
            self.texts += 1
            return "FEEDBACK"
        return "CONTINUE"

    def _talk(self, one: Heard | None) -> str:
        if one is None:
            if self.turns < self.limit:
                raise ValueError(f"nobody is asked at turn {self.turns} of {self.limit} (T9)")
            return "LIMIT_REACHED"
        if one.brief in ("speak", "answer"):
            return self._utterance(one)
        if one.brief == "turn":
            if one.reply is None or one.reply["blank"]:
                return self._free("SILENT")
            return "HEARD"
        return self._understood(one)

    def _utterance(self, one: Heard) -> str:
        """A contribution costs a turn; a pass and the lead's redirect are free while moves are (T9, T17, T19)."""
        if self.turns >= self.limit:
            raise ValueError(f"somebody speaks after turn {self.turns} of {self.limit} (T9)")
        if one.reply is None or one.reply["blank"] or one.reply["manner"] == "pass":
            return self._free("PASSED")
        shared = self.settings["contexts"] == "shared" and self.stated == "REDIRECTED"
        if one.reply["manner"] == "redirect" and (one.seat == self.lead or shared):
            return self._free("REDIRECTED")
        return self._spend("SPOKE")

    def _spend(self, outcome: str) -> str:
        """Take a turn; the last one ends the talk, whatever it was (T9)."""
        self.turns, self.free = self.turns + 1, 0
        return "LIMIT_REACHED" if self.turns >= self.limit else outcome

    def _free(self, outcome: str, after: str = "") -> str:
        """Take a move that costs nothing, while there are any in a row; after that it costs a turn (T17)."""
        if self.free < self.settings["free_moves"]:
            self.free += 1
            return outcome
        return "INACTIVE" if outcome == "SILENT" else self._spend(after or outcome)

    def _understood(self, one: Heard) -> str:
        """Words are an exit, or cost a turn; what nobody understands is asked back (T15)."""
        reply: Mapping[str, Any] = one.reply if one.reply is not None else {}
        if one.brief == "clarify":
            return "EXIT_REQUESTED" if reply.get("choice") == "exit" else self._spend("READ")
        intent = reply.get("intent", "unclear")
        if intent == "exit":
            return "EXIT_REQUESTED"
        if intent == "silence" and one.brief == "read":
            return self._free("SILENT")
        if intent != "unclear":
            return self._spend("READ")
        if one.brief == "read" and self.settings["classifier"]:
            return "UNCLEAR"
        return self._free("ASKED_BACK", "READ")

    def _synthesis(self, one: Heard | None) -> str:
        """The lead is asked twice at most; what there is to add, and whether, is taken as stated (T21, T23)."""
        if one is None:
            allowed: tuple[str, ...] = ("SUMMARISED", "NOTHING_SAID", "GIVEN_UP", "NOTHING_TO_ADD")
        elif one.brief == "append":
            allowed = ("APPENDED",)
        elif one.reply is None:
            self.missing += 1
            allowed = ("RETRY",) if self.missing < 2 else ("SUMMARISED",)
        else:
            allowed = ("SYNTHESISED", "NOTHING_TO_ADD")
        return self.stated if self.stated in allowed else allowed[0]

    def _persist(self) -> str:
        told = [fact["values"]["turns"] for fact in self.facts if fact["name"] in RECORDED]
        if told and told[0] != self.turns:
            raise ValueError(f"{told[0]} turns are recorded, and {self.turns} were taken (T9)")
        return "CONCLUDED" if self.wrapping else "RECORDED"

    def interrupt(self, phase: str, reason: str, heard: Sequence[Heard]) -> None:
        self.wrapping = True

    def verdict(self, phase: str) -> str:
        return "ABORTED" if phase == "ABORTED" else self.left
