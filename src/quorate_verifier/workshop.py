"""What follows in a workshop: of its rules W1 to W35 those that lead to agreement, the next action and the verdict.

The life of an artifact (what was amended, superseded, withdrawn, resolved or refused, and why) is taken from the facts;
whether it is agreed upon is derived from who supports it and how sure they are, where the synthesis at hand says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorate_verifier.agenda import Artifact, Said, Topic
from quorate_verifier.rules import Heard, Rules, given, leads, table

FIELDS = {
    **{"requirements": "REQ", "business_rules": "BR", "qualities": "NFR", "exclusions": "EX", "decisions": "ARCH"},
    **{"components": "COMP", "interfaces": "INT", "ideas": "IDEA", "risks": "RISK", "mitigations": "MIT"},
}
"""The parts of a synthesis that make artifacts, beside questions and conflicts."""
CONSENT, JUDGEMENT, WEIGHTED = "consent", "judgement", "weighted"
CONSENSUS_RULE = {"standard": WEIGHTED, "disney": WEIGHTED, "consensus-driven": CONSENT}
STRATEGY_OF = {"specs": "consensus-driven", "design": "debate", "brainstorm": "disney"}
UNSURE = "not derived"


class Workshop(Rules):
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
    ends = frozenset(("CLOSED", "ABORTED"))
    initial = "OPENING"
    counts = "vote"
    derived = "who is asked, votes, the agreement of what is new, what topics need, the next action and the verdict"
    left_out = (
        "which changes to artifacts were refused, and when in its pass a topic is looked at: taken as recorded",
        "the choice of the candidates for a focus (`quorate check` derives both)",
    )

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self.seats: list[str] = list(settings["participants"])
        strategy = settings["strategy"] or STRATEGY_OF.get(settings["workflow"], "standard")
        self.rule = CONSENSUS_RULE.get(strategy, JUDGEMENT)
        self.topics: dict[str, Topic] = {}
        self.artifacts: dict[str, Artifact] = {}
        self.focus, self.round, self.complete, self.lost = "", 0, 0, 0
        self.said = Said()
        self.fruitful = self.ended_by_person = self.failed = self.missing = False
        self.ever: set[str] = set()
        self.resume = ""
        self.blocked_twice = False

    # Whom a phase asks

    def asked(self, phase: str) -> Sequence[tuple[str, str]] | None:
        match phase:
            case "OPENING":
                return [("clerk", "agenda")]
            case "QUESTION":
                return [("facilitator", "question")]
            case "SYNTHESIS":
                return [("facilitator", "synthesise"), ("clerk", "read")] if self.said.sure else []
            case "PAUSE":
                return [("person", "pause")]
            case "ESCALATION":
                return [("person", "escalate")]
            case "PROCESSING":
                return []
        return None  # responses or votes: the seats are looked at in `_responses`

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
                return self._synthesis(heard)
            case "PROCESSING":
                return self._processing()
            case "PAUSE":
                return self._pause(heard[0].reply)
        return self._ruled(heard[0].reply)

    def _opening(self, reply: Mapping[str, Any] | None) -> str:
        listed = reply["topics"] if reply is not None else []
        none = not any(each["required"] for each in listed)  # where no topic is required all are (W2)
        self.topics = {
            each["key"]: Topic(each["required"] or none, each["criteria"], each["minimum"], tuple(each["counts"]))
            for each in listed
        }
        return "OPENED" if listed else "UNREADABLE"

    def _question(self, heard: Heard) -> str:
        self.round += 1
        self.said, self.fruitful = Said(), False
        usable = heard.reply is not None and not heard.reply["blank"]
        self.focus = heard.reply["focus"] if usable and heard.reply is not None else heard.keys[0]
        self.missing = heard.reply is None
        return "ASKED" if usable else "FALLBACK"

    def _responses(self, heard: Sequence[Heard]) -> str:
        if [each.seat for each in heard] != self.seats or len({each.brief for each in heard}) != 1:
            raise ValueError(f"asked were {[each.seat for each in heard]}, and not every participant once")
        self.said = Said({f"P{self.seats.index(seat) + 1}": reply["confidence"] for seat, reply in given(heard)})
        self.ever |= {seat for seat, _ in given(heard)}
        for fact in self.facts:
            if fact["name"] in ("contested", "blocked"):
                self._conflict(fact["values"]["conflict"], fact["values"]["id"])
        if heard[0].brief == "vote":
            for key in heard[0].keys:
                self._vote(key, [reply["votes"][key] for _, reply in given(heard) if key in reply["votes"]])
        return "RESPONDED" if self.said.sure else "NO_RESPONSES"

    def _vote(self, key: str, votes: list[Mapping[str, Any]]) -> None:
        """Count the votes on a draft; a BLOCK that names no change stands aside (W30, W31)."""
        support = sum(each["stance"] == "SUPPORT" for each in votes)
        blocks = [each for each in votes if each["stance"] == "BLOCK"]
        block = sum(not each["groundless"] for each in blocks)
        told = {"id": key, "support": support, "block": block, "groundless": len(blocks) - block, "cast": len(votes)}
        self.tallies.append(told)
        draft = self.artifacts[key]
        draft.blocks += bool(block)
        if block and draft.blocks > 1:
            draft.agreement, self.blocked_twice = "conflict", True
        elif support and not block:
            draft.agreement = "consensus"

    def _conflict(self, key: str, about: str = "") -> None:
        topic = self.artifacts[about].topic if about else self.focus
        self.artifacts.setdefault(key, Artifact("CONF", topic, "draft", since=self.round))
        if about:
            self.artifacts[about].agreement = "conflict"

    def _synthesis(self, heard: Sequence[Heard]) -> str:
        replies = {each.brief: each.reply for each in heard}
        reading, reply = replies.get("read"), replies.get("synthesise")
        self.said.critical = set(reading["critical"]) if reading is not None else set()
        self.missing = self.missing or reply is None
        if reply is None:
            return "FALLBACK"
        self.fruitful = True
        self._issued(reply)
        for fact in self.facts:
            self._changed(fact["name"], fact["values"])
        topic = self.topics.get(self.focus)
        if topic is not None:
            told = [fact["values"]["met"] for fact in self.facts if fact["name"] == "covered"]
            topic.met = max([topic.met, *told])
        return "SYNTHESISED"

    def _issued(self, reply: Mapping[str, Any]) -> None:
        """Take what was issued; where nothing was refused the agreement of each is derived (W18)."""
        made: dict[str, list[Mapping[str, Any]]] = {kind: list(reply.get(name, ())) for name, kind in FIELDS.items()}
        listed = [fact["values"] for fact in self.facts if fact["name"] == "issued"]
        for kind in {each["type"] for each in listed}:
            told = [each for each in listed if each["type"] == kind]
            items = made.get(kind, [])
            for number, each in enumerate(told):
                if each["id"] in self.artifacts:
                    raise ValueError(f"{each['id']} is issued twice (W15)")
                right = self._agreement(items[number]) if len(items) == len(told) else UNSURE
                if UNSURE not in (right, each["agreement"]) and right != each["agreement"]:
                    raise ValueError(f"{each['id']} is stated as {each['agreement']} and is {right} by its supporters")
                self.artifacts[each["id"]] = Artifact(kind, each["topic"], each["agreement"], since=self.round)

    def _agreement(self, item: Mapping[str, Any]) -> str:
        """Weigh those who support an artifact by their confidence, against all who answered (W18).

        What replaces something in conflict is in conflict itself (W17).
        """
        replaced = [self.artifacts[key] for key in item["supersedes"] if key in self.artifacts]
        if any(each.agreement == "conflict" for each in replaced):
            return "conflict"
        if self.rule == CONSENT:
            return "draft"
        if self.rule == JUDGEMENT:
            return str(item["agreement"])
        backers = (set(item["supported_by"]) | set(item["proposed_by"])) - set(item["opposed_by"])
        weight = sum(sure for key, sure in self.said.sure.items() if key in backers)
        whole = sum(self.said.sure.values())
        return "consensus" if weight > 0 and 100 * weight >= self.settings["threshold"] * whole else "draft"

    def _changed(self, name: str, values: Mapping[str, Any]) -> None:
        artifact = self.artifacts.get(values.get("id", ""))
        if artifact is None:
            return
        if name in ("superseded", "withdrawn", "resolved"):
            artifact.live = False
        if name in ("amended", "reverted", "endorsed", "resolved"):
            for each in self.artifacts.values():
                if each is artifact or (name == "resolved" and each.agreement == "conflict"):
                    each.agreement = UNSURE

    # What comes next

    def _conflicts(self) -> list[Artifact]:
        return [each for each in self.artifacts.values() if each.kind == "CONF" and each.live]

    def _agreed(self, key: str, *words: str) -> int:
        counted = self.topics[key].counts
        found = [each for each in self.artifacts.values() if each.topic == key and each.live and each.kind in counted]
        return sum(each.agreement in words for each in found)

    def _close(self) -> None:
        """Take the topics that are stated as closed, and look whether each may be (W21)."""
        for fact in self.facts:
            if fact["name"] == "topic" and fact["values"]["now"] == "closed":
                key = fact["values"]["key"]
                topic = self.topics[key]
                held = any(each.topic == key for each in self._conflicts())
                if topic.met < topic.criteria or self._agreed(key, "consensus", UNSURE) < topic.minimum or held:
                    raise ValueError(f"{key} is closed without all it needs (W21)")
                topic.closed = True

    def _all_closed(self) -> bool | None:
        """Whether the topics that matter are closed and have what they need; None where that is not derived."""
        needed = [key for key, each in self.topics.items() if each.required or self.settings["conclude_on"] == "all"]
        if not self.topics or self._conflicts() or not all(self.topics[key].closed for key in needed):
            return False
        if all(self._agreed(key, "consensus") >= self.topics[key].minimum for key in needed):
            return True
        some = all(self._agreed(key, "consensus", UNSURE) >= self.topics[key].minimum for key in needed)
        return None if some else False

    def _processing(self) -> str:
        self._close()
        self.lost = 0 if self.fruitful else self.lost + 1
        self.complete += self.fruitful
        if self.lost >= 2:
            self.failed = True
            return "FAILED"
        outcome = self._next()
        return "PAUSE" if outcome == "CONTINUE" and self.settings["interactive"] else outcome

    def _next(self) -> str:
        if self.round >= self.settings["max_rounds"]:
            return "CONCLUDE"
        if self.complete < self.settings["min_rounds"]:
            return "CONTINUE"
        if self._wants_a_person():
            return "ESCALATE"
        closed = self._all_closed()
        return self.stated if closed is None else "CONCLUDE" if closed else "CONTINUE"

    def _wants_a_person(self) -> bool:
        if not self.settings["escalation"]:
            return False
        most = self.settings["max_rounds_per_conflict"]
        overdue = any(self.round - each.since + 1 >= most for each in self._conflicts())
        unsure = [key for key, sure in self.said.sure.items() if sure < self.settings["confidence_below"]]
        topic = self.topics.get(self.focus)
        about_all = self.settings["escalate_on"] == "any" or (topic is not None and topic.required)
        return overdue or bool(unsure if about_all else self.said.critical & set(unsure)) or self.blocked_twice

    def _pause(self, reply: Mapping[str, Any] | None) -> str:
        choice = reply["choice"] if reply is not None else "go_on"
        self.ended_by_person = choice == "conclude"
        return {"conclude": "CONCLUDE", "escalate": "ESCALATE"}.get(choice, "CONTINUE")

    def _ruled(self, reply: Mapping[str, Any] | None) -> str:
        for fact in self.facts:
            if fact["name"] == "ruling":
                put = [self.artifacts[key] for key in fact["values"]["conflicts"].replace(",", " ").split()]
                for each in put:
                    each.live, each.since = fact["values"]["choice"] == "go_on", self.round + 1
        self.blocked_twice = False
        self._close()
        if self.resume:
            resumed, self.resume = self.resume, ""
            return f"RESUME_{resumed}"
        closed = self._all_closed()
        if self.complete < self.settings["min_rounds"]:
            return "CONTINUE"
        return self.stated if closed is None else "CONCLUDE" if closed else "CONTINUE"

    def interrupt(self, phase: str, reason: str, heard: Sequence[Heard]) -> None:
        if reason == "escalation":
            self.resume = phase
        elif reason == "wish":
            self.ended_by_person = True

    def verdict(self, phase: str) -> str:
        if phase == "ABORTED":
            return "ABORTED"
        closed = self._all_closed()
        rest = "CLOSED" if self.ended_by_person else "INCOMPLETE"
        return self.stated_verdict if closed is None else "COMPLETE" if closed else rest
