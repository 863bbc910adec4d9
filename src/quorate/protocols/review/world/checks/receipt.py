"""Filling in the examination form: findings, the coverage receipt, and the material of a session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quorate.codec import canonical, reply_to_data
from quorate.codec.canonical import clean
from quorate.codec.reply_json import MOST_BYTES
from quorate.core.forms import Key, Prose
from quorate.files.places import counted
from quorate.kit.change import Change, ChangedFile, LeftOut, Why
from quorate.kit.check_result import CheckResult, CheckStatus
from quorate.kit.findings import Finding
from quorate.kit.ground import is_grounded
from quorate.protocols.review.rules.forms import Examination, Kept, Reported
from quorate.protocols.review.rules.model import ReviewSettings, Rule, VetoClass
from quorate.protocols.review.rules.receipt import receipt
from quorate.protocols.review.rules.sight import in_parts
from quorate.protocols.review.world.change.file_order import left_out, shown, unshown
from quorate.protocols.review.world.checks.run import CheckResults
from quorate.safety.masks import Masks

MOST_CHANGE = 900_000
MOST_RECEIPT = 400_000
TOKENS = ReviewSettings().persona_tokens
DECIDES = {"secrets": VetoClass.HARD_CODED_SECRET, "circular imports": VetoClass.CIRCULAR_DEPENDENCY}
"""The checks that examine a class of veto as a whole, so that one which passes speaks against such a veto (R40)."""
SUBJECTS = {
    **{"secrets": Rule.SECRET, "hidden text": Rule.SECURITY, "instructions": Rule.SECURITY},
    **{"dangerous calls": Rule.SECURITY, "conflict markers": Rule.CORRECTNESS, "lint": Rule.STYLE},
    **{"governance": Rule.OPERATIONS, "complexity": Rule.STRUCTURE, "circular imports": Rule.STRUCTURE},
    **{"interfaces": Rule.PUBLIC_CONTRACT, "tests": Rule.TESTS, "size": Rule.STRUCTURE},
    **{"dependencies": Rule.DEPENDENCY, "house rules": Rule.HOUSE_RULE},
}
"""What a member's fix item about the finding of a check would be about (R40); of any other check, correctness."""
_SIZES = ((1_000, 1_000), (300, 400), (100, 200), (10, 100))
"""How many entries of a list, and how many characters of a text in it, the receipt keeps: the first that fits."""


@dataclass(frozen=True, slots=True)
class OpenItem:
    """A fix item that is open when a change is amended."""

    key: Key
    path: str
    """Empty where it is about the change as a whole."""
    evidence: str


@dataclass(frozen=True, slots=True)
class ShownChange:
    """The masked change as shown to the committee; file N has the key FN."""

    files: tuple[ChangedFile, ...]
    text: str
    left_out: tuple[LeftOut, ...]
    unshown: tuple[str, ...]
    """The files that are too many or too large to be shown."""


def diff_of(change: Change, masks: Masks) -> ShownChange:
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
    return ShownChange(tuple(files), "".join(parts), tuple(left), tuple(hidden))


def masked(text: str, masks: Masks) -> str:
    """Return the text with its secrets masked, for storage and display."""
    return clean(masks.mask(text))


def examination(
    change: Change,
    examined: CheckResults,
    *,
    election: Mapping[str, Any],
    dismissed: Mapping[str, str] | None = None,
    claims: int = 0,
    amended: bool = False,
    tokens: int = TOKENS,
    narrow: bool = False,
    items: Sequence[OpenItem] = (),
) -> Examination:
    """Return the filled-in form; of the open `items`, it names those that keep their ground (R39).

    `dismissed` has the reasons, by key, of findings that no longer count. `tokens` is the most one seat is shown; what
    does not fit into it is divided into parts (R43); those of a `narrow` review are its hunks (R50).
    """
    gone = dismissed or {}
    diff = diff_of(change, examined.masks)
    files = {masked(file.path, examined.masks): number for number, file in enumerate(diff.files, start=1)}
    reported = tuple(_reported(finding, files) for finding in examined.findings if finding.key not in gone)
    form = Examination(
        receipt=Prose(_receipt(change, examined, diff, election, gone)),
        change=Prose(diff.text if amended else ""),
        findings=reported,
        files=len(diff.files),
        claims=claims,
        applied=True,
        passed=_passed(examined.results),
        kept=tuple(_kept(items, _patches(change, diff, examined.masks), reported)),
        divided=False,
        hunks=0,
        parts=(),
        beyond=len(diff.unshown),
    )
    return in_parts(_within_bounds(form), diff.text, tokens, narrow=narrow)


