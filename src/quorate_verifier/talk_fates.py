"""What became of everything that was raised in a roundtable (T33), from the replies and the outcomes that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

UNDER_WAY = "under way"
ITEMS = {
    "insights": ("I", "insight"),
    "decisions": ("D", "decision"),
    "open_questions": ("O", "open question"),
    "action_items": ("A", "action item"),
}
WRITTEN = {"added": "written to {}", "missing": "not written: {} is missing", "failed": "not written: {} failed"}


class TalkFates:
    """Everything that was raised in a session, in order, each with what became of it so far."""

    def __init__(self) -> None:
        self.raised: list[dict[str, Any]] = []
        self.elaboration = 0
        self._counts: dict[str, int] = {}

    def _add(self, letter: str, what: str, by: Sequence[str], became: str = UNDER_WAY, **more: Any) -> dict[str, Any]:
        place = f"E{self.elaboration}.{letter}"
        self._counts[place] = self._counts.get(place, 0) + 1
        return self._note(f"{place}{self._counts[place]}", what, by, became, **more)

    def _note(self, id_: str, what: str, by: Sequence[str], became: str, **more: Any) -> dict[str, Any]:
        fate = {"id": id_, "what": what, "by": list(by), "became": became, **more}
        self.raised.append(fate)
        return fate

    def _open(self, *what: str) -> list[dict[str, Any]]:
        return [each for each in self.raised if each["became"] == UNDER_WAY and each["what"] in what]

    def told(self, *, over: bool) -> list[dict[str, Any]]:
        """Return all fates; where the session is over nothing is under way any more (T27)."""
        if over:
            self.cut_off()
        return self.raised

    def cut_off(self) -> None:
        for each in self.raised:
            if each["became"] == UNDER_WAY:
                each["became"] = "cut off"

    # What is raised

    def feedback(self, words: str) -> None:
        """A text at the menu is kept (T5)."""
        count = sum(each["what"] == "feedback" for each in self.raised)
        self._note(f"F{count + 1}", "feedback", ["person"], "kept", words=words)

    def begin(self, number: int) -> None:
        self.elaboration = number
        self._note(f"E{number}", "elaboration", [], UNDER_WAY)

    def challenge(self, by: str, against: str, words: str, *, holds: bool) -> None:
        """Who contradicts somebody that has spoken disagrees; anything else is dropped (T20)."""
        self._add("P", "disagreement", [by, against], UNDER_WAY if holds else "dropped", words=words)

    def question(self, by: str, of: str, words: str) -> None:
        self._add("Q", "question", [by], of=of, words=words)

    def aside(self, by: str, words: str) -> None:
        """Who passes with words has said nothing: nobody hears them (T19)."""
        self._add("W", "words beside a pass", [by], "not heard", words=words)

    def remark(self, words: str, *, command: bool) -> None:
        """The person has said something; an unknown command is heard by nobody (T31)."""
        self._add("R", "remark", ["person"], "no command" if command else UNDER_WAY, words=words)

    # What becomes of it

    def has_word(self, persona: str, *, passes: bool) -> None:
        """Whoever was asked by name has had the word (T19)."""
        for each in self._open("question"):
            if each["of"] == persona:
                each["became"] = "passed" if passes else "answered"

    def follow(self, became: str) -> None:
        """What the person said last was followed."""
        for each in self._open("remark"):
            each["became"] = became

    def settle(self) -> None:
        """The person has said something, so what was disputed is settled (T20)."""
        for each in self._open("disagreement"):
            each["became"] = "settled by the person"

    def end_talk(self) -> None:
        for each in self._open("question", "remark"):
            each["became"] = "not heard"

    def item(self, name: str, item: Mapping[str, Any], able: Sequence[str], target: str) -> None:
        """An item of the synthesis goes to its document, or is left in the result (T22, T23)."""
        letter, what = ITEMS[name]
        by = [key for key in item["by"] if key in able] if "by" in item else []
        became = UNDER_WAY if target else "left in the result"
        self._add(letter, what, by, became, target=target, words=item["text"])

    def leave_open(self, target: str) -> None:
        """The last disagreement of each two becomes an open question (T21)."""
        disputes = self._open("disagreement")
        last = {frozenset(each["by"]): each["id"] for each in disputes}
        for each in disputes:
            joined = last[frozenset(each["by"])]
            if joined != each["id"]:
                each["became"] = f"joined to {joined}"
            elif target:
                each["target"] = target
            else:
                each["became"] = "left in the result"

    def append(self, key: str, result: str) -> None:
        """What became of a document became of everything that was for it (T23)."""
        for each in self.raised:
            if each["became"] == UNDER_WAY and each.get("target") == key:
                each["became"] = WRITTEN[result].format(key)

    def record(self, *, kept: bool, by_code: bool) -> None:
        """The elaboration is recorded or not (T24, T25); what was not written by then is not (T27)."""
        without = " without a synthesis" if by_code else ""
        for each in self.raised:
            if each["id"] == f"E{self.elaboration}":
                each["became"] = f"recorded{without}" if kept else "not recorded"
        self.cut_off()
