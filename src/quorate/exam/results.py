"""Results: what is kept of each sitting, one JSON file each, in the user's data folder."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import platformdirs

from quorate.core.errors import InputError
from quorate.exam.candidate import ExamOutcome, Halt
from quorate.exam.clean_changes import CleanSample
from quorate.exam.scores import Competence, FormRate, PaperScore, PerMille
from quorate.files.named_file import text_of
from quorate.files.replacement import replace
from quorate.kit.strict_json import strict_json

FORMAT = 1
MOST_BYTES = 100_000
_NAME = re.compile(r"[^A-Za-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class Sitting:
    """One model's exam, as it is kept."""

    model: str
    version: str
    """SHA-256 of the weights, or the name of the model that the provider answered with."""
    exam: str
    """Version and digest of the exam's items."""
    at: str
    """When it ended, in UTC."""
    seed: int
    outcome: ExamOutcome
    clean: tuple[CleanSample, ...] = ()
    """What it says of clean changes, by protocol; empty where it was not asked."""

    def of(self, protocol: str) -> PaperScore | None:
        """Return the score of a protocol's paper; None where it was not asked."""
        return next((each for each in self.outcome.scores if each.protocol == protocol), None)


def exams_folder() -> Path:
    return Path(platformdirs.user_data_dir("quorate")) / "exams"


def keep(sitting: Sitting, folder: Path | None = None) -> Path:
    """Write a sitting into the folder and return its file. Raises InputError if it cannot be written."""
    place = exams_folder() if folder is None else folder
    model, moment = _NAME.sub("-", sitting.model).strip("-")[-80:], re.sub(r"\D", "", sitting.at)
    papers = _NAME.sub("-", " ".join(each.protocol for each in sitting.outcome.scores))[:80]
    file = place / f"{model}.{moment}.{sitting.seed}.{papers}.json"
    try:
        place.mkdir(parents=True, exist_ok=True)
        replace(file, json.dumps(to_data(sitting), indent=2).encode(), file.read_bytes() if file.exists() else None)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=str(file)) from error
    return file


def kept(folder: Path | None = None) -> list[Sitting]:
    """Return all sittings, the latest first. Raises InputError for a file that is damaged."""
    place = exams_folder() if folder is None else folder
    found = [_read(file) for file in place.glob("*.json")] if place.is_dir() else []
    return sorted(found, key=lambda each: (each.at, each.model), reverse=True)


def latest(model: str, version: str, folder: Path | None = None, *, protocol: str) -> Sitting | None:
    """Return the latest sitting of these weights, whatever their path, in which a protocol's paper was asked.

    Where no version is known, it is that of the name.
    """
    found = (each for each in kept(folder) if (each.version == version if version else each.model == model))
    return next((each for each in found if each.of(protocol) is not None), None)


def to_data(sitting: Sitting) -> dict[str, Any]:
    """Return a sitting as plain data."""
    found = asdict(sitting)
    outcome = found.pop("outcome")
    if not found["clean"]:
        del found["clean"]
    for each in outcome["scores"]:
        each["competence"] = each["competence"].value
    outcome["halts"] = [stop.value for stop in outcome["halts"]]
    return {"format": FORMAT, **found, **outcome}


def _read(file: Path) -> Sitting:
    try:
        return of_data(strict_json(text_of(file, MOST_BYTES, "the result of an exam")))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(
            "is not the result of an exam", file=str(file), expected="a file of `quorate exam`; delete it"
        ) from error


def of_data(data: Mapping[str, Any]) -> Sitting:
    """Return the sitting of plain data. Raises ValueError, TypeError or KeyError for any other data."""
    if data["format"] != FORMAT:
        raise ValueError(f"format {data['format']}")
    outcome = ExamOutcome(
        scores=tuple(_score(each) for each in data["scores"]),
        halts=tuple(Halt(each) for each in data["halts"]),
        unasked=tuple(data["unasked"]),
        rates=tuple(FormRate(**each) for each in data["rates"]),
        measured=data["measured"],
        calls=data["calls"],
        seconds=data["seconds"],
    )
    at = datetime.fromisoformat(data["at"]).isoformat()
    texts = {name: str(data[name]) for name in ("model", "version", "exam")}
    clean = tuple(_clean(each) for each in data.get("clean", ()))
    return Sitting(**texts, at=at, seed=int(data["seed"]), outcome=outcome, clean=clean)


def _clean(data: Mapping[str, Any]) -> CleanSample:
    changes = tuple((int(before), int(after)) for before, after in data["changes"])
    return CleanSample(str(data["protocol"]), str(data["asked"]), changes)


def _score(data: Mapping[str, Any]) -> PaperScore:
    figures = {name: PerMille(**data[name]) for name in ("accuracy", "discrimination", "yes", "brier")}
    return PaperScore(**{**data, **figures, "competence": Competence(data["competence"])})
