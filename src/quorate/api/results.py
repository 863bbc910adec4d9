"""Outputs of a session: result, reports, findings, explanation, bundle and replay."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from quorate import catalog
from quorate.api.damage import headed, heading, refuse_damaged
from quorate.api.sessions import Result, load_alone
from quorate.api.worth import worth, worth_again
from quorate.codec import digest_text
from quorate.core.errors import InputError, QuorateError, SettingError, nearest
from quorate.core.protocol import Degradation, Protocol
from quorate.core.record import Ruling
from quorate.core.types import Absent
from quorate.evidence.bundle import Problem, check_bundle, make_bundle
from quorate.evidence.derivation import became_in
from quorate.evidence.explain import explain_text
from quorate.evidence.text import MOST_CHARACTERS, from_text, to_json, to_yaml
from quorate.files.named_file import text_of
from quorate.kit.fates import Fate, answered_for, as_data
from quorate.kit.findings import Finding
from quorate.store.journal import Journal
from quorate.workspace import Workspace
from quorate.worth.tolerance import as_data as tolerance_data
from quorate.worth.tolerance import tolerance
from quorate.worth.worth import NOTHING_LEARNT, worth_data

FORMATS = ("md", "html", "json", "yaml", "sarif", "junit", "comment")
BUNDLE_NAME = "bundle.json"
FINDINGS_NAMES = {"findings.sarif": "sarif", "findings.junit.xml": "junit"}
"""What a protocol that makes findings leaves for the machines of a pipeline."""


def solution(result: Result) -> str:
    """Return the result of the session as Markdown."""
    found = catalog.definition_of(result.record.opening)
    return found.show(found.result(result.record))


def summary(result: Result) -> dict[str, Any]:
    """Return status and result of the session as plain data."""
    record, session = result.record, result.record.session
    conclusion, found = session.conclusion, catalog.definition_of(record.opening)
    costs = [envelope.cost for envelope in record.envelopes]
    absent = [line for line in record.log if isinstance(getattr(line, "reply", None), Absent)]
    became = became_in(found)(record)
    fates = {} if became is None else {"fates": as_data(became)}
    return {
        "session": result.session,
        "protocol": record.opening.protocol,
        "title": record.opening.title,
        "phase": session.phase.name,
        "round": record.protocol.round(session.state),
        "verdict": conclusion.verdict.name if conclusion else None,
        "ruling": _ruling(record.ruling, answered_for(became or ())),
        "owes": result.owes,
        "exit_code": result.exit_code,
        "degradation": conclusion.degradation.value if conclusion else None,
        "interrupted": conclusion.interrupted.value if conclusion and conclusion.interrupted else None,
        "absences": [{"seat": s.ask.seat, "brief": s.ask.brief, "reason": s.reply.reason.value} for s in absent],  # type: ignore[union-attr]
        "waiting": [{"ask": ask.id, "seat": ask.seat, "keys": list(ask.keys)} for ask in result.waiting],
        "tokens_in": sum(envelope.tokens_in for envelope in record.envelopes),
        "tokens_out": sum(envelope.tokens_out for envelope in record.envelopes),
        "cost_usd": None if None in costs else sum(cost or 0 for cost in costs) / 1_000_000,
        "result": dict(found.result(record)),
        **fates,
        "tolerance": tolerance_data(tolerance(record, found.tolerance)),
        "worth": worth_data(worth(result)) if conclusion else None,
        "damage": result.damage.as_data() if result.damage else None,
    }


def _ruling(ruling: Ruling | None, files: list[str]) -> dict[str, Any] | None:
    if ruling is None:
        return None
    told = {"verdict": ruling.verdict.name, "by": ruling.by, "reason": ruling.reason}
    return told | ({"answers_for": files} if files else {})


def bundle(result: Result) -> dict[str, Any]:
    """Return the evidence bundle: the whole session, with its hash chain. A damaged session has none.

    It is derived from the journal alone, so the same journal always gives the same bundle and signatures stay valid.
    What later labels and other sessions say about its worth is added by the interfaces, and is in no bundle.
    """
    refuse_damaged(result.damage, "a bundle")
    alone = worth(replace(result, learnt=NOTHING_LEARNT))
    fates = became_in(catalog.definition_of(result.record.opening))
    return make_bundle(result.record, result.entries, result.session, worth_data(alone), fates)


def report(result: Result, format_: str) -> str:
    """Write a session as a report (md, html), its bundle (json, yaml), or its findings (sarif, junit, comment).

    A format may also be the name of a file that the session produces, such as `rfc_review.yaml`. A damaged session has
    only its report, with the damage in the heading; other formats raise StoreError.
    """
    if format_ not in ("md", "html"):
        refuse_damaged(result.damage, f"the format {format_}")
    match format_:
        case "md":
            return next(iter(_written(result).values()))
        case "html":
            from quorate.api.page import page  # it needs everything that is written here

            return page(result)
        case "json":
            return to_json(bundle(result))
        case "yaml":
            return to_yaml(bundle(result))
        case "sarif" | "junit" | "comment":
            return _findings_as(result, format_)
        case _:
            left = own_files(result)
            if format_ in left:
                return left[format_]
            known = (*FORMATS, *left)
            raise SettingError(
                f"there is no report format {format_!r}",
                expected="one of " + ", ".join(known),
                nearest=nearest(format_, known),
            )


def reports(result: Result) -> dict[str, str]:
    """Return all output files of a session by name: every report, and the bundle."""
    names = list(catalog.definition_of(result.record.opening).reports)
    from quorate.api.page import page

    left = texts(result)
    html = {f"{Path(names[0]).stem}.html": page(result, left)}
    return {**{name: left.pop(name) for name in names}, **html, **left}


def texts(result: Result) -> dict[str, str]:
    """Return all output files except the page, the bundle last."""
    if result.damage is not None:
        return _written(result)
    found = catalog.definition_of(result.record.opening).findings is not None
    machines = {file: report(result, format_) for file, format_ in FINDINGS_NAMES.items()} if found else {}
    return {**_written(result), **machines, **own_files(result), BUNDLE_NAME: report(result, "json")}


def own_files(result: Result) -> dict[str, str]:
    """Return the protocol's own output files by name: documents as JSON and as YAML."""
    definition = catalog.definition_of(result.record.opening)
    written: dict[str, str] = {}
    for name, data in definition.documents(result.record).items():
        written |= {f"{name}.json": to_json(data), f"{name}.yaml": to_yaml(data)}
    return {**written, **definition.files(result.record)}


