"""What follows in a workshop: its rules are W1 to W41."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorate_verifier.agenda import CONVERGENCE, read_topics
from quorate_verifier.artifact import TOO_OFTEN
from quorate_verifier.confirmations import confirmed, denials
from quorate_verifier.course import Course
from quorate_verifier.kinds import CONSENSUS, DONE, NAMED_AHEAD, OWN, Artifact, made_in
from quorate_verifier.rules import ESCALATION, STALL, Asked, Heard, degree, exits, given, leads, numbered, table
from quorate_verifier.workshop_fates import beside
from quorate_verifier.workshop_notes import counted

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
    entries = "W14"
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
                return [(seat, "vote", [*drafts, *self._rulings()]) for seat in self.seats]
            case "RESPONSES":
                keys = [*self.ledger.contestable(), *self._rulings()]
                return [(seat, "respond", keys) for seat in self.seats]
            case "SYNTHESIS" if self.ledger.answered:
                topic = self._topic()
                unmet = [key for key in numbered("K", topic.criteria) if key not in topic.met]
                ahead = self.ledger.told_ahead(OWN[self.settings["workflow"]], NAMED_AHEAD)
                keys = [*self.positions.values(), *unmet, topic.key, *self.ledger.all, *ahead]
                return [("facilitator", "synthesise", keys), ("clerk", "read", list(self.ledger.answered))]
            case "PAUSE":
                return [("person", "pause", self._rulings())]
            case "ESCALATION":
                return [("person", "escalate", list(dict.fromkeys([*(e.key for e in self._put()), *self._rulings()])))]
        return []

    def _voted_upon(self) -> list[str]:
        """The drafts of the focus, where this is the stage to vote on them (W30)."""
        voting = self.stages.stage == CONVERGENCE
        return [each.key for each in self.ledger.votable(self._topic().key)] if voting else []

    # What follows

    def decide(self, phase: str, heard: Sequence[Heard]) -> str:
        before = len(self.facts)
        outcome = self._decide(phase, counted(heard, self.notes))
        for seat in dict.fromkeys(seat for seat, _ in given(heard) if seat in self.notes and phase != "QUESTION"):
            self.tell("unqualified", seat=seat)
        self.told.refused(phase, self.facts[before:])
        if phase == "QUESTION" or (phase == "SYNTHESIS" and self.ledger.answered):
            self.told.remarked("put to the facilitator")
        if phase == "RESPONSES":
            self.told.responses(self.round, heard, self.facts[before:], self.ledger.all)
        return outcome

    def fates(self) -> Sequence[Mapping[str, Any]]:
        """Return what became of everything that was said or brought (W39)."""
        return self.told.fates(self.ledger.all.values(), self.parts, self.read, self.unlisted)

    def _decide(self, phase: str, heard: Sequence[Heard]) -> str:
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
        if not self.topics or reply is None:
            return "UNREADABLE"
        self.parts, self.unlisted = len(numbered("", reply["parts"])), reply["unlisted"]
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
        self._note(heard)
        voted, drafts = heard[0].brief == "vote", self._voted_upon()
        denied = denials(heard, self._rulings()) if voted else {}
        said = [(seat, key) for seat, reply in given(heard) for key in confirmed(reply, voted, self._rulings())]
        self._confirm([(seat, key) for seat, key in said if key not in denied])
        for key, seats in denied.items():
            self.tell("denied", id=key, by=", ".join(seats))
        if voted:
            for key in drafts:
                votes = {seat: reply["votes"][key] for seat, reply in given(heard) if key in reply["votes"]}
                self._vote(self.ledger.all[key], votes)
        else:
            contested = {key for _, reply in given(heard) for key in reply["contested"]}
            for key in [each for each in self.ledger.all if each in contested]:
                if key.startswith("RUL"):
                    self.tell("refused", id=key, move="contest")
                else:
                    by = [seat for seat, reply in given(heard) if key in reply["contested"]]
                    conflict = self.ledger.dispute(self.ledger.all[key], self.round, by)
                    self.tell("contested", id=key, conflict=conflict)
        return "RESPONDED" if self.ledger.answered else "NO_RESPONSES"

    def _confirm(self, said: Sequence[tuple[str, str]]) -> None:
        by: dict[str, list[str]] = {}
        for seat, key in said:
            by.setdefault(key, []).append(seat)
        for key, seats in by.items():
            if self.ledger.apply(key):
                self.tell("applied", id=key, by=", ".join(seats))
            else:
                self.tell("refused", id=key, move="apply")

    def _vote(self, draft: Artifact, by_seat: Mapping[str, Mapping[str, Any]]) -> None:
        """Count the votes on a draft; a BLOCK that names no change stands aside (W30, W31)."""
        votes = by_seat.values()
        support = sum(each["stance"] == "SUPPORT" for each in votes)
        blocks = [each["groundless"] for each in votes if each["stance"] == "BLOCK"]
        block = blocks.count(False)
        told = {"support": support, "block": block, "groundless": len(blocks) - block, "cast": len(votes)}
        self.tell("vote", id=draft.key, **told)
        draft.voted = not block
        if block:
            draft.blocks, draft.blocked_in = draft.blocks + 1, self.round
        elif support:
            draft.backing = CONSENSUS
        self.ledger.settle()
        if block and draft.blocks >= TOO_OFTEN:  # it asks for escalation at once
            since = self.round - self.settings["max_rounds_per_conflict"] + 1
            by = [seat for seat, each in by_seat.items() if each["stance"] == "BLOCK" and not each["groundless"]]
            self.tell("blocked", id=draft.key, conflict=self.ledger.dispute(draft, since, by))

    def _synthesis(self, replies: Mapping[str, Mapping[str, Any] | None]) -> str:
        reading, reply = replies.get("read"), replies.get("synthesise")
        self.unsure = self._unsure(None if reading is None else reading["critical"])
        self.led = reply is not None
        if reply is None:
            self.missed = True
            return "FALLBACK"
        made, met = len(self.ledger.all), len(self._topic().met)
        number = self.ledger.begin()
        for place, (kind, item) in enumerate(made_in(reply), start=1):
            new = self._make(kind, item, place in reply["repeats"])
            number[kind] += 1
            if new:
                self.ledger.ahead[f"{kind}-{number[kind]:03}"] = new
        for change in reply["changes"]:
            waiting = self._rulings()
            allowed, becomes = self.ledger.change(change), change["becomes"]
            told = (DONE[becomes], {}) if allowed else ("refused", {"move": becomes})
            self.tell(told[0], id=change["artifact"], **told[1])
            self._tell_anew(waiting)
        topic = self._topic()
        topic.met |= {key for key in numbered("K", topic.criteria) if key in reply["covered"] and self.ledger.led}
        if len(topic.met) > met:
            self.tell("covered", topic=topic.key, met=len(topic.met), of=topic.criteria)
        if reply["misquoted"]:
            self.tell("misquoted", round=self.round)
        self.fresh = len(self.ledger.all) > made or len(topic.met) > met
        self.advised = self.round if reply["advises"] else self.advised
        return "SYNTHESISED"

    def _make(self, kind: str, item: Mapping[str, Any], repeated: bool) -> str:
        """Take an entry, and return the id of what is made of it; nothing where it is refused."""
        here = self._topic().key
        named, strange = self.ledger.named(item, here) if kind == "CONF" else ((here,), [])
        made = None if repeated else self.ledger.create(kind, item, here)
        if made is None:
            self.tell("refused", id=kind)
            return ""
        waiting = self._rulings()
        replaced = {key: self.ledger.supersede(key, made, item) for key in item["supersedes"]}
        self.ledger.reopen(self.ledger.all[made.key])
        now = self.ledger.all[made.key]
        self.tell("issued", id=now.key, type=kind, topic=now.topic, agreement=now.agreement)
        for key in (*strange, *(() if named else (now.key,))):
            self.tell("refused", id=key, move="dispute")
        for key, done in replaced.items():
            if done:
                self.tell("superseded", id=key, by=now.key)
            else:
                self.tell("refused", id=key, move="supersede")
        self._tell_anew(waiting)
        return now.key

    def _processing(self) -> str:
        self.complete, self.lost = self.complete + self.led, 0 if self.led else self.lost + 1
        if self.lost >= MOST_LOST:
            return "FAILED"
        self._close()
        return self._next(heard=False)

    def _pause(self, reply: Mapping[str, Any] | None) -> str:
        choice = reply["choice"] if reply is not None else "go_on"
        self._confirm([("person", key) for key in self._rulings() if choice == "applied"])
        self.told.remark(reply["remark"] if reply is not None else "")
        self.ended_by_person = choice == "conclude"
        return {"conclude": "CONCLUDE", "escalate": "ESCALATE"}.get(choice) or self._go_on()

    def _ruled(self, reply: Mapping[str, Any] | None) -> str:
        """Take what a person rules; what says nothing lets them go on (W24)."""
        put, choice = self._put(), reply["choice"] if reply is not None else "go_on"
        conflicts = [each for each in put if each.kind == "CONF"]
        advised = self.advised > max((each.made - (each.kind == "CONF") for each in put), default=0)
        first = self._candidates()[0]
        if (choice == "accept" and not advised) or (choice == "decide" and reply is not None and reply["undecided"]):
            choice = "go_on"
        choice = "go_on" if choice == "applied" and not self._rulings() else choice
        self.told.remark(beside(reply, choice))
        self._confirm([("person", key) for key in self._rulings() if choice == "applied"])
        self.tell("ruling", choice=choice, conflicts=", ".join(each.key for each in conflicts))
        for each in put:
            if each.status == "open" and (choice in ("go_on", "applied") or each.kind == "RUL"):
                each.since = self.round + 1
        if choice in ("accept", "decide"):
            self._decided(conflicts, first)
        if self.resume:
            resumed, self.resume = self.resume, ""
            return f"RESUME_{resumed}"
        self._close()
        return self._next(heard=True, sent_on=choice == "go_on")

    def _decided(self, conflicts: Sequence[Artifact], first: str) -> None:
        """Issue a ruling for each conflict that it resolves, or one on the topic of the focus (W24)."""
        for each in conflicts:
            self.ledger.resolve(each)
            each.by_person = True
            self.tell("ruled", id=self.ledger.rule_on(each.topic, each.about), conflict=each.key)
        if not conflicts:
            matter = self.ledger.all.get(first)
            topic = first if matter is None else matter.topic
            self.tell("ruled", id=self.ledger.rule_on(topic, (topic,)), conflict="")

    # How it ends

    def progress(self, brief: str, reply: Mapping[str, Any]) -> bool:
        return brief == "synthesise" and bool([*made_in(reply)] or reply["changes"] or reply["covered"])

    def interrupt(self, phase: str, reason: str) -> None:
        if phase == "RESPONSES":
            self.told.unheard(self.round, self.cut_short, self.ledger.all)
        if phase == "SYNTHESIS":
            self.told.unheard_entries(self.round, self.cut_short)
        self.resume = phase if reason == ESCALATION else ""
        self.ended_by_person = reason == "wish"

    def verdict(self, phase: str) -> str:
        self.told.remarked("kept")
        if phase == "ABORTED":
            return "ABORTED"
        if self.topics and self._finished():
            return "COMPLETE"
        return "CLOSED" if self.ended_by_person else "INCOMPLETE"

    def degradation(self) -> str:
        return degree(self.lost or self.ever < set(self.seats), self.missed)
