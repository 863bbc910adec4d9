"""The council's seats held by code: the gates, which report and try edits, and the matcher (C8, C14, C38).

The gates' findings are stored as material when a session opens, so a replay needs no files. Edits are tried in a
scratch copy of the files as they were then; the user's files are never written, so it is safe to repeat.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from quorate.codec import parse_reply, reply_from_data
from quorate.core.errors import InputError, RuleViolation
from quorate.core.forms import Key, Keyed, Prose
from quorate.core.view import View
from quorate.kit.strict_json import strict_json
from quorate.participants.check import Check
from quorate.participants.port import Request
from quorate.protocols.council.rules.forms import (
    Application,
    Applied,
    Coverage,
    Edit,
    GateReport,
    Matches,
    Pair,
    Patch,
)
from quorate.protocols.council.rules.taxonomy import NINE, SEVEN, Field, Gate, Subcategory
from quorate.protocols.council.world.gates.scratch import Scratch, Sources, reading_digest
from quorate.protocols.council.world.gates.trial import Meant, Stand, try_edits
from quorate.protocols.council.world.gates.twins import Text, twins

__all__ = ["gatekeeper", "matcher", "reading_digest"]

MOST_NOTES = 20_000
_PATCH = re.compile(r"Patch (\d{1,3})")
_PROFILES = {"seven": SEVEN, "nine": NINE}
_RUN = ("folder", "tickets", "prd", "ccp", "repo", "gates", "digest")
_E = TypeVar("_E", bound=Enum)


def gatekeeper(run: Mapping[str, Any]) -> Check:
    """Return the participant for the gates of a session. `run` is only needed for the brief `apply`, and is plain data:

    `folder` of the RFC, `tickets`, `prd`, `ccp` and `repo` where `read_rfc` was given them, `gates` (seven or nine),
    and `digest` (the `reading_digest` of what was read when the session opened).
    """

    def answer(request: Request) -> GateReport | Coverage | Application:
        match request.ask.brief:
            case "examine":
                return _examined(request)
            case "cover":
                return _covered(request)
            case "apply":
                return _applied(_Job.of(run), request)
            case brief:
                raise RuleViolation(
                    f"the gates cannot reply to the brief {brief!r}: they know examine, cover and apply"
                )

    return Check(answer, name="gates")


def matcher() -> Check:
    """Return the participant that finds findings whose texts are alike beyond doubt; it needs only its view."""

    def answer(request: Request) -> Matches:
        if request.ask.brief != "match":
            raise RuleViolation(f"the matcher cannot reply to the brief {request.ask.brief!r}: it knows match")
        rows = _findings(request.view)
        missing = [key for key in request.ask.keys if key not in rows]
        if missing:
            raise InputError(f"does not list {missing[0]}", key="Findings", expected="every finding that is asked for")
        found = twins(_text(key, rows[key]) for key in request.ask.keys)
        return Matches(tuple(Pair(Key(kept), Key(merged)) for kept, merged in found))

    return Check(answer, name="matcher")


# Views


def _section(view: View, title: str) -> str:
    texts = [section.text for section in view.sections if section.title == title]
    if len(texts) != 1:
        raise InputError(f"the view has {len(texts)} sections with this title", key=title, expected="exactly one")
    return texts[0]


def _examined(request: Request) -> GateReport:
    """Parse the form from the material, as strictly as any reply."""
    reply = parse_reply(request.ask, _section(request.view, "Gates"))
    if not isinstance(reply, GateReport):
        raise RuleViolation(f"examine is answered with a GateReport, not with a {type(reply).__name__}")
    return reply


def _covered(request: Request) -> Coverage:
    """Name what nobody was shown of the tickets and files that the RFC has, and count what was refused (C28, C42)."""
    rows = strict_json(_section(request.view, "Shown"))
    if not isinstance(rows, dict) or not all(isinstance(row, list) for row in rows.values()):
        raise InputError(
            "is not a mapping from keys to lists of seats", key="Shown", expected="a JSON object of lists, by key"
        )
    refused = _section(request.view, "Refused")
    if not (refused.isascii() and refused.isdigit()):
        raise InputError(f"is {refused[:40]!r}", key="Refused", expected="a number")
    return Coverage(tuple(key for key in request.ask.keys if rows.get(key) == []), int(refused))


def _findings(view: View) -> dict[str, dict[str, str]]:
    """Return the findings in the view, by key."""
    rows = strict_json(_section(view, "Findings"))
    if not isinstance(rows, dict) or not all(isinstance(row, dict) for row in rows.values()):
        raise InputError("is not a mapping of findings", key="Findings", expected="a JSON object of objects, by key")
    return rows


def _text(key: str, row: Mapping[str, str]) -> Text:
    group = (_member(Subcategory, row, "subcategory").value, _word(row, "place"), _word(row, "field"))
    return Text(key, group, _by_gate(row), _word(row, "description"), _word(row, "evidence"))


def _meant(row: Mapping[str, str]) -> Meant:
    """Return the finding that edits are meant to fix."""
    subcategory, field = _member(Subcategory, row, "subcategory"), _member(Field, row, "field")
    return Meant(subcategory, _word(row, "place"), field, _word(row, "description"), _by_gate(row))


def _by_gate(row: Mapping[str, str]) -> bool:
    origins = {"gate": True, "seat": False}
    if row.get("origin") not in origins:
        raise InputError(f"is {row.get('origin')!r}", key="Findings: origin", expected="gate or seat")
    return origins[row["origin"]]


def _word(row: Mapping[str, Any], name: str) -> str:
    if not isinstance(row.get(name), str):
        raise InputError("is not a text", key=f"Findings: {name}", expected="a text")
    return str(row[name])


def _member(words: type[_E], row: Mapping[str, str], name: str) -> _E:
    try:
        return words(_word(row, name))
    except ValueError as error:
        raise InputError(f"is {row[name]!r}", key=f"Findings: {name}", expected=f"a {words.__name__}") from error


def _patches(view: View) -> tuple[Patch, ...]:
    """Return the patches of the view in their order."""
    found = [(match, section.text) for section in view.sections if (match := _PATCH.fullmatch(section.title))]
    numbers = [int(match[1]) for match, _ in found]
    if numbers != list(range(1, len(found) + 1)):
        raise InputError(f"the view has the patches {numbers}", key="Patch", expected="Patch 1, Patch 2, ...")
    return tuple(reply_from_data(Patch, strict_json(text)) for _, text in found)


# Edits


@dataclass(frozen=True, slots=True)
class _Job:
    """What is needed to read the RFC again."""

    sources: Sources
    gates: tuple[Gate, ...]
    digest: str

    @classmethod
    def of(cls, run: Mapping[str, Any]) -> _Job:
        for key in run:
            if key not in _RUN:
                raise InputError("is unknown", key=f"run.council.{key}", expected=", ".join(_RUN))
        for key in ("folder", "gates", "digest"):
            if not isinstance(run.get(key), str):
                raise InputError("is missing, so no edit can be tried", key=f"run.council.{key}", expected="a text")
        if run["gates"] not in _PROFILES:
            raise InputError(f"is {run['gates']!r}", key="run.council.gates", expected="seven or nine")
        given = {name: Path(run[name]) for name in ("tickets", "prd", "ccp", "repo") if run.get(name) is not None}
        return cls(Sources(Path(run["folder"]), **given), _PROFILES[run["gates"]], run["digest"])


def _applied(job: _Job, request: Request) -> Application:
    """Try the edits, finding by finding. An earlier patch that holds is kept; a later one replaces one that did not."""
    keys, rows, patches = request.ask.keys, _findings(request.view), _patches(request.view)
    try:
        rfc = job.sources.read()
        same = reading_digest(rfc) == job.digest
    except InputError as error:
        return _none(keys, str(error))
    if not same:
        return _none(keys, "the files of the RFC have changed since the edits were written")
    results: dict[str, Applied] = {}
    notes: list[str] = []
    with Scratch(job.sources, rfc) as scratch:
        stand = Stand.of(scratch, job.gates)
        for number, patch in enumerate(patches, start=1):
            for finding, edits in _by_finding(patch):
                if finding not in rows:
                    notes.append(f"{finding}, patch {number}: there is no such finding to fix")
                elif results.get(finding) is not Applied.APPLIED:
                    results[finding], why, stand = try_edits(scratch, stand, edits, _meant(rows[finding]), job.gates)
                    notes += [f"{finding}, patch {number}: {results[finding].value}: {why}"] if why else []
        diff = scratch.diff(stand.rfc)
    results |= {key: Applied.NOT_APPLIED for key in keys if key not in results}
    kept = Keyed({key: results[key] for key in keys})
    return Application(Prose(diff), Prose("\n".join(notes)[:MOST_NOTES]), kept)


def _none(keys: Sequence[Key], reason: str) -> Application:
    return Application(Prose(""), Prose(reason[:MOST_NOTES]), Keyed(dict.fromkeys(keys, Applied.NOT_APPLIED)))


def _by_finding(patch: Patch) -> list[tuple[str, list[Edit]]]:
    groups: dict[str, list[Edit]] = {}
    for edit in patch.edits:
        groups.setdefault(str(edit.finding), []).append(edit)
    return list(groups.items())
