"""The docket of a council: its findings as they are raised, merged, answered and proposed upon (C14 to C25)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorate_verifier.rules import Heard, Rules, given, numbered
from quorate_verifier.version_1.finding import GATE_OF, SEVERITIES, Finding

SEATS = ("SA-1", "SA-2", "SA-3")
DRAWN = frozenset(("L3", "L4", "L5"))
"""The lenses that have to be bound: those after the two anchors (C6)."""
MOST_TRIES = 2
"""Attempts to mend a finding (C39)."""


def places_of(tickets: int) -> list[str]:
    """Return what a finding may be about: the RFC, its ten files, and its tickets (C28)."""
    return ["RFC", *numbered("R0", 9, 0), *numbered("T", tickets)]


def keys_of(findings: Sequence[Finding]) -> list[str]:
    return [each.key for each in findings]


class Docket(Rules):
    """All that a council has found so far, and who sits in it."""

    def __init__(self, settings: Mapping[str, Any], briefs: Mapping[str, str]) -> None:
        super().__init__(settings, briefs)
        self.alone = settings["depth"] == "STANDARD"
        self.active = list(SEATS[:1] if self.alone else SEATS)
        self.round = 1
        self.quorum = 1 if self.alone else int(settings["quorum"])
        self.step, self.tickets = "", 0
        self.findings: dict[str, Finding] = {}
        self.bound: dict[str, set[str]] = {seat: set() for seat in SEATS}
        self.doubts: dict[str, Mapping[str, Any]] = {}
        """By seat its assessment (C32)."""
        self.proposals: list[tuple[str, str]] = []
        """Finding and seat, in the order in which they are numbered P1, P2, ..."""
        self.attempts, self.patched = 0, False
        """Whether edits were offered, and then tried."""
        self.lost = False

    def _live(self) -> list[Finding]:
        return [each for each in self.findings.values() if not each.merged]

    def _answerable(self) -> list[Finding]:
        return [each for each in self._live() if not each.gate or each.is_at_least("MAJOR")]

    def _unmended(self) -> list[Finding]:
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

    def _to_mend(self) -> list[Finding]:
        return [each for each in self._live() if each.agreed and each.fate == "UPHELD"]

    def _items(self) -> dict[str, Finding | None]:
        """What is voted upon: contested findings, and proposals by their numbers (C18)."""
        proposals = dict.fromkeys(numbered("P", len(self._numbered())))
        return {**{each.key: each for each in self._contested()}, **proposals}

    def _raise(self, seat: str, index: int, told: Mapping[str, Any]) -> None:
        """Number a finding; what is of the same kind, place and field as another is one with it (C14)."""
        severity, key = SEVERITIES.index(told["severity"]), f"F{len(self.findings) + 1}"
        made = Finding(key, told["subcategory"], told["place"], told["field"], severity, seat == "gates")
        made.fate, made.backers = ("UPHELD", {}) if made.gate else ("OPEN", {seat: severity})
        same = next((each for each in self._live() if each.identity == made.identity), None)
        self.findings[key] = made
        self.tell("raised", key=key, by=seat, index=index)
        if same is not None and not made.gate:
            self.tell("merged", key=key, into=same.key, how="same")
            self._merge(made, same)

    def _merge(self, one: Finding, into: Finding) -> None:
        one.merged = True
        for seat, severity in one.backers.items():
            into.backers[seat] = max(severity, into.backers.get(seat, severity))
        into.weigh()

    def _match(self, heard: Sequence[Heard]) -> None:
        for _, reply in given(heard):
            for pair in reply["pairs"]:
                kept, merged = self.findings[pair["kept"]], self.findings[pair["merged"]]
                alike = kept.place == merged.place and GATE_OF[kept.kind] == GATE_OF[merged.kind]
                if alike and kept is not merged and not (merged.gate or merged.merged or kept.merged):
                    self.tell("merged", key=merged.key, into=kept.key, how="near")
                    self._merge(merged, kept)
                else:
                    self.tell("merge_refused", key=merged.key, into=kept.key)

    def _answer(self, finding: Finding, seat: str, said: Mapping[str, Any]) -> None:
        if finding.gate:
            return
        counts = "ABSTAIN" if said["response"] == "DISPUTE" and said["unreasoned"] else said["response"]
        self.tell("answer", key=finding.key, by=seat, said=said["response"], counts=counts)
        match counts:
            case "CONFIRM":
                finding.backers.setdefault(seat, finding.severity)
            case "SEVERITY":
                finding.backers[seat] = SEVERITIES.index(said["severity"])
            case "DISPUTE":
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
        numbers = list(self.findings)
        self.proposals.sort(key=lambda each: (numbers.index(each[0]), SEATS.index(each[1])))
        if self.alone:
            for key, _ in self.proposals:
                self.findings[key].agreed = self.findings[key].is_at_least("MAJOR")

    def _bind(self, seat: str, reply: Mapping[str, Any]) -> None:
        """Bind the lenses of findings, and of rows of the artifact that are not blank (C6)."""
        for value in reply.values():
            for each in value if isinstance(value, list) else ():
                if isinstance(each, dict) and "lens" in each and not each.get("blank", False):
                    self.bound[seat].add(each["lens"])

    def _to_edit(self) -> list[Finding]:
        """What edits are asked for: once more after a try that could be made, and not again (C38, C39)."""
        over = self.attempts >= MOST_TRIES or (self.step in ("PATCHED", "APPLIED") and not self.patched)
        return self._to_mend() if self.settings["remediate"] and not over else []
