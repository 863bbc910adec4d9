"""The walk through a session: phase by phase, who was asked, what follows from the replies, and what is stated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from quorate_verifier.report import Difference, shown
from quorate_verifier.rules import Heard, Rules

LIMITS = {"episodes": "max_episodes", "stall": "stall_after"}
"""Interruptions that no entry has to tell, because a setting brings them about."""


class Lost(Exception):
    """The walk cannot go on: what was told already makes the rest meaningless."""


class Walk:
    """One session being walked through; `differences` yields what does not follow."""

    def __init__(self, data: dict[str, Any], rules: Rules) -> None:
        self.data, self.rules, self.phase, self.number = data, rules, rules.initial, 0
        self.asks: dict[int, list[tuple[int, dict[str, Any]]]] = {}
        self.reason: str | None = None
        self.interruptions = [e["body"]["interrupted"] for e in data["entries"] if "interrupted" in e["body"]]
        self.tallied: list[dict[str, Any]] = []
        self.verdict: str | None = None
        """What follows from the replies, once the walk has come to an end."""

    def differences(self) -> Iterator[Difference]:
        """Yield every difference up to the first that makes the rest meaningless."""
        try:
            yield from self._table()
            yield from self._index()
            for index, decision in enumerate(self.data["decisions"]):
                yield from self._move(index, decision)
                self.number += 1
            yield from self._end()
        except Lost:
            return
        except Exception as error:  # a hostile bundle may have anything anywhere; whatever it is, it does not hold
            place = f"/decisions/{self.number}"
            yield Difference(place, f"it cannot be derived: {type(error).__name__} {error}"[:200], "replies that fit")

    def _table(self) -> Iterator[Difference]:
        """The bundle's own copy of the table has to be the protocol's."""
        stated = {(each["phase"], each["outcome"], each["to"]) for each in self.data["protocol"]["table"]}
        right = {(phase, outcome, to) for phase, row in self.rules.table.items() for outcome, to in row.items()}
        for phase, outcome, to in sorted(stated ^ right):
            yield Difference("/protocol/table", f"{phase} {outcome} {to} stands on one side only", "the known table")

    def _index(self) -> Iterator[Difference]:
        """Sort the asks by the phase that asked, as their ids say; ids are numbered without a gap."""
        for index, line in enumerate(self.data["transcript"]):
            phase, _, place = str(line.get("ask")).partition(".")
            if not (phase.isdecimal() and place.isdecimal() and len(phase) < 10):
                yield Difference(f"/transcript/{index}/ask", f"it is {shown(line.get('ask'))}", "<phase>.<place>")
                raise Lost
            self.asks.setdefault(int(phase), []).append((int(place), {**line, "index": index}))
        for number, asks in self.asks.items():
            asks.sort(key=lambda each: each[0])
            if [place for place, _ in asks] != list(range(len(asks))):
                yield Difference("/transcript", f"the asks of phase {number} have gaps", "asks numbered from 0")
                raise Lost

    def _heard(self, number: int) -> list[Heard]:
        return [
            Heard(
                ask["seat"], ask["brief"], tuple(ask["keys"]), ask.get("reply"), ask["status"] in ("replied", "absent")
            )
            for _, ask in self.asks.get(number, ())
        ]

    def _move(self, index: int, decision: dict[str, Any]) -> Iterator[Difference]:
        place = f"/decisions/{index}"
        for name, right in (("phase_entry", self.number), ("phase", self.phase)):
            if decision.get(name) != right:
                yield Difference(
                    f"{place}/{name}", f"it is {shown(decision.get(name))}", f"{right}, after the move before"
                )
                raise Lost
        heard = self._heard(self.number)
        if decision.get("cause") == "interrupted":
            yield from self._interrupted(place, decision, heard)
        else:
            yield from self._decided(place, decision, heard)
        for _, ask in self.asks.get(self.number, ()):
            if ask.get("phase") != self.phase:
                yield Difference(f"/transcript/{ask['index']}/phase", f"it is {shown(ask.get('phase'))}", self.phase)
        self.phase = decision["to"]

    def _interrupted(self, place: str, decision: dict[str, Any], heard: Sequence[Heard]) -> Iterator[Difference]:
        reason = decision["outcome"]
        limit = LIMITS.get(reason, "")
        if reason not in self.interruptions and self.rules.settings.get(limit) is None:
            yield Difference(f"{place}/outcome", f"it is {shown(reason)}", "an interruption that an entry tells")
        to = self.rules.interrupts.get(reason)
        if decision.get("to") != to:
            yield Difference(f"{place}/to", f"it is {shown(decision.get('to'))}", f"{to}, where {reason} leads")
            raise Lost
        self.reason = reason if reason != "escalation" else self.reason
        self.rules.interrupt(self.phase, reason, heard)

    def _decided(self, place: str, decision: dict[str, Any], heard: list[Heard]) -> Iterator[Difference]:
        yield from self._asked(place, heard)
        unheard = [each.seat for each in heard if not each.answered]
        if unheard and decision.get("cause") != "settled early":
            yield Difference(f"{place}/cause", f"nobody heard {', '.join(unheard)}", "a decision after all replies")
        self.rules.tallies, self.rules.facts, self.rules.stated = [], decision["facts"], str(decision.get("outcome"))
        outcome = self.rules.decide(self.phase, heard)
        if decision.get("outcome") != outcome:
            yield Difference(
                f"{place}/outcome", f"it is {shown(decision.get('outcome'))}", f"{outcome}, by the replies"
            )
            raise Lost
        to = self.rules.table[self.phase][outcome]
        if decision.get("to") != to:
            yield Difference(f"{place}/to", f"it is {shown(decision.get('to'))}", f"{to}, by the table")
            raise Lost
        yield from self._tallies(place, decision)

    def _asked(self, place: str, heard: list[Heard]) -> Iterator[Difference]:
        right = self.rules.asked(self.phase)
        stated = [(each.seat, each.brief) for each in heard]
        if right is not None and stated != list(right):
            yield Difference(f"{place}/heard", f"asked were {shown(stated)}", shown(list(right)))
            raise Lost

    def _tallies(self, place: str, decision: dict[str, Any]) -> Iterator[Difference]:
        frame = {"phase_entry": self.number, "round": decision["round"], "phase": self.phase}
        self.tallied += [{**frame, "values": each["values"]} for each in decision["facts"] if each["name"] == "tally"]
        stated = [
            (index, each["values"]) for index, each in enumerate(decision["facts"]) if each["name"] == self.rules.counts
        ]
        if len(stated) != len(self.rules.tallies):
            yield Difference(f"{place}/facts", f"{len(stated)} counts", f"{len(self.rules.tallies)}, by the replies")
        for (index, said), right in zip(stated, self.rules.tallies, strict=False):
            for name, value in right.items():
                if said.get(name) != value:
                    expected = f"{shown(value)}, by the replies"
                    yield Difference(f"{place}/facts/{index}/values/{name}", f"it is {shown(said.get(name))}", expected)

    def _end(self) -> Iterator[Difference]:
        if self.tallied != self.data["tallies"]:
            yield Difference("/tallies", "they differ from those of the decisions", "the same, in the same order")
        over = self.phase in self.rules.ends
        later = [number for number in self.asks if number > self.number or (over and number == self.number)]
        if later:
            yield Difference("/transcript", f"it has asks of the phases {shown(later)}", "none after the last move")
        if over:
            self.rules.stated_verdict = str((self.data["verdict"] or {}).get("verdict"))
            self.verdict = self.rules.verdict(self.phase)
            yield from self._concluded()
            return
        if self.data["verdict"] is not None:
            yield Difference("/verdict", f"it is {shown(self.data['verdict'])}", f"none: it stands in {self.phase}")
        yield from self._asked("/transcript", self._heard(self.number))
        if all(each.answered for each in self._heard(self.number)):
            yield Difference("/decisions", f"nothing was decided in {self.phase}", "a move, since all were heard")

    def _concluded(self) -> Iterator[Difference]:
        stated = self.data["verdict"]
        if stated is None:
            yield Difference("/verdict", "there is none", f"{self.verdict}: the session ended in {self.phase}")
            return
        right = {"verdict": self.verdict, "phase": self.phase, "degradation": self.rules.degradation()}
        for name, value in right.items():
            if value is not None and stated.get(name) != value:
                yield Difference(f"/verdict/{name}", f"it is {shown(stated.get(name))}", f"{value}, by the rules")
        if stated.get("interrupted") not in (self.reason, *self.interruptions):
            expected = f"{self.reason}, by the moves"
            yield Difference("/verdict/interrupted", f"it is {shown(stated.get('interrupted'))}", expected)
        yield from self._ruled()

    def _ruled(self) -> Iterator[Difference]:
        allowed = self.rules.rulings.get(str(self.verdict), ())
        for index, ruling in enumerate(self.data["rulings"]):
            if ruling.get("verdict") not in allowed:
                expected = " or ".join(allowed) or f"none, for {self.verdict} waits for nobody"
                yield Difference(f"/rulings/{index}/verdict", f"it is {shown(ruling.get('verdict'))}", expected)
