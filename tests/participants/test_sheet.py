"""Sheets: what of a form is written, what is filled in about it, and how much room each text has."""

from __future__ import annotations

import jsonschema
import pytest

from quorate.codec import form_schema, parse_reply, reply_to_data
from quorate.core.forms import Key, Reply
from quorate.core.types import Ask, AskId, Seat
from quorate.participants.sheet import LEAST, Sheet, closed_in_words
from quorate.protocols.debate.rules.model import Critiques, Proposal, Refinement, Summary, Synthesis
from quorate.protocols.review.rules.forms import Ballot, ClaimJudgements, Doubts
from quorate.protocols.review.rules.model import claim_keys, file_keys, item_key
from tests.support.embedded import Opinion

KEYS = (Key("proposal-1"), Key("proposal-2"))
WRITTEN = {
    "opinion": "It loses the first item.",
    "items": [
        {"evidence": "range(1, len(items))", "consequence": "The first is free.", "action": "Begin at 0."},
        {"evidence": "name + quote", "consequence": "Anybody reads all rows.", "action": "Bind it."},
    ],
    "veto_evidence": "",
}
FILLED = {
    "items": {
        "1": {"path": "F1", "rule": "correctness", "severity": "high"},
        "2": {"path": "F1", "rule": "security", "severity": "critical"},
    },
    "taken_back": [],
    "veto_class": "none",
    "confidence": 80,
    "stance": "oppose",
}


def test_texts_and_closed_fields_are_one_reply_of_the_form() -> None:
    sheet = Sheet(Ballot, file_keys(1), 3_000)
    reply = parse_reply(Ask(AskId("1.0"), Seat("sre"), "ballot", Ballot, file_keys(1)), sheet.joined(WRITTEN, FILLED))
    data = reply_to_data(reply)
    assert [item["severity"] for item in data["items"]] == ["high", "critical"]
    assert [item["evidence"] for item in data["items"]] == ["range(1, len(items))", "name + quote"]
    assert (data["opinion"], data["stance"]) == ("It loses the first item.", "oppose")


def test_every_entry_that_was_written_has_its_own_row_to_fill_in() -> None:
    closed = Sheet(Ballot, file_keys(1), 3_000).closed(WRITTEN)
    assert closed is not None
    jsonschema.validate(FILLED, closed)
    assert list(closed["properties"]["items"]["properties"]) == ["1", "2"]
    with pytest.raises(jsonschema.ValidationError, match="'2' is a required property"):
        jsonschema.validate({**FILLED, "items": {"1": FILLED["items"]["1"]}}, closed)  # type: ignore[index]


def test_the_closed_form_has_no_text_at_all() -> None:
    assert Sheet(Ballot, file_keys(1), 3_000).closed({**WRITTEN, "items": []})["properties"].keys() == {  # type: ignore[index]
        "taken_back",
        "veto_class",
        "confidence",
        "stance",
    }
    assert Sheet(Summary, (), 3_000).closed({"text": "It is short."}) is None
    assert Sheet(Proposal, (), 3_000).closed({"reasoning": "So.", "text": "Do it."}) is None


def test_keyed_answers_have_a_row_for_each_key() -> None:
    sheet = Sheet(Critiques, KEYS, 3_000)
    texts = {"strengths": "It is small.", "weaknesses": "It loses events.", "suggestion": "Keep them."}
    written = {"critiques": {key: texts for key in KEYS}}
    filled = {"critiques": {key: {"weight": "major"} for key in KEYS}}
    closed = sheet.closed(written)
    assert closed is not None
    jsonschema.validate(filled, closed)
    data = sheet.joined(written, filled)
    jsonschema.validate(data, form_schema(Critiques, KEYS))


@pytest.mark.parametrize(("form", "main"), [(Proposal, "text"), (Synthesis, "solution"), (Ballot, "opinion")])
def test_the_main_text_gets_at_least_half_of_the_room(form: type[Reply], main: str) -> None:
    assert Sheet(form, (), 3_000).rooms.texts[main] >= 1_450


def test_no_text_has_more_room_than_its_form_allows() -> None:
    for form, keys in ((Proposal, ()), (Critiques, KEYS), (Refinement, KEYS), (Synthesis, ()), (Opinion, ())):
        rooms = Sheet(form, keys, 10_000_000).rooms.texts
        assert rooms
        assert max(rooms.values()) <= 30_000
    assert Sheet(Opinion, (), 10_000).rooms.texts == {"reason": 60}


@pytest.mark.parametrize(
    ("form", "keys"), [(ClaimJudgements, claim_keys(40)), (Doubts, tuple(map(item_key, range(1, 37))))]
)
def test_many_texts_each_have_room_for_a_sentence(form: type[Reply], keys: tuple[Key, ...]) -> None:
    assert min(Sheet(form, keys, 900).rooms.texts.values()) >= LEAST


def test_what_is_filled_in_is_said_field_by_field_and_nothing_else() -> None:
    told = closed_in_words(Sheet(Ballot, file_keys(1), 3_000))
    assert told[0] == "Now fill in the form about what you wrote. Its fields:"
    assert "- path for each of items: the file, by its key; F0 for the change as a whole; one of the keys" in told
    assert "- confidence: how sure you are of this ballot, of 100; a whole number from 0 to 100" in told
    assert told[-1] == "The keys: F0, F1."
    assert not any("opinion:" in line or "evidence:" in line for line in told)
