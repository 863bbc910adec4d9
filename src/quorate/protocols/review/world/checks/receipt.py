"""Filling in the examination form: findings, the coverage receipt, and the material of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quorate.codec import canonical, reply_to_data
from quorate.codec.canonical import clean
from quorate.codec.parse import MOST_BYTES
from quorate.core.forms import Prose
from quorate.kit.change import Change, ChangedFile, LeftOut, Why
from quorate.kit.findings import Finding
from quorate.kit.port import Result, Status
from quorate.protocols.review.rules.forms import Examination, Reported
from quorate.protocols.review.rules.model import ReviewSettings, VetoClass
from quorate.protocols.review.rules.receipt import receipt
from quorate.protocols.review.rules.sight import unshown as unshown_in_views
from quorate.protocols.review.world.change.file_order import left_out, shown, unshown
from quorate.protocols.review.world.checks.coverage import NAME as COVERAGE
from quorate.protocols.review.world.checks.coverage import without
from quorate.protocols.review.world.checks.run import Examined
from quorate.safety.masks import Masks

MOST_CHANGE = 900_000
MOST_RECEIPT = 400_000
TOKENS = ReviewSettings().persona_tokens
_SIZES = ((1_000, 1_000), (300, 400), (100, 200), (10, 100))
"""How many entries of a list, and how many characters of a text in it, the receipt keeps: the first that fits."""


@dataclass(frozen=True, slots=True)
class Diff:
    """The masked change as shown to the committee; file N has the key FN."""

    files: tuple[ChangedFile, ...]
    text: str
    left_out: tuple[LeftOut, ...]
    unshown: tuple[str, ...]
    """The files that are too many or too large to be shown."""


def diff_of(change: Change, masks: Masks) -> Diff:
    """Return the masked patches of the files that are shown, one after the other."""
    files, parts, room = list[ChangedFile](), list[str](), MOST_CHANGE
    left, hidden = list(left_out(change)), list(unshown(change))
    for file in shown(change):
        patch = masked(file.patch, masks)
        patch = patch if patch.endswith("\n") else f"{patch}\n"
        if len(patch) > room:  # masks can be longer than what they stand for
            left.append(LeftOut(file.path, Why.TOO_LARGE, "no room; the checks read it"))
            hidden.append(file.path)
            continue
        files.append(file)
        parts.append(patch)
        room -= len(patch)
    return Diff(tuple(files), "".join(parts), tuple(left), tuple(hidden))


def masked(text: str, masks: Masks) -> str:
    """Return the text with its secrets masked, for storage and display."""
    return clean(masks.mask(text))


def examination(
    change: Change,
    examined: Examined,
    *,
    election: Mapping[str, Any],
    dismissed: Mapping[str, str] | None = None,
    claims: int = 0,
    amended: bool = False,
    tokens: int = TOKENS,
) -> Examination:
    """Return the filled-in form. `dismissed` has the reasons, by key, of findings that no longer count.

    `tokens` is the most one seat is shown; the form and its receipt say if files are shown to nobody (R33).
    """
    gone = dismissed or {}
    diff = diff_of(change, examined.masks)
    reported = tuple(_reported(finding) for finding in examined.findings if finding.key not in gone)
    form = Examination(
        receipt=Prose(_receipt(change, examined, diff, election, gone)),
        change=Prose(diff.text if amended else ""),
        findings=reported,
        files=len(diff.files),
        claims=claims,
        applied=True,
    )
    form = _within_bounds(form)
    cut = unshown_in_views(form, diff.text, tokens)
    if not cut and not diff.unshown:
        return form
    told = replace(examined, results=tuple(_covering(result, len(cut)) for result in examined.results))
    nobody = (*cut, *(masked(path, examined.masks) for path in diff.unshown))
    return replace(form, receipt=Prose(_receipt(change, told, diff, election, gone, nobody)), applied=False)


def _covering(result: Result, cut: int) -> Result:
    return without(result, cut, "cut from every view") if result.check == COVERAGE else result


def results_of(form: Examination, results: Sequence[Result]) -> tuple[Result, ...]:
    """Return the results of the checks, as in the receipt of the form."""
    rows = {row["check"]: row for row in receipt(form).get("checks", ())}
    return tuple(
        replace(each, status=Status(rows[each.check]["status"]), reason=rows[each.check]["reason"]) for each in results
    )


def not_applied(reason: str) -> Examination:
    """Return the form for a patch that does not apply; its receipt says why."""
    return Examination(Prose(canonical({"reason": reason[:2_000]})), Prose(""), (), 0, 0, applied=False)


def material_of(change: Change, examined: Examined, form: Examination) -> dict[str, str]:
    """Return the material of a session: the masked change, and the examination as canonical JSON."""
    return {"change": diff_of(change, examined.masks).text, "checks": canonical(reply_to_data(form))}


def _reported(finding: Finding) -> Reported:
    classes = {each.value: each for each in VetoClass}
    veto = classes.get(finding.veto, VetoClass.RULE_VIOLATION) if finding.veto else VetoClass.NONE
    return Reported(
        check=Prose((finding.raised_by[0] if finding.raised_by else "")[:60]),
        rule=Prose(finding.rule[:120]),
        severity=finding.severity,
        path=Prose(finding.path[:1_000]),
        line=max(0, min(finding.line, 10_000_000)),
        message=Prose(finding.message[:1_000]),
        consequence=Prose(finding.consequence[:500]),
        action=Prose(finding.action[:500]),
        evidence=Prose(finding.evidence[:500]),
        veto=veto,
        occurrence=min(finding.occurrence, 100_000),
        fingerprint=Prose(finding.fingerprint[:64]),
    )


def _within_bounds(form: Examination) -> Examination:
    """Drop the least severe findings if the form exceeds the size of a reply; the receipt counts all."""
    while len(canonical(reply_to_data(form)).encode()) > MOST_BYTES - 1_000 and form.findings:
        form = replace(form, findings=form.findings[: len(form.findings) * 3 // 4])
    return form


def _receipt(
    change: Change,
    examined: Examined,
    diff: Diff,
    election: Mapping[str, Any],
    dismissed: Mapping[str, str],
    nobody: Sequence[str] = (),
) -> str:
    masks = examined.masks
    text = ""
    for most, longest in _SIZES:
        told: dict[str, Any] = {
            "title": masked(change.title, masks)[:longest],
            "base": change.base,
            "head": change.head,
            "election": dict(election),
            "checks": [_checked(result) for result in examined.results],
            "files": [_listed(number, file, masks, longest) for number, file in enumerate(diff.files, start=1)],
            "left_out": _left_out(diff.left_out, masks, most, longest),
            "dismissed": _dismissed(examined.findings, dismissed, masks, longest)[:most],
        }
        if nobody:
            told["unshown"] = {"count": len(nobody), "paths": [path[:longest] for path in nobody[:most]]}
        text = canonical(told)
        if len(text) <= MOST_RECEIPT:
            break
    return text


def _checked(result: Result) -> dict[str, Any]:
    return {
        "check": result.check,
        "status": result.status.value,
        "reason": result.reason,
        "findings": len(result.findings),
    }


def _listed(number: int, file: ChangedFile, masks: Masks, longest: int) -> dict[str, Any]:
    return {
        "key": f"F{number}",
        "path": masked(file.path, masks)[:longest],
        "status": file.status.value,
        "added": len(file.added),
        "removed": len(file.removed),
    }


def _left_out(left: Sequence[LeftOut], masks: Masks, most: int, longest: int) -> list[dict[str, str]]:
    rows = [
        {
            "path": masked(each.path, masks)[:longest],
            "why": each.why.value,
            "detail": masked(each.detail, masks)[:longest],
        }
        for each in left[:most]
    ]
    if len(left) > most:
        rows.append({"path": "", "why": Why.TOO_MANY.value, "detail": f"{len(left) - most:,} more that are not listed"})
    return rows


def _dismissed(
    findings: Sequence[Finding], dismissed: Mapping[str, str], masks: Masks, longest: int
) -> list[dict[str, str]]:
    return [
        {
            "key": finding.key,
            "rule": finding.rule,
            "path": finding.path[:longest],
            "reason": masked(dismissed[finding.key], masks)[:longest],
        }
        for finding in findings
        if finding.key in dismissed
    ]