def open_findings(result: Result) -> tuple[Finding, ...]:
    """Return all open findings of a session, the worst first; SettingError if its protocol makes none."""
    found = catalog.definition_of(result.record.opening)
    if found.findings is None:
        raise SettingError(f"a {found.name} makes no findings", expected="a session of a protocol that does")
    return found.findings(result.record)


def fates_of(result: Result) -> tuple[Fate, ...]:
    """Return what became of everything that was said or brought, of entries that did not fit their form too."""
    return became_in(catalog.definition_of(result.record.opening))(result.record) or ()


def _written(result: Result) -> dict[str, str]:
    """Return every report of the protocol as Markdown, the main one first."""
    from quorate.evidence.report import GENERIC, markdown  # templates take longest to import

    found, record = catalog.definition_of(result.record.opening), result.record
    came_to, head, told = found.result(record), result.entries[-1].hash, worth(result)
    tolerated, fates = tolerance(record, found.tolerance), became_in(found)(record)
    written = {}
    for name, file in found.reports.items():
        template = catalog.package_text(found, file) or GENERIC
        text = markdown(record, template, result.session, head, came_to, told, tolerated, fates)
        written[name] = headed(text, result.damage)
    return written


def _findings_as(result: Result, format_: str) -> str:
    """Write the open findings in a format for CI."""
    from quorate.evidence.comment import comment
    from quorate.evidence.junit import junit
    from quorate.evidence.sarif import became_of, sarif

    opened, record = open_findings(result), result.record
    came_to = catalog.definition_of(record.opening).result(record)
    conclusion, ruling = record.session.conclusion, record.ruling
    counts = ruling or conclusion
    verdict = counts.verdict.name if counts else None
    whole = conclusion is None or conclusion.degradation is Degradation.NONE
    degraded = "" if whole or conclusion is None else f"degraded {conclusion.degradation.value}"
    match format_:
        case "junit":
            code = record.protocol.exit_codes[counts.verdict] if counts else None
            return junit(opened, came_to, session=result.session, verdict=verdict, code=code)
        case "comment":
            ruled = f"ruled by {ruling.by}" if ruling else ""
            return comment(
                opened,
                came_to,
                verdict=verdict,
                session=result.session,
                degraded=degraded,
                ruled=ruled,
                protocol=record.opening.protocol,
            )
        case _:
            receipt = came_to.get("receipt", {})
            log = sarif(
                opened,
                became=became_of(came_to.get("findings", ())),
                session=result.session,
                verdict=verdict,
                version=version("quorate"),
                protocol=record.opening.protocol,
                exit_code=result.exit_code,
                degraded=degraded,
                anchor=next((str(file["path"]) for file in receipt.get("files", [])), ""),
                dismissed=receipt.get("dismissed", ()),
            )
            return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def explain(result: Result) -> str:
    """Explain how the verdict follows: every step, its tests, and the rows not taken with the reason."""
    record = result.record
    stated = catalog.definition_of(record.opening).tolerance
    told = explain_text(record, worth(result), tolerance(record, stated), fates_of(result))
    return told if result.damage is None else f"{heading(result.damage)}\n\n{told}"


