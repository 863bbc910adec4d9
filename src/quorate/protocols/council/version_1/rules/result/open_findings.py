"""The open findings of a council in the format for pipelines, with file and line of the YAML."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from quorate.core.record import Record
from quorate.core.values import replace
from quorate.kit.findings import Finding as CoreFinding
from quorate.kit.findings import Severity as CoreSeverity
from quorate.protocols.council.version_1.rules.forms import GateFinding
from quorate.protocols.council.version_1.rules.model import Finding, Resolution
from quorate.protocols.council.version_1.rules.result.findings import remediation
from quorate.protocols.council.version_1.rules.result.overview import Reading
from quorate.protocols.council.version_1.rules.taxonomy import Category, Severity

OPEN = (Resolution.UPHELD, Resolution.REMEDIATION_AGREED, Resolution.DEADLOCKED, Resolution.OPEN)
SEVERITIES = {
    Severity.BLOCKER: CoreSeverity.CRITICAL,
    Severity.MAJOR: CoreSeverity.HIGH,
    Severity.MINOR: CoreSeverity.MEDIUM,
    Severity.INFO: CoreSeverity.LOW,
}


@dataclass(frozen=True, slots=True)
class Told:
    """A finding of the council, and the same in the format for pipelines."""

    finding: Finding
    core: CoreFinding

    @property
    def is_open(self) -> bool:
        return self.finding.resolution in OPEN


def findings(record: Record) -> tuple[CoreFinding, ...]:
    """Return all open findings, the worst first, then by place; the order is deterministic."""
    return tuple(each.core for each in Opened(Reading(record)).in_order if each.is_open)


class Opened:
    """Every finding in the format for pipelines, each with a unique key."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    @cached_property
    def every(self) -> list[Told]:
        """All findings in order of number; duplicates within one file are told apart by occurrence."""
        seen: dict[str, int] = {}
        found = []
        for finding in self.reading.state.findings:
            core = self._core(finding)
            seen[core.key] = seen.get(core.key, -1) + 1
            found.append(Told(finding, replace(core, occurrence=seen[core.key])))
        return found

    @cached_property
    def in_order(self) -> list[Told]:
        def place(each: Told) -> tuple[int, str, int, str, str]:
            core = each.core
            return core.severity.rank, core.path, core.line, core.rule, core.key

        return sorted(self.every, key=place)

    def _core(self, finding: Finding) -> CoreFinding:
        reading, own = self.reading, self.reading.sources[finding.key][0]
        said, kind = own.said, finding.subcategory
        where = reading.rfc.where(finding.place, finding.field)
        gate = isinstance(said, GateFinding)
        file, line = (said.file.text, said.line) if isinstance(said, GateFinding) else (where.file, where.line)
        return CoreFinding(
            rule=rule_of(finding),
            severity=SEVERITIES[finding.severity],
            path=as_brought(reading, file),
            line=line,
            message=own.description,
            evidence=own.evidence,
            consequence=f"{kind.category.value}: {kind.means}",
            action=remediation(reading, finding, own) or "",
            source="check" if gate else "committee",
            raised_by=tuple(self._raised_by(finding)),
            blocking=finding.grave and finding.resolution in OPEN,
        )

    def _raised_by(self, finding: Finding) -> Iterator[str]:
        if finding.proven:
            yield finding.subcategory.gate.value
        yield from dict.fromkeys(str(each.by) for each in self.reading.sources[finding.key] if not each.proven)


def rule_of(finding: Finding) -> str:
    """Return the rule id, such as `coverage/SCOPE_GAP`; `security/...` is what code scanning recognises."""
    category = finding.subcategory.category
    name = "security" if category is Category.SECURITY_DEFECT else category.value.removesuffix("_DEFECT").lower()
    return f"{name}/{finding.subcategory.value}"


def as_brought(reading: Reading, file: str) -> str:
    """Return a file's path as seen by the user; relative to the RFC's folder if that was given as absolute."""
    root = str(reading.rfc.data.get("root") or "").replace("\\", "/")
    if not file or posixpath.isabs(root) or ":" in root or root.startswith("~"):
        return file
    return posixpath.normpath(posixpath.join(root, file))
