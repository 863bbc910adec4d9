"""A person's words in the prompts of models: in a section of their own, which they are told to follow (W24, W25)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import pytest

from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.participants.prompt import render
from quorate.protocols.workshop.rules.model import FACILITATOR
from tests.support.workshops import ONE, TWO, Meeting, agenda, req, topic

BOTH = ("P1", "P2")
NONCE = "0123abcd"
RULING, REASON, REMARK = "Thirty days, as the law says.", "Our lawyer told me so.", "Mind the payment law."
PERSON = re.compile(rf"<<person {NONCE} .*?<<end {NONCE}>>", re.DOTALL)
DATA = re.compile(rf"<<data {NONCE} .*?<<end {NONCE}>>", re.DOTALL)


@cache
def prompts(strategy: str) -> Mapping[tuple[str, str], str]:
    """What every model is sent after a ruling and a remark, by brief and seat, through all stages of the strategy."""
    about = agenda(topic("retention", 9, critical=True, criteria=2))
    settings = {"strategy": strategy, "interactive": True, "max_rounds_per_conflict": 9, "max_rounds": 9}
    meeting = Meeting(about, **settings)
    meeting.round(requirements=[req(*BOTH, title=f"Number {n}") for n in range(3)], conflicts=[{"about": ["REQ-002"]}])
    meeting.pause("escalate").reply("person", {"choice": "decide", "decision": RULING, "reason": REASON})
    found: dict[tuple[str, str], str] = {}
    while meeting.open and meeting.state.round < 9:
        ask = meeting.open[0]
        if ask.brief == "pause":
            meeting.pause("go_on", REMARK)
            continue
        if ask.seat in (FACILITATOR, ONE, TWO):
            view = meeting.protocol.view(meeting.record, ask)
            prompt, _ = render(meeting.protocol.briefs, view, ask, NONCE)
            found[ask.brief, str(ask.seat)] = f"{prompt.system}\n\n{prompt.user}"
        meeting.go_on()
    return found


@pytest.mark.parametrize("strategy", ["standard", "consensus-driven", "debate", "disney", "six-hats"])
def test_a_ruling_stands_outside_of_the_data_in_every_ask(strategy: str) -> None:
    """W24"""
    sent = prompts(strategy)
    answers = ("respond", "vote") if strategy == "consensus-driven" else ("respond",)
    seats = [(Key(each), seat) for each in answers for seat in (ONE, TWO)]
    assert {(each, str(seat)) for each, seat in seats} <= set(sent)
    assert {("question", str(FACILITATOR)), ("synthesise", str(FACILITATOR))} <= set(sent)
    for text in sent.values():
        spoken = "\n".join(PERSON.findall(text))
        assert RULING in spoken
        assert REASON in spoken
        assert RULING not in PERSON.sub("", text)
        assert not any(RULING in each or REASON in each for each in DATA.findall(text))
        assert "follow it, and contradict nothing in it silently" in text
        assert "It has authority: follow it." in text


@pytest.mark.parametrize("strategy", ["standard", "consensus-driven"])
def test_a_remark_reaches_the_facilitator_alone_and_outside_of_the_data(strategy: str) -> None:
    """W25"""
    for (brief, seat), text in prompts(strategy).items():
        assert (REMARK in text) is (Seat(seat) == FACILITATOR), (brief, seat)
        assert REMARK not in PERSON.sub("", text)
