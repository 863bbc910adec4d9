"""The cacheable share of prompts, on texts whose common beginnings can be counted by eye."""

from __future__ import annotations

from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from quorate.worth.cacheable import Prompted, TokenShare, cacheable, caching_data
from tests.support.examples import modest

MOMENTS = count()


def prompt(
    text: str, seat: str = "a", round_: int = 1, model: str = "m", form: str = "{}", at: int | None = None
) -> Prompted:
    """One prompt, at a moment of its own unless it is said."""
    return Prompted(seat, model, round_, next(MOMENTS) if at is None else at, form, text)


def test_what_an_earlier_prompt_of_the_same_model_began_with_is_cacheable() -> None:
    found = cacheable(
        [
            prompt("x" * 30 + "1" * 30),
            prompt("x" * 30 + "2" * 30),  # 30 bytes of 60
            prompt("x" * 30 + "1" * 30, model="other"),  # the first of its model
            prompt("x" * 30 + "1" * 30 + "3" * 30, round_=2),  # 60 of 90
            prompt("x" * 15 + "4" * 15, seat="judge", round_=2),  # 15 of 30
        ],
        ["a"],
        9,
    )
    assert (found.prompts, found.of) == (5, 9)
    assert found.whole == TokenShare((30 + 60 + 15) // 3, (60 + 60 + 60 + 90 + 30) // 3)
    assert found.later == TokenShare((60 + 15) // 3, (90 + 30) // 3)
    assert found.voices == TokenShare(60 // 3, 90 // 3)
    assert (found.whole.percent, found.later.percent, found.voices.percent) == (35, 62, 66)


def test_prompts_that_go_out_at_once_do_not_help_each_other() -> None:
    text = "x" * 30
    together = [prompt(text, at=-1), prompt(text, at=-1)]
    assert cacheable(together, [], 2).whole == TokenShare(0, 20)
    assert cacheable([*together, prompt(text)], [], 3).whole == TokenShare(10, 30)


def test_where_the_form_is_read_first_only_prompts_with_the_same_form_share() -> None:
    ballot, doubt = "b" * 11, "d" * 11
    sent = [
        prompt("x" * 30, form=ballot),
        prompt("x" * 30, form=doubt, round_=2),
        prompt("x" * 30 + "y" * 18, form=ballot, round_=2),  # form, line break and 30 bytes: 42 of 60
    ]
    found = cacheable(sent, [], 3)
    assert found.later == TokenShare((30 + 30) // 3, (30 + 48) // 3)
    assert found.form_first == TokenShare(42 // 3, (42 + 42 + 60) // 3)
    assert found.form_first_later == TokenShare(42 // 3, (42 + 60) // 3)
    data = caching_data(found)
    assert data is not None
    assert data["form_first_from_round_2"] == {"cacheable_tokens": 14, "prompt_tokens": 34, "percent": 41}


def test_of_no_prompt_there_is_no_share() -> None:
    found = cacheable([], [], 0)
    assert found.whole.percent is None
    assert caching_data(None) is None
    data = caching_data(found)
    assert data is not None
    assert data["all"] == {"cacheable_tokens": 0, "prompt_tokens": 0, "percent": None}


@modest
@given(st.lists(st.text("abé", max_size=12), max_size=12))
def test_it_is_what_comparing_all_of_them_gives(texts: list[str]) -> None:
    def alike(one: bytes, other: bytes) -> int:
        return next(
            (at for at, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), min(len(one), len(other))
        )

    sent = [text.encode() for text in texts]
    most = sum(max((alike(text, other) for other in sent[:at]), default=0) for at, text in enumerate(sent))
    found = cacheable([prompt(text) for text in texts], [], len(texts))
    assert found.whole == TokenShare(most // 3, sum(map(len, sent)) // 3)
