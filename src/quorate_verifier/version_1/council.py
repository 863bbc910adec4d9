"""What follows in a council: its rules are C1 to C44."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from quorate_verifier.rules import Asked, Heard, degree, exits, given, leads, table
from quorate_verifier.version_1.docket import DRAWN, MOST_TRIES, Docket, keys_of, places_of
from quorate_verifier.version_1.finding import GATE_OF, STANDING, approval, count, order, possible, stands

REVIEWS = {"SA-1": "score", "SA-2": "mock-run", "SA-3": "assure"}
"""By seat its brief in CYCLE_1 (C13)."""
MOST_TICKETS = 200
APPLIED, NOT_APPLIED = "applied, and the gates pass as before or better", "an edit does not apply"
PROSE_ONLY = "nothing changes but prose"
RESULTS = {
    **{APPLIED: "APPLIED", NOT_APPLIED: "NOT_APPLIED", PROSE_ONLY: "PROSE_ONLY"},
    **{"a gate finds something that was not there before": "REGRESSED"},
    **{"the gate finds the same as before": "UNRESOLVED"},
}
"""What the gates say of an edit, and its name (C38)."""


class Council(Docket):
    """Three seats examine an RFC in three cycles, after gates that no vote outweighs."""

    table = table("""
        INIT: MODES_DRAWN CYCLE_1
        CYCLE_1: EXAMINED, REVIEWED, MERGED CYCLE_2, GATE_FAILED CONVERGED, NO_GATES ABORTED
        CYCLE_1: INSUFFICIENT_AGENTS ABORTED
        CYCLE_2: ASSESSED, MERGED, RESPONDED, BOUND CYCLE_3, INSUFFICIENT_AGENTS ABORTED
        CYCLE_3: PROPOSED, VOTED, PATCHED, APPLIED, CONSENSUS CONVERGED, DEADLOCK DEADLOCKED
        CYCLE_3: INSUFFICIENT_AGENTS ABORTED
    """)
    interrupts = leads(ABORTED="cancelled budget episodes stall wish")
    ends = frozenset(("CONVERGED", "DEADLOCKED", "ABORTED"))
    initial = "INIT"
    uncounted = frozenset(("gates", "matcher"))
    settling = frozenset(("CYCLE_3",))
    codes = exits(APPROVED=0, APPROVED_WITH_REMEDIATION=0, REJECTED=1, NEEDS_ADJUDICATION=2, ABORTED=3)
    rulings: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "NEEDS_ADJUDICATION": ("APPROVED", "APPROVED_WITH_REMEDIATION", "REJECTED")
    }
    unseen = frozenset(("modes", "mode_selection"))
    derived = "findings and their merging, backers, severities, every vote, remediations, who is lost, and the verdict"
    left_out = (
        "the draw of the lenses, which decides nothing (`quorate check` draws them again)",
        "what the gates and the matcher report of the RFC: taken as recorded",
    )

    # Whom a phase asks

    def asked(self, phase: str) -> Sequence[Asked]:
        active, places = self.active, places_of(self.tickets)
        match phase, self.step:
            case "CYCLE_1", "":
                return [("gates", "examine", places_of(MOST_TICKETS))]
            case "CYCLE_1", "EXAMINED":
                return [(seat, REVIEWS[seat], places) for seat in active]
            case ("CYCLE_1", "REVIEWED") | ("CYCLE_2", "ASSESSED"):
                live = self._live()
                some = len(live) > 1 and not all(each.gate for each in live)
                return [("matcher", "match", keys_of(live))] if some else []
            case "CYCLE_2", "":
                return [(seat, "assess", places) for seat in active]
            case "CYCLE_2", "MERGED":
                return [(seat, "respond", keys) for keys in [keys_of(self._answerable())] for seat in active if keys]
            case "CYCLE_2", "RESPONDED":
                return [(seat, "bind", places) for seat in active if not self.bound[seat] >= DRAWN]
            case "CYCLE_3", "":
                return [(seat, "remediate", keys) for keys in [keys_of(self._unmended())] for seat in active if keys]
            case "CYCLE_3", "PROPOSED":
                items = [] if self.alone else list(self._items())
                return [(seat, "vote", items) for seat in active if items]
            case "CYCLE_3", "PATCHED" if self.patched:
                return [("gates", "apply", keys_of(self._to_mend()))]
            case "CYCLE_3", _:
                wanted, turns = keys_of(self._to_edit()), len(active)
                given = {seat: wanted[place::turns] for place, seat in enumerate(active)}
                return [(seat, "patch", [*keys, *places]) for seat, keys in given.items() if keys]
            case _:
                return []

    # What follows

    def decide(self, phase: str, heard: Sequence[Heard]) -> str:
        outcome = self._outcome(phase, heard)
        to = self.table[phase][outcome]
        self.step = outcome if to == phase else ""
        self.round = {"CYCLE_2": 2, "CYCLE_3": 3}.get(to, self.round)
        return outcome

    def _outcome(self, phase: str, heard: Sequence[Heard]) -> str:
        match phase, self.step:
            case "INIT", _:
                return "MODES_DRAWN"
            case "CYCLE_1", "":
                return self._examined(heard[0].reply)
            case "CYCLE_1", "EXAMINED":
                return self._raised(heard, "REVIEWED")
            case ("CYCLE_1", "REVIEWED") | ("CYCLE_2", "ASSESSED"):
                self._match(heard)
                return "MERGED"
            case "CYCLE_2", "":
                return self._raised(heard, "ASSESSED")
            case "CYCLE_2", "MERGED":
                return self._responded(heard)
            case "CYCLE_2", "RESPONDED":
                return self._bound(heard)
            case "CYCLE_3", "":
                for seat, reply in given(heard):
                    self._propose(seat, reply["proposals"])
                return self._or_too_few(heard, "PROPOSED")
            case "CYCLE_3", "PROPOSED":
                return self._voted(heard)
            case "CYCLE_3", "PATCHED" if self.patched:
                return self._applied(heard[0])
        return self._patched(heard) if heard else self._ended()

    def _or_too_few(self, heard: Sequence[Heard], outcome: str) -> str:
        """Lose the seats without a usable reply; with fewer than the quorum the council ends (C36)."""
        gone = [each.seat for each in heard if each.reply is None and each.answered]
        self.lost = self.lost or bool(gone)
        self.active = [seat for seat in self.active if seat not in gone]
        return outcome if len(self.active) >= self.quorum else "INSUFFICIENT_AGENTS"

    def _examined(self, report: Mapping[str, Any] | None) -> str:
        if report is None:
            return "NO_GATES"
        self.tickets = report["tickets"]
        for index, each in enumerate(report["findings"]):
            self._raise("gates", index, each)
        blocked = any(each.is_at_least("BLOCKER") for each in self.findings.values())
        return "GATE_FAILED" if blocked and (self.alone or self.settings["fail_fast"]) else "EXAMINED"

    def _raised(self, heard: Sequence[Heard], outcome: str) -> str:
        raised = [(seat, n, each) for seat, reply in given(heard) for n, each in enumerate(reply["findings"])]
        for each in sorted(raised, key=lambda each: order(each[2])):
            self._raise(*each)
        for seat, reply in given(heard):
            self._bind(seat, reply)
            if outcome == "ASSESSED":
                self.doubts[seat] = reply
        return self._or_too_few(heard, outcome)

    def _responded(self, heard: Sequence[Heard]) -> str:
        for each in self._live():
            answers = {seat: reply["answers"][each.key] for seat, reply in given(heard) if each.key in reply["answers"]}
            for seat, said in answers.items():
                self._answer(each, seat, said)
            each.weigh()
            if not each.gate:
                each.fate = self._agreement(each)
        for seat, reply in given(heard):
            self._propose(seat, {key: said["proposal"] for key, said in reply["answers"].items()})
        return self._or_too_few(heard, "RESPONDED")

    def _bound(self, heard: Sequence[Heard]) -> str:
        """Bind what the repair binds; what is left unbound is a warning and nothing more (C6)."""
        for seat, reply in given(heard):
            self._bind(seat, reply)
        for seat in self.active:
            for lens in sorted(DRAWN - self.bound[seat]):
                self.tell("unbound", seat=seat, lens=lens)
        return self._or_too_few(heard, "BOUND")

    def certain(self, phase: str, heard: Sequence[Heard]) -> bool:
        """Whether no vote to come can change what becomes of any item (C24)."""
        voting = self.step == "PROPOSED" and not self.alone
        return voting and all(len(possible(heard, *item, self.quorum)) == 1 for item in self._items().items())

    def _voted(self, heard: Sequence[Heard]) -> str:
        if not heard:
            return "VOTED"
        if not self.certain("CYCLE_3", heard) and self._or_too_few(heard, "VOTED") != "VOTED":
            return "INSUFFICIENT_AGENTS"
        cast, numbered = len(list(given(heard))), self._numbered()
        for key, about in self._items().items():
            support, oppose, refuted = count(heard, key)
            fate = stands(about, support, oppose, refuted, self.quorum)
            told = {"support": support, "oppose": oppose, "abstain": cast - support - oppose, "refuted": refuted}
            self.tell("vote", key=key, **told, stands=STANDING[fate])
            if about is not None:
                about.fate = fate
            elif fate == "UPHELD":
                self.findings[numbered[int(key[1:]) - 1][0]].agreed = True
        return "VOTED"

    def _patched(self, heard: Sequence[Heard]) -> str:
        self.attempts += 1
        self.patched = any(reply["edits"] for _, reply in given(heard))
        return "PATCHED"

    def _applied(self, tried: Heard) -> str:
        """Take what held; a finding with two attempts that are both prose alone goes to a person (C38, C39)."""
        results = tried.reply["results"] if tried.reply is not None else {}
        for finding in self._to_mend():
            result = results.get(finding.key, NOT_APPLIED)
            finding.tries.append(result)
            self.tell("edited", key=finding.key, result=RESULTS[result])
            if result == APPLIED:
                finding.fate = "REMEDIATED"
            elif finding.tries.count(PROSE_ONLY) == MOST_TRIES:
                finding.fate = "DEADLOCKED"
        self.patched = tried.reply is not None
        return "APPLIED"

    # How it ends

    def _ended(self) -> str:
        split = [each for each in self._live() if each.fate == "DEADLOCKED"]
        if any(each.is_at_least(self.settings["deadlock_min_severity"]) for each in split):
            return "DEADLOCK"
        upheld = [each for each in self._live() if each.fate == "UPHELD" and not each.gate]
        stuck = any(each.is_at_least("BLOCKER") and not each.agreed for each in upheld)
        return "DEADLOCK" if stuck and not self.alone else "CONSENSUS"

    def progress(self, brief: str, reply: Mapping[str, Any]) -> bool:
        """An answer that names none of its keys brings nothing (C34)."""
        named = {"respond": "answers", "remediate": "proposals", "vote": "votes", "bind": "uses"}.get(brief)
        if brief == "assess":
            return bool(reply["gates"] or reply["findings"])
        return named is None or bool(reply[named])

    def verdict(self, phase: str) -> str:
        if phase != "CONVERGED":
            return "ABORTED" if phase == "ABORTED" else "NEEDS_ADJUDICATION"
        follows = approval(self._live(), self.settings["most_majors"])
        doubtful = sum(map(self._in_doubt, self.doubts)) >= (1 if len(self.doubts) == 1 else 2)
        return "NEEDS_ADJUDICATION" if doubtful and follows != "REJECTED" else follows

    def _in_doubt(self, seat: str) -> bool:
        found = {GATE_OF[each.kind] for each in self.findings.values()}
        failed = {each["gate"] for each in self.doubts[seat]["gates"] if not each["passed"]}
        return self.doubts[seat]["confidence"] == "LOW" or bool(failed - found)

    def degradation(self) -> str:
        return degree(len(self.active) < self.quorum, self.lost)
