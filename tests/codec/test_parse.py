"""Forms, schemas and the strict reading of replies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import Enum
from typing import Annotated, Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.codec import Malformed, form_schema, parse_entries, parse_reply, reply_from_data, reply_to_data
from quorate.core.errors import InputError
from quorate.core.form_values import with_marks
from quorate.core.forms import AtMost, Between, Key, Keyed, Prose, Reply, is_blank, mark
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.types import Ask, AskId, Seat
from quorate.protocols.debate.rules.model import (
    Answers,
    Critiques,
    Evaluation,
    Proposal,
    Questions,
    Refinement,
    Summary,
    Synthesis,
)


class Level(Enum):
    LOW = 1
    HIGH = 2


@dataclass(frozen=True, slots=True)
class Ballot(Reply):
    """A form with every shape that the debate does not use."""

    reason: Annotated[Prose, AtMost(20), "why"]
    notes: Annotated[Keyed[Prose], "a note on each"]
    picks: Annotated[tuple[Key, ...], AtMost(3), "which ones"]
    first: Annotated[Key, "the best"]
    secret: bool
    level: Level
    blank: bool = mark(lambda reply: is_blank(reply.reason))


@dataclass(frozen=True, slots=True)
class Rating(Reply):
    rating: Annotated[int, Between(-3, 3), "how good"]


FORMS = (Questions, Answers, Summary, Proposal, Critiques, Refinement, Evaluation, Synthesis, Ballot, Rating)
KEYS = (Key("q1"), Key("q2"), Key("q10"))


def ask_for(form: type[Reply], keys: tuple[Key, ...] = KEYS) -> Ask:
    return Ask(AskId("3.0"), Seat("architect"), "brief", form, keys)


def values(shape: Shape) -> st.SearchStrategy[Any]:
    """Draw what a participant may write for a shape."""
    match shape:
        case Text(most):
            return st.text(max_size=min(most, 40))
        case Flag():
            return st.booleans()
        case Choice(enum):
            return st.sampled_from([member.value for member in enum])
        case Number(low, high):
            return st.integers(low, high)
        case OneKey():
            return st.sampled_from([str(key) for key in KEYS])
        case Many(item, most):
            unique = isinstance(item, OneKey)
            return st.lists(values(item), max_size=min(most, 3), unique=unique)
        case PerKey(item):
            return st.fixed_dictionaries({str(key): values(item) for key in KEYS})
        case Group(fields=inner):
            return st.fixed_dictionaries({each.name: values(each.shape) for each in inner if each.mark is None})


FILLED = st.sampled_from(FORMS).flatmap(lambda form: st.tuples(st.just(form), values(shape_of(form))))


@settings(deadline=None)
@given(FILLED)
def test_what_fits_the_schema_is_read_and_kept(filled: tuple[type[Reply], Any]) -> None:
    form, data = filled
    jsonschema.validate(data, form_schema(form, KEYS))
    reply = parse_reply(ask_for(form), json.dumps(data))
    assert type(reply) is form
    assert reply == with_marks(reply)
    assert reply == parse_reply(ask_for(form), data)
    kept = json.loads(json.dumps(reply_to_data(reply), sort_keys=True))
    again = reply_from_data(form, kept)
    assert again == reply
    assert hash(again) == hash(reply), "a replay must see the keys in the same order"


def schemas_in(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for inner in (*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])):
        yield from schemas_in(inner)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("keys", [KEYS, ()])
def test_schemas_are_flat_and_strict(form: type[Reply], keys: tuple[Key, ...]) -> None:
    schema = form_schema(form, keys)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "$ref" not in json.dumps(schema)
    for each in schemas_in(schema):
        assert "type" in each
        if each["type"] == "object":
            assert each["required"] == list(each["properties"])
            assert each["additionalProperties"] is False
        elif each["type"] == "array":
            assert each["maxItems"] > 0 or not keys
        elif each["type"] == "integer" and "enum" not in each:
            assert each["minimum"] < each["maximum"]
    asked = [each.name for each in fields(form) if "mark" not in each.metadata]  # type: ignore[arg-type]
    assert list(schema["properties"]) == asked


def test_schema_says_what_to_write_and_asks_for_every_key() -> None:
    schema = form_schema(Critiques, (Key("proposal-1"), Key("proposal-2")))
    critiques = schema["properties"]["critiques"]
    assert critiques["description"] == "a critique of each proposal, by its label"
    assert critiques["required"] == ["proposal-1", "proposal-2"]
    one = critiques["properties"]["proposal-2"]
    assert list(one["properties"]) == ["strengths", "weaknesses", "suggestion", "weight"]
    assert one["properties"]["weight"] == {
        "type": "string",
        "enum": ["minor", "major"],
        "description": "how much is at stake",
    }
    assert one["properties"]["strengths"]["maxLength"] == 1_500


def ballot(**changes: Any) -> dict[str, Any]:
    good = {
        "reason": "r",
        "notes": {"q1": "n"},
        "picks": ["q1"],
        "first": "q2",
        "secret": True,
        "level": 2,
    }
    return good | changes


PICK = "one of q1, q2, q10"
FIELD = "one of reason, notes, picks, first, secret, level"
PROBLEMS: list[tuple[dict[str, Any], list[str]]] = [
    ({"reason": 3}, ["reason: is 3; expected a text"]),
    ({"reason": "x" * 21}, ["reason: has 21 characters; expected at most 20"]),
    ({"reason": None}, ["reason: is null; expected a text"]),
    ({"reason": object()}, ["reason: is of the type object; expected a text"]),
    ({"notes": ["n"]}, ["notes: is a list; expected an object with the keys q1, q2, q10"]),
    ({"notes": {"q20": "n"}}, [f"notes.q20: unknown key; expected {PICK}; did you mean 'q2'?"]),
    ({"notes": {"nine": "n"}}, [f"notes.nine: unknown key; expected {PICK}"]),
    ({"notes": {"q1": {}}}, ["notes.q1: is an object; expected a text"]),
    ({"notes": {" Q1": "n", "q1": "n"}}, ["notes.q1: is written more than once"]),
    ({"picks": ["q1", " Q1 "]}, ["the key 'q1' is answered for more than once; expected every key at most once"]),
    ({"picks": "q1"}, ["picks: is 'q1'; expected a list with at most 3 entries"]),
    ({"picks": ["q1"] * 4}, ["picks: has 4 entries; expected at most 3"]),
    ({"picks": ["q1", "q1"]}, ["the key 'q1' is answered for more than once; expected every key at most once"]),
    (
        {"picks": ["q1", "q20", 5]},
        [f"picks[1]: is 'q20'; expected {PICK}; did you mean 'q2'?", f"picks[2]: is 5; expected {PICK}"],
    ),
    ({"secret": 1}, ["secret: is 1; expected true or false"]),
    ({"secret": "yes"}, ["secret: is 'yes'; expected true or false"]),
    ({"level": True}, ["level: is true; expected one of 1, 2"]),
    ({"level": "2"}, ["level: is '2'; expected one of 1, 2"]),
    (
        {"level": [], "first": 1.5, "extra": 1},
        [
            f"extra: unknown field; expected {FIELD}",
            f"first: is 1.5; expected {PICK}",
            "level: is a list; expected one of 1, 2",
        ],
    ),
    ({"blank": True}, [f"blank: unknown field; expected {FIELD}"]),
    ({"reson": ""}, [f"reson: unknown field; expected {FIELD}; did you mean 'reason'?"]),
]


@pytest.mark.parametrize("lenient", [False, True])
def test_a_key_that_differs_by_white_space_or_case_is_that_key(lenient: bool) -> None:
    given = ballot(notes={" Q1 ": "n", "q2": "m"}, picks=["\tq10\n", "Q2"], first=" Q2")
    asked = ask_for(Ballot)
    read = parse_entries(asked, given)[0] if lenient else parse_reply(asked, given)
    assert isinstance(read, Ballot)
    assert ({*read.notes}, read.picks, read.first) == ({"q1", "q2"}, ("q10", "q2"), "q2")


def test_a_key_that_two_known_ones_could_be_is_neither() -> None:
    keys = (Key("F1"), Key("f1"), Key("q2"))
    assert parse_reply(ask_for(Ballot, keys), ballot(notes={}, picks=["f1"], first="q2"))
    for unclear in (ballot(notes={}, picks=[" f1"], first="q2"), ballot(notes={"F1 ": "n"}, picks=[], first="q2")):
        with pytest.raises(Malformed):
            parse_reply(ask_for(Ballot, keys), unclear)


@pytest.mark.parametrize(("changes", "said"), PROBLEMS)
def test_every_problem_is_told_with_place_and_remedy(changes: dict[str, Any], said: list[str]) -> None:
    with pytest.raises(Malformed) as caught:
        parse_reply(ask_for(Ballot), ballot(**changes))
    assert [str(problem) for problem in caught.value.problems] == said
    assert str(caught.value) == "the reply does not fit the form:\n- " + "\n- ".join(said)
    assert isinstance(caught.value, InputError)


def test_missing_fields_are_malformed_and_missing_keys_are_absent() -> None:
    data = ballot()
    del data["reason"], data["level"]
    with pytest.raises(Malformed, match="reason: is missing\n- level: is missing"):
        parse_reply(ask_for(Ballot), data)
    reply = parse_reply(ask_for(Ballot), ballot(notes={"q10": "ten", "q2": "two"}))
    assert isinstance(reply, Ballot)
    assert list(reply.notes) == ["q10", "q2"]
    assert Key("q1") not in reply.notes


def test_an_ask_without_keys_takes_none() -> None:
    with pytest.raises(Malformed, match="first: is 'q2'; expected no key at all"):
        parse_reply(ask_for(Ballot, ()), ballot(notes={}, picks=[]))
    with pytest.raises(Malformed, match=r"answers\.q1: unknown key; expected no key at all"):
        parse_reply(ask_for(Answers, ()), {"answers": {"q1": {"text": ""}}})
    assert parse_reply(ask_for(Answers, ()), {"answers": {}}) == Answers(Keyed())


def evaluation(confidence: str, reason: str = '"r"') -> str:
    return f'{{"reason": {reason}, "confidence": {confidence}}}'


def test_a_key_written_twice_is_malformed() -> None:
    with pytest.raises(Malformed, match="confidence: is written more than once"):
        parse_reply(ask_for(Evaluation), '{"reason": "r", "confidence": 1, "confidence": 99}')


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "0.5", '"80"', "101", "-1", "9" * 5_000])
def test_strange_numbers_are_malformed(number: str) -> None:
    with pytest.raises(Malformed):
        parse_reply(ask_for(Evaluation), evaluation(number))


def test_whole_numbers_may_be_written_as_json_allows() -> None:
    assert parse_reply(ask_for(Evaluation), evaluation("80.0")) == Evaluation(Prose("r"), 80)
    assert parse_reply(ask_for(Evaluation), evaluation("8e1")) == Evaluation(Prose("r"), 80)


def test_what_no_text_has_becomes_the_replacement_character() -> None:
    reply = parse_reply(ask_for(Evaluation), evaluation("1", r'"a\u0000b\ud83dc\ud83d\ude00"'))
    assert reply == Evaluation(Prose("a\ufffdb\ufffdc\N{GRINNING FACE}"), 1)
    with pytest.raises(Malformed) as caught:
        parse_reply(ask_for(Evaluation), {"\ud83d": "\ud83d", "reason": "\0", "confidence": "\udc00"})
    assert str(caught.value).encode().count("\ufffd".encode()) == 2


def test_bytes_are_utf_8_with_or_without_a_mark() -> None:
    assert parse_reply(ask_for(Evaluation), b"\xef\xbb\xbf" + evaluation("1").encode())
    with pytest.raises(Malformed, match="not UTF-8 at byte 12"):
        parse_reply(ask_for(Evaluation), evaluation("1", '"ä"').encode("latin-1"))


def test_prose_is_cut_only_where_that_is_wanted() -> None:
    data = ballot(reason="x" * 30)
    reply, _ = parse_entries(ask_for(Ballot), data)
    assert isinstance(reply, Ballot)
    assert reply.reason.text == "x" * 20
    with pytest.raises(Malformed):
        parse_entries(ask_for(Ballot), ballot(picks="q1"))


def test_size_and_depth_are_bounded() -> None:
    with pytest.raises(Malformed, match="has 2000012 bytes; expected at most 2000000"):
        parse_reply(ask_for(Evaluation), '{"reason":"' + "x" * 2_000_000 + '"')
    for text in ("[" * 33, '{"a":' * 33, '{"a":[' * 100_000):
        with pytest.raises(Malformed, match="deep; expected at most 32"):
            parse_reply(ask_for(Evaluation), text)
    brackets_in_prose = evaluation("1", json.dumps("[{" * 400 + '\\"'))
    assert parse_reply(ask_for(Evaluation), brackets_in_prose)
    with pytest.raises(Malformed, match="not valid JSON"):
        parse_reply(ask_for(Evaluation), '"' + '\\"' * 400_000)


def test_a_flood_of_problems_is_summed_up() -> None:
    text = json.dumps({f"confidence{number}": 1 for number in range(50_000)})
    with pytest.raises(Malformed) as caught:
        parse_reply(ask_for(Evaluation), text)
    assert len(str(caught.value)) < 3_000
    assert str(caught.value).endswith("- and 49990 more")


def test_a_mapping_that_holds_itself_is_malformed() -> None:
    loop: dict[str, Any] = {"confidence": 1}
    loop["reason"] = loop
    with pytest.raises(Malformed, match="reason: is an object; expected a text"):
        parse_reply(ask_for(Evaluation), loop)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=5) | st.sampled_from(["reason", "confidence", "critiques", "q1", "weight"]),
            inner,
            max_size=4,
        )
    ),
)


@settings(deadline=None)
@given(st.sampled_from(FORMS), st.binary() | st.text() | JSON.map(json.dumps) | st.dictionaries(st.text(), JSON))
def test_hostile_input_is_read_or_malformed_and_nothing_else(form: type[Reply], source: Any) -> None:
    try:
        reply = parse_reply(ask_for(form), source)
    except Malformed as error:
        str(error).encode()  # told without a half of a surrogate pair, too
        return
    jsonschema.validate(source if isinstance(source, dict) else json.loads(source), _lenient(form))
    assert reply_from_data(form, reply_to_data(reply)) == reply


def _lenient(form: type[Reply]) -> dict[str, Any]:
    """The form's schema as parsing reads it: keys may be missing."""
    schema = form_schema(form, KEYS)
    for each in schemas_in(schema):
        if set(each.get("properties", ())) == {str(key) for key in KEYS}:
            each["required"] = []
    return schema


def test_bounds_of_numbers_are_those_of_the_form() -> None:
    for rating in (-3, 0, 3):
        assert parse_reply(ask_for(Rating), {"rating": rating}) == Rating(rating)
    for rating in (-4, 4):
        with pytest.raises(Malformed, match="a whole number from -3 to 3"):
            parse_reply(ask_for(Rating), {"rating": rating})
