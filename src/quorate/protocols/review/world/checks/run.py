"""Running every deterministic check on a change; all results are masked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from quorate import plugins
from quorate.codec.canonical import clean
from quorate.files.places import counted
from quorate.kit.change import Change
from quorate.kit.check_result import Check, CheckResult, found
from quorate.kit.findings import Finding, Severity, quotation
from quorate.protocols.review.rules.model import MOST_FINDINGS
from quorate.protocols.review.world.change.file_order import reviewed
from quorate.protocols.review.world.checks.governance import DECIDING, check_governance
from quorate.protocols.review.world.checks.governance import NAME as GOVERNANCE
from quorate.safety.credentials import hits_in
from quorate.safety.masks import Masks
from quorate.safety.secrets import report, secrets_in, secrets_in_text

CHECKS: tuple[tuple[str, str], ...] = (
    ("conflict markers", "quorate.protocols.review.world.checks.conflicts:check_conflicts"),
    ("hidden text", "quorate.safety.hidden:check_hidden_text"),
    ("instructions", "quorate.safety.instructions:check_instructions"),
    ("coverage", "quorate.protocols.review.world.checks.coverage:check_coverage"),
    ("governance", "quorate.protocols.review.world.checks.governance:check_governance"),
    ("dangerous calls", "quorate.protocols.review.world.checks.python_code:check_dangerous_calls"),
    ("lint", "quorate.protocols.review.world.checks.python_code:check_lint"),
    ("complexity", "quorate.protocols.review.world.checks.complexity:check_complexity"),
    ("circular imports", "quorate.protocols.review.world.checks.cycles:check_cycles"),
    ("interfaces", "quorate.protocols.review.world.checks.interfaces:check_interfaces"),
    ("tests", "quorate.protocols.review.world.checks.shape:check_tests"),
    ("size", "quorate.protocols.review.world.checks.shape:check_size"),
    ("dependencies", "quorate.protocols.review.world.checks.shape:check_dependencies"),
)
"""The checks after that of the secrets, by name and by function; the modules are imported when they are needed."""
OF_CRAFT = frozenset({"lint", "complexity", "interfaces", "tests", "size"})
"""Checks of what people write; generated and vendored files are nothing to them. All others look at every file."""
SECRETS = "secrets"
HOUSE = "house rules"
MOST_REASON = 400
Progress = Callable[[str], None]
"""Hears the name of each check before it begins."""


@dataclass(frozen=True, slots=True)
class CheckResults:
    """The masked results of the checks."""

    results: tuple[CheckResult, ...]
    """One for each check, its findings in order."""
    findings: tuple[Finding, ...]
    """All of them, the worst first, each with a key of its own; at most `MOST_FINDINGS`."""
    masks: Masks


def run_checks(
    change: Change,
    house: Check | None = None,
    progress: Progress = lambda _: None,
    known: Masks | None = None,
    deciding: Sequence[str] = DECIDING,
) -> CheckResults:
    """Run all checks; one that crashes becomes a finding, since a change may cause that, and the others still run.

    The search for secrets is the exception: its errors are raised, since nothing could be masked without it.
    Secrets that are already `known` keep their numbers. `deciding` are the paths that take effect on this review.
    """
    progress(SECRETS)
    secrets = secrets_in(change)
    masks = (known or Masks(())).extended(secrets)
    raw: list[CheckResult] = []
    written = replace(change, files=reviewed(change))
    for name, function in CHECKS:
        progress(name)
        check = partial(check_governance, deciding=deciding) if name == GOVERNANCE else _lazily(function)
        raw.append(_run(name, check, written if name in OF_CRAFT else change))
    if house is not None:
        progress(HOUSE)
        raw.append(_run(HOUSE, house, change))
    masks = masks.extended(hidden for result in raw for hidden in _quoted_secrets(result))
    results = [report(change, secrets, masks), *(_masked(result, masks) for result in raw)]
    return _ordered(results, masks)


def _lazily(function: str) -> Check:
    def check(change: Change) -> CheckResult:
        found: Check = plugins.load(function, "a check")
        return found(change)

    return check


def _run(name: str, check: Check, change: Change) -> CheckResult:
    try:
        return check(change)
    except Exception as error:
        reason = f"the check broke off: {type(error).__name__}: {error}"
        return found(name, reason, (Finding("check/broken", Severity.MEDIUM, "", message=reason, raised_by=(name,)),))


# Masking


@dataclass(frozen=True, slots=True)
class _Hidden:
    value: str


def _quoted_secrets(result: CheckResult) -> Iterable[_Hidden]:
    """Yield secrets that a check quotes from outside the change."""
    for finding in result.findings:
        yield from (_Hidden(hit.value) for hit in hits_in(finding.evidence, finding.path))
        yield from (_Hidden(secret.value) for secret in secrets_in_text(finding.message))
    yield from (_Hidden(secret.value) for secret in secrets_in_text(result.reason))


def _masked(result: CheckResult, masks: Masks) -> CheckResult:
    def masked(text: str) -> str:
        return clean(masks.mask_quoted(text))

    findings = tuple(
        replace(
            finding,
            path=clean(masks.mask(finding.path)),
            message=masked(finding.message),
            evidence=masked(finding.evidence),
            consequence=masked(finding.consequence),
            action=masked(finding.action),
        )
        for finding in result.findings
    )
    return replace(result, reason=masked(result.reason)[:MOST_REASON], findings=findings)


# Order, keys and the limit


def _ordered(results: Sequence[CheckResult], masks: Masks) -> CheckResults:
    everything = [(place, finding) for place, result in enumerate(results) for finding in result.findings]
    everything.sort(key=lambda each: (each[1].severity.rank, each[1].path, each[1].line, each[1].rule, each[0]))
    alike: Counter[tuple[str, ...]] = Counter()
    numbered: list[tuple[int, Finding]] = []
    for place, finding in everything:
        quoted = "".join(quotation(finding.evidence).split())
        same = (finding.source, finding.rule, finding.path, quoted, finding.fingerprint)
        raised_by = finding.raised_by or (results[place].check,)
        numbered.append((place, replace(finding, occurrence=alike[same], raised_by=raised_by)))
        alike[same] += 1
    kept, left = numbered[:MOST_FINDINGS], Counter(place for place, _ in numbered[MOST_FINDINGS:])
    told = tuple(_told(result, place, kept, left[place]) for place, result in enumerate(results))
    return CheckResults(told, tuple(finding for _, finding in kept), masks)


def _told(result: CheckResult, place: int, kept: Sequence[tuple[int, Finding]], left: int) -> CheckResult:
    findings = tuple(finding for at, finding in kept if at == place)
    reason = result.reason
    if left:
        many = counted(left, "finding")
        reason = f"{reason}; {many} of least severity left out, since {MOST_FINDINGS:,} are kept of all checks"
    return replace(result, reason=reason, findings=findings)
