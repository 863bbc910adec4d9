"""Limits of a reply of limited length: the same in schema, words and check, and never wider than the form."""

from __future__ import annotations

from typing import Any, cast

import jsonschema
import pytest

from quorate.codec import form_schema
from quorate.core.forms import Key, Reply
from quorate.participants.brevity import MOST_ENTRIES, narrowed, text_limits
from quorate.participants.formwords import form_in_words, short_form
from quorate.participants.sheet import LEAST
from quorate.participants.wire import structure
from quorate.protocols.debate.rules.model import Critiques, Proposal, Refinement, Synthesis
from quorate.protocols.review.rules.forms import Ballot, ClaimJudgements, Doubts
from quorate.protocols.review.rules.model import claim_keys, file_keys, item_key
from tests.support.embedded import Opinion

KEYS = (Key("proposal-1"), Key("proposal-2"))
FORMS: list[tuple[type[Reply], tuple[Key, ...]]] = [
    (Proposal, ()),
    (Critiques, KEYS),
    (Refinement, KEYS),
    (Synthesis, ()),
    (Ballot, file_keys(4)),
]


@pytest.mark.parametrize(("form", "keys"), FORMS)
def test_a_narrowed_schema_is_never_wider_than_the_form(form: type[Reply], keys: tuple[Key, ...]) -> None:
    schema = form_schema(form, keys)
    small = narrowed(schema, form, keys, 3_000)
    assert list(small["properties"]) == list(schema["properties"])
    assert all(a <= b for a, b in zip(numbers(small), numbers(schema), strict=True))
    jsonschema.Draft202012Validator.check_schema(small)


@pytest.mark.parametrize(("form", "keys"), FORMS)
def test_what_is_told_is_what_is_checked_and_no_grammar_holds_a_length(form: Any, keys: tuple[Key, ...]) -> None:
    for words in (form_in_words(form, keys, None, 3_000), short_form(form, keys, None, 3_000)):
        for path, most in text_limits(form, keys, 3_000).items():
            assert f"at most {most} characters" in words, path
    assert f"at most {MOST_ENTRIES}," in form_in_words(cast("Any", Synthesis), (), None, 3_000)
    sent = structure(narrowed(form_schema(form, keys), form, keys, 3_000))
    assert not any(word in str(sent) for word in ("maxLength", "minLength", "description"))
    jsonschema.Draft202012Validator.check_schema(sent)


def test_a_form_of_short_texts_keeps_its_own_limits() -> None:
    narrow = narrowed(form_schema(Opinion, ()), Opinion, (), 10_000)
    assert narrow == form_schema(Opinion, ())


@pytest.mark.parametrize(
    ("form", "keys"), [(ClaimJudgements, claim_keys(40)), (Doubts, tuple(map(item_key, range(1, 37))))]
)
def test_of_very_many_texts_each_has_room_for_a_sentence(form: type[Reply], keys: tuple[Key, ...]) -> None:
    assert set(text_limits(form, keys, 900).values()) == {LEAST}


def test_the_answer_gets_the_room_and_thinking_aloud_a_small_share() -> None:
    limits = text_limits(Proposal, (), 3_000)
    assert limits["text"] > 4 * limits["reasoning"]
    assert sum(limits.values()) <= 3_000


def test_a_reply_whose_texts_may_be_longer_than_the_whole_is_told_the_limit_of_the_whole() -> None:
    proposal, opinion = cast("Any", Proposal), cast("Any", Opinion)
    assert form_in_words(proposal, (), 12_288).splitlines()[-1] == "The whole answer has at most 12288 characters."
    assert "The whole answer" not in form_in_words(opinion, (), 12_288)


def numbers(schema: object) -> list[int]:
    """Return every limit in a schema, in order."""
    found: list[int] = []
    if isinstance(schema, dict):
        found += [schema[name] for name in ("maxLength", "maxItems") if name in schema]
        for each in schema.values():
            found += numbers(each)
    return found
