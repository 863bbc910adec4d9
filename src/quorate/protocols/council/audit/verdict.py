"""Checks of the verdict: it follows from remaining findings, the gates and how the council ended (C30 to C33)."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.kit.untrusted_value import many, shown
from quorate.protocols.council.audit.deviation import Deviation, broken, missing
from quorate.protocols.council.audit.fates import is_stranded
from quorate.protocols.council.audit.read import Bundle, BundleFinding, ids_of
from quorate.protocols.council.rules.conclusion import too_doubtful, too_few_judged, too_many
from quorate.protocols.council.rules.model import APPROVALS, Agreement, Phase, Resolution, Verdict
from quorate.protocols.council.rules.taxonomy import GateStatus, Severity


def check_verdict(bundle: Bundle) -> Iterator[Deviation]:
    """The verdict follows from the remaining findings: REJECTED, APPROVED_WITH_REMEDIATION or APPROVED (C31)."""
    at, verdict = bundle.at["verdict"], bundle.verdict
    if not at.given:
        yield broken(at, "C31", "the verdict is missing", "one of " + ", ".join(each.name for each in Verdict))
    if verdict is None or not bundle.at["findings"].is_list or bundle.end is Phase.DEADLOCKED or bundle.aborted:
        return
    reasons, majors = tuple(_against(bundle)), _left(bundle, Severity.MAJOR)
    if verdict in APPROVALS and reasons:
        yield broken(at, "C31", f"{at} with {'; '.join(reasons)}", Verdict.REJECTED.name)
    elif verdict is Verdict.APPROVED and majors:
        right = Verdict.APPROVED_WITH_REMEDIATION.name
        yield broken(at, "C31", f"{at} with {len(majors)} MAJOR ({ids_of(majors)})", right)
    elif verdict is Verdict.APPROVED_WITH_REMEDIATION and not majors:
        yield broken(at, "C31", f"{at}, and no MAJOR is left to remedy", Verdict.APPROVED.name)
    elif verdict is Verdict.REJECTED and not reasons and all(found.remedied for found in majors):
        follows = Verdict.APPROVED_WITH_REMEDIATION if majors else Verdict.APPROVED
        yield broken(at, "C31", f"{at}, and nothing that is left rejects", follows.name)
    elif verdict is Verdict.NEEDS_ADJUDICATION and bundle.end is Phase.CONVERGED and reasons:
        yield broken(at, "C31", f"{at} of a council that converged with {'; '.join(reasons)}", Verdict.REJECTED.name)
    if verdict in APPROVALS:
        for found in majors:
            if found.remedied is None:
                says = f"whether the remediation of {shown(found.id)} is agreed is not recorded"
                yield missing(found.at["resolution"], "C31", says, Resolution.REMEDIATION_AGREED.name)


def _left(bundle: Bundle, severity: Severity) -> list[BundleFinding]:
    return [found for found in bundle.findings if found.severity is severity and found.remains]


def _against(bundle: Bundle) -> Iterator[str]:
    """Yield the reasons for a rejection (C31)."""
    blockers, majors = _left(bundle, Severity.BLOCKER), _left(bundle, Severity.MAJOR)
    if blockers:
        yield f"{len(blockers)} BLOCKER ({ids_of(blockers)})"
    if too_many(len(majors), bundle.most_majors):
        yield f"{len(majors)} MAJOR, more than {bundle.most_majors} ({ids_of(majors)})"
    if bare := [found for found in majors if found.remedied is False]:
        yield f"{len(bare)} MAJOR without an agreed remediation ({ids_of(bare)})"
    failed = [at for at in bundle.gates if at["status"].word(GateStatus) is GateStatus.FAILED]
    if failed:
        yield f"a gate that FAILED ({', '.join(str(at['gate_id']) for at in failed[:9])})"


def check_end(bundle: Bundle) -> Iterator[Deviation]:
    """The verdict is one that the terminal state allows (C30, C32, C33)."""
    at, verdict, end = bundle.at["verdict"], bundle.verdict, bundle.end
    if verdict is None or end is None:
        return
    if end is Phase.DEADLOCKED and verdict is not Verdict.NEEDS_ADJUDICATION:
        yield broken(at, "C30", f"{at} of a council that deadlocked", Verdict.NEEDS_ADJUDICATION.name)
    if end is Phase.ABORTED and verdict is not Verdict.ABORTED:
        yield broken(at, "C33", f"{at} of a council that was aborted", Verdict.ABORTED.name)
    if end is not Phase.ABORTED and verdict is Verdict.ABORTED:
        yield broken(at, "C33", f"{at} of a council that {end.value}", "the verdict that follows")
    yield from _abort(bundle, end)
    yield from _escalation(bundle, end)


def _abort(bundle: Bundle, end: Phase) -> Iterator[Deviation]:
    reason = bundle.at["abort_reason"]
    if end is Phase.ABORTED and not reason.given:
        yield broken(reason, "C33", "aborted without a reason", "why the council was aborted")
    if end is not Phase.ABORTED and reason.given:
        yield broken(reason, "C33", f"{reason}, though the council was not aborted", "null")
    if end is Phase.ABORTED and not bundle.at["partial_findings"].is_list:
        yield missing(bundle.at["partial_findings"], "C33", "what was found before the end is not listed")


def _escalation(bundle: Bundle, end: Phase) -> Iterator[Deviation]:
    target = bundle.at["escalation_target"]
    if end is Phase.DEADLOCKED and not (target.text or "").strip():
        yield broken(target, "C30", "a deadlock without an escalation target", "Human review required")
    if end is not Phase.DEADLOCKED and target.given:
        yield broken(target, "C30", f"{target}, though the council {end.value}", "null")


def check_agreement_of_end(bundle: Bundle) -> Iterator[Deviation]:
    """CONVERGED leaves nothing undecided, and DEADLOCKED leaves something (C30, C31)."""
    at = bundle.at["terminal_state"]
    stuck = [found for found in bundle.findings if _is_stuck(bundle, found)]
    stranded = [found for found in bundle.findings if is_stranded(bundle, found)]
    waiting = [
        found
        for found in bundle.findings
        if found.agreement is Agreement.CONTESTED or found.resolution is Resolution.OPEN
    ]
    approved = bundle.verdict in (*APPROVALS, Verdict.REJECTED)
    if bundle.end is Phase.CONVERGED or (bundle.end is None and approved):
        place = at if at.given else bundle.at["verdict"]
        for words, found in (("deadlocked", stuck), ("contested or open", waiting)):
            if found:
                says = f"{place} with {many(len(found), f'{words} finding')} ({ids_of(found)})"
                yield broken(place, "C30", says, "DEADLOCKED, and NEEDS_ADJUDICATION")
        if stranded and bundle.end is Phase.CONVERGED:
            says = f"{place} with a BLOCKER of a seat upheld that has no agreed remediation ({ids_of(stranded)})"
            yield broken(place, "C30", says, "DEADLOCKED, and NEEDS_ADJUDICATION")
    if bundle.end is Phase.DEADLOCKED and bundle.at["findings"].is_list and not stuck and not stranded:
        yield broken(at, "C30", "DEADLOCKED, and no finding is deadlocked", "CONVERGED, and what follows")


def _is_stuck(bundle: Bundle, found: BundleFinding) -> bool:
    least = bundle.deadlock_min_severity
    dead = found.resolution is Resolution.DEADLOCKED or (
        found.resolution is None and found.agreement is Agreement.DEADLOCKED
    )
    return dead and (found.severity is None or found.severity.at_least(least))


def _unsettled(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Yield what leaves an approval to a person beside doubts, where it is recorded (C28, C42, C46)."""
    judged = [spot["judged"].flag for spot in bundle.agents.values()]
    if None not in judged and judged and too_few_judged(judged.count(True), len(bundle.seats)):
        yield "C46", f"{judged.count(True)} of {len(bundle.seats)} seats have judged"
    if bundle.at["covered"].flag is False:
        yield "C42", "not everything was shown to some seat"
    if refused := bundle.at["refused"].whole:
        yield "C28", f"{many(refused, 'finding')} of seats refused"


