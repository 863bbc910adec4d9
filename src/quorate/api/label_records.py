"""Record what turned out to be right about a session or one of its findings.

The last label of a session counts, and all are kept. A label names the entry and hash that it judged, so it is never
applied to anything else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import time
from typing import Any

from quorate import catalog
from quorate.api.label_meaning import RIGHT, WRONG, find_truth
from quorate.api.sessions import Result, load_alone
from quorate.codec.chain import Entry
from quorate.core.errors import SettingError, nearest
from quorate.safety.secrets import without_secrets
from quorate.store.journal import Journal
from quorate.store.labels import LABELS_NAME, MOST_NOTE, Label, add_label, read_labels
from quorate.store.open import store_file
from quorate.workspace import Workspace, default_store, keep_from_git

MOST_NAMED = 20
"""Findings that an error lists."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A recorded label."""

    label: Label
    path: Path
    before: tuple[Label, ...]
    """The labels of the same session or finding that were there already; they stay, and count no more."""


def labels_path(workspace: Workspace) -> Path:
    """Return the path of the labels file: beside the project's ledger, or in the user's data without a project."""
    file = store_file(default_store(workspace.root))
    assert file is not None  # the default store is a file
    return file.parent / LABELS_NAME


def labels(workspace: Workspace) -> tuple[Label, ...]:
    """Return all recorded labels, in order."""
    return read_labels(labels_path(workspace))


async def label(
    workspace: Workspace, journal: Journal, session: str, truth: str, *, finding: str = "", note: str = ""
) -> Labelled:
    """Record what turned out to be true; raise SettingError for a truth that the protocol does not know.

    A finding is named by its id or a prefix of it, and is `right` or `wrong`.
    """
    result = await load_alone(workspace, journal, session)
    conclusion = result.record.session.conclusion
    if conclusion is None:
        raise SettingError(f"{session} has not concluded", expected="a session with a verdict")
    note = without_secrets(note.strip())
    if len(note) > MOST_NOTE:
        raise SettingError(f"has {len(note):,} characters", key="--note", expected=f"at most {MOST_NOTE:,}")
    about = find_finding(result, finding) if finding else ""
    said = _of_finding(truth) if about else find_truth(result, truth)
    last = result.entries[-1]
    name = conclusion.verdict.name
    made = Label(
        int(time() * 1000), session, result.record.opening.protocol, name, last.seq, last.hash, said, about, note
    )
    path = labels_path(workspace)
    every = add_label(path, made)
    if workspace.root is not None:
        keep_from_git(path.parent)
    return Labelled(made, path, tuple(each for each in every[:-1] if (each.session, each.finding) == (session, about)))


def find_finding(result: Result, start: str) -> str:
    """Return the id of the finding, open or not, that an id or a prefix names."""
    known = [card.id for card in catalog.definition(result.record.opening.protocol).board(result.record).findings]
    if start in known:
        return start
    matching = [each for each in known if each.startswith(start.strip())]
    if len(matching) == 1:
        return matching[0]
    expected = "one of " + ", ".join(known[:MOST_NAMED]) if known else "nothing here: the session has no findings"
    what = f"{start!r} matches {len(matching)} findings" if matching else f"there is no finding {start!r}"
    raise SettingError(what, key="--finding", expected=expected, nearest=nearest(start, known))


def _of_finding(truth: str) -> str:
    if truth.casefold() not in (RIGHT, WRONG):
        raise SettingError(f"is {truth!r}", key="--truth", expected="right or wrong, as this is about a finding")
    return truth.casefold()


def counting(every: Iterable[Label]) -> dict[tuple[str, str], Label]:
    """Return the label that counts for each session and finding: the last one."""
    return {(each.session, each.finding): each for each in every}


def judges(each: Label, entries: list[Entry]) -> bool:
    """Whether a label is for this journal: the entry that it names has the hash that it names."""
    return each.seq < len(entries) and entries[each.seq].hash == each.head


def label_data(each: Label) -> dict[str, Any]:
    """Return a label as plain data for programs."""
    return asdict(each)
