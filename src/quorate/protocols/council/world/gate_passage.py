"""Running the gates on an RFC without a session: no model is asked and nothing is stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from quorate.core.errors import SettingError
from quorate.kit.settings import read_settings
from quorate.protocols.council.rules.forms import GateFinding, GateReport, GateRun
from quorate.protocols.council.rules.model import CouncilSettings
from quorate.protocols.council.rules.taxonomy import Severity, gate_type
from quorate.protocols.council.world.gates.material import material_of
from quorate.protocols.council.world.gates.run import run_gates
from quorate.protocols.council.world.gates.scratch import Sources
from quorate.protocols.council.world.rfc.model import Rfc
from quorate.workspace import Workspace

__all__ = ["GateResult", "Gated", "MaskedFinding", "Sources", "pass_gates"]

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class MaskedFinding:
    """A finding of a gate, masked for display."""

    gate: str
    subcategory: str
    severity: str
    file: str
    line: int
    yaml_path: str
    message: str
    evidence: str
    action: str


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of one gate."""

    gate: str
    type: str
    """TRUSTED or DETERMINISTIC where code decides; LLM-ASSISTED where the seats judge what code could not count."""
    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class Gated:
    """An RFC and its gate results, with all secrets masked."""

    id: str
    title: str
    version: str
    version_written: str
    receipt: Mapping[str, Any]
    """What was read and left out, what was counted, and the depth that the size asks for."""
    gates: tuple[GateResult, ...]
    findings: tuple[MaskedFinding, ...]
    """The worst first."""

    @property
    def blocking(self) -> int:
        """The number of BLOCKER findings, which no vote can lift (C9)."""
        return sum(each.severity == Severity.BLOCKER.value for each in self.findings)


def pass_gates(
    workspace: Workspace, sources: Sources, *, gates: str | None = None, progress: Progress = lambda _: None
) -> Gated:
    """Read an RFC and run the gates on it; no model is asked and nothing is stored.

    `gates` is `seven` or `nine`, and overrides the settings.
    """
    settings = settings_of(workspace, {"gates": gates} if gates else {})
    return at_the_gates(sources, settings, progress).told()


def settings_of(workspace: Workspace, given: Mapping[str, Any]) -> CouncilSettings:
    """Return the council's settings; `given` overrides those of the workspace."""
    with workspace.config.placing("council"):
        return read_settings(CouncilSettings, {**workspace.config.protocol("council"), **given})


@dataclass(frozen=True, slots=True)
class Work:
    """An RFC after running the gates, with the masked texts."""

    sources: Sources
    rfc: Rfc
    report: GateReport
    material: Mapping[str, str]

    def told(self) -> Gated:
        """Return the masked form for display."""
        shown = json.loads(self.material["rfc"])
        found = sorted(self.report.findings, key=lambda each: each.severity.rank)
        return Gated(
            shown["id"],
            shown["title"],
            shown["version"],
            shown["version_written"],
            json.loads(self.report.receipt.text),
            tuple(map(_result, self.report.gates)),
            tuple(map(_found, found)),
        )


def _result(run: GateRun) -> GateResult:
    return GateResult(run.gate.value, gate_type(run.gate).value, run.status.value, run.reason.text)


def _found(finding: GateFinding) -> MaskedFinding:
    return MaskedFinding(
        finding.subcategory.gate.value,
        finding.subcategory.value,
        finding.severity.value,
        finding.file.text,
        finding.line,
        finding.yaml_path.text,
        finding.message.text,
        finding.evidence.text,
        finding.action.text,
    )


def at_the_gates(sources: Sources, settings: CouncilSettings, progress: Progress) -> Work:
    """Read an RFC and run the gates of the settings' profile; raises InputError if there is no RFC."""
    if find_spec("detect_secrets") is None:
        raise SettingError(
            "the gates look for secrets with the package detect-secrets, which is not installed",
            expected="pip install 'quorate[review]'",
        )
    progress("reading the RFC")
    rfc = sources.read()
    progress("running the gates")
    report = run_gates(rfc, settings.profile)
    return Work(sources, rfc, report, material_of(rfc, report))
