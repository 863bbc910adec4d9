"""Several samples of one ask: which of them is the reply, what it costs, and who may draw them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator

from quorate.core.errors import InputError
from quorate.core.forms import AtMost, Between, Key, Keyed, Prose, Reply
from quorate.core.types import Absent, AbsentReason
from quorate.participants.agreement import closest
from quorate.participants.cache import ReplyCache
from quorate.participants.panel import load_panel, panel_schema
from quorate.participants.port import Answer, Participant, Request, those_behind
from quorate.participants.prices import Price
from quorate.participants.reply_memory import remembering
from quorate.participants.samples import Samples, sample_seed
from tests.support.provider import Act, Fails, Says, Server, participant, request


class Says3(Enum):
    CONFIRM = "confirm"
    REFUTE = "refute"
    ABSTAIN = "abstain"


@dataclass(frozen=True, slots=True)
class Item:
    place: Says3
    words: Annotated[Prose, AtMost(100)]


@dataclass(frozen=True, slots=True)
class Judgement(Reply):
    reason: Annotated[Prose, AtMost(300), "why"]
    items: Annotated[tuple[Item, ...], AtMost(4), "what"]
    confidence: Annotated[int, Between(0, 100), "0 to 100"]
    stance: Annotated[Says3, "what it is"]


@dataclass(frozen=True, slots=True)
class Holds(Reply):
    held: Annotated[Keyed[bool], "by question"]


def judged(stance: str, confidence: int = 50, *items: str, reason: str = "It is so.") -> Judgement:
    told = tuple(Item(Says3(each), Prose(f"{reason} {each}")) for each in items)
    return Judgement(Prose(reason), told, confidence, Says3(stance))


def says(stance: str, confidence: int = 50, reason: str = "It is so.") -> Act:
    return Says(json.dumps({"reason": reason, "items": [], "confidence": confidence, "stance": stance}))


async def said(who: Participant, asked: Request | None = None) -> Answer:
    found = await who.reply(asked or request(Judgement), lambda _: None)
    assert found is not None
    return found


# Which sample is the reply


def test_a_reply_of_the_plurality_is_taken_whatever_else_it_says() -> None:
    few = judged("refute", 50, "confirm"), judged("refute", 50, "confirm")
    assert closest([*few, judged("confirm", 0), judged("confirm", 100), judged("confirm", 1, "refute")]) >= 2


def test_where_choices_are_even_lists_decide_then_numbers_then_the_first_drawn() -> None:
    one, two = judged("confirm", 50, "refute"), judged("refute", 50, "abstain")
    assert closest([one, two, judged("abstain", 50, "abstain")]) == 1, "its list is that of another"
    assert closest([judged("confirm", 10), judged("refute", 52), judged("abstain", 50)]) == 2, "the middle number"
    assert closest([judged("confirm"), judged("refute")]) == 0


def test_texts_do_not_count() -> None:
    replies = [judged("confirm", reason="a"), judged("refute", reason="b"), judged("refute", reason="c")]
    assert closest(replies) == 1


def test_answers_by_key_are_compared_key_by_key() -> None:
    def holds(**held: bool) -> Holds:
        return Holds(Keyed({Key(name): each for name, each in held.items()}))

    assert closest([holds(a=True, b=False), holds(a=True), holds(a=True, b=True), holds(a=True, b=True)]) == 2


# Drawing


async def test_one_reply_of_three_with_the_tokens_and_the_cost_of_all(server: Server) -> None:
    who = participant(server, own_price=Price(10, 100), stream=False)
    server.will(says("refute", reason="First."), says("confirm", reason="Second."), says("confirm", reason="Third."))
    found = await said(Samples(who, 3))
    assert found.reply == judged("confirm", reason="Second."), "a reply that was given as it stands"
    assert (found.tokens_in, found.tokens_out, found.cost, found.attempts) == (300, 30, 6_000, 3)
    assert found.model == who.name
    assert found.detail == "2 of 3 samples say confirm (stance); the reply is sample 2 of 3"


async def test_samples_are_drawn_with_seeds_of_their_own_the_first_with_that_of_the_ask(server: Server) -> None:
    asked = replace(request(Judgement), seed=77)
    await said(Samples(participant(server.will(says("confirm"))), 4), asked)
    seeds = [body["seed"] for body in server.bodies]
    assert seeds == [sample_seed(77, number) for number in range(4)]
    assert seeds[0] == 77
    assert len(set(seeds)) == 4


async def test_samples_without_a_reply_do_not_count(server: Server) -> None:
    server.will(Fails(401), says("confirm"), says("refute"))
    found = await said(Samples(participant(server), 3))
    assert found.reply == judged("confirm")
    assert found.detail.endswith("the reply is sample 2 of 3; no reply from 1 (failed)")


async def test_with_fewer_than_half_the_seat_is_absent_and_no_more_are_drawn(server: Server) -> None:
    server.will(
        says("confirm"), Fails(401), Says("nonsense"), Says("nonsense"), Says("nonsense"), Fails(401), Fails(401)
    )
    found = await said(Samples(participant(server), 5))
    assert found.reply == Absent(AbsentReason.FAILED), "most failed"
    assert found.detail.startswith("1 of 5 samples gave a reply, and fewer than half is none; ")
    assert len(server.bodies) == found.attempts == 7 - 1, "the fifth was not asked: three of five had no reply"


async def test_an_unknown_price_of_one_is_an_unknown_price_of_all(server: Server) -> None:
    who = participant(server.will(says("confirm")), spec=replace(participant(server).spec, base_url=None))
    assert Samples(who, 3).price(1_000, 10) is None


def test_budgets_count_every_sample(server: Server) -> None:
    who = participant(server, own_price=Price(1, 2))
    drawn = Samples(who, 5)
    assert [drawn.most_tokens(100, repairs) for repairs in (0, 2)] == [
        5 * who.most_tokens(100, each) for each in (0, 2)
    ]
    assert drawn.name == f"{who.name}, 5 samples"
    assert list(those_behind(drawn)) == [who]


async def test_each_sample_is_in_the_cache_for_itself(server: Server, tmp_path: Path) -> None:
    cache = ReplyCache.at(tmp_path / "replies", {})
    drawn = remembering(Samples(participant(server.will(says("refute"), says("confirm"))), 3), cache)
    first = await said(drawn)
    again = await said(drawn)
    assert len(server.bodies) == 3
    assert (again.reply, again.attempts, again.tokens_in) == (first.reply, 0, 0)
    await said(remembering(participant(server), cache))
    assert len(server.bodies) == 3, "without samples it is the first one"


# In a panel


def sitting(entry: str, folder: Path) -> Participant:
    (folder / "panel.yaml").write_text(f"default: {entry}\n")
    (folder / "replies.yaml").write_text("seats:\n  '*':\n    judge: {text: x}\n")
    return load_panel(folder / "panel.yaml", ("judge",), env={})["judge"]  # type: ignore[index]


def test_a_panel_says_how_many(tmp_path: Path) -> None:
    found = sitting("{model: 'openai:gpt-5-mini', samples: 5, max_tokens: 500}", tmp_path)
    assert isinstance(found, Samples)
    assert (found.name, found.count) == ("openai:gpt-5-mini, 5 samples", 5)


@pytest.mark.parametrize(
    ("entry", "key", "words"),
    [
        ("{model: 'script:replies.yaml', samples: 3}", "default.samples", "is not an option of a script"),
        ("{script: replies.yaml, samples: 3}", "default.samples", "unknown"),
        ("{model: person, samples: 3}", "default.samples", "is not an option of a person"),
        ("{model: 'openai:gpt-5', samples: 1}", "default.samples", ""),
        ("{model: 'openai:gpt-5', samples: 26}", "default.samples", ""),
        ("{model: 'openai:gpt-5', samples: two}", "default.samples", ""),
        ("{model: 'openai:gpt-5', samples: 3, temperature: 0}", "default.temperature", "makes all samples alike"),
    ],
)
def test_samples_that_cannot_be_drawn_are_an_error_with_its_place(
    entry: str, key: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        sitting(entry, tmp_path)
    assert caught.value.key == key
    assert words in str(caught.value)


def test_the_schema_knows_them() -> None:
    validator = Draft202012Validator(panel_schema(("judge",)))
    good: dict[str, Any] = {"model": "openai:gpt-5", "samples": 3}
    assert validator.is_valid({"default": good})
    assert validator.is_valid({"default": {**good, "stronger": {**good, "confirms": True}}})
    assert not validator.is_valid({"default": {**good, "samples": 1}})


@pytest.mark.slow
@pytest.mark.model
async def test_an_embedded_model_draws_samples_that_differ() -> None:
    from quorate.participants.local import LocalModel
    from tests.support.embedded import request as embedded

    model = LocalModel("smollm2")
    drawn = Samples(model, 2)
    found = await said(drawn, embedded())
    alone = await said(model, embedded())
    assert found.attempts >= 2
    assert found.tokens_out > alone.tokens_out
