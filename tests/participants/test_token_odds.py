"""Measured answers: probabilities of one-word answers in whole numbers of 1,000, against values computed by hand."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from quorate.core.errors import DefinitionError, InputError
from quorate.participants.local import LocalModel
from quorate.participants.person import Person
from quorate.participants.respondent import LocalRespondent, RemoteRespondent, respondent_for
from quorate.participants.token_odds import (
    NoAnswerError,
    PlainAnswer,
    Wording,
    apportioned,
    askings,
    mean,
    measure,
    of_texts,
    of_tokens,
)
from tests.support.candidates import with_odds
from tests.support.provider import KEY, Fails, Says, Server, drops, participant

YES_NO = Wording("Is it so? Answer {options}.", ("yes", "no"))
WORDS = ("merge", "reject")


def tokens(**chances: float) -> list[tuple[str, float]]:
    return [(token, log(chance)) for token, chance in chances.items()]


def test_variants_of_an_answer_are_added_up() -> None:
    found = of_tokens(
        [("Yes", log(0.3)), (" yes", log(0.2)), ("YES.", log(0.1)), ("No", log(0.3)), ("I", log(0.1))], YES_NO.words
    )
    assert found == pytest.approx((0.6, 0.3))
    assert apportioned(found) == (667, 333)


def test_a_token_with_which_one_answer_begins_counts_for_it_and_one_that_fits_two_for_none() -> None:
    assert of_tokens(tokens(re=0.5, mer=0.25, rejected=0.2), WORDS) == pytest.approx((0.25, 0.5))
    assert of_tokens(tokens(p=0.5, pa=0.3, fail=0.1), ("pass", "pause", "fail")) == pytest.approx((0, 0, 0.1))
    assert of_tokens([("\n", log(0.9)), ("", log(0.1))], WORDS) == (0, 0)


def test_of_texts_the_first_word_that_is_an_answer_counts() -> None:
    said = [PlainAnswer("Reject."), PlainAnswer("I would merge it, not reject it."), PlainAnswer("Hm")]
    assert of_texts(said, WORDS) == pytest.approx((1 / 3, 1 / 3))


def test_shares_are_whole_and_add_up() -> None:
    assert apportioned([1, 1, 1]) == (334, 333, 333)
    assert apportioned([0, 0]) == (500, 500), "who says nothing of it knows nothing of it"
    assert mean([(1000, 0), (0, 1000), (0, 1000)]) == (333, 667)


@given(some.lists(some.floats(0, 1), min_size=2, max_size=6))
def test_no_division_loses_or_adds_anything(weights: list[float]) -> None:
    found = apportioned(weights)
    assert sum(found) == 1000
    assert all(0 <= share <= 1000 for share in found)


def test_every_wording_is_asked_in_both_orders() -> None:
    texts = [asking.text for asking in askings((YES_NO, Wording("{options}?", WORDS)))]
    assert texts == [
        "Is it so? Answer yes or no.",
        "Is it so? Answer no or yes.",
        "merge or reject?",
        "reject or merge?",
    ]


@pytest.mark.parametrize(
    ("ask", "words"), [("Is it?", ("yes", "no")), ("{options}", ("yes",)), ("{options}", ("yes", "Yes"))]
)
def test_a_wording_that_no_answer_could_be_read_from_is_refused(ask: str, words: tuple[str, ...]) -> None:
    with pytest.raises(DefinitionError):
        Wording(ask, words)


# A server that speaks as OpenAI's does


async def test_probabilities_of_a_server_are_measured(server: Server) -> None:
    server.will(with_odds("Yes", Yes=0.6, yes=0.2, No=0.2), with_odds("No", No=0.6, Yes=0.4))
    who = RemoteRespondent(participant(server))
    found = await measure(who, "The sky is blue.\n", askings((YES_NO,)))
    assert (found.shares, found.seen, found.calls, found.measured) == ((600, 400), 1000, 2, True)
    assert who.version == "tiny-2026"
    assert server.bodies[0]["logprobs"] is True
    assert server.said(0) == [("user", "The sky is blue.\nIs it so? Answer yes or no.")]


async def test_without_probabilities_samples_estimate_them(server: Server) -> None:
    server.will(Says("Yes."), Says("no"), Says("Yes"), Says("I cannot say"))
    found = await measure(RemoteRespondent(participant(server)), "It.\n", askings((YES_NO,))[:1], samples=4)
    assert (found.shares, found.seen, found.calls, found.measured) == ((667, 333), 750, 4, False)


async def test_a_server_that_refuses_to_give_them_is_asked_without(server: Server) -> None:
    server.will(Fails(400, "logprobs are not supported with this model"), Says("yes"))
    found = await measure(RemoteRespondent(participant(server)), "It.\n", askings((YES_NO,)))
    assert (found.shares, found.measured) == ((1000, 0), False)
    assert ["logprobs" in body for body in server.bodies] == [True, False, False], "it is not tried twice"


async def test_a_model_that_thinks_first_gets_room_for_it(server: Server) -> None:
    server.will(Says("", finish="length"), Says("Yes"))
    found = await measure(RemoteRespondent(participant(server)), "It.\n", askings((YES_NO,)))
    assert (found.shares, found.calls, found.measured) == ((1000, 0), 3, False)
    room = [body["max_tokens"] for body in server.bodies]
    assert room[0] < room[1] == room[2]


async def test_who_gives_no_probabilities_is_not_asked_for_them_again(server: Server) -> None:
    server.will(Says("yes"))
    found = await measure(RemoteRespondent(participant(server)), "It.\n", askings((YES_NO,)))
    assert found.calls == len(server.bodies) == 2
    assert ["logprobs" in body for body in server.bodies] == [True, False]


@pytest.mark.parametrize("act", [Fails(401, f"bad key {KEY}"), Fails(400, "no such thing"), Fails(500), drops])
async def test_an_error_of_the_server_is_said_and_never_an_answer(server: Server, act: Any) -> None:
    server.will(act)
    with pytest.raises(NoAnswerError) as caught:
        await measure(RemoteRespondent(participant(server)), "It.\n", askings((YES_NO,)))
    assert KEY not in str(caught.value)


# Who can be asked


def test_only_one_model_can_be_asked() -> None:
    with pytest.raises(InputError, match="person is not a model"):
        respondent_for(Person())


async def test_a_model_without_a_key_is_an_error_that_says_so(server: Server) -> None:
    from quorate.participants.providers import ModelSpec

    who = RemoteRespondent(participant(server, spec=ModelSpec("openai", "gpt-5"), env={}))
    with pytest.raises(NoAnswerError, match="OPENAI_API_KEY"):
        await who.hear("Hello", 1, odds=True)


@pytest.mark.model
async def test_an_embedded_model_is_measured_the_same_every_time() -> None:
    who = respondent_for(LocalModel("smollm2", window=1024))
    assert isinstance(who, LocalRespondent)
    matter = "The capital of France is Paris.\n"
    first = await measure(who, matter, askings((YES_NO,)))
    assert (sum(first.shares), first.calls, first.measured) == (1000, 2, True)
    assert first.seen > 0
    assert await measure(who, matter, askings((YES_NO,))) == first
    assert len(who.version) == 64
    said = await who.hear("Say hello.", 4, odds=False)
    assert said.text
    assert not said.alternatives


@pytest.mark.model
async def test_a_question_that_does_not_fit_the_window_is_an_error() -> None:
    who = respondent_for(LocalModel("smollm2", window=1024))
    with pytest.raises(NoAnswerError, match="gave no answer"):
        await who.hear("word " * 3000, 1, odds=True)


def test_a_model_file_that_changes_has_another_digest(tmp_path: Path) -> None:
    from quorate.participants.respondent import weights_digest

    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    before = weights_digest(file)
    file.write_bytes(b"GGUF2")
    assert weights_digest(file) != before
