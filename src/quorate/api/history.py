"""What labels teach about a session: its own labels, and how often the same seats erred together.

This is the only place that computes it. Every function that returns a concluded session passes it through `told`, so
all interfaces report the same worth. Only bundles are made without it (`results.bundle`): a label is later than the
seal and must not change what was sealed.
"""

from __future__ import annotations

from asyncio import Lock
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from weakref import ref

from quorate import catalog
from quorate.api.label_meaning import RIGHT, judge, truths_of
from quorate.api.label_records import counting, judges, labels, labels_path
from quorate.api.sessions import Result
from quorate.core.errors import InputError
from quorate.core.record import Record
from quorate.kit.positions import MATTER
from quorate.store.journal import Journal
from quorate.store.labels import Label
from quorate.workspace import Workspace
from quorate.worth.votes import MeasuredCorrelation
from quorate.worth.worth import NOTHING_LEARNT, Learnt

if TYPE_CHECKING:
    from quorate.worth.calibration import OfPanel

SCALE = 10_000
"""A correlation is kept in ten-thousandths, as bundles have it."""
FRESH_SECONDS = 60.0
"""Seconds for which a measurement is reused with unchanged labels: labelled sessions may be copied here later."""
MOST_MEASURED = 200
"""Labelled sessions of a protocol that are read for this, the last ones: each takes some milliseconds."""
MOST_PLACES = 16
UNREAD = "What was labelled is left out: the file of the labels cannot be read, and quorate calibration says why."
Stamp = tuple[int, int, int]


@dataclass
class _Known:
    """Parsed labels file, cached by the file's stamp."""

    journal: ref[Journal]
    stamp: Stamp
    labels: Mapping[tuple[str, str], Label]
    since: float = field(default_factory=monotonic)
    panels: dict[str, tuple[OfPanel, ...]] = field(default_factory=dict)
    """By protocol, measured when it is first asked for."""
    measuring: Lock = field(default_factory=Lock)


_known: dict[Path, _Known] = {}
"""By the file of the labels: a server is asked again and again, and measuring reads every labelled session."""


async def told(workspace: Workspace, journal: Journal, result: Result) -> Result:
    """Return a session with what labels teach about it; unchanged if not concluded, or without labels."""
    found = await learnt(workspace, journal, result)
    return result if found == result.learnt else replace(result, learnt=found)


async def learnt(workspace: Workspace, journal: Journal, result: Result) -> Learnt:
    """Return what the local labels teach about a session; an unreadable labels file is reported, not raised."""
    if result.record.session.conclusion is None:
        return NOTHING_LEARNT
    try:
        known = _read(workspace, journal)
    except InputError:
        return Learnt(missing=UNREAD)
    if known is None:
        return NOTHING_LEARNT
    truth = dict(filter(None, (_truth(each, result) for each in known.labels.values())))
    return Learnt(await _measured(workspace, journal, result.record, known), truth)


def _read(workspace: Workspace, journal: Journal) -> _Known | None:
    """Return the current labels; None if there are none."""
    path = labels_path(workspace)
    try:
        found = path.lstat()
    except OSError:
        return None
    stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
    known = _known.get(path)
    fresh = known is not None and monotonic() - known.since < FRESH_SECONDS
    if known is None or not fresh or known.stamp != stamp or known.journal() is not journal:
        _known.pop(path, None)
        known = _known[path] = _Known(ref(journal), stamp, counting(labels(workspace)))
        while len(_known) > MOST_PLACES:
            _known.pop(next(iter(_known)))
    return known if known.labels else None


def _truth(label: Label, result: Result) -> tuple[str, bool] | None:
    """Return the truth that a label states; None if it is for another session or another journal."""
    if label.session != result.session or not judges(label, result.entries):
        return None
    if label.finding:
        return label.finding, label.truth == RIGHT
    sound = judge(result, label.truth).sound if label.truth in truths_of(result) else None
    return None if sound is None else (MATTER, sound)


async def _measured(
    workspace: Workspace, journal: Journal, record: Record, known: _Known
) -> MeasuredCorrelation | None:
    """Return how correlated the errors of this session's voters were in labelled sessions; None if unknown."""
    found = catalog.definition_of(record.opening)
    if found.judging is None or all(each.protocol != found.name for each in known.labels.values()):
        return None
    voters = frozenset(found.judging.voters(record.protocol))
    async with known.measuring:
        if found.name not in known.panels:
            from quorate.api.track_record import calibration  # where nothing is labelled, it is not needed

            measured = await calibration(workspace, journal, protocol=found.name, last=MOST_MEASURED)
            known.panels[found.name] = measured.found.panels
    panel = next((each for each in known.panels[found.name] if frozenset(each.voters) == voters), None)
    if panel is None or panel.correlation is None:
        return None
    phi = Fraction(round(panel.correlation * SCALE), SCALE)
    return MeasuredCorrelation(phi, panel.whole, _rests_on(panel))


def _rests_on(panel: OfPanel) -> str:
    """Describe the data behind a correlation, and whether it is too little for advice."""
    from quorate.evidence.advice import enough

    sessions = "1 labelled session" if panel.whole == 1 else f"{panel.whole} labelled sessions"
    return f"{sessions} of these seats{'' if enough(panel) else ', too few to rely on'}"
