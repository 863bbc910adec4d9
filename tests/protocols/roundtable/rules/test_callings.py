"""Whom a question in a persona's words calls by name (T19)."""

from __future__ import annotations

import pytest

from quorate.core.forms import Key
from quorate.protocols.roundtable.rules.callings import called_by_name, table_of
from tests.support.roundtables import Talk

TABLE = table_of(
    {Key("business-analyst"): "Maya", Key("solutions-architect"): "Alex", Key("system-designer"): "Jordan"}
)
CALLED = {
    "Jordan, how long?": "system-designer",
    "It is a promise that fits in one sentence. Jordan, what happens to the list meanwhile?": "system-designer",
    "Hold on, Alex, what would the migration cost?": "solutions-architect",
    "What would it cost, Alex?": "solutions-architect",
    "What does Alex think?": "solutions-architect",
    "@jordan can you do this?": "system-designer",
    "Jordan - is a week enough?": "system-designer",
    "Agreed, Alex. Jordan, what now?": "system-designer",
    "Jordan, this is yours. Is a week enough?": "system-designer",
    "What would Jordan think about Alex's approach?": "system-designer",
    "Jordan, take thirty days.": "",
    "Thirty days in the store, Maya, and I would measure the index before I promise more.": "",
    "Thanks, Maya! How do we test it?": "",
    "Alex said it: who pays?": "",
    "Maya's point holds. Is it enough?": "",
    "What do you think about what Maya said?": "",
    "Alex is right about the API, but what does it cost?": "",
    "Bob, how long?": "",
    "How long?": "",
    "": "",
}


@pytest.mark.parametrize("text", CALLED)
def test_whom_a_question_calls(text: str) -> None:
    assert "".join(called_by_name(text, TABLE)) == CALLED[text]


def test_without_a_table_nobody_is_called() -> None:
    assert called_by_name("Jordan, how long?", "") == ()


def talking() -> Talk:
    return Talk().elaborate().frame("alex").say("alex").say("jordan").user("Hm.")


def test_the_key_goes_before_the_words() -> None:
    """T19: `asks` says it where it says anything."""
    assert talking().say("maya", "Alex, how long?").speaker == "solutions-architect"
    assert talking().say("maya", "Jordan, how long?").speaker == "system-designer"
    assert talking().say("maya", "Jordan, how long?", asks=["alex"]).speaker == "solutions-architect"


def test_nobody_asks_itself_and_a_pass_asks_nobody() -> None:
    """T19."""
    assert talking().say("maya", "Maya, how long?").speaker == "solutions-architect"
    assert talking().say("maya", "Jordan, how long?", manner="pass").speaker == "solutions-architect"
    assert talking().say("maya", "Jordan, how long?", manner="redirect").speaker == "solutions-architect"
