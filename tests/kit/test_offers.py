"""Offers: texts that may be left out, texts that a choice needs, and choices that are not always there."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.forms import Reply
from quorate.kit.offers import Offer
from quorate.protocols.debate.rules.model import Answers
from quorate.protocols.roundtable.rules.forms import Menu
from quorate.protocols.workshop.rules.forms import PauseReply, Ruling
from tests.support.offers import offer_of
from tests.support.roundtables import Talk


def offered(form: type[Reply]) -> Offer:
    found = offer_of(form)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("form", "choice", "empty"),
    [(Ruling, "accept", ("reason", "decision")), (PauseReply, "go_on", ("remark",)), (Menu, "continue", ("text",))],
)
def test_texts_that_a_decision_can_do_without_count_as_empty(
    form: type[Reply], choice: str, empty: tuple[str, ...]
) -> None:
    whole = {**dict.fromkeys(empty, ""), "choice": choice}
    assert offered(form).completed({"choice": choice}) == whole
    assert offered(form).completed({"choice": choice, empty[0]: "mine"}) == {**whole, empty[0]: "mine"}


def test_without_a_choice_nothing_is_filled_in_for_anybody() -> None:
    assert offered(Ruling).completed({"reason": "because"}) == {"reason": "because"}
    assert offered(Ruling).completed({}) == {}
    assert offer_of(Answers) is None


@pytest.mark.parametrize(
    ("data", "lacking"),
    [
        ({"choice": "decide"}, "decision"),
        ({"choice": "decide", "decision": " \n"}, "decision"),
        ({"choice": "decide", "decision": "Keep it."}, None),
        ({"choice": "accept"}, None),
        ({"choice": ["decide"]}, None),
        ({}, None),
    ],
)
def test_a_choice_that_is_nothing_without_its_text_says_so(data: dict[str, Any], lacking: str | None) -> None:
    assert offered(Ruling).lacks(data) == lacking


@pytest.mark.parametrize(
    ("data", "misplaced"),
    [
        ({"choice": "accept", "decision": "But forty."}, ("decision", "decide")),
        ({"choice": "go_on", "decision": "Forty."}, ("decision", "decide")),
        ({"choice": "accept", "decision": " \n", "reason": "It is time."}, None),
        ({"choice": "decide", "decision": "Forty."}, None),
        ({"choice": "accept"}, None),
    ],
)
def test_words_that_belong_to_another_choice_are_not_lost(data: dict[str, Any], misplaced: object) -> None:
    assert offered(Ruling).misplaced(data) == misplaced


@pytest.mark.parametrize(
    ("settings", "choices"),
    [
        ({"phase": "01-requirements", "step": "01-03"}, ["elaborate", "continue", "skip", "text"]),
        ({"phase": "04-design", "step": ""}, ["elaborate", "continue", "text"]),
    ],
)
def test_a_choice_that_is_not_there_is_not_offered(settings: dict[str, Any], choices: list[str]) -> None:
    """T4: at the end of a phase there is nothing to skip."""
    table = Talk(**settings)
    assert list(offered(Menu).at(table.record).does) == choices
    assert list(offered(Menu).does) == ["elaborate", "continue", "skip", "text"], "the offer itself is not changed"
