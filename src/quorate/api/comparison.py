"""Compare sessions of one protocol: first divergence, verdicts, findings and cost.

Pairs are compared in `evidence/divergence`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quorate import catalog
from quorate.api.readable import read
from quorate.api.results import check, rules_of
from quorate.api.sessions import Result, find_session
from quorate.codec import canonical, read_record
from quorate.codec.chain import Entry
from quorate.core.errors import InputError, SettingError
from quorate.core.record import Moved
from quorate.evidence.divergence import Parting, Shared, began, decisions_part, parting, shared_findings
from quorate.evidence.explain import ExplainedMove, explain
from quorate.evidence.text import MOST_CHARACTERS, from_text
from quorate.files.named_file import text_of
from quorate.kit.findings import Finding
from quorate.store.journal import Journal
from quorate.workspace import Workspace
from quorate.worth.totals import Spent, totals

MOST_SESSIONS = 50


@dataclass(frozen=True, slots=True)
class Difference:
    """One session compared with the first."""

    began: Mapping[str, tuple[Any, Any]]
    """What they were opened with, where that differs: settings, seats' participants, material, seed, briefs."""
    parting: Parting | None
    """None if everything typed is the same."""
    decision: tuple[ExplainedMove | None, ExplainedMove | None] | None
    """The first move that differs: phase, outcome and where it leads."""
    findings: Shared | None
    """None for protocols that make no findings."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Sessions side by side; each difference is between the first session and one of the others."""

    results: tuple[Result, ...]
    names: tuple[str, ...]
    """As they were asked for: a session's id, or a bundle's file."""
    differences: tuple[Difference, ...]


async def compare(workspace: Workspace, journal: Journal, names: Sequence[str]) -> Compared:
    """Compare two or more sessions, by id or as bundle files; SettingError where they are not of one protocol."""
    _check_count(names, "sessions or bundle files")
    found: list[tuple[str, Result]] = []
    for name in names:
        if _is_file(name):
            found.append((name, read_bundle(Path(name))))
        else:
            found.append(await _session_called(workspace, journal, name))
    return _side_by_side(found)


async def compare_sessions(workspace: Workspace, journal: Journal, names: Sequence[str]) -> Compared:
    """Compare sessions of this store only, for remote callers: no file is opened."""
    _check_count(names, "sessions")
    found = [await _session_called(workspace, journal, name) for name in names]
    return await asyncio.to_thread(_side_by_side, found)


def _check_count(names: Sequence[str], what: str) -> None:
    if not 2 <= len(names) <= MOST_SESSIONS:
        raise SettingError(f"{len(names)} to compare", expected=f"two to {MOST_SESSIONS} {what}")


async def _session_called(workspace: Workspace, journal: Journal, name: str) -> tuple[str, Result]:
    session = await find_session(journal, name, workspace.folder)
    return session, await read(workspace, journal, session)


def _side_by_side(found: Sequence[tuple[str, Result]]) -> Compared:
    results = tuple(result for _, result in found)
    kinds = list(dict.fromkeys(result.record.opening.protocol for result in results))
    if len(kinds) > 1:
        raise SettingError(
            f"the sessions follow different protocols: {', '.join(kinds)}", expected="sessions of one protocol"
        )
    first, *others = results
    return Compared(results, tuple(name for name, _ in found), tuple(difference(first, other) for other in others))


def _is_file(name: str) -> bool:
    """Whether a name is a file: session ids contain no dot or slash."""
    return "." in name or "/" in name or "\\" in name


def read_bundle(path: Path) -> Result:
    """Return the session of a valid bundle file; an invalid one raises InputError with its first problem."""
    if problems := check(path):
        raise InputError(
            f"is not valid: {problems[0]}", file=str(path), expected="a bundle that `quorate check` accepts"
        )
    data = from_text(text_of(path, MOST_CHARACTERS, "a bundle in JSON or YAML"), str(path))
    built = rules_of(data)
    entries = [Entry(each["seq"], canonical(each["body"]), each["hash"]) for each in data["entries"]]
    material = {name: held["text"] for name, held in data["material"].items()}
    return Result(str(data["session"]), read_record(built, entries, material), entries)


def difference(first: Result, other: Result) -> Difference:
    """Compare two sessions."""
    one, two = first.record, other.record
    moves = (explain(one), explain(two))
    here, there = findings_of(first), findings_of(other)
    shared = None if here is None or there is None else shared_findings(here, there)
    return Difference(dict(began(one, two)), parting(one, two, moves), decisions_part(*moves), shared)


# As data


def spent(result: Result) -> Spent:
    """Total cost of a session."""
    return totals(result.record).whole


def findings_of(result: Result) -> tuple[Finding, ...] | None:
    """Open findings of a session; None if its protocol makes none."""
    found = catalog.definition_of(result.record.opening).findings
    return None if found is None else found(result.record)


def seconds(result: Result) -> float:
    """Seconds between the first and the last event of a session."""
    summed = totals(result.record)
    return (summed.last - summed.first) / 1000


def finding_data(finding: Finding) -> dict[str, Any]:
    """Return the fields that identify a finding."""
    return {
        "key": finding.key,
        "severity": finding.severity.value,
        "rule": finding.rule,
        "path": finding.path,
        "line": finding.line,
        "blocking": finding.blocking,
    }


def move_data(move: ExplainedMove | None) -> dict[str, Any] | None:
    """Return a move as plain data, with the tests that decided it."""
    if move is None:
        return None
    return {
        "phase": move.phase,
        "round": move.round,
        "outcome": move.outcome,
        "to": move.to,
        "cause": move.cause.value,
        "because": [asdict(test) for test in move.tests],
    }


def comparison_data(compared: Compared) -> dict[str, Any]:
    """Return a comparison as plain data for programs."""
    return {
        "protocol": compared.results[0].record.opening.protocol,
        "sessions": [_session(name, each) for name, each in zip(compared.names, compared.results, strict=True)],
        "differences": [_difference(each) for each in compared.differences],
    }


def _session(name: str, result: Result) -> dict[str, Any]:
    conclusion, cost, found = result.record.session.conclusion, spent(result), findings_of(result)
    return {
        "name": name,
        "session": result.session,
        "verdict": conclusion.verdict.name if conclusion else None,
        "exit_code": result.exit_code,
        "moves": sum(isinstance(line, Moved) for line in result.record.log),
        "findings": None if found is None else len(found),
        "asks": cost.asks,
        "spared": cost.spared,
        "withdrawn": cost.withdrawn,
        "replies": cost.replies,
        "absent": cost.absent,
        "tokens_in": cost.tokens_in,
        "tokens_out": cost.tokens_out,
        "cost_usd": None if cost.unpriced else cost.cost / 1_000_000,
        "seconds": seconds(result),
    }


def _difference(each: Difference) -> dict[str, Any]:
    shared = each.findings
    return {
        "began": {name: list(pair) for name, pair in each.began.items()},
        "parting": None if each.parting is None else _parting(each.parting),
        "decision": None if each.decision is None else [move_data(move) for move in each.decision],
        "findings": None
        if shared is None
        else {
            "same": [finding_data(one) for one, _ in shared.same],
            "only_first": _listed(shared.only_first),
            "only_other": _listed(shared.only_other),
        },
    }


def _parting(parting: Parting) -> dict[str, Any]:
    return {**asdict(parting), "fields": [asdict(field) for field in parting.fields]}


def _listed(found: Iterable[Finding]) -> list[dict[str, Any]]:
    return [finding_data(each) for each in found]
