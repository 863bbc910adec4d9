"""The course of a workshop: what a round is about, when topics close, and what comes next (W5 to W7, W20 to W24)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate_verifier.rules import Rules
from quorate_verifier.version_1.agenda import CONSENT, WORKFLOWS, Pass, Topic
from quorate_verifier.version_1.artifact import TOO_OFTEN, Artifact, Ledger

LASTING = 2
"""Rounds after which a conflict goes before what is not required (W5)."""


class Course(Rules):
    """Where a workshop stands: its agenda, its artifacts, and the round under way."""

    def __init__(self, settings: Mapping[str, Any], briefs: Mapping[str, str]) -> None:
        super().__init__(settings, briefs)
        strategy, roster = WORKFLOWS[settings["workflow"]]
        self.seats: list[str] = list(settings["participants"] or roster)
        self.positions = {seat: f"P{number}" for number, seat in enumerate(self.seats, start=1)}
        self.stages = Pass(settings["strategy"] or strategy)
        self.ledger = Ledger(self.stages.rule, settings["threshold"])
        self.topics: dict[str, Topic] = {}
        self.focus = ""
        self.complete = self.lost = self.advised = 0
        self.fresh = self.led = self.unsure = self.missed = self.ended_by_person = False
        self.ever: set[str] = set()
        self.resume = ""

    def _topic(self) -> Topic:
        """The topic in focus, or that of the question or conflict in focus."""
        matter = self.ledger.all.get(self.focus)
        return self.topics[matter.topic if matter is not None else self.focus]

    def _done(self, topic: Topic) -> bool:
        """Whether a topic is closed and has what it needs (W21)."""
        return topic.status == "closed" and self.ledger.agreed(topic) >= topic.minimum

    def _age(self, conflict: Artifact) -> int:
        return self.round - conflict.since + 1

    def _candidates(self) -> list[str]:
        """What the facilitator may choose: the first class that has any (W5 to W7)."""
        if self.focus:
            return [self.focus]
        left = [each for each in self.topics.values() if not self._done(each)]
        if self.stages.is_bound(self.topics):
            own = [each.key for each in left if each.stage in ("none", self.stages.stage)]
            if own:
                return own
        open_matters = [each for each in self.ledger.all.values() if each.status == "open"]
        return (
            [each.key for each in left if each.required and each.status == "open"]
            or [each.key for each in left if each.required]
            or [each.key for each in self.ledger.conflicts() if self._age(each) > LASTING]
            or [each.key for each in open_matters if each.blocking]
            or [*(each.key for each in left), *(each.key for each in open_matters)]
            or list(self.topics)
        )

    def _next_place(self) -> tuple[int, int] | None:
        """Where the next round stands in the strategy; None where a new pass begins (W7, W28, W31)."""
        matter = self.ledger.all.get(self.focus)
        if matter is not None and matter.status == "resolved":
            return None
        waiting = self.ledger.drafts(self._topic().key) if self.stages.rule == CONSENT else []
        back = any(0 < each.blocks < TOO_OFTEN and each.blocked_in == self.round for each in waiting)
        own = [each for each in self.topics.values() if each.stage == self.stages.stage]
        done = all(map(self._done, own)) if self.stages.is_bound(self.topics) else self.fresh
        return self.stages.after(back, done)

    def _begin(self) -> None:
        """Begin a round in the stage whose turn it is (W6)."""
        self.round += 1
        self.ledger.round, self.ledger.sure = self.round, {}
        self.fresh = self.led = self.unsure = False
        if self.stages.is_bound(self.topics):
            self.stages.pass_over({each.stage for each in self.topics.values() if not self._done(each)})

    def _go_on(self) -> str:
        place, bound = self._next_place(), self.stages.is_bound(self.topics)
        self.stages.place, self.stages.rounds = place or (0, 0)
        self.focus = self.focus if place is not None and not bound else ""
        self._begin()
        return "CONTINUE"

    def _overdue(self) -> list[Artifact]:
        most = self.settings["max_rounds_per_conflict"]
        return [each for each in self.ledger.conflicts() if self._age(each) >= most]

    def _put(self) -> list[Artifact]:
        """The conflicts that are put to a person: those that have lasted too long, or all where none has (W24)."""
        return self._overdue() or self.ledger.conflicts()

    def _close(self) -> None:
        """Move every topic on; the one in focus closes at the end of its pass, or of the last round (W20, W21)."""
        last = self.round >= self.settings["max_rounds"]
        over = last or self.stages.is_bound(self.topics) or self._next_place() is None
        held = {each.topic for each in self.ledger.conflicts()}
        for topic in self.topics.values():
            was, agreed = topic.status, self.ledger.agreed(topic)
            full = len(topic.met) == topic.criteria and agreed >= topic.minimum and topic.key not in held
            if full and (over or topic.key != self.focus):
                topic.status = "closed"
            elif was == "open" and (topic.met or agreed):
                topic.status = "partial"
            if topic.status != was:
                self.tell("topic", key=topic.key, was=was, now=topic.status)

    def _finished(self) -> bool:
        """Whether the topics that matter are closed and no conflict is open."""
        left = [each for each in self.topics.values() if not self._done(each)]
        matters = any(each.required or self.settings["conclude_on"] == "all" for each in left)
        return not matters and not self.ledger.conflicts()

    def _next(self, heard: bool) -> str:
        """The ordered rule of what comes next; once a person was heard nothing asks for escalation (W22)."""
        overdue = self._overdue()
        if self.round >= self.settings["max_rounds"]:
            return "CONCLUDE"
        if self.complete >= self.settings["min_rounds"]:
            if self.settings["escalation"] and not heard and (overdue or self.unsure):
                told = ", ".join(f"{each.key} in its round {self._age(each)}" for each in overdue)
                self.tell("escalated", overdue=told or "none", unsure=self.unsure)
                return "ESCALATE"
            if self._finished():
                return "CONCLUDE"
        return "PAUSE" if self.settings["interactive"] and not heard else self._go_on()
