"""The course of a workshop: what a round is about, when topics close, and what comes next (W5 to W7, W20 to W24)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorate_verifier.agenda import CONSENT, WORKFLOWS, Pass, Topic
from quorate_verifier.artifact import TOO_OFTEN, Ledger
from quorate_verifier.kinds import Artifact
from quorate_verifier.rules import Heard, given
from quorate_verifier.workshop_fates import Told
from quorate_verifier.workshop_words import WorkshopWords

LASTING = 2
"""Rounds after which a conflict goes before what is not required (W5)."""


class Course(WorkshopWords):
    """Where a workshop stands: its agenda, its artifacts, and the round under way."""

    def __init__(self, settings: Mapping[str, Any], briefs: Mapping[str, str]) -> None:
        super().__init__(settings, briefs)
        strategy, roster = WORKFLOWS[settings["workflow"]]
        self.seats: list[str] = list(settings["participants"] or roster)
        self.positions = {seat: f"P{number}" for number, seat in enumerate(self.seats, start=1)}
        self.stages = Pass(settings["strategy"] or strategy)
        self.ledger = Ledger(self.stages.rule, settings["threshold"])
        self.ledger.seats = {key: seat for seat, key in self.positions.items()}
        self.notes = frozenset(settings.get("unqualified_seats", ()))
        """The seats whose model has not passed the exam (W40, W41)."""
        self.ledger.led = "facilitator" not in self.notes
        self.told = Told(self.notes)
        self.topics: dict[str, Topic] = {}
        self.focus = ""
        self.complete = self.lost = self.advised = 0
        self.fresh = self.led = self.missed = self.ended_by_person = False
        self.unsure: list[str] = []
        """The seats whose responses ask for escalation."""
        self.ever: set[str] = set()
        self.judged: set[str] = set()
        self.parts, self.unlisted = 1, False
        """Into how many parts the documents are divided, and whether something stands in none (W38)."""
        self.read: set[int] = set()
        self.resume = ""

    def _topic(self) -> Topic:
        """The topic in focus, or that of the question or conflict in focus."""
        matter = self.ledger.all.get(self.focus)
        return self.topics[matter.topic if matter is not None else self.focus]

    def _done(self, topic: Topic) -> bool:
        return self.ledger.done(topic)

    def _rulings(self) -> list[str]:
        return [each.key for each in self.ledger.rulings()]

    def _tell_anew(self, waiting: Sequence[str]) -> None:
        """Tell which rulings were applied before, and wait anew (W24)."""
        for key in self._rulings():
            if key not in waiting:
                self.tell("waits anew", id=key)

    def _unsure(self, critical: Sequence[str] | None) -> list[str]:
        """Whose response asks for escalation; where nobody has looked for words every one does (W23)."""
        every = critical is None or self.settings["escalate_on"] == "any" or self._topic().required
        unsure = {key for key, sure in self.ledger.sure.items() if sure < self.settings["confidence_below"]}
        found = {key for key in unsure if every or key in (critical or ())}
        return [seat for seat, key in self.positions.items() if key in found]

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
        open_matters = [each for each in self.ledger.all.values() if each.status == "open" and each.kind != "RUL"]
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
        self.ledger.round, self.ledger.sure, self.ledger.answered = self.round, {}, ()
        self.fresh, self.led, self.unsure = False, False, []
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
        return [each for each in self._waiting() if self._age(each) >= most]

    def _waiting(self) -> list[Artifact]:
        """Conflicts that are open, then rulings that are not applied."""
        return [*self.ledger.conflicts(), *self.ledger.rulings()]

    def _put(self) -> list[Artifact]:
        """What is put to a person: what has lasted too long, or all where nothing has (W24)."""
        return self._overdue() or self._waiting()

    def _close(self) -> None:
        """Move every topic on; the one in focus closes at the end of its pass, or of the last round (W20, W21)."""
        last = self.round >= self.settings["max_rounds"]
        over = last or self.stages.is_bound(self.topics) or self._next_place() is None
        held = {key for each in self._waiting() for key in self.ledger.concerned(each)}
        if self.stages.rule == CONSENT:  # and drafts that nobody has voted upon as they stand
            held |= {key for key in self.topics if not all(each.voted for each in self.ledger.drafts(key))}
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
        """Whether the topics that matter are closed and nothing stands against COMPLETE (W26, W37, W38)."""
        read = not self.unlisted and self.read >= set(range(1, self.parts + 1))
        if self._waiting() or not read or len(self.judged) * 2 < len(self.seats):
            return False
        left = [each for each in self.topics.values() if not self._done(each)]
        matters = any(each.required or self.settings["conclude_on"] == "all" for each in left)
        return not matters

    def _ask(self, name: str, why: Mapping[str, Any]) -> None:
        self.tell(name, **why)
        self.told.escalated(self.round, name)

    def _next(self, heard: bool, sent_on: bool = False) -> str:
        """The ordered rule of what comes next; once a person was heard nothing asks for escalation (W22)."""
        overdue, by_seed = self._overdue(), self.settings.get("reading") == "seed"
        asks = self.settings["escalation"] and not heard and bool(overdue or self.unsure)
        told = ", ".join(f"{each.key} in its round {self._age(each)}" for each in overdue)
        unsure = ", ".join(f"{seat} {self.ledger.sure[self.positions[seat]]}" for seat in self.unsure)
        why = {"overdue": told or "none", "unsure": unsure or "nobody"}
        if self.round >= self.settings["max_rounds"]:
            if asks:
                self._ask("too late", why)
            return "CONCLUDE"
        if self.complete >= self.settings["min_rounds"]:
            if by_seed and self._finished():
                if asks:
                    self._ask("passed over", why)
                return "CONCLUDE"
            if asks:
                self._ask("escalated", why)
                return "ESCALATE"
            if not sent_on and self._finished():
                return "CONCLUDE"
        elif asks:
            self._ask("too early", why)
        return "PAUSE" if self.settings["interactive"] and not heard else self._go_on()

    def _note(self, heard: Sequence[Heard]) -> None:
        """Note who has answered and judged, and which parts were shown to who answered (W10, W35, W37, W38, W40)."""
        said = {seat: reply["confidence"] for seat, reply in given(heard)}
        self.ledger.answered = [self.positions[seat] for seat in said]
        self.ledger.sure = {self.positions[seat]: each for seat, each in said.items() if seat not in self.notes}
        self.ever |= set(said)
        self.missed = self.missed or len(said) < len(heard)
        others = [number for number in range(2, self.parts + 1) if number not in self.read]
        others = others or list(range(2, self.parts + 1))
        for place, each in enumerate(each for each in heard if each.seat not in self.notes):
            if each.reply is None:
                continue
            self.read |= {1, others[(place + self.round) % len(others)] if others else 1}
            votes = each.reply.get("votes", {}).values()
            stands = [v["stance"] == "SUPPORT" or (v["stance"] == "BLOCK" and not v["groundless"]) for v in votes]
            if any(stands) or (each.brief == "respond" and each.reply["confidence"] > 0):
                self.judged.add(each.seat)
