"""The bundle says everything, fits its schema, and keeps its seal through JSON and YAML."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from quorate.codec import protocol_digest
from quorate.core.errors import InputError, StoreError
from quorate.core.types import Absent, AbsentReason, Reason
from quorate.evidence.bundle import FORMAT, check_bundle, make_bundle, schema
from quorate.evidence.shape import plain_problems
from quorate.evidence.text import from_text, to_json, to_yaml

SESSION = "debate-20260101-120000-abcd"
HOSTILE = (
    "</script>\n# no\t\u202e\u2028 'quoted': [x] - | > %TAG ! & * ? {a: b}\n\n   indented\n trailing \n"
    "\x85\x7f 👩\u200d💻 \\u0041"
)


def bundle_of(played: Any) -> dict[str, Any]:
    return make_bundle(played.record, played.entries, SESSION)


def sessions(debate: Callable[..., Any]) -> dict[str, Any]:
    cancelled = debate()
    cancelled.play(1)
    suspended = debate(settings={"interactive_clarifications": True})
    suspended.play(3)
    return {
        "concluded": debate().play(),
        "gaps": debate(gaps=True, confidence=90).play(),
        "unpriced": debate(cost=None).play(),
        "unjudged": debate(say={"judge": Absent(AbsentReason.MALFORMED)}).play(),
        "failed": debate(say={seat: Absent(AbsentReason.FAILED) for seat in ("architect", "performance")}).play(),
        "aborted": cancelled.stop(Reason.CANCELLED, "enough"),
        "suspended": suspended,
        "only opened": debate(),
        "hostile": debate(problem=HOSTILE, words=lambda ask, name: f"{name} {HOSTILE}").play(),
    }


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())


def test_every_kind_of_session_fits_the_schema_and_holds(debate: Callable[..., Any], full: Any) -> None:
    validator = Draft202012Validator(schema())
    for name, played in {**sessions(debate), "full": full}.items():
        bundle = bundle_of(played)
        assert [str(error) for error in validator.iter_errors(bundle)] == [], name
        assert plain_problems(bundle) == []
        assert check_bundle(bundle, played.record.protocol) == [], name
        assert check_bundle(bundle, None, head=played.entries[-1].hash) == [], name


def test_the_seal_survives_json_and_yaml(debate: Callable[..., Any], full: Any) -> None:
    for name, played in {**sessions(debate), "full": full}.items():
        bundle = bundle_of(played)
        for text in (to_json(bundle), to_yaml(bundle)):
            read = from_text(text)
            assert read == bundle, name
            assert check_bundle(read, played.record.protocol) == [], name


def test_what_a_bundle_says(full: Any) -> None:
    bundle = bundle_of(full)
    assert bundle["format"] == FORMAT == "quorate-bundle/1"
    assert bundle["session"] == SESSION
    assert bundle["protocol"]["digest"] == protocol_digest(full.record.protocol)
    assert bundle["protocol"]["settings"]["rounds"] == 2
    assert bundle["protocol"]["exit_codes"]["PARTIAL_SOLUTION"] == 1
    assert {"phase": "INITIALIZATION", "outcome": "START", "to": "CLARIFICATION"} in bundle["protocol"]["table"]
    assert bundle["protocol"]["briefs"]["propose"] == "the brief propose"
    assert bundle["panel"]["judge"] == {"participant": "test:judge", "models": ["test:judge"]}
    assert bundle["material"]["problem"]["text"].startswith("# How do we shard")
    assert [entry["seq"] for entry in bundle["entries"]] == list(range(len(full.entries)))
    assert bundle["seal"]["head"] == full.entries[-1].hash
    assert bundle["verdict"]["verdict"] == "SOLUTION"
    assert bundle["verdict"]["derivation"][-1]["to"] == "CONCLUDED"
    assert json.loads(json.dumps(bundle)) == bundle


def test_the_transcript_holds_every_ask_with_its_reply_and_price(full: Any) -> None:
    transcript = bundle_of(full)["transcript"]
    proposal = next(each for each in transcript if each["brief"] == "propose")
    assert proposal["reply"]["text"] == "proposal of architect (6.0)"
    assert (proposal["seat"], proposal["phase"], proposal["round"]) == ("architect", "PROPOSAL", 1)
    assert (proposal["tokens_in"], proposal["tokens_out"], proposal["cost"], proposal["elapsed"]) == (
        100,
        20,
        1200,
        1500,
    )
    missing = [each for each in transcript if each["status"] == "absent"]
    assert [(each["seat"], each["absent"], each["detail"]) for each in missing] == [
        ("testing", "timed_out", "gave up after 2 attempts")
    ] * 2


def test_degradation_names_who_failed_who_left_and_which_threshold_applied(full: Any) -> None:
    told = bundle_of(full)["degradation"]
    assert told["level"] == "within settings"
    assert [(each["seat"], each["reason"]) for each in told["absences"]] == [("testing", "timed_out")] * 2
    assert told["left"] == [{"seat": "testing", "phase": "CRITIQUE", "round": 1}]
    assert [(each["rule"], each["claim"]) for each in told["applied"]] == [
        ("D21", "retries used 0 < allowed 1"),
        ("D22", "agents left 2 >= needed 2"),
    ]


def test_an_unknown_price_is_not_zero(debate: Callable[..., Any]) -> None:
    cost = bundle_of(debate(cost=None).play())["totals"]["all"]["cost"]
    assert cost == {"known_microdollars": 0, "answers_of_unknown_price": 10, "words": "unknown"}


def test_open_and_withdrawn_asks_are_told(debate: Callable[..., Any]) -> None:
    told = {name: bundle_of(played) for name, played in sessions(debate).items()}
    assert [each["status"] for each in told["aborted"]["transcript"]] == ["replied", "withdrawn", "withdrawn"]
    assert told["suspended"]["transcript"][-1]["status"] == "open"
    assert told["suspended"]["verdict"] is None
    assert told["aborted"]["verdict"]["interrupted"] == "cancelled"
    assert told["aborted"]["verdict"]["derivation"][-1]["claim"] == "interrupted: cancelled (enough)"


def test_a_journal_that_is_not_canonical_cannot_be_bundled(debate: Callable[..., Any]) -> None:
    played = debate().play()
    spaced = replace(played.entries[1], body=json.dumps(json.loads(played.entries[1].body)))
    with pytest.raises(StoreError, match="entry 1 is not stored as canonical JSON"):
        make_bundle(played.record, [played.entries[0], spaced, *played.entries[2:]], SESSION)


# As text

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8).filter(str.isprintable), inner),
    max_leaves=12,
)
TRICKY = st.lists(st.sampled_from(["\n", " ", "\t", "a", "- ", ": ", "#", "'", '"', "|", "...", "---", "é", "\r"])).map(
    "".join
)


@given(PLAIN, TRICKY)
@settings(max_examples=120, deadline=None)
def test_plain_data_survives_yaml_exactly(data: Any, text: str) -> None:
    document = {"first": text, "then": [data, [text, [data]], {"in": {"side": text}}], text.strip()[:20] or "k": data}
    assert from_text(to_yaml(document)) == document
    assert from_text(to_json({"x": document})) == {"x": document}


@pytest.mark.parametrize(
    "word", ["yes", "No", "null", "~", "true", "1e5", "0x1f", "1_000", "12:30", "2026-01-01", "", " x"]
)
def test_words_that_yaml_would_take_for_something_else_stay_texts(word: str) -> None:
    assert from_text(to_yaml({word or "k": [word, {"a": word}]})) == {word or "k": [word, {"a": word}]}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1,\n "b": }', "line 2|:2"),
        ('{"a": 1, "a": 2}', "'a' appears twice"),
        ('{"a": ' + "[" * 100_000, "cannot be read"),
        ('{"a": ' + "9" * 5000 + "}", "cannot be read"),
        ("a: 1\na: 2\n", "not YAML"),
        ("a: &x [1]\nb: *x\n", "aliases are not read"),
        ("a: !!python/object/apply:os.system ['true']\n", "not YAML"),
        ("a: [1\nb: 2\n", "not YAML"),
        ("a: " + "[" * 5_000, "."),
        ("a: \x00", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_an_input_error(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        from_text(text, "bundle.yaml")
