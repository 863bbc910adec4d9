"""Exams: sit a model down to the exam, keep what came of it, and look it up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

from quorate import catalog
from quorate.core.errors import InputError, SettingError, nearest
from quorate.core.types import Seat
from quorate.evidence.exam_notes import EXAMS
from quorate.exam.candidate import LOCAL, REMOTE, Allowance, Examination
from quorate.exam.clean_changes import CleanSample, how_asked, load_clean_changes, measure_clean
from quorate.exam.form_tasks import FOLDER
from quorate.exam.paper import Paper, exam_version, load_paper
from quorate.exam.results import Sitting, exams_folder, keep, kept, latest
from quorate.exam.scores import PaperScore
from quorate.participants.panel import load_panel
from quorate.participants.port import Participant
from quorate.participants.respondent import LocalRespondent, RemoteRespondent, respondent_for
from quorate.participants.token_odds import Respondent

CANDIDATE = Seat("candidate")
MOST_SECONDS = 24 * 3_600
MOST_CALLS = 100_000
UNEXAMINED = "unexamined"


class Examinee(Respondent, Protocol):
    """A model that sits the exam, with its name and version as they are kept."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...


@cache
def paper_folders() -> dict[str, Path]:
    """Return where the papers of all installed protocols are, by protocol; not every protocol has one."""
    found = {name: each for name, each in catalog.definitions().items() if each.exam}
    return {name: Path(str(resources.files(each.package))) / each.exam for name, each in found.items()}


@cache
def papers() -> dict[str, Paper]:
    """Return the papers of all installed protocols, by protocol."""
    return {name: load_paper(folder, name) for name, folder in paper_folders().items()}


def paper_of(protocol: str) -> Paper:
    """Return the paper of a protocol that has one."""
    found = catalog.definition(protocol)
    return load_paper(Path(str(resources.files(found.package))) / found.exam, protocol)


@cache
def current_version() -> str:
    """Return the version of the exam as it is installed."""
    return exam_version([*paper_folders().values(), FOLDER])


def candidate(model: str) -> LocalRespondent | RemoteRespondent:
    """Return the model that a name such as `openai:gpt-5` means. Raises SettingError for anything but one model."""
    participant = load_panel(None, (CANDIDATE,), model=model)[CANDIDATE]
    try:
        return respondent_for(participant)
    except InputError as error:
        raise SettingError(error.what, key="model", expected=error.expected) from error


