"""What a session leaves behind: its result, report, explanation, bundle and replay."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate import catalog
from quorate.api.sessions import Result, load
from quorate.core.errors import InputError, QuorateError, SettingError, nearest
from quorate.core.types import Absent
from quorate.evidence.bundle import Problem, check_bundle, make_bundle
from quorate.evidence.explain import explain_text
from quorate.evidence.text import from_text, to_json, to_yaml
from quorate.store.codec import digest_text
from quorate.store.journal import Journal
from quorate.workspace import Workspace

FORMATS = ("md", "html", "json", "yaml")


def solution(result: Result) -> str:
    """Return what the session came to, as Markdown."""
    found = catalog.definition(result.record.opening.protocol)
    return found.show(found.result(result.record))


def summary(result: Result) -> dict[str, Any]:
    """Return how the session stands and what it came to, as plain data for programs."""
    record, session = result.record, result.record.session
    conclusion = session.conclusion
    costs = [envelope.cost for envelope in record.envelopes]
    absent = [line for line in record.log if isinstance(getattr(line, "reply", None), Absent)]
    return {
        "session": result.session,
        "protocol": record.opening.protocol,
        "title": record.opening.title,
        "phase": session.phase.name,
        "round": record.protocol.round(session.state),
        "verdict": conclusion.verdict.name if conclusion else None,
        "exit_code": result.exit_code,
        "degradation": conclusion.degradation.value if conclusion else None,
        "interrupted": conclusion.interrupted.value if conclusion and conclusion.interrupted else None,
        "absences": [{"seat": s.ask.seat, "brief": s.ask.brief, "reason": s.reply.reason.value} for s in absent],  # type: ignore[union-attr]
        "waiting": [{"ask": ask.id, "seat": ask.seat, "keys": list(ask.keys)} for ask in result.waiting],
        "tokens_in": sum(envelope.tokens_in for envelope in record.envelopes),
        "tokens_out": sum(envelope.tokens_out for envelope in record.envelopes),
        "cost_usd": None if None in costs else sum(cost or 0 for cost in costs) / 1_000_000,
        "result": dict(catalog.definition(record.opening.protocol).result(record)),
    }


def bundle(result: Result) -> dict[str, Any]:
    """Return the evidence bundle: everything, with the hash chain."""
    return make_bundle(result.record, result.entries, result.session)


def report(result: Result, format_: str) -> str:
    """Write a session as a report (md, html) or as its bundle (json, yaml)."""
    match format_:
        case "md" | "html":
            from quorate.evidence.report import GENERIC, html, markdown  # templates take longest to import

            found = catalog.definition(result.record.opening.protocol)
            template = catalog.package_text(found, "report.md.j2") or GENERIC
            text = markdown(result.record, template, result.session, result.entries[-1].hash)
            return text if format_ == "md" else html(text, result.record.opening.title)
        case "json":
            return to_json(bundle(result))
        case "yaml":
            return to_yaml(bundle(result))
        case _:
            raise SettingError(
                f"there is no report format {format_!r}",
                expected="one of " + ", ".join(FORMATS),
                nearest=nearest(format_, FORMATS),
            )


def explain(result: Result) -> str:
    """Say how the verdict follows: every step, its tests, the rows not taken and why."""
    return explain_text(result.record)


@dataclass(frozen=True, slots=True)
class Replayed:
    """A session folded again from its journal, without one model call."""

    verdict: str | None
    entries: int
    head: str
    """The hash of the last entry."""
    digest: str
    """A digest of everything that was asked, said, decided and concluded."""


async def replay(workspace: Workspace, journal: Journal, session: str) -> Replayed:
    """Fold a session again from its journal: the same verdict and digest, no model call."""
    result = await load(workspace, journal, session)
    conclusion = result.record.session.conclusion
    digest = digest_text("\n".join(repr(line) for line in result.record.log))
    return Replayed(
        conclusion.verdict.name if conclusion else None, len(result.entries), result.entries[-1].hash, digest
    )


def check(path: Path) -> list[Problem]:
    """Check a bundle on its own and then, with its protocol, by deriving everything again."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path), expected="a bundle in JSON or YAML") from error
    data = from_text(text, str(path))
    if problems := check_bundle(data, None):
        return problems
    named = data["protocol"]
    try:
        built = catalog.build(named["name"], named["settings"], seed=data["seed"], kept=named["briefs"])
    except QuorateError as error:
        return [Problem("/protocol", f"nothing could be derived again: {error}", "a protocol that is installed here")]
    return check_bundle(data, built)