def check_confidence(bundle: Bundle) -> Iterator[Deviation]:
    """With two seats in doubt, a would-be approval goes to a person (C32)."""
    stated = {name for name, spot in bundle.agents.items() if spot["confidence"].given}
    doubts = {name for name in stated if bundle.agents[name]["confidence"].text == "LOW"} | set(_unfounded(bundle))
    low, at = len(doubts), bundle.at["verdict"]
    enough = too_doubtful(low, len(bundle.seats))
    unseen = list(_unsettled(bundle))
    if bundle.verdict in APPROVALS:
        for rule, words in unseen:
            yield broken(at, rule, f"{at}, and {words}", Verdict.NEEDS_ADJUDICATION.name)
    if bundle.verdict in APPROVALS and enough:
        says = f"{at}, and in doubt (LOW, or a gate failed without a finding): {', '.join(sorted(doubts))}"
        yield broken(at, "C32", says, Verdict.NEEDS_ADJUDICATION.name)
    if (
        bundle.verdict is Verdict.NEEDS_ADJUDICATION
        and bundle.end is Phase.CONVERGED
        and stated
        and not enough
        and not unseen
    ):
        yield broken(
            at, "C32", f"{at} of a council that converged, with {low} seats in doubt", "the verdict that follows"
        )


def _unfounded(bundle: Bundle) -> Iterator[str]:
    """Yield the seats that fail a gate for which nobody raised a finding."""
    with_findings = {found.at["gate_id"].text for found in bundle.findings}
    for gate in bundle.at["gates"].items:
        if gate["gate_id"].text not in with_findings:
            yield from (name for name, vote in gate["agent_votes"].entries.items() if vote.text == "FAILED")


def check_rulings(bundle: Bundle) -> Iterator[Deviation]:
    """A person rules only if the council could not decide (C30)."""
    for each in bundle.at["rulings"].items:
        ruled = each["verdict"].word(Verdict)
        if bundle.verdict not in (None, Verdict.NEEDS_ADJUDICATION):
            yield broken(each, "C30", f"a ruling, though the verdict is {bundle.at['verdict']}", "no ruling")
        elif ruled in (Verdict.NEEDS_ADJUDICATION, Verdict.ABORTED):
            yield broken(each["verdict"], "C30", f"{each['verdict']} is not a ruling", "approved or rejected")
        for name in ("by", "reason"):
            if each.is_mapping and not (each[name].text or "").strip():
                yield broken(each[name], "C30", f"a ruling without {'a name' if name == 'by' else 'a reason'}", "one")