def _passed(results: Sequence[CheckResult]) -> tuple[VetoClass, ...]:
    return tuple(DECIDES[each.check] for each in results if each.check in DECIDES and each.status is CheckStatus.PASS)


def _patches(change: Change, diff: ShownChange, masks: Masks) -> Iterator[tuple[int, str, str]]:
    """Yield number, path and patch of every file that was read, those first that the committee is shown.

    The number of one that it is not shown is 0.
    """
    numbers = {file.path: number for number, file in enumerate(diff.files, start=1)}
    for file in sorted(change.files, key=lambda each: numbers.get(each.path, len(numbers) + 1)):
        yield numbers.get(file.path, 0), masked(file.path, masks), masked(file.patch, masks)


def _kept(
    items: Sequence[OpenItem], patches: Iterable[tuple[int, str, str]], reported: Sequence[Reported]
) -> Iterator[Kept]:
    """Yield the items whose evidence is in the amended change, or in what the checks find there.

    One whose file is gone goes on at the first file that has its evidence: what was moved is not mended.
    """
    if not items:
        return
    told = list(patches)
    files = {path: number for number, path, _ in told}
    text = "\n\n".join(
        (*(patch for _, _, patch in told), *(f"{each.rule}: {each.message} [{each.evidence}]" for each in reported))
    )
    for item in items:
        if is_grounded(Prose(item.evidence), text):
            here = (number for number, _, patch in told if is_grounded(Prose(item.evidence), patch))
            number = files[item.path] if item.path in files else next(here, 0) if item.path else 0
            yield Kept(item.key, number)


def results_of(form: Examination, results: Sequence[CheckResult]) -> tuple[CheckResult, ...]:
    """Return the results of the checks, as in the receipt of the form."""
    rows = {row["check"]: row for row in receipt(form).get("checks", ())}
    return tuple(
        replace(each, status=CheckStatus(rows[each.check]["status"]), reason=rows[each.check]["reason"])
        for each in results
    )


def not_applied(reason: str) -> Examination:
    """Return the form for a patch that does not apply; its receipt says why."""
    told = Prose(canonical({"reason": reason[:2_000]}))
    none: dict[str, Any] = {"passed": (), "kept": (), "divided": False, "hunks": 0, "parts": (), "beyond": 0}
    return Examination(told, Prose(""), (), 0, 0, applied=False, **none)


def material_of(change: Change, examined: CheckResults, form: Examination) -> dict[str, str]:
    """Return the material of a session: the masked change, and the examination as canonical JSON."""
    return {"change": diff_of(change, examined.masks).text, "checks": canonical(reply_to_data(form))}


def _reported(finding: Finding, files: Mapping[str, int]) -> Reported:
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
        file=files.get(finding.path, 0),
        subject=SUBJECTS.get(finding.raised_by[0] if finding.raised_by else "", Rule.CORRECTNESS),
    )


def _within_bounds(form: Examination) -> Examination:
    """Drop the least severe findings if the form exceeds the size of a reply; the receipt counts all."""
    while len(canonical(reply_to_data(form)).encode()) > MOST_BYTES - 1_000 and form.findings:
        form = replace(form, findings=form.findings[: len(form.findings) * 3 // 4])
    return form


def _receipt(
    change: Change,
    examined: CheckResults,
    diff: ShownChange,
    election: Mapping[str, Any],
    dismissed: Mapping[str, str],
) -> str:
    masks = examined.masks
    nobody = [masked(path, masks) for path in diff.unshown]
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


def _checked(result: CheckResult) -> dict[str, Any]:
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


def _left_out(left: Sequence[LeftOut], masks: Masks, most: int, longest: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {
            "path": masked(each.path, masks)[:longest],
            "why": each.why.value,
            "detail": masked(each.detail, masks)[:longest],
        }
        for each in left[:most]
    ]
    more = Counter(each.why.value for each in left[most:])
    return [
        *rows,
        *(
            {"path": "", "why": why, "detail": f"{counted(number, 'more file')}, not listed", "count": number}
            for why, number in more.items()
        ),
    ]


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
