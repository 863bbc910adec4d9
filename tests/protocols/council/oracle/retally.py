"""A recount of votes, edits and the end from RULES.md, without the protocol's own functions."""

from __future__ import annotations

from dataclasses import dataclass

from quorate.core.forms import Key
from quorate.core.types import Replies
from quorate.protocols.council.rules.forms import Application, Applied, Ballots, Patch, Vote
from quorate.protocols.council.rules.model import (
    Agreement,
    CouncilSettings,
    Depth,
    Finding,
    Outcome,
    Resolution,
    State,
    Step,
)
from quorate.protocols.council.rules.taxonomy import Severity
from tests.protocols.council.oracle.sheet import GRAVE, WORST_FIRST, Sheet, changed

STANDS = {Agreement.QUORUM_SUPPORT: "supported", Agreement.QUORUM_OPPOSE: "opposed", Agreement.DEADLOCKED: "split"}
RESOLVED = {Agreement.QUORUM_OPPOSE: Resolution.DISMISSED, Agreement.DEADLOCKED: Resolution.DEADLOCKED}
"""What a vote makes of a finding where it is not upheld (C22)."""


@dataclass(slots=True)
class Tally:
    """The votes on one item; `lone` is a BLOCKER with one backer."""

    lone: bool = False
    support: int = 0
    oppose: int = 0
    abstain: int = 0
    refuted: bool = False

    def more(self, support: int, refute: int) -> Tally:
        """Return the count with this many further votes in support, or against with a refutation."""
        refuted = self.refuted or refute > 0
        return Tally(self.lone, self.support + support, self.oppose + refute, self.abstain, refuted)


def items(state: State) -> dict[Key, Key]:
    """Return the items to vote on with their findings: contested findings, then remediations of grave ones (C18)."""
    found: dict[Key, Key] = {}
    for finding in state.findings:
        found |= {finding.key: finding.key} if finding.doubted else {}
        found |= {_grave(finding.key): finding.key} if finding.lower else {}
    number = 0
    for finding in state.findings:
        if finding.severity in GRAVE:
            for _ in range(finding.proposals):
                number += 1
                found[Key(f"P{number}")] = finding.key
    return found


def _grave(key: Key) -> Key:
    """Return what the severity of a finding is voted upon under (C17)."""
    return Key(key.replace("F", "S"))


def tallies(state: State, replies: Replies) -> dict[Key, Tally]:
    """Count the votes received, item by item; one missing in a reply is an abstention (C22)."""
    lone = {each.key for each in state.findings if each.lone}
    found = {key: Tally(key in lone) for key in items(state)}
    for _, reply in replies:
        if isinstance(reply, Ballots):
            for key, count in found.items():
                ballot = reply.votes.get(key)
                if ballot is None or ballot.vote is Vote.ABSTAIN:
                    count.abstain += 1
                elif ballot.vote is Vote.SUPPORT:
                    count.support += 1
                else:
                    count.oppose += 1
                    count.refuted = count.refuted or ballot.refuted
    return found


