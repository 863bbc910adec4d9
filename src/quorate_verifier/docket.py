"""The docket of a council: its findings as they are raised, merged, answered and proposed upon (C14 to C25)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quorate_verifier.council_notes import Notes
from quorate_verifier.finding import SEVERITIES, Finding
from quorate_verifier.rules import Heard, Rules, given, numbered

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


def _number(key: str) -> int:
    return int(key[1:])


def refused(claims: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the numbers of the claims from which no way leads to the top (C13)."""
    good, grown = {0}, True
    while grown:
        more = {number for number, each in enumerate(claims, start=1) if each["parent"] in good}
        grown = not more <= good
        good |= more
    return [number for number in range(1, len(claims) + 1) if number not in good]


def _classes(answers: Mapping[str, Any]) -> dict[str, str]:
    """Return for each finding the first of those that one seat calls the same, directly or by way of others (C14)."""
    classes: dict[str, str] = {}
    for key, said in answers.items():
        for other in said["same_as"]:
            one, two = classes.setdefault(key, key), classes.setdefault(other, other)
            classes = {name: one if head == two else head for name, head in classes.items()}
    return classes


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
        self.notes = Notes(settings)
        """What is said on seats whose model has not passed the exam (C48)."""
        self.bound = {seat: set(DRAWN) if seat in self.notes.seats else set[str]() for seat in SEATS}
        self.doubts: dict[str, Mapping[str, Any]] = {}
        """By seat its assessment (C32)."""
        self.content: set[str] = set()
        """The seats whose artifact says anything (C46)."""
        self.assessable = self.covered = False
        self.refused = 0
        """Findings of seats that did not fit their form (C28)."""
        self.proposals: list[tuple[str, str, str]] = []
        """Finding, the one it was given for, and seat, in the order in which they are numbered P1, P2, ..."""
        self.remedies: dict[tuple[str, str], str] = {}
        """The words of each, by the finding it was given for and its seat."""
        self.reasons: dict[tuple[str, str], str] = {}
        """The words of each answer by finding and seat, or what it says where it gives no reason."""
        self.refused_claims: dict[tuple[str, int], str] = {}
        self.attempts, self.patched = 0, False
        """Whether edits were offered, and then tried."""
        self.lost = False
        self.carried: dict[str, bool] = {}
        """By its number whether a remediation has the quorum; empty until the vote is held."""
        self.ballot: list[tuple[str, str, str]] = []
        """The proposals that were put to the vote."""
        self.settled = False
        """Whether the findings are settled, by vote or alone (C22, C37)."""
        self.unheard: list[str] = []
        """The votes that the vote was settled without (C24)."""
        self.history: list[tuple[str, dict[str, Any]]] = []
        """All facts so far."""

    def _live(self) -> list[Finding]:
        return [each for each in self.findings.values() if not each.into]

    def _kept(self, key: str) -> Finding:
        """The finding that this one has become part of, or itself (C14)."""
        while self.findings[key].into:
            key = self.findings[key].into
        return self.findings[key]

    def _answerable(self) -> list[Finding]:
        return [each for each in self._live() if not each.gate or each.is_at_least("MAJOR")]

    def _unmended(self) -> list[Finding]:
        proposed = {self._kept(key).key for key, _, _ in self.proposals}
        return [
            each
            for each in self._live()
            if each.is_at_least("BLOCKER") and each.key not in proposed and each.fate != "DISMISSED"
        ]

    def numbered_proposals(self) -> list[tuple[str, str, str]]:
        """The proposals that are voted upon: those for findings that are MAJOR or worse (C18)."""
        if self.settled:
            return self.ballot  # a severity that was lowered since changes nothing of what was put to the vote
        return [each for each in self.proposals if self._kept(each[0]).is_at_least("MAJOR")]

    def _to_mend(self) -> list[Finding]:
        return [each for each in self._live() if each.agreed and each.fate == "UPHELD"]

    def _items(self) -> dict[str, bool]:
        """What is voted upon, and whether only a refutation dismisses it: truths, severities, proposals (C18, C23)."""
        rules = self.settings.get("reading", "rules") != "seed"
        items: dict[str, bool] = {}
        for each in self._live():
            if each.doubted:
                items[each.key] = rules and len(each.backers) == 1 and each.is_at_least("BLOCKER")
            if each.lower is not None:
                items[f"S{each.key[1:]}"] = False
        return items | dict.fromkeys(numbered("P", len(self.numbered_proposals())), False)

    def _raise(self, seat: str, index: int, told: Mapping[str, Any]) -> None:
        """Number a finding, which stays apart whatever others are of its kind, place and field (C14)."""
        severity, key = SEVERITIES.index(told["severity"]), f"F{len(self.findings) + 1}"
        made = Finding(key, told["subcategory"], told["place"], told["field"], severity, seat == "gates")
        made.fate, made.backers = ("UPHELD", {}) if made.gate else ("OPEN", {seat: severity})
        made.by, made.raisers, made.raised = seat, set() if made.gate else {seat}, severity
        made.first = severity
        made.words = told["message" if made.gate else "description"]
        self.findings[key] = made
        self.tell("raised", key=key, by=seat, index=index)

    def _may_join(self, one: Finding, into: Finding) -> bool:
        """A gate's finding stays, and nothing goes into a gate's that is milder (C14)."""
        milder = into.gate and one.severity > into.severity
        return one is not into and not one.gate and not milder

    def _join(self, one: Finding, into: Finding) -> None:
        one.into = into.key
        into.raisers |= one.raisers
        into.disputed += one.disputed
        into.raised = max(into.raised, one.raised)
        for seat, severity in one.backers.items():
            into.backers[seat] = max(severity, into.backers.get(seat, severity))
        into.severity = into.severity if into.gate else max(into.severity, one.severity)

    def _match(self, heard: Sequence[Heard]) -> None:
        """Join what the matcher names, within one group; then note what nobody was shown (C14, C42)."""
        for _, reply in given(heard, "match"):
            for pair in reply["pairs"]:
                kept, merged = self.findings[pair["kept"]], self.findings[pair["merged"]]
                alike = kept.identity == merged.identity and self._may_join(merged, kept)
                if alike and not (merged.into or kept.into):
                    self.tell("merged", key=merged.key, into=kept.key, how="alike")
                    self._join(merged, kept)
                else:
                    self.tell("merge_refused", key=merged.key, into=kept.key)
        for _, reply in given(heard, "cover"):
            self.covered, self.refused = not reply["unshown"], reply["refused"]
            for key in reply["unshown"]:
                self.tell("unshown", key=key)

    def _answer(self, finding: Finding, seat: str, said: Mapping[str, Any]) -> None:
        self.reasons[finding.key, seat] = said["response"] if said["unreasoned"] else said["reason"]
        if finding.gate:  # nothing that is said against it counts, and all of that is told (C9, C16)
            if said["response"] in ("DISPUTE", "SEVERITY"):
                self.tell("answer", key=finding.key, by=seat, said=said["response"], counts="ABSTAIN")
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
                finding.disputed.append(finding.severity)

    def _call_same(self, answers: Mapping[str, Mapping[str, Any]]) -> None:
        """Join what enough seats call the same, and nobody who raised it and answered calls different (C14)."""
        classes = {seat: _classes(own) for seat, own in answers.items()}
        live, heads = self._live(), dict[str, list[Finding]]()

        def calling(one: Finding, other: Finding) -> set[str]:
            return {seat for seat, own in classes.items() if own.get(one.key, one) == own.get(other.key, other)}

        def agreed(gone: Finding, kept: Finding) -> bool:
            saying, raised = calling(gone, kept), (gone.raisers | kept.raisers) & set(answers)
            said = [own[gone.key] for own in answers.values() if gone.key in own]
            worst = max([SEVERITIES.index(a["severity"]) for a in said if a["response"] == "SEVERITY"], default=0)
            milder = kept.gate and worst > kept.severity
            return self._may_join(gone, kept) and not milder and len(saying) >= self.quorum and raised <= saying

        for each in live:
            fits = (head for head, own in heads.items() if all(agreed(each, other) for other in own))
            heads.setdefault(next(fits, each.key), []).append(each)
        for head, own in heads.items():
            for each in own[1:]:
                self.tell("merged", key=each.key, into=head, how="agreed")
        together = {each.key: head for head, own in heads.items() for each in own}
        for at, one in enumerate(live):
            for other in live[at + 1 :]:
                saying = calling(one, other)
                if saying and together[one.key] != together[other.key]:
                    self.tell("kept_apart", key=other.key, other=one.key, same=len(saying), of=len(answers))
        for head, own in heads.items():
            for each in own[1:]:
                self._join(each, self.findings[head])

    def _propose(self, seat: str, proposals: Mapping[str, Mapping[str, Any]]) -> None:
        for key, said in proposals.items():
            if said["fix"] != "NONE" and not said["blank"]:
                self.proposals.append((self._kept(key).key, key, seat))
                self.remedies[key, seat] = said["remediation"]
        self.proposals.sort(key=lambda each: (_number(each[0]), _number(each[1]), SEATS.index(each[2])))
        if self.alone:
            for key, _, _ in self.proposals:
                self.findings[key].agreed = self.findings[key].is_at_least("MAJOR")

    def _bind(self, seat: str, reply: Mapping[str, Any]) -> None:
        """Bind the lenses of findings, and of rows of the artifact that are not blank and hang together (C6, C13)."""
        for name, value in reply.items():
            rows = value if isinstance(value, list) else []
            hanging = refused(rows) if name == "claims" else ()
            for number, each in enumerate(rows, start=1):
                if isinstance(each, dict) and "lens" in each and not each.get("blank", False):
                    if number not in hanging:
                        self.bound[seat].add(each["lens"])

    def _to_edit(self) -> list[Finding]:
        """What edits are asked for: once more after a try that could be made, and not again (C38, C39)."""
        over = self.attempts >= MOST_TRIES or (self.step in ("PATCHED", "APPLIED") and not self.patched)
        return self._to_mend() if self.settings["remediate"] and not over else []
