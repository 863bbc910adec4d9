"""Checks of the resolution of findings: resolution, agreement and consensus are consistent (C9, C25, C26)."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.kit.untrusted_value import NOTHING, shown
from quorate.protocols.council.audit.deviation import Deviation, broken
from quorate.protocols.council.audit.read import Bundle, BundleFinding
from quorate.protocols.council.rules import conclusion
from quorate.protocols.council.rules.model import Agreement, Phase, Resolution

_UPHELD = (Resolution.UPHELD, Resolution.REMEDIATION_AGREED, Resolution.REMEDIATED)
_AGREED = (Agreement.UNANIMOUS, Agreement.MAJORITY, Agreement.QUORUM_SUPPORT)


def check_resolutions(bundle: Bundle) -> Iterator[Deviation]:
    """Every resolution is one that its agreement allows (C25)."""
    for found in bundle.findings:
        if found.resolution is None or found.agreement is None:
            continue
        allowed = _allowed(bundle, found.agreement, found)
        if found.resolution not in allowed:
            at = found.at["resolution"]
            rule = "C9" if found.by_gate else "C25"
            says = f"{at} of a finding that is {found.agreement.name}"
            yield broken(at, rule, says, " or ".join(each.name for each in allowed))


def _allowed(bundle: Bundle, agreement: Agreement, found: BundleFinding) -> tuple[Resolution, ...]:
    if found.by_gate or agreement in _AGREED:
        # Edits that are prose alone end in a deadlock, whatever the vote was (C39).
        edited = (Resolution.DEADLOCKED,) if bundle.at["remediation_patch"].given else ()
        waiting = (Resolution.OPEN,) if bundle.aborted and not found.by_gate else ()
        return (*_UPHELD, *edited, *waiting)
    if agreement is Agreement.QUORUM_OPPOSE:
        lowered = found.severity_votes is not None
        return (Resolution.DISMISSED, *_UPHELD) if lowered else (Resolution.DISMISSED,)
    if agreement is Agreement.DEADLOCKED:
        return (Resolution.DEADLOCKED,)
    if bundle.alone:
        edited = (Resolution.DEADLOCKED,) if bundle.at["remediation_patch"].given else ()
        waiting = (Resolution.OPEN,) if bundle.aborted else ()
        # One that the seat gave up stays dismissed when the review is cut short.
        return (*_UPHELD, Resolution.DISMISSED, *edited, *waiting)
    return (Resolution.OPEN,)


def check_consensus(bundle: Bundle) -> Iterator[Deviation]:
    """`in_consensus` is true for what is upheld, false for what is dismissed, null for the rest (C26)."""
    for found in bundle.findings:
        at = found.at["in_consensus"]
        if at.value is NOTHING:
            continue
        right = _consensus(found)
        if right is not NOTHING and at.value is not right:
            word = found.resolution or found.agreement
            yield broken(at, "C26", f"{at} for a finding that is {word.name if word else 'undecided'}", shown(right))


def _consensus(found: BundleFinding) -> object:
    if found.resolution is not None:
        if found.resolution in _UPHELD:
            return True
        return False if found.resolution is Resolution.DISMISSED else None
    if found.agreement is None:
        return NOTHING
    if found.agreement in _AGREED:
        return True
    return False if found.agreement is Agreement.QUORUM_OPPOSE else None


def check_lists(bundle: Bundle) -> Iterator[Deviation]:
    """The lists of agreed, deadlocked and partial findings match the findings themselves (C26, C30, C33)."""
    every = [found for found in bundle.findings if found.id is not None]
    agreed = {found.id for found in every if _is_agreed(found) and _consensus(found) is True}
    stuck = {found.id for found in every if Resolution.DEADLOCKED in (found.resolution, _as_resolution(found))}
    escalated = stuck | {found.id for found in every if bundle.end is Phase.DEADLOCKED and is_stranded(bundle, found)}
    lists = [
        ("escalated_findings", "C30", escalated, "left to a person"),
        ("consensus_findings", "C26", agreed, "agreed upon"),
        ("deadlocked_findings", "C30", stuck, "deadlocked"),
    ]
    if bundle.aborted:
        lists.append(("partial_findings", "C33", {found.id for found in every}, "found before the end"))
    for name, rule, right, words in lists:
        at = bundle.at[name]
        if not at.is_list:
            continue
        stated = set(_ids(bundle, name))
        for each in sorted(stated - right, key=str)[:20]:
            yield broken(at, rule, f"{shown(each)} is not {words}", "the findings that are, and no others")
        for gone in sorted(right - stated, key=str)[:20]:
            yield broken(at, rule, f"{shown(gone)} is {words}, but is not listed", "all findings that are")


def _is_agreed(found: BundleFinding) -> bool:
    return found.agreement in _AGREED or found.severity_votes is not None


def _as_resolution(found: BundleFinding) -> Resolution | None:
    return Resolution.DEADLOCKED if found.resolution is None and found.agreement is Agreement.DEADLOCKED else None


def _ids(bundle: Bundle, name: str) -> tuple[str, ...]:
    """Return the ids in a list of ids or of whole findings."""
    spots = (each["finding_id"] if each.is_mapping else each for each in bundle.at[name].items)
    return tuple(each.text for each in spots if each.text is not None)


def is_stranded(bundle: Bundle, found: BundleFinding) -> bool:
    """Return whether a BLOCKER that seats raised lacks an agreed remediation, by the rules (C30)."""
    return not bundle.alone and conclusion.is_stranded(found.by_gate, found.severity, found.resolution)
