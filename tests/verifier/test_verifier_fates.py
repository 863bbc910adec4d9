"""Every fate of every recorded session, forged in every way and sealed anew, is refused by the independent verifier."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from quorate_verifier import verify
from quorate_verifier.__main__ import main
from quorate_verifier.fate_words import NOT_DERIVED
from tests.verifier.played import PROTOCOLS, resealed
from tests.verifier.recorded_bundles import recorded

Data = dict[str, Any]
QUICK = 15
"""Forgeries of a session in the quick suite, spread over its fates."""


def forged(fates: list[Data], protocol: str) -> Iterator[tuple[str, list[Data]]]:
    """Yield the fates with one thing wrong, and what it is."""
    yield "all are gone", []
    yield "one is invented", [*fates, {**fates[0], "id": f"{fates[0]['id']}0"}]
    for index, fate in enumerate(fates):
        before, after = fates[:index], fates[index + 1 :]
        yield f"{fate['id']} is dropped", [*before, *after]
        yield f"{fate['id']} stands twice", [*before, fate, fate, *after]
        if after:
            yield f"{fate['id']} changes places", [*before, after[0], fate, *after[1:]]
        for name, value in others(fate, fates, protocol):
            yield f"{name} of {fate['id']} is {value!r}", [*before, {**fate, name: value}, *after]


def others(fate: Data, fates: list[Data], protocol: str) -> Iterator[tuple[str, Any]]:
    """Yield what might stand in a fate: things of nobody, and those of the other fates."""
    for name, value in (("id", "Z9"), ("what", "matter"), ("became", "settled"), ("rule", "X9")):
        yield name, value
    yield from (("by", by) for by in ([], ["nobody"], [*fate["by"], "judge"]) if by != fate["by"])
    for name in ("id", "what", "by", "became"):
        yield from ((name, each) for each in _different(name, fate, fates))
    put_together = NOT_DERIVED.get(protocol, ())
    if fate["what"] in put_together:
        return
    words = ("", "Nobody has said this.", fate["said"][:-1])
    yield from (("said", each) for each in words if each != fate["said"])
    yield from (("said", each) for each in _different("said", fate, fates))


def _different(name: str, fate: Data, fates: list[Data]) -> list[Any]:
    """Return two values that other fates have there."""
    found: list[Any] = []
    for each in fates:
        if each[name] != fate[name] and each[name] not in found:
            found.append(each[name])
    return found[:2]


def _holds(bundle: Data, fates: list[Data]) -> bool:
    return verify(resealed({**deepcopy(bundle), "fates": fates})).holds


def _survivors(protocol: str, most: int | None) -> tuple[list[str], int]:
    """Return the forgeries that nobody noticed, and how many were tried."""
    missed, tried = [], 0
    for scene, bundle in recorded(protocol).items():
        assert verify(bundle).holds, scene
        if not bundle["fates"]:
            continue
        made = list(forged(bundle["fates"], protocol))
        step = 1 if most is None else max(1, len(made) // most)
        for what, fates in islice(made, 0, None, step):
            tried += 1
            if _holds(bundle, fates):
                missed.append(f"{scene}: {what}")
    return missed, tried


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_forged_fate_is_found(protocol: str) -> None:
    missed, tried = _survivors(protocol, QUICK)
    assert missed == []
    assert tried > 100


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_forged_fate_is_found(protocol: str) -> None:
    missed, _ = _survivors(protocol, None)
    assert missed == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_program_names_the_fate_that_is_wrong(
    protocol: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = deepcopy(next(each for each in recorded(protocol).values() if each["fates"]))
    fate, path = bundle["fates"][0], tmp_path / "bundle.json"
    path.write_text(json.dumps(bundle), encoding="utf-8")
    assert main([str(path)]) == 0
    fate["said"] = "Nobody has said this."
    path.write_text(json.dumps(resealed(bundle)), encoding="utf-8")
    assert main([str(path)]) == 1
    assert "/fates/0/said" in capsys.readouterr().out


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_bundle_without_fates_is_refused(protocol: str) -> None:
    bundle = deepcopy(next(each for each in recorded(protocol).values() if each["fates"]))
    del bundle["fates"]
    assert not verify(resealed(bundle)).holds
