"""The documents of a workshop, generated from its result: specification, architecture, summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate.protocols.workshop.rules.documents.architecture import architecture, records
from quorate.protocols.workshop.rules.documents.merge import (
    Merged,
    MergedFiles,
    MergeOutcome,
    merge,
    merge_files,
    without_room,
)
from quorate.protocols.workshop.rules.documents.overview import read
from quorate.protocols.workshop.rules.documents.requirements import simple, srs, volere
from quorate.protocols.workshop.rules.documents.summary import brainstorm, open_summary
from quorate.protocols.workshop.rules.settings import Format

__all__ = ["Format", "MergeOutcome", "Merged", "MergedFiles", "documents", "merge", "merge_files", "without_room"]

REQUIREMENTS = "requirements.md"
ARCHITECTURE = "architecture.md"
SUMMARY = "summary.md"
_FORMATS = {Format.SRS: srs, Format.VOLERE: volere, Format.SIMPLE: simple}


def documents(result: Mapping[str, Any], format_: Format = Format.SRS, *, session: str = "") -> Mapping[str, str]:
    """Return the documents of a session by file name, whichever way it ended (W26).

    `format_` is that of a specification. `session` names the session in the documents' markers; without a name the
    digest of the result does.
    """
    overview = read(result, session)
    match result["workflow"]:
        case "specs":
            return {REQUIREMENTS: _FORMATS[format_](overview)}
        case "design":
            return {ARCHITECTURE: architecture(overview), **records(overview)}
        case "brainstorm":
            return {SUMMARY: brainstorm(overview)}
        case _:
            return {SUMMARY: open_summary(overview)}
