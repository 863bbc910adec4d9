"""A protocol whose forms have words of their own says in its lab which are for something and which are against it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from quorate.core.forms import Reply
from quorate.core.types import Ask, AskId, Seat
from quorate.core.view import View
from quorate.lab.redteam.orders import Order
from quorate.lab.redteam.seats import Attacked, Sights, person
from quorate.participants.port import Prompt, Request

SCHEMA: Mapping[str, Any] = {"properties": {"vote": {"enum": ["hold", "no way", "go ahead"]}}}


def request() -> Request:
    ask = Ask(AskId("0.0"), Seat("peer"), "vote", Reply)
    return Request(ask, View("", ()), Prompt("", "the fault stands here"), SCHEMA, 1, 0)


@pytest.mark.parametrize(
    ("order", "fault", "vote"),
    [
        (Order.APPROVE, "", "go ahead"),
        (Order.CONDEMN, "", "no way"),
        (None, "", "go ahead"),
        (None, "the fault", "no way"),
    ],
)
def test_the_words_of_the_lab_are_taken(order: Order | None, fault: str, vote: str) -> None:
    attacked = Attacked(lambda _: order, Sights(), fault, ("go ahead",), ("no way",))
    assert attacked(request()) == {"vote": vote}


@pytest.mark.parametrize("order", [Order.APPROVE, Order.CONDEMN])
def test_without_them_the_first_word_is_taken_by_everybody(order: Order) -> None:
    assert Attacked(lambda _: order, Sights(), "")(request()) == {"vote": "hold"}


def test_a_person_knows_them_too() -> None:
    assert person(request(), ("go ahead",)) == {"vote": "go ahead"}
