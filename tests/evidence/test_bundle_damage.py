"""Damage to a bundle is found and located; nothing that it says is believed."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from quorate.codec import canonical
from quorate.codec.chain import GENESIS, chain
from quorate.core.errors import InputError
from quorate.evidence.bundle import Problem, check_bundle, make_bundle
from quorate.evidence.text import from_text, to_json
from quorate.kit.settings import read_settings
from quorate.protocols.debate import build
from quorate.protocols.debate.rules.model import DebateSettings

SESSION = "debate-20260101-120000-abcd"


@pytest.fixture
def bundle(full: Any) -> dict[str, Any]:
    return make_bundle(full.record, full.entries, SESSION)


def leaves(data: Any, place: str) -> Iterator[tuple[str, Any, Any, Any]]:
    """Every leaf below a value: its JSON pointer, the mapping or list it stands in, its key, and itself."""
    inner = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in inner:
        if isinstance(value, dict | list):
            yield from leaves(value, f"{place}/{key}")
        else:
            yield f"{place}/{key}", data, key, value


def flipped(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value ^ 1
        case str() if value:
            middle = len(value) // 2
            return value[:middle] + chr(ord(value[middle]) ^ 1) + value[middle + 1 :]
        case _:
            return "x"


def reseal(bundle: dict[str, Any]) -> None:
    """Compute the whole chain anew, as a forger would."""
    previous = GENESIS
    for entry in bundle["entries"]:
        previous = entry["hash"] = chain(previous, canonical(entry["body"]))
    bundle["seal"] |= {"head": previous, "entries": len(bundle["entries"])}


def test_a_flip_anywhere_in_any_entry_is_located_to_the_entry(debate: Callable[..., Any]) -> None:
    played = debate(settings={"rounds": 1, "agents": ["architect", "security"]}).play()
    bundle = make_bundle(played.record, played.entries, SESSION)
    flips = 0
    for index, entry in enumerate(bundle["entries"]):
        for place, owner, key, value in list(leaves(entry, f"/entries/{index}")):
            owner[key] = flipped(value)
            first = check_bundle(bundle, None)[0]
            assert first.place.startswith(f"/entries/{index}"), (place, first)
            owner[key] = value
            flips += 1
    assert flips > 100
    assert check_bundle(bundle, None) == []


def test_a_flip_in_a_reply_is_located_to_the_field(bundle: dict[str, Any]) -> None:
    for index, entry in enumerate(bundle["entries"]):
        for place, owner, key, value in list(leaves(entry["body"].get("reply", {}), f"/entries/{index}/body/reply")):
            owner[key] = flipped(value)
            (problem,) = check_bundle(bundle, None)
            assert problem.place == place
            assert "its body was changed" in problem.what
            assert problem.expected.startswith("the same as at /transcript/")
            owner[key] = value


def test_a_flip_in_the_opening_is_located_to_the_field(bundle: dict[str, Any]) -> None:
    opening = bundle["entries"][0]["body"]["opening"]
    opening["settings"]["rounds"] = 3
    assert [each.place for each in check_bundle(bundle, None)] == ["/entries/0/body/opening/settings/rounds"]
    opening["settings"]["rounds"] = 2
    opening["material"]["problem"] = "0" * 64
    assert check_bundle(bundle, None)[0].place == "/entries/0/body/opening/material/problem"


def found(text: str, line: int, protocol: Any) -> bool:
    """Whether damage in a line of the text is found; where it is no JSON any more, near that line."""
    try:
        data = from_text(text)
    except InputError as error:
        return error.line is None or abs(error.line - line) <= 1
    return bool(check_bundle(data, protocol))


def test_any_flipped_byte_of_the_text_is_found(bundle: dict[str, Any], full: Any) -> None:
    """The name of the session stands beside the chain, as a file's name does; all else is covered."""
    lines = to_json(bundle).encode().split(b"\n")
    draw = random.Random(3)
    undetected = []
    for _ in range(150):
        number = draw.randrange(len(lines))
        if not lines[number] or b'"session"' in lines[number]:
            continue
        place = draw.randrange(len(lines[number]))
        changed = bytearray(lines[number])
        changed[place] ^= 1
        text = b"\n".join([*lines[:number], bytes(changed), *lines[number + 1 :]]).decode("utf-8", "replace")
        undetected += [changed] if not found(text, number + 1, full.record.protocol) else []
    assert undetected == []


def test_changed_material_is_located(bundle: dict[str, Any], full: Any) -> None:
    held = bundle["material"]["problem"]
    held["text"] = flipped(held["text"])
    assert [each.place for each in check_bundle(bundle, full.record.protocol)][:2] == [
        "/material/problem/text",
        "/material/problem/digest",
    ]
    del bundle["material"]["problem"]
    bundle["material"]["other"] = held
    told = [(each.place, each.what) for each in check_bundle(bundle, None)]
    assert ("/material", "'problem' is missing") in told
    assert ("/material/other", "the session was not opened with it") in told


def test_a_cut_a_moved_and_a_missing_entry_are_located(bundle: dict[str, Any]) -> None:
    whole = bundle["entries"]
    bundle["entries"] = whole[:-2]
    assert check_bundle(bundle, None)[0].place == f"/entries/{len(whole) - 2}"
    assert "the chain was cut here" in check_bundle(bundle, None)[0].what
    bundle["entries"] = [*whole[:4], whole[5], whole[4], *whole[6:]]
    (moved,) = check_bundle(bundle, None)
    assert (moved.place, "out of order" in moved.what) == ("/entries/4", True)
    bundle["entries"] = [*whole[:4], *whole[5:]]
    (missing,) = check_bundle(bundle, None)
    assert (missing.place, "it is missing" in missing.what) == ("/entries/4", True)


