"""Planted changes: whatever a careful forger changes, and seals again, the verifier finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from quorate.evidence.bundle import check_bundle
from quorate_verifier import verify
from tests.verifier.played import PROTOCOLS, built, bundle_of, found_at, profiles, resealed

Bundle = dict[str, Any]


def sessions(
    protocol: str, wanted: Callable[[Bundle], bool] = lambda _: True, *, freely: bool = False
) -> Iterator[Bundle]:
    """Sessions that came to a verdict without incidents."""
    for seed in range(400):
        for profile in profiles(protocol):
            bundle = bundle_of(protocol, profile, seed, 0, 0, freely=freely)
            if bundle["verdict"] is not None and wanted(bundle):
                yield bundle


def answers(bundle: Bundle, brief: str) -> list[tuple[int, Bundle]]:
    """The entries that answer asks with this brief: place and reply."""
    asked = {each["ask"] for each in bundle["transcript"] if each["brief"] == brief}
    bodies = [(index, entry["body"]) for index, entry in enumerate(bundle["entries"])]
    return [(index, body["reply"]) for index, body in bodies if body.get("ask") in asked and "reply" in body]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_changed_verdict_is_found(protocol: str) -> None:
    bundle = next(sessions(protocol))
    bundle["verdict"]["verdict"] = "APPROVED" if bundle["verdict"]["verdict"] != "APPROVED" else "REJECTED"
    assert found_at(bundle) == ["/verdict/verdict"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_taken_away_verdict_is_found(protocol: str) -> None:
    bundle = next(sessions(protocol))
    bundle["verdict"] = None
    assert found_at(bundle) == ["/verdict"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_dropped_entry_is_found_although_the_chain_is_whole(protocol: str) -> None:
    bundle = next(sessions(protocol, lambda each: len(each["entries"]) > 2))
    del bundle["entries"][-2]
    assert found_at(bundle), "a gap in the sequence"
    assert any("/transcript" in place or "/decisions" in place for place in found_at(resealed(bundle)))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_order_that_cannot_have_been_is_found(protocol: str) -> None:
    bundle = next(sessions(protocol, lambda each: len(each["decisions"]) > 4 and len(each["entries"]) > 4))
    entries = bundle["entries"]
    entries[1], entries[-1] = entries[-1], entries[1]
    assert any(place.startswith("/entries") for place in found_at(resealed(bundle)))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_changed_byte_anywhere_in_the_journal_breaks_the_chain(protocol: str) -> None:
    bundle = next(sessions(protocol))
    for index in range(len(bundle["entries"])):
        changed = deepcopy(bundle)
        changed["entries"][index]["body"]["at"] = 123456789
        assert found_at(changed) == [f"/entries/{index}"]


def test_a_flipped_vote_of_a_review_is_found_in_its_tally() -> None:
    bundle = next(sessions("review", lambda each: any(r["stance"] == "oppose" for _, r in answers(each, "ballot"))))
    index = next(index for index, reply in answers(bundle, "ballot") if reply["stance"] == "oppose")
    bundle["entries"][index]["body"]["reply"]["stance"] = "synthesis"
    assert any(place.endswith(("/values/synthesis", "/outcome")) for place in found_at(resealed(bundle)))


def test_a_flipped_vote_of_a_council_is_found_in_its_count() -> None:
    bundle = next(sessions("council", lambda each: bool([r for _, r in answers(each, "vote") if r["votes"]])))
    index, reply = next((index, reply) for index, reply in answers(bundle, "vote") if reply["votes"])
    for vote in reply["votes"].values():
        vote["vote"] = "OPPOSE" if vote["vote"] == "SUPPORT" else "SUPPORT"
    bundle["entries"][index]["body"]["reply"] = reply
    places = found_at(resealed(bundle))
    ends = ("/support", "/oppose", "/outcome", "/decisions")  # the last where it would not have settled any more
    assert any(place.endswith(ends) for place in places)


def test_a_vote_put_into_another_seats_mouth_is_found() -> None:
    bundle = next(sessions("review", lambda each: len(each["protocol"]["settings"]["members"]) > 2))
    ballots = [each for each in bundle["transcript"] if each["brief"] == "ballot"][:2]
    ballots[0]["seat"], ballots[1]["seat"] = ballots[1]["seat"], ballots[0]["seat"]
    assert [place.rpartition("/")[2] for place in found_at(bundle)] == ["seat", "seat"]


@pytest.mark.parametrize(
    ("protocol", "setting", "value"),
    [("review", "quorum", "1/1"), ("debate", "rounds", 1), ("council", "quorum", 1), ("workshop", "max_rounds", 1)],
)
def test_a_changed_threshold_is_found_where_it_matters(protocol: str, setting: str, value: Any) -> None:
    """First as a change of the copy alone, then as a change of the opening, sealed again."""
    found = 0
    for bundle, _ in zip(sessions(protocol), range(60), strict=False):
        if bundle["protocol"]["settings"][setting] in (value, None):
            continue
        copied = deepcopy(bundle)
        copied["protocol"]["settings"][setting] = value
        assert "/protocol/settings" in found_at(copied)
        for settings in (bundle["protocol"]["settings"], bundle["entries"][0]["body"]["opening"]["settings"]):
            settings[setting] = value
        found += not verify(resealed(bundle)).holds
    assert found > 0, "it did not matter in any session"


def test_a_ruling_that_nobody_may_make_is_found() -> None:
    bundle = next(sessions("review", lambda each: each["verdict"]["verdict"] == "REQUEST_CHANGES"))
    seq = len(bundle["entries"])
    ruled = {"verdict": "APPROVED", "by": "Ann", "reason": "I say so"}
    bundle["entries"].append({"seq": seq, "hash": "", "body": {"ruled": ruled, "seq": seq, "at": 5}})
    bundle["rulings"].append({**ruled, "seq": seq, "at": 5})
    assert found_at(resealed(bundle)) == ["/rulings/0/verdict", "/fates"]  # a ruling has a fate, too


@pytest.mark.parametrize(
    ("protocol", "fact", "name", "value"),
    [
        ("workshop", "issued", "agreement", "conflict"),
        ("workshop", "topic", "now", "withdrawn"),
        ("workshop", "vote", "support", 99),
        ("workshop", "ruling", "choice", "abstain"),
        ("roundtable", "introduced", "lead", "system-designer:2"),
        ("roundtable", "record written", "turns", 99),
        ("roundtable", "disagreement", "by", "nobody"),
        ("review", "ballot", "counts", "nothing"),
        ("council", "answer", "counts", "nothing"),
        ("debate", "question issued", "seat", "nobody"),
    ],
)
def test_a_fact_that_is_stated_otherwise_is_found_where_it_stands(
    protocol: str, fact: str, name: str, value: Any
) -> None:
    for bundle in sessions(protocol, freely=True):
        for index, decision in enumerate(bundle["decisions"]):
            for place, told in enumerate(decision["facts"]):
                if told["name"] == fact:
                    told["values"][name] = value
                    assert found_at(bundle)[0] == f"/decisions/{index}/facts/{place}/values/{name}"
                    return
    raise AssertionError("no session has such a fact")


def test_a_persona_that_speaks_out_of_turn_is_found() -> None:
    bundle = next(sessions("roundtable", lambda each: len(answers(each, "answer")) > 1))
    line = next(each for each in bundle["transcript"] if each["brief"] == "answer" and each["seat"] != "ensemble")
    line["seat"] = next(each for each in bundle["protocol"]["settings"]["personas"] if each != line["seat"])
    assert found_at(bundle) == [f"/transcript/{bundle['transcript'].index(line)}/seat"]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["debate", "review", "council", "roundtable"])
def test_whatever_typed_value_is_changed_the_verifier_finds_what_the_engine_finds(protocol: str) -> None:
    """Where a flipped value changes an outcome or the verdict for the engine, the verifier says so too."""
    chance, mattered = Random(11), 0
    for number, bundle in enumerate(sessions(protocol)):
        if number >= 150:
            break
        replies = [entry["body"]["reply"] for entry in bundle["entries"] if "reply" in entry["body"]]
        for reply in chance.sample(replies, min(3, len(replies))):
            _flip(reply, chance)
        places = _engine_finds(protocol, resealed(bundle))
        if any(place.endswith(("/outcome", "/verdict/verdict")) for place in places):
            mattered += 1
            assert not verify(bundle).holds, bundle["session"]
    assert mattered > 5


def _flip(value: Any, chance: Random) -> None:
    """Change one boolean, number or stance somewhere in a reply."""
    places: list[tuple[Any, Any, Any]] = []

    def gather(inner: Any) -> None:
        for key, each in inner.items() if isinstance(inner, dict) else enumerate(inner):
            if isinstance(each, bool):
                places.append((inner, key, not each))
            elif isinstance(each, int):
                places.append((inner, key, 100 if each < 50 else 0))
            elif key in OTHER:
                places.append((inner, key, OTHER[key][each == OTHER[key][0]]))
            elif isinstance(each, dict | list):
                gather(each)

    gather(value)
    if places:
        holder, key, new = chance.choice(places)
        holder[key] = new


OTHER = {"stance": ("synthesis", "oppose"), "vote": ("SUPPORT", "OPPOSE"), "severity": ("BLOCKER", "MINOR")}
"""Two values of each, of which one is taken that is not there."""


def _engine_finds(protocol: str, bundle: Bundle) -> list[str]:
    settings = bundle["protocol"]["settings"]
    profile = next(each for each in profiles(protocol) if built(protocol, each).settings == settings)
    return [problem.place for problem in check_bundle(bundle, built(protocol, profile))]