_CLASS = re.compile(r"<class '(?:\w+\.)*(\w+)'>")
"""How `repr` shows a form; a digest keeps its name alone, so that it is the same wherever the module lies."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A session folded again from its journal, without a model call."""

    verdict: str | None
    entries: int
    head: str
    """The hash of the last entry."""
    digest: str
    """A digest of everything that was asked, said, decided and concluded."""


async def replay(workspace: Workspace, journal: Journal, session: str) -> Replayed:
    """Fold a session again from its journal: same verdict, same digest, no model call."""
    result = await load_alone(workspace, journal, session)
    conclusion = result.record.session.conclusion
    digest = digest_text("\n".join(_CLASS.sub(r"\1", repr(line)) for line in result.record.log))
    return Replayed(
        conclusion.verdict.name if conclusion else None, len(result.entries), result.entries[-1].hash, digest
    )


def check(path: Path) -> list[Problem]:
    """Check a bundle on its own, then derive everything again with its protocol."""
    data = from_text(text_of(path, MOST_CHARACTERS, "a bundle in JSON or YAML"), str(path))
    if _is_review(data):
        raise InputError(
            "is the review bundle of a council, which `quorate audit` checks",
            file=str(path),
            expected=f"the bundle of a session's journal: {BUNDLE_NAME}",
        )
    if not isinstance(data, dict):
        raise InputError("is not a bundle", file=str(path), expected="what `quorate report --format json` writes")
    if problems := check_bundle(data, None):
        return problems
    try:
        built = rules_of(data)
    except QuorateError as error:
        told = f"the results could not be computed again: {getattr(error, 'what', error)}"
        return [Problem("/protocol", told, "a protocol that is installed here")]
    named = data["protocol"]
    fates = became_in(catalog.definition_in(named["name"], named["version"]))
    return check_bundle(data, built, worth=worth_again, fates=fates)


def rules_of(bundle: Mapping[str, Any]) -> Protocol[Any]:
    """Build the protocol that the session of a bundle began with, in the version that it began under."""
    named = bundle["protocol"]
    return catalog.build(
        named["name"], named["settings"], seed=bundle["seed"], kept=named["briefs"], version=named["version"]
    )


def _is_review(data: Any) -> bool:
    """Whether a file looks like a council's review of an RFC rather than a journal."""
    return isinstance(data, dict) and {"rfc_id", "verdict"} <= data.keys() and "format" not in data