class Retally:
    """Recounts votes and edits under some settings."""

    def __init__(self, settings: CouncilSettings) -> None:
        self.settings, self.quorum = settings, settings.quorum
        self.alone = settings.depth is Depth.STANDARD

    def voted(self, before: State, replies: Replies, sheet: Sheet) -> None:
        """Settle every finding, after losing the seats whose missing vote might have mattered (C22 to C25, C36)."""
        if self.alone:
            findings = [self._upheld(each) for each in before.findings]
        else:
            counts = tallies(before, replies)
            if not self.certain(before, replies):
                sheet.lose(replies)
                sheet.step = Step.PATCH
                if sheet.active < self.quorum:
                    return
            for key, count in counts.items():
                votes = (("support", count.support), ("oppose", count.oppose), ("abstain", count.abstain))
                sheet.tell(
                    "vote", ("key", key), *votes, ("refuted", count.refuted), ("stands", STANDS[self.fate(count)])
                )
            findings = self._settled(before, {key: self.fate(count) for key, count in counts.items()})
        sheet.findings, sheet.outcome = findings, Outcome.VOTED
        agreed = any(each.resolution is Resolution.REMEDIATION_AGREED for each in findings)
        sheet.step = Step.PATCH if self.settings.remediate and agreed else Step.END

    def _upheld(self, finding: Finding) -> Finding:
        """Return the resolution of a finding when one seat reviews alone (C37)."""
        resolution = finding.resolution
        if resolution is not Resolution.DISMISSED:
            mendable = finding.severity in GRAVE and finding.proposals > 0
            resolution = Resolution.REMEDIATION_AGREED if mendable else Resolution.UPHELD
        return changed(finding, resolution=resolution, proposals=0)

    def _settled(self, before: State, fates: dict[Key, Agreement]) -> list[Finding]:
        voted = items(before).items()
        carried = {of for key, of in voted if key[0] == "P" and fates[key] is Agreement.QUORUM_SUPPORT}
        found = []
        for each in before.findings:
            agreement, severity = fates.get(each.key, each.agreement), each.severity
            resolution = RESOLVED.get(agreement, Resolution.UPHELD) if each.doubted else Resolution.UPHELD
            if resolution is Resolution.UPHELD and (about := fates.get(_grave(each.key))) is not None:
                agreement = about
                resolution = Resolution.DEADLOCKED if about is Agreement.DEADLOCKED else resolution
                severity = (each.lower or severity) if about is Agreement.QUORUM_OPPOSE else severity
            if resolution is Resolution.UPHELD and each.key in carried:
                resolution = Resolution.REMEDIATION_AGREED
            told = changed(each, agreement=agreement, resolution=resolution, severity=severity, lone=False, proposals=0)
            found.append(changed(told, doubted=False, lower=None))
        return found

    def fate(self, count: Tally) -> Agreement:
        """Return the agreement, missing votes abstaining; a lone BLOCKER falls only by a refutation (C22, C23)."""
        if count.support >= self.quorum:
            return Agreement.QUORUM_SUPPORT
        opposed = count.oppose >= self.quorum and (count.refuted or not count.lone)
        return Agreement.QUORUM_OPPOSE if opposed else Agreement.DEADLOCKED

    def certain(self, before: State, replies: Replies) -> bool:
        """Return whether no missing vote, in support or with a refutation, could change anything (C24)."""
        voted = sum(isinstance(reply, Ballots) for _, reply in replies)
        missing = sum(not each.lost for each in before.seats) - voted
        return missing == 0 or all(
            self.fate(count) is self.fate(count.more(missing, 0)) is self.fate(count.more(0, missing))
            for count in tallies(before, replies).values()
        )

    def patched(self, before: State, replies: Replies, sheet: Sheet) -> None:
        edits = any(isinstance(reply, Patch) and len(reply.edits) > 0 for _, reply in replies)
        sheet.outcome, sheet.step = Outcome.PATCHED, Step.APPLY if edits else Step.END
        sheet.attempts += 1

    def applied(self, before: State, replies: Replies, sheet: Sheet) -> None:
        """Resolve findings whose edits held; prose twice goes to a person; the rest is asked once more (C38, C39)."""
        reply = next((reply for _, reply in replies if isinstance(reply, Application)), None)
        found, wanted = [], False
        for each in before.findings:
            if each.resolution is Resolution.REMEDIATION_AGREED:
                result = Applied.NOT_APPLIED if reply is None else reply.results.get(each.key, Applied.NOT_APPLIED)
                sheet.tell("edited", ("key", each.key), ("result", result.name))
                found.append(_edited(each, result))
                wanted = wanted or found[-1].resolution is Resolution.REMEDIATION_AGREED
            else:
                found.append(each)
        sheet.findings, sheet.outcome = found, Outcome.APPLIED
        sheet.step = Step.PATCH if wanted and reply is not None and before.attempts == 1 else Step.END

    def ended(self, before: State, replies: Replies, sheet: Sheet) -> None:
        sheet.attempts = 0
        sheet.outcome = Outcome.DEADLOCK if self.deadlocked(before) else Outcome.CONSENSUS

    def deadlocked(self, state: State) -> bool:
        """Return whether an item lacks a quorum, or a BLOCKER of seats an agreed remediation (C30)."""
        counting = WORST_FIRST[: WORST_FIRST.index(self.settings.deadlock_min_severity) + 1]
        if any(each.resolution is Resolution.DEADLOCKED and each.severity in counting for each in state.findings):
            return True
        mine = (each for each in state.findings if not each.proven and each.severity is Severity.BLOCKER)
        return not self.alone and any(each.resolution is Resolution.UPHELD for each in mine)


def _edited(finding: Finding, result: Applied) -> Finding:
    if result is Applied.APPLIED:
        return changed(finding, resolution=Resolution.REMEDIATED)
    if result is not Applied.PROSE_ONLY:
        return finding
    twice = finding.prosaic == 1
    resolution = Resolution.DEADLOCKED if twice else finding.resolution
    return changed(finding, prosaic=finding.prosaic + 1, resolution=resolution)