def test_a_bundle_that_was_cut_and_sealed_anew_contradicts_its_derived_parts(bundle: dict[str, Any], full: Any) -> None:
    bundle["entries"] = bundle["entries"][:-1]
    reseal(bundle)
    told = {each.place: each for each in check_bundle(bundle, full.record.protocol)}
    assert f"/transcript/{len(bundle['transcript']) - 1}/status" in told
    assert "/verdict" in told
    assert "/seal/head" in {each.place for each in check_bundle(bundle, None, head=full.entries[-1].hash)}


def test_a_changed_vote_that_was_sealed_anew_contradicts_its_derived_parts(bundle: dict[str, Any], full: Any) -> None:
    entry = next(entry for entry in bundle["entries"] if "confidence" in entry["body"].get("reply", {}))
    entry["body"]["reply"]["confidence"] = 95
    reseal(bundle)
    (place,) = [each.place for each in check_bundle(bundle, None)]
    assert place.startswith("/transcript/")
    assert place.endswith("/reply/confidence")
    again = check_bundle(bundle, full.record.protocol)
    assert "an event that the rules allow here" in [each.expected for each in again]


def test_a_changed_verdict_is_derived_again(bundle: dict[str, Any], full: Any) -> None:
    bundle["verdict"]["verdict"] = "PARTIAL_SOLUTION"
    bundle["decisions"][8]["because"][0]["held"] = True
    bundle["totals"]["seats"]["judge"]["cost"]["known_microdollars"] = 0
    bundle["degradation"]["left"] = []
    assert check_bundle(bundle, None) == []
    told = {each.place: each.expected for each in check_bundle(bundle, full.record.protocol)}
    assert told == {
        "/verdict/verdict": "'SOLUTION', as it follows from the entries",
        "/decisions/8/because/0/held": "False, as it follows from the entries",
        "/totals/seats/judge/cost/known_microdollars": "3600, as it follows from the entries",
        "/degradation/left/0": "a mapping with 3 entries, as it follows from the entries",
    }


def test_a_mark_that_does_not_follow_from_the_words_is_found(debate: Callable[..., Any]) -> None:
    """`gaps` decides between SOLUTION and PARTIAL_SOLUTION (D20); the words of the reply say what it must be."""
    played = debate(gaps=True)
    honest = played.reply

    def forged(ask: Any) -> Any:
        reply = honest(ask)
        if ask.brief == "synthesize":
            object.__setattr__(reply, "gaps", False)
        return reply

    played.reply = forged
    played.play()
    bundle = make_bundle(played.record, played.entries, SESSION)
    assert bundle["verdict"]["verdict"] == "SOLUTION"
    (problem,) = check_bundle(bundle, played.record.protocol)
    assert problem.place.endswith("/body/reply/gaps")
    assert (problem.what, problem.expected) == ("it is False", "True, by the words")


def test_other_rules_cannot_derive_it_again(bundle: dict[str, Any], full: Any) -> None:
    other = build(
        read_settings(DebateSettings, {**full.record.opening.settings, "rounds": 5}), full.record.protocol.briefs, 7
    )
    (problem,) = check_bundle(bundle, other)
    assert problem.place == "/protocol/digest"
    assert "the session could not be derived again" in problem.what
    bundle["protocol"]["digest"] = "0" * 64
    told = [each.place for each in check_bundle(bundle, full.record.protocol)]
    assert told == ["/protocol/digest"]


@pytest.mark.parametrize(
    "forge",
    [
        lambda b: b["entries"][5]["body"].update(ask="99.9"),
        lambda b: b["entries"][5]["body"].update(ask=b["entries"][4]["body"]["ask"]),
        lambda b: b["entries"][5]["body"].update(reply={"no": "form"}),
        lambda b: b["entries"][5]["body"].update(reply={"reason": [], "questions": {}}),
        lambda b: b["entries"][5].update(body={"interrupted": "cancelled", "seq": 5}),
        lambda b: b["entries"][5].update(body=b["entries"][0]["body"]),
        lambda b: b["entries"][0].update(body=b["entries"][5]["body"]),
        lambda b: b["entries"][5]["body"].update(tokens_in=2**62),
        lambda b: b["entries"][0]["body"]["opening"].update(settings={"rounds": "many"}),
        lambda b: b["entries"].append({"seq": len(b["entries"]), "hash": GENESIS, "body": {"interrupted": "wish"}}),
        lambda b: b["transcript"].clear(),
        lambda b: b["panel"].clear(),
        lambda b: b.update(decisions=[], verdict=None, tallies=[]),
        lambda b: b["material"].clear(),
    ],
)
def test_forged_and_resealed_bundles_give_problems_and_no_tracebacks(
    bundle: dict[str, Any], full: Any, forge: Callable[[dict[str, Any]], None]
) -> None:
    bundle = copy.deepcopy(bundle)
    forge(bundle)
    reseal(bundle)
    problems = check_bundle(bundle, full.record.protocol)
    assert problems
    assert all(isinstance(each, Problem) and each.what and each.expected for each in problems)
    json.dumps([str(each) for each in problems])


def test_a_problem_is_told_once_and_a_flood_is_cut(bundle: dict[str, Any]) -> None:
    for asked in bundle["transcript"]:
        asked.update(tokens_in=1, tokens_out=1, elapsed=1, attempts=9, detail="x", cost=None, model="y")
    problems = check_bundle(bundle, None)
    assert len(problems) == 100
    assert len({each.place for each in problems}) == 100
