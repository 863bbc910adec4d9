"""Calibration: collect the labelled sessions of a store, and measure how often they were right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quorate import catalog
from quorate.api.label_meaning import RIGHT, WRONG, judge, truths_of
from quorate.api.label_records import counting, judges, labels
from quorate.api.sessions import Result, load_alone
from quorate.core.errors import QuorateError, SettingError
from quorate.core.record import Said
from quorate.core.types import Seat
from quorate.evidence.advice import advice
from quorate.kit.positions import MATTER, Position
from quorate.store.journal import Journal
from quorate.store.labels import Label
from quorate.workspace import Workspace
from quorate.worth.calibration import Calibration, calibrate
from quorate.worth.cases import Case, OnFinding
from quorate.worth.families import family


@dataclass(frozen=True, slots=True)
class UncountedLabel:
    """A label that was not counted, with the reason."""

    label: Label
    why: str


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The calibration, and the labels that were left out."""

    found: Calibration
    findings: int
    """Labelled findings that were counted."""
    advice: tuple[str, ...]
    left_out: tuple[UncountedLabel, ...]


async def calibration(
    workspace: Workspace,
    journal: Journal,
    *,
    protocol: str | None = None,
    model: str | None = None,
    last: int | None = None,
) -> Calibrated:
    """Calibrate on the labelled sessions of this store, optionally of one protocol or one model only.

    With a model (its name, a part of it, or its family) only the seats that it held are measured. With `last`, only
    that many of the most recently labelled sessions.
    """
    if protocol is not None:
        catalog.definition(protocol)  # a name that is wrong is told
    every = counting(labels(workspace)).values()
    wanted = [each for each in every if protocol is None or each.protocol == protocol]
    gathered = _Gathered(model)
    every_session = list(dict.fromkeys(each.session for each in wanted))
    for session in every_session if last is None else every_session[-last:]:
        await gathered.take(workspace, journal, [each for each in wanted if each.session == session])
    if model is not None and wanted and not gathered.cases and not gathered.found:
        raise SettingError(
            f"no labelled session has a seat that {model!r} held",
            key="--model",
            expected="one of " + ", ".join(sorted(gathered.models)) if gathered.models else "a model that was used",
        )
    found = calibrate(gathered.cases, gathered.found)
    return Calibrated(found, gathered.findings, tuple(advice(found)), tuple(gathered.left_out))


class _Gathered:
    """The cases collected so far."""

    def __init__(self, model: str | None) -> None:
        self.model = model
        self.cases: list[Case] = []
        self.found: list[OnFinding] = []
        self.findings = 0
        self.left_out: list[UncountedLabel] = []
        self.models: set[str] = set()

    async def take(self, workspace: Workspace, journal: Journal, own: list[Label]) -> None:
        """Add the labels of one session."""
        try:
            result = await load_alone(workspace, journal, own[0].session)
        except QuorateError as error:  # gone, damaged, or of rules that have changed: the others still count
            self.left_out += [UncountedLabel(each, str(error)) for each in own]
            return
        told = _Told(result)
        self.models |= set(told.models.values())
        for each in own:
            if why := _unusable(each, result):
                self.left_out.append(UncountedLabel(each, why))
            elif each.finding:
                self._finding(each, told)
            else:
                self._session(each, told)

    def _held(self, model: str) -> bool:
        wanted = self.model
        return wanted is None or wanted.casefold() in model.casefold() or family(model) == wanted.casefold()

    def _session(self, label: Label, told: _Told) -> None:
        seats = {seat: model for seat, model in told.models.items() if self._held(model)}
        if self.model is not None and not seats:
            return
        what = judge(told.result, label.truth)
        kept = None if self.model is None else frozenset(seats)
        positions = tuple(told.on(MATTER, kept))
        voters = tuple(seat for seat in told.voters if kept is None or seat in kept)
        opening = told.result.record.opening
        self.cases.append(
            Case(label.session, opening.protocol, label.verdict, what.right, what.sound, voters, positions, seats)
        )

    def _finding(self, label: Label, told: _Told) -> None:
        last: dict[Seat, bool] = {}
        for each in told.on(label.finding):
            if each.holds is not None and self._held(told.models.get(each.seat, "")):
                last[each.seat] = each.holds is (label.truth == RIGHT)
        self.findings += 1
        self.found += [OnFinding(label.protocol, seat, right) for seat, right in last.items()]


class _Told:
    """One session, with its positions and models read once."""

    def __init__(self, result: Result) -> None:
        self.result = result
        found = catalog.definition_of(result.record.opening)
        self._positions = found.positions(result.record)
        self.voters = found.judging.voters(result.record.protocol) if found.judging is not None else ()
        answered = {line.envelope.seq: line.envelope.model for line in result.record.log if isinstance(line, Said)}
        self.models: dict[Seat, str] = {}
        for each in self._positions:
            if model := answered.get(each.seq, ""):
                self.models.setdefault(each.seat, model)

    def on(self, about: str, seats: frozenset[Seat] | None = None) -> Iterator[Position]:
        return (each for each in self._positions if each.about == about and (seats is None or each.seat in seats))


def _unusable(label: Label, result: Result) -> str:
    """Return why a label cannot be counted; empty if it can."""
    if not judges(label, result.entries):
        return f"it judged another journal: entry {label.seq} has another hash now, or is not there"
    known: Iterable[str] = (RIGHT, WRONG) if label.finding else truths_of(result)
    return "" if label.truth in known else f"{label.truth!r} is nothing that a {label.protocol} knows"
