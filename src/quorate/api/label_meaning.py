"""What a label means: whether a verdict was right, and whether the matter was sound.

The protocol declares the truths and which verdicts are right under each (`Definition.judging`). A truth can also be
given as the verdict that would have been right, or as `right` or `wrong` for the actual verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from quorate import catalog
from quorate.api.sessions import Result
from quorate.core.errors import SettingError, nearest
from quorate.kit.judgement import Judging, Truth
from quorate.kit.positions import MATTER

RIGHT, WRONG = "right", "wrong"


@dataclass(frozen=True, slots=True)
class Judged:
    """What a label means for a session."""

    right: bool | None
    """Whether the verdict was right; None where it left the matter open, or there is none."""
    sound: bool | None
    """Whether the matter was sound: what a position on it is held against; None where the label does not say."""


def truths_of(result: Result) -> Mapping[str, str]:
    """Return the possible truths about a session, with their descriptions."""
    judging, verdict = _judging(result), _verdict(result)
    named = {name: truth.says for name, truth in _named(judging).items()}
    verdicts = {each.name: "the verdict that would have been right" for each in _decided(result, judging)}
    own = {RIGHT: "the verdict was right", WRONG: "the verdict was wrong"}
    return {**named, **verdicts, **(own if verdict is not None and not _left_open(judging, verdict) else {})}


def find_truth(result: Result, said: str) -> str:
    """Return the truth that a word names, ignoring case; raise SettingError listing the valid ones."""
    known = truths_of(result)
    folded = {each.casefold().replace("-", "_"): each for each in known}
    found = folded.get(said.strip().casefold().replace("-", "_").replace(" ", "_"))
    if found is None:
        what, verdict = f"is {said!r}", _verdict(result)
        if said.casefold() in (RIGHT, WRONG) and verdict is not None:
            what = f"is {said!r}, but {verdict.name} leaves the matter open"
        raise SettingError(what, key="--truth", expected="one of " + ", ".join(known), nearest=nearest(said, known))
    return found


def judge(result: Result, truth: str) -> Judged:
    """Return what a truth, as returned by `find_truth`, means for a session."""
    judging, verdict = _judging(result), _verdict(result)
    if truth in (RIGHT, WRONG):
        return _by_word(result, judging, verdict, truth == RIGHT)
    if judging is not None and truth in _named(judging):
        named = judging.truths[truth]
        open_ = verdict is None or verdict in judging.undecided
        return Judged(None if open_ or verdict is None else verdict in named.right, named.favourable)
    open_ = verdict is None or _left_open(judging, verdict)
    right = None if open_ or verdict is None else verdict.name == truth
    would = next((each for each in _decided(result, judging) if each.name == truth), None)
    return Judged(right, None if would is None else _favours(result, judging, would))


def _by_word(result: Result, judging: Judging | None, verdict: Enum | None, right: bool) -> Judged:
    if verdict is None or _left_open(judging, verdict):
        return Judged(None, None)
    favoured = _favours(result, judging, verdict)
    return Judged(right, None if favoured is None else favoured is right)


def _favours(result: Result, judging: Judging | None, verdict: Enum) -> bool | None:
    """Whether a verdict says that the matter is sound; None if that cannot be derived."""
    if judging is None:
        return None
    sides = {truth.favourable for truth in _named(judging).values() if verdict in truth.right}
    if len(sides) == 1:
        return sides.pop()
    if judging.answer is not None and verdict is _verdict(result):
        found = catalog.definition_of(result.record.opening).positions(result.record)
        said = [each.holds for each in found if (each.seat, each.about) == (judging.answer, MATTER)]
        return said[-1] if said else None
    return None


def _judging(result: Result) -> Judging | None:
    return catalog.definition_of(result.record.opening).judging


def _verdict(result: Result) -> Enum | None:
    conclusion = result.record.session.conclusion
    return conclusion.verdict if conclusion else None


def _named(judging: Judging | None) -> Mapping[str, Truth]:
    """Return the truths under which some verdict is right."""
    return {} if judging is None else {name: truth for name, truth in judging.truths.items() if truth.right}


def _left_open(judging: Judging | None, verdict: Enum) -> bool:
    return judging is not None and verdict in judging.undecided


def _decided(result: Result, judging: Judging | None) -> list[Enum]:
    """Return the verdicts that decide something."""
    return [each for each in result.record.protocol.exit_codes if not _left_open(judging, each)]
