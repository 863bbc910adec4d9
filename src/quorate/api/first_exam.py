"""First exams: an embedded model sits a protocol's exam when it is first seated under that protocol.

Nothing is kept of an exam that was cut short or that could not be held; the model is then unexamined, as before.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from threading import Lock
from time import monotonic

from quorate import catalog
from quorate.api.exams import Examinee, paper_of, sit
from quorate.core.errors import InputError
from quorate.exam.candidate import LOCAL
from quorate.exam.results import exams_folder, kept
from quorate.exam.scores import PaperScore
from quorate.participants.port import Participant
from quorate.participants.respondent import LocalRespondent, respondent_for
from quorate.participants.token_odds import NoAnswerError

SEED = 1
EVERY = 15
"""Seconds between two lines about how far an exam is."""
Tell = Callable[[str], None]


async def sit_first(protocol: str, models: Iterable[Participant], tell: Tell) -> None:
    """Let each of these embedded models sit the protocol's exam, unless one is kept for these very weights.

    Two sessions that open at once wait for one exam. A model that cannot be asked stays unexamined without a word: the
    session will say what is wrong with it. Raises nothing but CancelledError.
    """
    if not catalog.definition(protocol).exam:
        return
    for model in models:
        who = respondent_for(model)
        if isinstance(who, LocalRespondent):
            await sit_once(protocol, who, tell)


_UNDER_WAY: dict[tuple[str, str], Future[None]] = {}
"""Exams that are being sat in this process, by protocol and weights; openings run in threads of their own."""
_GUARD = Lock()


async def sit_once(protocol: str, who: Examinee, tell: Tell) -> None:
    """Let a model sit the exam, or wait for the one that it sits for another session."""
    try:
        version = await asyncio.to_thread(lambda: who.version)
    except OSError:  # without its file it cannot be asked either
        return
    while _may_sit(protocol, version):
        with _GUARD:
            other = _UNDER_WAY.get((protocol, version))
            mine = _UNDER_WAY.setdefault((protocol, version), Future())
        if other is not None:
            await asyncio.wrap_future(other)
            continue
        mine.set_running_or_notify_cancel()  # or whoever stops waiting for it would cancel it for all
        try:
            await _sit(protocol, who, tell)
        finally:
            with _GUARD:
                del _UNDER_WAY[protocol, version]
            mine.set_result(None)
        return


def _may_sit(protocol: str, version: str) -> bool:
    """Whether no exam is kept, not even one in which such a slow model was asked nothing within the time."""
    try:
        found = [each for each in kept() if each.version == version]
    except InputError:  # a damaged file: another exam beside it would be as little use
        return False
    return not any(each.of(protocol) or each.outcome.unasked == (protocol,) for each in found)


async def _sit(protocol: str, who: Examinee, tell: Tell) -> None:
    if problem := _why_not_kept():
        tell(f"{who.name} sits no exam, because its result could not be kept: {problem}")
        return
    tell(
        f"{who.name} has not sat the exam for a {protocol} yet, so it sits it now, once, in at most two minutes. "
        "To open without it: --no-exam, or examine_local: false"
    )
    try:
        sitting = await sit(who, [paper_of(protocol)], SEED, LOCAL, tell=_now_and_then(tell))
    except (NoAnswerError, InputError):
        return
    tell(f"{who.name}, exam for a {protocol}: {_said(sitting.of(protocol))}")


def _said(score: PaperScore | None) -> str:
    if score is None:
        return "nothing was asked within the time, so it stays unexamined; `quorate exam --seconds` gives it more"
    return f"{score.competence.value} ({score.right} of {score.pairs} pairs)"


def _why_not_kept() -> str:
    """Return why no result can be written, before two minutes are spent on one; empty if it can."""
    folder = exams_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"{folder}: {error.strerror or error}"
    return "" if os.access(folder, os.W_OK) else f"{folder} cannot be written"


def _now_and_then(tell: Tell) -> Tell:
    last = monotonic()

    def told(words: str) -> None:
        nonlocal last
        if monotonic() - last >= EVERY:
            last = monotonic()
            tell(f"exam under way, {words}")

    return told