async def examine(
    model: str,
    *,
    seed: int = 1,
    protocols: Sequence[str] = (),
    seconds: float | None = None,
    calls: int | None = None,
    samples: int = 1,
    flags: bool = False,
    folder: Path | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Sitting:
    """Sit a model down to the exam and keep the result.

    Without `seconds` and `calls` a local model gets two minutes and a remote one 60 calls. With `flags` it is asked
    about all clean changes as well, without a limit, so that later changes can be held against them. Raises
    SettingError for a model or protocol that there is none of, and NoAnswerError where the model cannot be asked; then
    nothing is kept.
    """
    who = candidate(model)
    limits = REMOTE if isinstance(who, RemoteRespondent) else LOCAL
    given = {name: value for name, value in (("seconds", seconds), ("calls", calls)) if value is not None}
    limits = replace(limits, samples=samples, **given)  # type: ignore[arg-type]  # of the types that are declared
    return await sit(who, _chosen(protocols), seed, limits, flags=flags, folder=folder, tell=tell)


async def sit(
    who: Examinee,
    chosen: Sequence[Paper],
    seed: int,
    limits: Allowance,
    *,
    flags: bool = False,
    folder: Path | None = None,
    tell: Callable[[str], None],
) -> Sitting:
    """Put these papers to a model within limits and keep the result, which is written at the end and as a whole."""
    found = await Examination(who, chosen, seed, limits, tell=tell).run()
    clean = [await _clean(who, paper, limits.samples, tell) for paper in chosen if flags]
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    sampled = tuple(each for each in clean if each.changes)
    sitting = Sitting(who.name, who.version, current_version(), moment, seed, found, sampled)
    keep(sitting, folder)
    return sitting


async def _clean(who: Respondent, paper: Paper, samples: int, tell: Callable[[str], None]) -> CleanSample:
    changes = load_clean_changes(paper_folders()[paper.protocol], paper)
    return await measure_clean(who, paper, changes, tell, samples)


def _chosen(protocols: Sequence[str]) -> list[Paper]:
    known = papers()
    for name in protocols:
        if name not in known:
            near = nearest(name, known)
            raise SettingError(
                f"{name!r} has no exam", key="protocol", expected="one of " + ", ".join(known), nearest=near
            )
    return [paper for name, paper in known.items() if not protocols or name in protocols]


def exam_of(participant: Participant, protocol: str, folder: Path | None = None) -> Sitting | None:
    """Return the latest exam for a protocol of a model with these very weights; None without one, or for no model.

    A provider says only with an answer which version it runs, so that there the name decides.
    """
    try:
        who = respondent_for(participant)
    except InputError:
        return None
    return latest(who.name, who.version, folder, protocol=protocol)


def exams_kept(participant: Participant) -> dict[str, Sitting]:
    """Return the latest exam of a model for each protocol that it sat one for."""
    found = {name: exam_of(participant, name) for name in paper_folders()}
    return {name: sitting for name, sitting in found.items() if sitting is not None}


def clean_sample(model: str, protocol: str, folder: Path | None = None) -> CleanSample | None:
    """Return what a model says of clean changes by its latest such exam; None where it was never asked in this way."""
    who = candidate(model)
    asked = how_asked(paper_of(protocol))
    for sitting in kept(folder):
        if sitting.version == who.version if who.version else sitting.model == who.name:
            for sample in sitting.clean:
                if (sample.protocol, sample.asked) == (protocol, asked):
                    return sample
    return None


def may_sit(participant: Participant) -> bool:
    """Whether a participant is a model that can sit the exam."""
    try:
        respondent_for(participant)
    except InputError:
        return False
    return True


def summary(sitting: Sitting) -> str:
    """Return one line about what came of an exam, protocol by protocol."""
    return _line([sitting], sitting.outcome.scores, sitting.outcome.unasked)


def summary_of_kept(found: Mapping[str, Sitting]) -> str:
    """Return one line about the latest exams of a model, by protocol."""
    scores = [score for name, sitting in found.items() if (score := sitting.of(name)) is not None]
    return _line(list(found.values()), scores, [name for name in paper_folders() if name not in found])


def _line(sittings: Sequence[Sitting], scores: Sequence[PaperScore], unasked: Sequence[str]) -> str:
    words = [f"{each.protocol} {each.competence.value} ({each.right} of {each.pairs} pairs)" for each in scores]
    words += [f"{name} not asked" for name in unasked]
    old = "" if all(each.exam == current_version() for each in sittings) else "; its items have changed since"
    return ", ".join(words) + f"; {max(each.at for each in sittings)[:10]}{old}"


# In the opening of a session


def exams_of(protocol: str, models: Mapping[str, Participant], *, required: bool) -> dict[str, Any]:
    """Return the entry of the `run` for these models by name; empty where the protocol has no exam.

    Raises SettingError for the first model without an exam where one is `required`.
    """
    if not catalog.definition(protocol).exam:
        return {}
    found = {name: _standing(protocol, who) for name, who in models.items()}
    for name, standing in found.items() if required else ():
        if standing["says"] == UNEXAMINED:
            raise SettingError(
                f"{name} has not sat the exam for {protocol}",
                key="require_exam",
                expected=f"quorate exam {name} --protocol {protocol}, or require_exam: false",
            )
    return {EXAMS: found}


def _standing(protocol: str, who: Participant) -> dict[str, Any]:
    """Return what the last exam of a model says about judging under a protocol; a damaged file says nothing."""
    try:  # the weights are read through for their digest, so only where anything is kept
        sitting = exam_of(who, protocol) if any(exams_folder().glob("*.json")) else None
    except InputError:
        sitting = None
    score = None if sitting is None else sitting.of(protocol)
    if sitting is None or score is None:
        return {"says": UNEXAMINED}
    told = {"right": score.right, "pairs": score.pairs, "at": sitting.at[:10], "exam": sitting.exam}
    return {"says": score.competence.value, **told}
