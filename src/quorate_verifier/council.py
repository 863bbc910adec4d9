"""What follows in a council: its rules are C1 to C39."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from quorate_verifier.finding import GATE_OF, SEVERITIES, Finding, approval, count, possible, stands
from quorate_verifier.rules import BELOW, NONE, WITHIN, Heard, Rules, given, leads, table

SEATS = ("SA-1", "SA-2", "SA-3")
DRAWN = frozenset(("L3", "L4", "L5"))
"""The lenses that have to be bound: those after the two anchors (C6)."""
REVIEWS = {"SA-1": ("score", "scores"), "SA-2": ("mock-run", "steps"), "SA-3": ("assure", "claims")}
"""By seat its brief in CYCLE_1 and the rows of its artifact (C13)."""
APPLIED = "applied, and the gates pass as before or better"
PROSE_ONLY = "nothing changes but prose"


class Council(Rules):
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
    rulings: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "NEEDS_ADJUDICATION": ("APPROVED", "APPROVED_WITH_REMEDIATION", "REJECTED")
    }
    counts = "vote"
    derived = "findings and their merging, backers, severities, every vote, remediations, who is lost, and the verdict"
    left_out = (
        "the draw of the lenses (`quorate check` draws them again)",
        "what the gates and the matcher reported, and whether a refutation quotes the RFC: taken as recorded",
    )

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self.alone = settings["depth"] == "STANDARD"
        self.active = list(SEATS[:1] if self.alone else SEATS)
        self.quorum = 1 if self.alone else int(settings["quorum"])
        self.step = ""
        self.findings: dict[str, Finding] = {}
        self.bound: dict[str, set[str]] = {seat: set() for seat in SEATS}
        self.doubts: dict[str, Mapping[str, Any]] = {}
        """By seat its assessment (C32)."""
        self.proposals: list[tuple[str, str]] = []
        """Finding and seat, in the order in which they are numbered P1, P2, ..."""
        self.patched: list[str] = []
        self.lost = False

    # Whom a phase asks

    def asked(self, phase: str) -> Sequence[tuple[str, str]] | None:
        match phase, self.step:
            case "CYCLE_1", "":
                return [("gates", "examine")]
            case "CYCLE_1", "EXAMINED":
                return [(seat, REVIEWS[seat][0]) for seat in self.active]
            case ("CYCLE_1", "REVIEWED") | ("CYCLE_2", "ASSESSED"):
                live = self._live()
                return [("matcher", "match")] if len(live) > 1 and not all(each.gate for each in live) else []
            case "CYCLE_2", "":
                return [(seat, "assess") for seat in self.active]
            case "CYCLE_2", "MERGED":
                return [(seat, "respond") for seat in self.active if self._answerable()]
            case "CYCLE_2", "RESPONDED":
                return [(seat, "bind") for seat in self.active if not self.bound[seat] >= DRAWN]
            case "CYCLE_3", "":
                return [(seat, "remediate") for seat in self.active if self._without_proposal()]
            case "CYCLE_3", "PROPOSED":
                return [(seat, "vote") for seat in self.active if self._votable() and not self.alone]
            case "CYCLE_3", "PATCHED" if self.patched:
                return [("gates", "apply")]
            case "CYCLE_3", _:
                wanted = self._to_edit()
                return [(seat, "patch") for seat, _ in zip(self.active, wanted, strict=False)]
            case _:
                return []

    def _live(self) -> list[Finding]:
        return [each for each in self.findings.values() if not each.merged]

    def _answerable(self) -> list[Finding]:
        return [each for each in self._live() if not each.gate or each.is_at_least("MAJOR")]

    def _without_proposal(self) -> list[Finding]:
        proposed = {key for key, _ in self.proposals}
        return [
            each
            for each in self._live()
            if each.is_at_least("BLOCKER") and each.key not in proposed and each.fate != "DISMISSED"
        ]

    def _contested(self) -> list[Finding]:
        return [each for each in self._live() if each.fate == "OPEN"]

    def _numbered(self) -> list[tuple[str, str]]:
        """The proposals that are voted upon: those for findings that are MAJOR or worse (C18)."""
        keys = {each.key for each in self._live() if each.is_at_least("MAJOR") and each.fate != "DISMISSED"}
        return [each for each in self.proposals if each[0] in keys]

    def _votable(self) -> bool:
        return bool(self._contested() or self._numbered())

    def _to_edit(self) -> list[Finding]:
        if not self.settings["remediate"] or (self.step == "PATCHED" and not self.patched):
            return []
        return [each for each in self._live() if each.agreed and each.fate == "UPHELD" and len(each.tries) < 2]

    # What follows

    def decide(self, phase: str, heard: Sequence[Heard]) -> str:
        outcome = self._outcome(phase, heard)
        self.step = outcome if self.table[phase][outcome] == phase else ""
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
                for seat, reply in given(heard):
                    self._bind(seat, reply)
                return self._or_too_few(heard, "BOUND")
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
        self._raise({("gates", index): each for index, each in enumerate(report["findings"])})
        blocked = any(each.is_at_least("BLOCKER") for each in self.findings.values())
        return "GATE_FAILED" if blocked and (self.alone or self.settings["fail_fast"]) else "EXAMINED"

    def _raise(self, said: dict[tuple[str, int], Mapping[str, Any]]) -> None:
        """Take every finding that was raised; what is of the same kind, place and field is one (C14).

        In which order they are numbered is told by the facts; they have to name each finding once.
        """
        for fact in self.facts:
            if fact["name"] != "raised":
                continue
            values = fact["values"]
            told, seat, key = said.pop((values["by"], values["index"])), values["by"], f"F{len(self.findings) + 1}"
            if values["key"] != key:
                raise ValueError(f"{values['key']} is raised, and not {key}")
            severity = SEVERITIES.index(told["severity"])
            made = Finding(key, told["subcategory"], told["place"], told["field"], severity, seat == "gates")
            made.fate, made.backers = ("UPHELD", {}) if made.gate else ("OPEN", {seat: severity})
            same = next((each for each in self._live() if each.identity == made.identity), None)
            self.findings[key] = made
            if same is not None and not made.gate:
                self._merge(made, same)
        if said:
            raise ValueError(f"{len(said)} findings are not raised")

    def _merge(self, one: Finding, into: Finding) -> None:
        one.merged = True
        for seat, severity in one.backers.items():
            into.backers[seat] = max(severity, into.backers.get(seat, severity))
        into.weigh()

    def _raised(self, heard: Sequence[Heard], outcome: str) -> str:
        raised = {(seat, n): each for seat, reply in given(heard) for n, each in enumerate(reply["findings"])}
        self._raise(raised)
        for seat, reply in given(heard):
            self._bind(seat, reply)
            if outcome == "ASSESSED":
                self.doubts[seat] = reply
        return self._or_too_few(heard, outcome)

    def _bind(self, seat: str, reply: Mapping[str, Any]) -> None:
        """Bind the lenses of findings, and of rows of the artifact that are not blank (C6)."""
        for value in reply.values():
            for each in value if isinstance(value, list) else ():
                if isinstance(each, dict) and "lens" in each and not each.get("blank", False):
                    self.bound[seat].add(each["lens"])

    def _match(self, heard: Sequence[Heard]) -> None:
        for _, reply in given(heard):
            for pair in reply["pairs"]:
                kept, merged = self.findings[pair["kept"]], self.findings[pair["merged"]]
                alike = kept.place == merged.place and GATE_OF[kept.kind] == GATE_OF[merged.kind]
                if alike and kept is not merged and not (merged.gate or merged.merged or kept.merged):
                    self._merge(merged, kept)

    def _responded(self, heard: Sequence[Heard]) -> str:
        for seat, reply in given(heard):
            for key, said in reply["answers"].items():
                self._answer(self.findings[key], seat, said)
            self._propose(seat, {key: said["proposal"] for key, said in reply["answers"].items()})
        for each in self._live():
            each.weigh()
            if not each.gate:
                each.fate = self._agreement(each)
        return self._or_too_few(heard, "RESPONDED")

    def _answer(self, finding: Finding, seat: str, said: Mapping[str, Any]) -> None:
        if finding.gate:
            return
        match said["response"]:
            case "CONFIRM":
                finding.backers.setdefault(seat, finding.severity)
            case "SEVERITY":
                finding.backers[seat] = SEVERITIES.index(said["severity"])
            case "DISPUTE" if not said["unreasoned"]:
                finding.backers.pop(seat, None)
                finding.disputed.add(seat)

    def _agreement(self, finding: Finding) -> str:
        if self.alone:
            return "DISMISSED" if finding.disputed else "UPHELD"
        contested = finding.disputed or len(finding.backers) < 2
        return "OPEN" if contested else "UPHELD"

    def _propose(self, seat: str, proposals: Mapping[str, Mapping[str, Any]]) -> None:
        for key, said in proposals.items():
            if said["fix"] != "NONE" and not said["blank"] and (key, seat) not in self.proposals:
                self.proposals.append((key, seat))
        order = list(self.findings)
        self.proposals.sort(key=lambda each: (order.index(each[0]), SEATS.index(each[1])))
        if self.alone:
            for key, _ in self.proposals:
                self.findings[key].agreed = True

    def _voted(self, heard: Sequence[Heard]) -> str:
        if not heard:
            return "VOTED"
        items: list[tuple[str, Finding | None]] = [(each.key, each) for each in self._contested()]
        numbered = self._numbered()
        items += [(f"P{number}", None) for number in range(1, len(numbered) + 1)]
        silent = [each for each in heard if each.reply is None]
        certain = all(len(possible(heard, key, about, self.quorum)) == 1 for key, about in items)
        if not certain:
            if not all(each.answered for each in silent):
                raise ValueError("the vote was settled while it was open (C24)")
            if self._or_too_few(heard, "VOTED") != "VOTED":
                return "INSUFFICIENT_AGENTS"
        for key, about in items:
            support, oppose, refuted = count(heard, key)
            self.tallies.append({"key": key, "support": support, "oppose": oppose, "refuted": refuted})
            fate = stands(about, support, oppose, refuted, self.quorum)
            if about is not None:
                about.fate = fate
            elif fate == "UPHELD":
                self.findings[numbered[int(key[1:]) - 1][0]].agreed = True
        return "VOTED"

    def _patched(self, heard: Sequence[Heard]) -> str:
        self.patched = [each["finding"] for _, reply in given(heard) for each in reply["edits"]]
        return "PATCHED"

    def _applied(self, tried: Heard) -> str:
        results = tried.reply["results"] if tried.reply is not None else {}
        for key in tried.keys:
            finding = self.findings[key]
            finding.tries.append(results.get(key, ""))
            if finding.tries[-1] == APPLIED:
                finding.fate = "REMEDIATED"
            elif finding.tries == [PROSE_ONLY, PROSE_ONLY]:
                finding.fate = "DEADLOCKED"
        self.patched = []
        return "APPLIED"

    # How it ends

    def _ended(self) -> str:
        split = [each for each in self._live() if each.fate == "DEADLOCKED"]
        if any(each.is_at_least(self.settings["deadlock_min_severity"]) for each in split):
            return "DEADLOCK"
        upheld = [each for each in self._live() if each.fate == "UPHELD" and not each.gate]
        stuck = any(each.is_at_least("BLOCKER") and not each.agreed for each in upheld)
        return "DEADLOCK" if stuck and not self.alone else "CONSENSUS"

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
        if len(self.active) < self.quorum:
            return BELOW
        return WITHIN if self.lost else NONE
