"""What follows in a workshop: its rules are W1 to W36."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorate_verifier.rules import ESCALATION, STALL, Asked, Heard, degree, exits, given, leads, numbered, table
from quorate_verifier.version_1.agenda import CONVERGENCE, read_topics
from quorate_verifier.version_1.artifact import CONSENSUS, DONE, DRAFT, TOO_OFTEN, Artifact, made_in
from quorate_verifier.version_1.course import Course

MOST_TOPICS, MOST_LOST = 12, 2


class Workshop(Course):
    """A facilitator leads participants through an agenda, round by round."""

    table = table("""
        OPENING: OPENED QUESTION, UNREADABLE ABORTED
        QUESTION: ASKED RESPONSES, FALLBACK RESPONSES
        RESPONSES: RESPONDED SYNTHESIS, NO_RESPONSES SYNTHESIS
        SYNTHESIS: SYNTHESISED PROCESSING, FALLBACK PROCESSING
        PROCESSING: CONTINUE QUESTION, PAUSE PAUSE, ESCALATE ESCALATION, CONCLUDE CLOSED, FAILED ABORTED
        PAUSE: CONTINUE QUESTION, ESCALATE ESCALATION, CONCLUDE CLOSED
        ESCALATION: CONTINUE QUESTION, CONCLUDE CLOSED, RESUME_QUESTION QUESTION, RESUME_RESPONSES RESPONSES
        ESCALATION: RESUME_SYNTHESIS SYNTHESIS, RESUME_PROCESSING PROCESSING
    """)
    interrupts = leads(ABORTED="cancelled budget episodes stall", CLOSED="wish", ESCALATION="escalation")
    after = frozenset((STALL, ESCALATION))
    ends = frozenset(("CLOSED", "ABORTED"))
    initial = "OPENING"
    uncounted = frozenset(("person", "clerk"))
    codes = exits(COMPLETE=0, INCOMPLETE=1, CLOSED=1, ABORTED=3)
    derived = "who is asked what, every artifact's life and agreement, votes, topics, next actions and the verdict"
    left_out = ("what the clerk reports of the agenda, and which responses name a critical word: taken as recorded",)

    # Whom a phase asks

    def asked(self, phase: str) -> Sequence[Asked]:
        match phase:
            case "OPENING":
                return [("clerk", "agenda", numbered("T", MOST_TOPICS))]
            case "QUESTION":
                return [("facilitator", "question", self._candidates())]
            case "RESPONSES" if drafts := self._voted_upon():
                return [(seat, "vote", drafts) for seat in self.seats]
            case "RESPONSES":
                return [(seat, "respond", self.ledger.contestable()) for seat in self.seats]
            case "SYNTHESIS" if self.ledger.sure:
                topic = self._topic()
                unmet = [key for key in numbered("K", topic.criteria) if key not in topic.met]
                keys = [*self.positions.values(), *unmet, *self.ledger.all]
                return [("facilitator", "synthesise", keys), ("clerk", "read", list(self.ledger.sure))]
            case "PAUSE":
                return [("person", "pause", ())]
            case "ESCALATION":
                return [("person", "escalate", [each.key for each in self._put()])]
        return []

    def _voted_upon(self) -> list[str]:
        """The drafts of the focus, where this is the stage to vote on them (W30)."""
        voting = self.stages.stage == CONVERGENCE
        return [each.key for each in self.ledger.drafts(self._topic().key)] if voting else []

    # What follows

    def decide(self, phase: str, heard: Sequence[Heard]) -> str:
        match phase:
            case "OPENING":
                return self._opening(heard[0].reply)
            case "QUESTION":
                return self._question(heard[0])
            case "RESPONSES":
                return self._responses(heard)
            case "SYNTHESIS":
                return self._synthesis({each.brief: each.reply for each in heard})
            case "PROCESSING":
                return self._processing()
            case "PAUSE":
                return self._pause(heard[0].reply)
        return self._ruled(heard[0].reply)

    def _opening(self, reply: Mapping[str, Any] | None) -> str:
        self.topics = self.ledger.topics = read_topics(reply["topics"] if reply is not None else ())
        if not self.topics:
            return "UNREADABLE"
        self._begin()
        return "OPENED"

    def _question(self, one: Heard) -> str:
        """Take the focus; a question without words keeps it, and without a reply it is the first candidate (W8)."""
        usable = one.reply is not None and not one.reply["blank"]
        self.focus = one.reply["focus"] if one.reply is not None else one.keys[0]
        if self.focus not in one.keys:
            raise ValueError(f"the focus is {self.focus}, which is no candidate (W5)")
        self.missed = self.missed or not usable
        self.tell("focus", key=self.focus)
        return "ASKED" if usable else "FALLBACK"

    def _responses(self, heard: Sequence[Heard]) -> str:
        self.ledger.sure = {self.positions[seat]: reply["confidence"] for seat, reply in given(heard)}
        self.ever |= {seat for seat, _ in given(heard)}
        self.missed = self.missed or len(self.ledger.sure) < len(heard)
        if heard[0].brief == "vote":
            for key in heard[0].keys:
                votes = [reply["votes"][key] for _, reply in given(heard) if key in reply["votes"]]
                self._vote(self.ledger.all[key], votes)
        else:
            contested = {key for _, reply in given(heard) for key in reply["contested"]}
            for key in self.ledger.contestable():
                if key in contested:
                    self.tell("contested", id=key, conflict=self.ledger.dispute(self.ledger.all[key], self.round))
        return "RESPONDED" if self.ledger.sure else "NO_RESPONSES"

    def _vote(self, draft: Artifact, votes: list[Mapping[str, Any]]) -> None:
        """Count the votes on a draft; a BLOCK that names no change stands aside (W30, W31)."""
        support = sum(each["stance"] == "SUPPORT" for each in votes)
        blocks = [each["groundless"] for each in votes if each["stance"] == "BLOCK"]
        block = blocks.count(False)
        told = {"support": support, "block": block, "groundless": len(blocks) - block, "cast": len(votes)}
        self.tell("vote", id=draft.key, **told)
        if block:
            draft.blocks, draft.blocked_in = draft.blocks + 1, self.round
        elif support:
            draft.agreement = CONSENSUS
        if block and draft.blocks >= TOO_OFTEN:  # it asks for escalation at once
            since = self.round - self.settings["max_rounds_per_conflict"] + 1
            self.tell("blocked", id=draft.key, conflict=self.ledger.dispute(draft, since))

    def _synthesis(self, replies: Mapping[str, Mapping[str, Any] | None]) -> str:
        reading, reply = replies.get("read"), replies.get("synthesise")
        self.unsure = self._is_unsure(None if reading is None else reading["critical"])
        self.led = reply is not None
        if reply is None:
            self.missed = True
            return "FALLBACK"
        made, met = len(self.ledger.all), len(self._topic().met)
        for kind, item in made_in(reply):
            self._make(kind, item)
        for change in reply["changes"]:
            allowed, becomes = self.ledger.change(change), change["becomes"]
            told = (DONE[becomes], {}) if allowed else ("refused", {"move": becomes})
            self.tell(told[0], id=change["artifact"], **told[1])
        topic = self._topic()
        topic.met |= {key for key in numbered("K", topic.criteria) if key in reply["covered"]}
        if len(topic.met) > met:
            self.tell("covered", topic=topic.key, met=len(topic.met), of=topic.criteria)
        if reply["misquoted"]:
            self.tell("misquoted", round=self.round)
        self.fresh = len(self.ledger.all) > made or len(topic.met) > met
        self.advised = self.round if reply["advises"] else self.advised
        return "SYNTHESISED"

    def _make(self, kind: str, item: Mapping[str, Any]) -> None:
        made = self.ledger.create(kind, item, self._topic().key)
        if made is None:
            self.tell("refused", id=kind)
            return
        replaced = {key: self.ledger.supersede(key, made, item) for key in item["supersedes"]}
        now = self.ledger.all[made.key]
        self.tell("issued", id=now.key, type=kind, topic=now.topic, agreement=now.agreement)
        for key, done in replaced.items():
            if done:
                self.tell("superseded", id=key, by=now.key)
            else:
                self.tell("refused", id=key, move="supersede")

    def _is_unsure(self, critical: Sequence[str] | None) -> bool:
        """Whether a response asks for escalation; where nobody has looked for words every one does (W23)."""
        every = critical is None or self.settings["escalate_on"] == "any" or self._topic().required
        unsure = [key for key, sure in self.ledger.sure.items() if sure < self.settings["confidence_below"]]
        return any(every or key in (critical or ()) for key in unsure)

    def _processing(self) -> str:
        self.complete, self.lost = self.complete + self.led, 0 if self.led else self.lost + 1
        if self.lost >= MOST_LOST:
            return "FAILED"
        self._close()
        return self._next(heard=False)

    def _pause(self, reply: Mapping[str, Any] | None) -> str:
        choice = reply["choice"] if reply is not None else "go_on"
        self.ended_by_person = choice == "conclude"
        return {"conclude": "CONCLUDE", "escalate": "ESCALATE"}.get(choice) or self._go_on()

    def _ruled(self, reply: Mapping[str, Any] | None) -> str:
        """Take what a person rules; what says nothing lets them go on (W24)."""
        put, choice = self._put(), reply["choice"] if reply is not None else "go_on"
        advised = self.advised > 0 and all(each.made <= self.advised for each in put)
        if (choice == "accept" and not advised) or (choice == "decide" and reply is not None and reply["undecided"]):
            choice = "go_on"
        self.tell("ruling", choice=choice, conflicts=", ".join(each.key for each in put))
        for each in put:
            if choice == "go_on":
                each.since = self.round + 1
            else:
                self.ledger.resolve(each, CONSENSUS if choice == "accept" else DRAFT)
        if self.resume:
            resumed, self.resume = self.resume, ""
            return f"RESUME_{resumed}"
        self._close()
        return self._next(heard=True)

    # How it ends

    def progress(self, brief: str, reply: Mapping[str, Any]) -> bool:
        return brief == "synthesise" and bool([*made_in(reply)] or reply["changes"] or reply["covered"])

    def interrupt(self, phase: str, reason: str) -> None:
        self.resume = phase if reason == ESCALATION else ""
        self.ended_by_person = reason == "wish"

    def verdict(self, phase: str) -> str:
        if phase == "ABORTED":
            return "ABORTED"
        if self.topics and self._finished():
            return "COMPLETE"
        return "CLOSED" if self.ended_by_person else "INCOMPLETE"

    def degradation(self) -> str:
        return degree(self.lost or self.ever < set(self.seats), self.missed)
