"""Forms made small enough for a tiny model, never wider than the form, and ended visibly at their limits."""

from __future__ import annotations

import jsonschema
import pytest

from quorate.codec import form_schema
from quorate.core.forms import Key, Reply
from quorate.participants.brevity import SHORTEST, in_sentences, round_off, shorten, text_limits
from quorate.protocols.debate.rules.model import Critiques, Proposal, Refinement, Synthesis
from quorate.protocols.review.rules.forms import Ballot, ClaimJudgements, Doubts
from quorate.protocols.review.rules.model import claim_keys, file_keys, item_keys
from tests.support.embedded import Opinion

KEYS = (Key("proposal-1"), Key("proposal-2"))


def test_a_shortened_schema_is_never_wider_than_the_form() -> None:
    for form, keys in ((Proposal, ()), (Critiques, KEYS), (Refinement, KEYS), (Synthesis, ())):
        schema = form_schema(form, keys)
        small = shorten(schema, 900, 2)
        assert list(small["properties"]) == list(schema["properties"])
        assert all(limit <= 800 for limit in text_limits(small))
        assert sum(text_limits(small)) <= 1_200
        jsonschema.Draft202012Validator.check_schema(in_sentences(small))
    narrow = shorten(form_schema(Opinion, ()), 10_000, 2)
    assert narrow["properties"]["reason"]["maxLength"] == 60
    assert narrow["properties"]["confidence"] == form_schema(Opinion, ())["properties"]["confidence"]


@pytest.mark.parametrize(("form", "keys"), [(ClaimJudgements, claim_keys(40)), (Doubts, item_keys(36))])
def test_a_reply_with_very_many_texts_still_ends(form: type[Reply], keys: tuple[Key, ...]) -> None:
    """A whole sentence for each would be more than a small window holds, however often it is asked for again."""
    schema = form_schema(form, keys)
    texts = list(text_limits(shorten(schema, 900, 2)))
    assert sum(texts) <= 2 * 900
    assert min(texts) >= SHORTEST
    shorter = shorten(schema, 450, 2)
    assert sum(text_limits(shorter)) < sum(texts) or min(texts) == SHORTEST
    jsonschema.Draft202012Validator.check_schema(in_sentences(shorter))


def test_asking_for_less_makes_every_large_form_smaller() -> None:
    schema = form_schema(Ballot, file_keys(4))
    sizes = [sum(text_limits(shorten(schema, characters, 2))) for characters in (900, 450, 225)]
    assert sizes[0] > sizes[1] > sizes[2]


def test_longer_texts_get_more_room() -> None:
    small = shorten(form_schema(Proposal, ()), 900, 2)["properties"]
    assert small["text"]["maxLength"] > 2 * small["reasoning"]["maxLength"]


def test_texts_are_held_to_plain_sentences() -> None:
    schema = in_sentences(shorten(form_schema(Opinion, ()), 100, 2))
    valid = {"reason": "It is cheap, and 20 members asked for it.", "stance": "accept", "confidence": 1}
    jsonschema.validate(valid, schema)
    for reason in (
        "1.1.1.1",
        "{{[0]}} and more of these {x}.",
        "it starts small and goes on.",
        "It never ends with",
        "No.",
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**valid, "reason": reason}, schema)


def test_a_text_that_met_its_limit_is_ended_visibly() -> None:
    schema = shorten(form_schema(Synthesis, ()), 900, 2)
    most = schema["properties"]["solution"]["maxLength"]
    cut = (
        "One whole sentence is here, and it is long enough to be more than half of the room that there is for all "
        "of it. Then one that is cut in the mid" + "x" * most
    )[:most]
    endless = ("word " * most)[: most - 1] + "."
    forced = "They plan how they will manage their resources, planning how they will ,."
    tidy, count = round_off(
        {"solution": cut, "tradeoffs": [endless[:115] + " .", forced, "Fine."], "confidence": 3}, schema
    )
    assert tidy["solution"].endswith("of it.")
    assert tidy["tradeoffs"][0].endswith("word …")
    assert tidy["tradeoffs"][1].endswith("planning how they will …")
    assert (tidy["tradeoffs"][2], tidy["confidence"], count) == ("Fine.", 3, 3)
    assert all(len(each) <= 120 for each in tidy["tradeoffs"])
