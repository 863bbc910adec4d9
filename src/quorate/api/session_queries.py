"""Queries about concluded sessions as plain data, in the form shared by HTTP, MCP and Python.

Errors name an argument as a program does (`truth`), and not as the command line does (`--truth`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from quorate.api.calibration_data import calibration_data
from quorate.api.comparison import compare_sessions, comparison_data
from quorate.api.label_meaning import truths_of
from quorate.api.label_records import label, label_data, labels
from quorate.api.redecision import redecide, redecision_data
from quorate.api.sessions import load_alone
from quorate.api.track_record import calibration
from quorate.core.errors import InputError
from quorate.store.journal import Journal
from quorate.workspace import Workspace


async def redecided(
    workspace: Workspace, journal: Journal, session: str, settings: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return what other settings make of the recorded answers. No participant is asked and nothing is written."""
    return redecision_data(await redecide(workspace, journal, session, settings))


async def compared(workspace: Workspace, journal: Journal, sessions: Sequence[str]) -> dict[str, Any]:
    """Return sessions of one protocol side by side, and where each diverges from the first. No file is read."""
    return comparison_data(await compare_sessions(workspace, journal, sessions))


async def labelled(
    workspace: Workspace, journal: Journal, session: str, truth: str, *, finding: str = "", note: str = ""
) -> dict[str, Any]:
    """Record what turned out to be right, and return the label. Earlier labels are kept but no longer count."""
    with as_arguments():
        made = await label(workspace, journal, session, truth, finding=finding, note=note)
    return {**label_data(made.label), "before": [each.truth for each in made.before]}


async def labels_of(workspace: Workspace, journal: Journal, session: str) -> dict[str, Any]:
    """Return the labels of a session in order, and the truths it may be labelled with (none before it concludes)."""
    result = await load_alone(workspace, journal, session)
    concluded = result.record.session.conclusion is not None
    return {
        "session": session,
        "labels": [label_data(each) for each in labels(workspace) if each.session == session],
        "truths": dict(truths_of(result)) if concluded else {},
    }


async def calibrated(
    workspace: Workspace, journal: Journal, *, protocol: str | None = None, model: str | None = None
) -> dict[str, Any]:
    """Return how often verdicts, seats and confidences were right across all labelled sessions."""
    with as_arguments():
        return calibration_data(await calibration(workspace, journal, protocol=protocol, model=model))


@contextmanager
def as_arguments() -> Iterator[None]:
    """Rename the key of an error from its command-line option to its argument name."""
    try:
        yield
    except InputError as error:
        if error.key is None or not error.key.startswith("--"):
            raise
        key = error.key.removeprefix("--").replace("-", "_")
        raise type(error)(error.what, key=key, expected=error.expected, nearest=error.nearest) from error
