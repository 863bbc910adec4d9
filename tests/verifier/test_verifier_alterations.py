"""Systematic forgeries: whatever single thing is altered and sealed again is found, or has no consequence at all."""

from __future__ import annotations

import re
from collections import Counter
from copy import deepcopy
from random import Random

import pytest

from quorate_verifier import verify
from quorate_verifier.fate_words import NOT_DERIVED
from tests.verifier.altered import Bundle, is_of_consequence, reordered, restated, reworded
from tests.verifier.played import PROTOCOLS, bundle_of, profiles

HARMLESS = {
    *(f"decisions/*/because{rest}" for rest in ("", "/*/claim", "/*/held", "/*/outcome", "/*/rule")),
    *("decisions/*/not_taken/*/why", "verdict/derivation/*/claim", "degradation/applied/*/claim"),
    *("decisions/*/facts/*/values/why", "decisions/*/facts/*/values/arithmetic"),
    *("transcript/*/form"),
}
"""Kinds of places with words that explain; of a list of tests all but the one that decided are such words."""
DRAW = {
    *("decisions/*/facts", "decisions/*/facts/*/name", "decisions/*/facts/*/values/seat"),
    *(f"decisions/*/facts/*/values/{name}" for name in ("modes", "categories", "attempt", "passed", "relaxed")),
    "decisions/*/facts/*/values/total_overlap",
}
"""In a council, the lenses that were drawn; they decide nothing."""
WORDS = re.compile(r"/fates/\d+/said")
NOT_LOOKED_AT = {protocol: HARMLESS for protocol in PROTOCOLS} | {
    "council": HARMLESS | DRAW,
}


def _sessions(protocol: str, count: int) -> list[tuple[str, int]]:
    names = profiles(protocol)
    return [(names[number % len(names)], number) for number in range(count)]


def _entries(protocol: str, count: int, each: int) -> Counter[str]:
    """Alter entries of so many sessions; return how many were tried, of consequence, and found."""
    told: Counter[str] = Counter()
    for profile, seed in _sessions(protocol, count):
        chance = Random(seed)
        bundle = bundle_of(protocol, profile, seed, (0.0, 0.1)[seed % 2], (0.0, 0.02)[seed % 2], freely=True)
        assert verify(bundle).differences == [], (profile, seed)
        for kind, altered in [*reworded(bundle, profile, chance, each), *reordered(bundle, profile, chance)]:
            mattered = is_of_consequence(altered, profile)
            # An altered text has no consequence but that a fate quotes it.
            found = [each for each in verify(altered).differences if not WORDS.fullmatch(each.place)]
            assert mattered == bool(found), (profile, seed, kind, found)
            told += Counter(tried=1, mattered=int(mattered))
    return told


def _stated(protocol: str, count: int, each: int) -> Counter[str]:
    """Alter what is stated in so many sessions; return how many were tried, and found."""
    told: Counter[str] = Counter()
    for profile, seed in _sessions(protocol, count):
        bundle = bundle_of(protocol, profile, seed, (0.0, 0.1)[seed % 2], (0.0, 0.02)[seed % 2], freely=True)
        for kind, altered in restated(bundle, Random(seed), each):
            found = not verify(altered).holds
            assert found or kind in NOT_LOOKED_AT[protocol] or _is_put_together(bundle, altered), (profile, seed, kind)
            told += Counter(tried=1, found=int(found))
    return told


def _is_put_together(bundle: Bundle, altered: Bundle) -> bool:
    """Whether only the words of a fate are altered that a protocol makes itself, which the report says."""
    names = NOT_DERIVED.get(bundle["protocol"]["name"], ())
    told = zip(bundle["fates"], altered["fates"], strict=True)
    return all(was | {"said": ""} == now | {"said": ""} and was["what"] in names for was, now in told if was != now)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_rule_and_the_words_of_every_fate_are_looked_at(protocol: str) -> None:
    """An altered rule, and words that nobody has said, are found wherever the report does not say that they are not."""
    kinds = Counter[str]()
    for profile, seed in _sessions(protocol, 8):
        bundle = bundle_of(protocol, profile, seed, 0.0, 0.0, freely=True)
        report = verify(bundle)
        assert report.differences == [], (profile, seed)
        assert any("words of fates" in each for each in report.left_out) == (protocol in NOT_DERIVED)
        for index, fate in list(enumerate(bundle["fates"]))[:12]:
            for name, value in (("rule", "X99"), ("said", "Nobody has said this.")):
                altered = deepcopy(bundle)
                altered["fates"][index][name] = value
                found = [each.place for each in verify(altered).differences]
                put_together = name == "said" and fate["what"] in NOT_DERIVED.get(protocol, ())
                assert found == ([] if put_together else [f"/fates/{index}/{name}"]), (profile, seed, fate)
                kinds[name] += len(found)
    assert min(kinds["rule"], kinds["said"]) > 5, kinds


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_altered_entry_is_found_wherever_it_has_a_consequence(protocol: str) -> None:
    told = _entries(protocol, 12, 6)
    assert told["mattered"] > 30


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_altered_statement_is_found_unless_it_is_words(protocol: str) -> None:
    told = _stated(protocol, 8, 12)
    assert told["found"] > 50


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_many_altered_entries_are_found_wherever_they_have_a_consequence(protocol: str) -> None:
    told = _entries(protocol, 100, 10)
    assert told["mattered"] > 400


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_many_altered_statements_are_found_unless_they_are_words(protocol: str) -> None:
    told = _stated(protocol, 60, 25)
    assert told["found"] > 800
