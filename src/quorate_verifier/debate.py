"""What follows in a debate: its rules are D1 to D36."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorate_verifier.debate_fates import DebateFates, labels, with_words
from quorate_verifier.debate_questions import Clarification
from quorate_verifier.debate_words import DebateWords
from quorate_verifier.rules import Asked, Heard, absent, degree, exits, given, leads, table

JUDGE, PERSON = "judge", "person"
LOOKS = {"convergence": "evaluate-convergence", "quality": "evaluate-quality"}
DONE = {"PROPOSAL": "PROPOSALS_COMPLETE", "CRITIQUE": "CRITIQUES_COMPLETE", "REFINEMENT": "REFINEMENTS_COMPLETE"}
CAP = 40
"""The most that a judge's confidence counts where a major requirement is unfulfilled (D19)."""


class Debate(DebateWords):
    """Agents propose, criticise and refine; a judge ends it and synthesises."""

    table = table("""
        INITIALIZATION: START CLARIFICATION
        CLARIFICATION: QUESTIONS_PENDING CLARIFICATION_INPUT, ALL_CLEAR ROUND_MANAGER, RETRY
        CLARIFICATION_INPUT: ANSWERS_SUBMITTED CLARIFICATION, RETRY, FALLBACK ROUND_MANAGER
        ROUND_MANAGER: BEGIN_ROUND SUMMARIZATION, MAX_ROUNDS_REACHED SYNTHESIS
        SUMMARIZATION: CONTEXTS_READY PROPOSAL, RETRY, FALLBACK PROPOSAL
        PROPOSAL: PROPOSALS_COMPLETE CRITIQUE, RETRY, FALLBACK CRITIQUE, FAILED FAILURE
        CRITIQUE: CRITIQUES_COMPLETE REFINEMENT, RETRY, FALLBACK REFINEMENT, FAILED FAILURE
        REFINEMENT: REFINEMENTS_COMPLETE EVALUATION, RETRY, FALLBACK EVALUATION, FAILED FAILURE
        EVALUATION: CONTINUE ROUND_MANAGER, CONSENSUS_REACHED SYNTHESIS, MAX_ROUNDS_REACHED SYNTHESIS, RETRY
        EVALUATION: FALLBACK ROUND_MANAGER
        SYNTHESIS: CONTEXTS_READY, COMPLETE CONCLUDED, RETRY, FALLBACK CONCLUDED
    """)
    interrupts = leads(ABORTED="cancelled budget episodes stall", SYNTHESIS="wish")
    ends = frozenset(("CONCLUDED", "FAILURE", "ABORTED"))
    initial = "INITIALIZATION"
    uncounted = frozenset((PERSON,))
    codes = exits(SOLUTION=0, PARTIAL_SOLUTION=1, UNJUDGED=2, FAILED=3, ABORTED=3)
    entries = "D33"
    derived = "who is asked in every phase, retries, who leaves, every outcome, the judge's threshold and the verdict"
    left_out = ("whether two questions say the same: taken as the mark that stands in the entries",)

    def __init__(self, settings: Mapping[str, Any], briefs: Mapping[str, str]) -> None:
        super().__init__(settings, briefs)
        self.agents: list[str] = list(settings["agents"])
        self.missing: list[str] | None = None
        """Who is asked again, while a phase is entered again (D21)."""
        self.retries = self.critiques = 0
        self.history = dict.fromkeys(self.agents, 0)
        self.standing = dict.fromkeys(self.agents, 0)
        """By agent the size of the text that stands; of one that left, of its history (D18)."""
        self.judged: str | None = None
        self.judge_summary = self.judge_missing = False
        self.left: list[str] = []
        self.notes = frozenset(settings.get("unqualified_seats", ()))
        """Seats whose model has not passed the exam (D36)."""
        self.critics: dict[str, list[str]] = {each: [] for each in self.agents}
        """Who criticised whose text in this round (D14)."""
        self.critiqued: dict[str, dict[str, str]] = {}
        self.said, self.over = DebateFates(), False
        self.questions = Clarification(int(settings["clarifications_max_per_agent"]), self.said, self.tell)

    def _labels(self, kind: str, seat: str, among: Sequence[str]) -> dict[str, str]:
        """Return what a seat calls those of the others that it is asked about (D13, D14)."""
        others = [each for each in self.settings["agents"] if each != seat]
        anonymous = self.settings["anonymous"]
        found = labels(kind, seat, others, self.seed, self.round, anonymous=anonymous)
        return {label: each for label, each in found.items() if each in among}

    # Whom a phase asks

    def asked(self, phase: str) -> Sequence[Asked]:
        match phase:
            case "CLARIFICATION":
                off = not self.settings["interactive_clarifications"]
                most = self.settings["clarifications_max_iterations"]
                if off or (self.missing is None and self.questions.iterations >= most):
                    return []
                return [(seat, "clarify") for seat in self._now(self.agents)]
            case "CLARIFICATION_INPUT":
                return [(PERSON, "answer", self.questions.open)]
            case "SUMMARIZATION":
                return [(seat, "summarize") for seat in self._now(self._long())]
            case "PROPOSAL" if self.round > 1:
                return []
            case "PROPOSAL":
                return [(seat, "propose") for seat in self._now(self.agents)]
            case "CRITIQUE":
                among = self.agents
                return [(s, "criticise", list(self._labels("proposal", s, among))) for s in self._now(self.agents)]
            case "REFINEMENT":
                heard = self.critics
                return [(s, "refine", list(self._labels("critique", s, heard[s]))) for s in self._now(self.agents)]
            case "EVALUATION":
                idle = self._type() == "fixed" or self._last() or JUDGE in self.notes
                return [] if idle else [(JUDGE, LOOKS[self._type()])]
            case "SYNTHESIS":
                return [(JUDGE, "summarize-debate" if self._first_a_summary() else "synthesize")]
            case _:
                return []

    def _now(self, everybody: Sequence[str]) -> Sequence[str]:
        return everybody if self.missing is None else self.missing

    def _type(self) -> str:
        return str(self.settings["termination_condition"]["type"])

    def _last(self) -> bool:
        return self.round >= int(self.settings["rounds"])

    def _long(self) -> list[str]:
        """The agents whose history is to be summarised (D11)."""
        told = self.settings["summarization"]
        return [seat for seat in self.agents if told["enabled"] and self.history[seat] >= told["threshold"]]

    def _first_a_summary(self) -> bool:
        told = self.settings["summarization"]
        long = sum(self.standing.values()) + self.critiques >= told["threshold"]
        return bool(told["enabled"]) and long and not self.judge_summary

    # What follows

    def decide(self, phase: str, heard: Sequence[Heard]) -> str:
        self._note(heard)
        outcome = self._outcome(phase, heard := with_words(heard))
        if outcome == "RETRY":
            self.retries, self.missing = self.retries + 1, absent(heard)
        else:
            self.retries, self.missing = 0, None
        return outcome

    def _may_retry(self) -> bool:
        return self.retries < int(self.settings["retries"])

    def _outcome(self, phase: str, heard: Sequence[Heard]) -> str:
        match phase:
            case "INITIALIZATION":
                return "START"
            case "CLARIFICATION":
                return self._questions(heard)
            case "CLARIFICATION_INPUT":
                return self._answers(heard)
            case "ROUND_MANAGER":
                if self._last():
                    return "MAX_ROUNDS_REACHED"
                self.round += 1
                return "BEGIN_ROUND"
            case "SUMMARIZATION":
                for seat, reply in given(heard):
                    self.history[seat] = reply["size"]
                return self._or_again(heard, "CONTEXTS_READY")
            case "EVALUATION":
                return self._evaluated(heard)
            case "SYNTHESIS":
                return self._synthesised(heard)
            case _:
                return self._said(phase, heard)

    def _or_again(self, heard: Sequence[Heard], done: str) -> str:
        if not absent(heard):
            return done
        return "RETRY" if self._may_retry() else "FALLBACK"

    def _questions(self, heard: Sequence[Heard]) -> str:
        self.questions.take(heard, again=self.missing is not None)
        if absent(heard) and self._may_retry():
            return "RETRY"
        return "QUESTIONS_PENDING" if self.questions.open else "ALL_CLEAR"

    def _answers(self, heard: Sequence[Heard]) -> str:
        reply = heard[0].reply
        if reply is not None:
            self.questions.answer(reply)
        if not self.questions.open:
            return "ANSWERS_SUBMITTED"
        if reply is not None and self._may_retry():
            return "RETRY"
        self.questions.leave()
        return "FALLBACK"

    def _said(self, phase: str, heard: Sequence[Heard]) -> str:
        if phase == "REFINEMENT":
            self.critiqued = {seat: self._labels("critique", seat, self.critics[seat]) for seat in self.critics}
        for seat, reply in given(heard):
            if phase == "CRITIQUE":
                self.critiques += reply["size"]
                for label in reply["critiques"]:
                    self.critics[self._labels("proposal", seat, self.agents)[label]].append(seat)
            else:
                self.history[seat] += reply["size"]
                self.standing[seat] = reply["size"]
        outcome = self._or_again(heard, DONE[phase])
        if outcome == "FALLBACK":
            for seat in absent(heard):
                self.tell("left the table", seat=seat)
            self.left += absent(heard)
            self.standing |= {seat: self.history[seat] for seat in self.left}
            self.agents = [seat for seat in self.agents if seat not in self.left]
            outcome = "FALLBACK" if len(self.agents) >= 2 else "FAILED"
        if phase == "REFINEMENT":
            self._respond(heard, final=outcome != "RETRY")
        return outcome

    def _note(self, heard: Sequence[Heard]) -> None:
        everybody = self.settings["agents"]
        self.said.note(heard, self.round, lambda seat: self._labels("proposal", seat, everybody))

    def _respond(self, heard: Sequence[Heard], *, final: bool) -> None:
        """Every critique is accepted, rejected, left open, or lost with its author (D14, D36)."""
        for seat, reply in given(heard):
            for label, critic in self.critiqued[seat].items():
                stance = reply["responses"].get(label, {}).get("stance", "left open")
                self._became("left open" if seat in self.notes else stance, critic, seat)
        order = {each: place for place, each in enumerate(self.settings["agents"])}
        for seat in sorted(self.left, key=order.__getitem__) if final else ():
            for critic in sorted(self.critics[seat], key=order.__getitem__):
                self._became("lost with its author", critic, seat)
        if final:
            self.critics = {each: [] for each in self.critics}

    def _became(self, became: str, critic: str, author: str) -> None:
        self.tell(f"critique {became}", by=critic, of=author)
        self.said.settle(f"c{self.round}.{critic}.{author}", became)

    def _evaluated(self, heard: Sequence[Heard]) -> str:
        if self._type() == "fixed":
            return "CONTINUE"
        if self._last():
            return "MAX_ROUNDS_REACHED"
        if JUDGE in self.notes:
            return "CONTINUE"
        if heard[0].reply is None:
            return self._or_again(heard, "")
        convinced = heard[0].reply["confidence"] >= self.settings["termination_condition"]["threshold"]
        self.said.evaluate("ends the rounds" if convinced else "not convinced")
        return "CONSENSUS_REACHED" if convinced else "CONTINUE"

    def _synthesised(self, heard: Sequence[Heard]) -> str:
        reply = heard[0].reply
        if self._first_a_summary():
            if reply is None and self._may_retry():
                return "RETRY"
            self.judge_summary = True
            return "CONTEXTS_READY"
        if reply is not None:
            self.said.solve(reply, cut=False, noted=JUDGE in self.notes)
        if reply is None or reply["blank"]:  # a solution without words is none (D25)
            if self._may_retry():
                return "RETRY"
            self.judged, self.judge_missing = "UNJUDGED", True
            return "FALLBACK"
        if JUDGE in self.notes:
            self.judged = "UNJUDGED"
            self.tell("unqualified", seat=JUDGE)
            return "FALLBACK"
        self.judged = "PARTIAL_SOLUTION" if reply["gaps"] else "SOLUTION"
        if reply["gaps"] and reply["confidence"] > CAP:
            self.tell("confidence capped", said=reply["confidence"], counts=CAP)
        return "COMPLETE"

    def interrupt(self, phase: str, reason: str) -> None:
        self.retries, self.missing = 0, None
        self._note(self.cut_short)
        self.said.leave(self.cut_short)

    def fates(self) -> Sequence[Mapping[str, Any]]:
        judged = self.judged in ("SOLUTION", "PARTIAL_SOLUTION")
        return self.said.told(over=self.over, judged=judged)

    def verdict(self, phase: str) -> str:
        self.over = True
        return {"FAILURE": "FAILED", "ABORTED": "ABORTED"}.get(phase) or str(self.judged)

    def degradation(self) -> str:
        without = self.judge_missing and self.settings["judge_required"]
        below = len(self.agents) < self.settings["required_agents"] or without
        return degree(below, self.left or self.judge_missing)
