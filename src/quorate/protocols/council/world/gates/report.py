"""The gates' report form: findings masked, ordered and limited, and the counts as JSON that fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from quorate.codec import canonical, reply_to_data
from quorate.codec.reply_json import MOST_BYTES
from quorate.core.forms import Key, Prose
from quorate.kit.quote import clip
from quorate.protocols.council.rules.forms import MOST_GATE_FINDINGS, GateFinding, GateReport, GateRun
from quorate.protocols.council.rules.taxonomy import WHOLE_RFC, Field, Gate, GateStatus, Severity
from quorate.protocols.council.world.gates.gate_findings import Looked, RawFinding
from quorate.protocols.council.world.gates.texts import masked
from quorate.safety.masks import Masks

MOST_EVIDENCE, MOST_REASON = 20_000, 600
MOST_LINE = 10_000_000
_SIZES = ((1_000, 400), (300, 200), (100, 100), (20, 60), (5, 40), (0, 20))
"""How many entries of a list, and how many characters of a text, are kept: the first that fits."""


def filled_in(
    looks: Sequence[Looked],
    others: Iterable[RawFinding],
    receipt: Mapping[str, Any],
    most_receipt: int,
    masks: Masks,
    tickets: int,
) -> GateReport:
    """Return the filled-in report. `others` are findings reported whichever gates were run."""
    every = sorted({*others, *(finding for look in looks for finding in look.findings)}, key=lambda each: each.order)
    failed = {each.subcategory.gate for each in every if each.severity is Severity.BLOCKER}
    report = GateReport(
        receipt=Prose(fitted(receipt, most_receipt, masks)),
        gates=tuple(_run(look, failed, masks) for look in looks),
        findings=(),
        tickets=tickets,
    )
    findings = _Ranked(every, masks)
    most = MOST_GATE_FINDINGS
    while True:
        report = replace(report, findings=findings.worst(most))
        if most <= 1 or len(canonical(reply_to_data(report)).encode()) <= MOST_BYTES - 1_000:
            return report
        most = most * 3 // 4


def _run(look: Looked, failed: set[Gate], masks: Masks) -> GateRun:
    if look.gate in failed:
        status = GateStatus.FAILED
    else:
        status = GateStatus.PASSED if look.applies else GateStatus.NOT_APPLICABLE
    reason = clip(masked(look.reason, masks), MOST_REASON)
    return GateRun(look.gate, status, look.read, Prose(reason), Prose(fitted(look.evidence, MOST_EVIDENCE, masks)))


# Findings


class _Ranked:
    """Findings in order, limited to the worst."""

    def __init__(self, every: Sequence[RawFinding], masks: Masks) -> None:
        self._every = every
        self._masks = masks
        self._rank = sorted(range(len(every)), key=lambda at: (every[at].severity.rank, at))
        self._shown = {at: _finding(every[at], masks) for at in self._rank[:MOST_GATE_FINDINGS]}

    def worst(self, most: int) -> tuple[GateFinding, ...]:
        """Return at most `most` findings in order; if some are left out, the last says how many."""
        if len(self._every) <= most:
            return tuple(self._shown[at] for at in range(len(self._every)))
        kept, left = sorted(self._rank[: most - 1]), [self._every[at] for at in self._rank[most - 1 :]]
        return (*(self._shown[at] for at in kept), _rest(left, self._masks))


def _rest(left: Sequence[RawFinding], masks: Masks) -> GateFinding:
    counts = Counter(each.severity for each in left)
    told = ", ".join(f"{counts[severity]:,} {severity.value}" for severity in Severity if counts[severity])
    return GateFinding(
        subcategory=left[0].subcategory,
        severity=Severity.INFO,
        place=WHOLE_RFC,
        field=Field.WHOLE,
        file=Prose(masked(left[0].at.file, masks)[:1_000]),
        line=1,
        yaml_path=Prose(""),
        message=Prose(f"{len(left):,} more findings are not listed: {told}."),
        evidence=Prose(""),
        action=Prose("Fix what is listed, and run the gates again."),
    )


def _finding(each: RawFinding, masks: Masks) -> GateFinding:
    return GateFinding(
        subcategory=each.subcategory,
        severity=each.severity,
        place=Key(each.place),
        field=each.field,
        file=Prose(masked(each.at.file, masks)[:1_000]),
        line=max(1, min(each.at.line, MOST_LINE)),
        yaml_path=Prose(masked(each.at.yaml_path, masks)[:500]),
        message=Prose(_line(each.message, 1_500, masks)),
        evidence=Prose(_line(each.evidence, 400, masks)),
        action=Prose(_line(each.action, 600, masks)),
    )


def _line(text: str, most: int, masks: Masks) -> str:
    """Mask a text, then cut it, so that no secret is cut in two."""
    return clip(masked(text, masks), most)


# JSON that fits


def fitted(data: Mapping[str, Any], most: int, masks: Masks) -> str:
    """Return data as canonical JSON of at most `most` characters; `cut` says by how much lists were shortened."""
    hidden = _masked(data, masks)
    for entries, characters in _SIZES:
        lost = {name: len(inner) - entries for name, inner in hidden.items() if _is_longer(inner, entries)}
        text = canonical(_cut(hidden, entries, characters) | ({"cut": lost} if lost else {}))
        if len(text) <= most:
            return text
    return canonical({"cut": {name: 1 for name in data}})


def _is_longer(value: Any, entries: int) -> bool:
    return isinstance(value, list | dict) and len(value) > (entries if isinstance(value, list) else _room(entries))


def _room(entries: int) -> int:
    """Return how many entries a mapping may keep: at least 20, since mappings with our own fields are never cut."""
    return max(entries, 20)


def _masked(value: Any, masks: Masks) -> Any:
    match value:
        case str():
            return masked(value, masks)
        case Mapping():
            return {masked(key, masks): _masked(inner, masks) for key, inner in value.items()}
        case list() | tuple():
            return [_masked(inner, masks) for inner in value]
        case _:
            return value


def _cut(value: Any, entries: int, characters: int) -> Any:
    match value:
        case str():
            return value if len(value) <= characters else f"{value[: characters - 1]}…"
        case dict():
            kept = sorted(value)[: _room(entries)]
            return {_cut(key, entries, characters): _cut(value[key], entries, characters) for key in kept}
        case list():
            return [_cut(inner, entries, characters) for inner in value[:entries]]
        case _:
            return value
