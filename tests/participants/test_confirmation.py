"""A stronger model confirms: it is shown a draft of the cheap one, its own reply counts, and both are paid for."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quorate.codec.journal_reader import protocol_digest
from quorate.core.errors import InputError
from quorate.core.record import Opening, Record
from quorate.core.types import Absent, AbsentReason
from quorate.core.view import estimate_tokens
from quorate.participants.cache import ReplyCache
from quorate.participants.panel import load_panel
from quorate.participants.port import Answer, Participant, Request, those_behind, those_speaking
from quorate.participants.prices import Price
from quorate.participants.providers import ModelSpec
from quorate.participants.relay import Confirmation
from quorate.participants.reply_memory import remembering
from quorate.participants.samples import Samples
from quorate.runtime.asks import request_of, worst_of
from tests.support.provider import Act, Fails, Says, Server, participant
from tests.support.toy import Ballot, Voice, voting


def vote(voice: str, items: tuple[str, ...] = (), reason: str = "It is simple.") -> Act:
    return Says(json.dumps({"reason": reason, "items": list(items), "voice": voice}))


def pair(server: Server, **options: Any) -> Confirmation:
    cheap = participant(server, spec=ModelSpec("openai-compatible", "cheap", server.url), own_price=Price(1, 1))
    strong = participant(
        server, spec=ModelSpec("openai-compatible", "strong", server.url), own_price=Price(10, 10), **options
    )
    return Confirmation(cheap, strong)


def asked(who: Participant) -> Request:
    protocol = voting(needed=2, most=1)
    record = Record(protocol, Opening("voting", "1", protocol_digest(protocol), "t", 1, {}, {}, {}), {})
    return request_of(record, record.session.open[0], who, None)[0]


async def said(who: Participant) -> Answer:
    found = await who.reply(asked(who), lambda _: None)
    assert found is not None
    return found


async def test_the_stronger_one_is_shown_the_draft_and_its_reply_counts(server: Server) -> None:
    who = pair(server)
    server.will(vote("aye", reason="A draft."), vote("aye", reason="So it is."))
    found = await said(who)
    assert isinstance(found.reply, Ballot)
    assert (found.reply.voice, found.reply.reason.text) == (Voice.AYE, "So it is.")
    assert [body["model"] for body in server.bodies] == ["cheap", "strong"]
    (_, told), (_, first) = server.said()[1], server.said(0)[1]
    assert "Check every point of it" in told
    assert "Check every point of it" not in first
    draft = told.index("A draft.")
    assert (
        told.rindex("<<data", 0, draft) > told.rindex("<<end", 0, draft)
        if "<<end" in told[:draft]
        else "<<data" in told[:draft]
    ), "somebody's words are data"


async def test_the_record_names_both_with_what_each_has_cost(server: Server) -> None:
    who = pair(server)
    server.will(vote("aye", ("red", "blue")), vote("no", ("red",)))
    found = await said(who)
    cheap, strong = who.first.name, who.stronger.name
    assert who.name == f"{cheap}, confirmed by {strong}"
    assert found.model == strong
    assert found.detail == (
        f"drafted by {cheap} with 110 tokens, $0.0001; voice aye became no; "
        "1 of 2 entries of items were changed or left out"
    )
    assert (found.tokens_in, found.tokens_out, found.attempts) == (200, 20, 2)
    assert found.cost == 110 * 1 + 110 * 10
    server.forget()
    server.will(vote("no"), vote("no"))
    assert (await said(who)).detail.endswith("; confirmed in every choice")


async def test_without_a_draft_the_stronger_one_answers_alone(server: Server) -> None:
    found = await said(pair(server.will(Fails(401), vote("no"))))
    assert isinstance(found.reply, Ballot)
    assert found.detail.startswith("no draft from ")
    assert "Check every point" not in server.said()[1][1]


async def test_what_nobody_has_confirmed_is_no_reply(server: Server) -> None:
    found = await said(pair(server.will(vote("aye"), Fails(401))))
    assert found.reply == Absent(AbsentReason.FAILED)
    assert "; not confirmed; " in found.detail
    assert found.cost is not None
    assert found.cost >= 110


async def test_a_draft_gives_way_to_what_else_is_shown(server: Server) -> None:
    """In a window with room for the prompt alone nothing is cut for the sake of a draft."""
    prompt = asked(pair(server, window=3_000)).prompt
    narrow = 3 * (estimate_tokens(prompt.system + prompt.user) + 100) // 2
    for window, shown in ((narrow, False), (None, True)):
        server.forget()
        server.will(vote("aye", reason="So it is. " * 200), vote("no"))
        found = await said(pair(server, window=window))
        assert isinstance(found.reply, Ballot)
        assert ("Check every point" in server.said()[1][1]) is shown
        assert ("not shown, for want of room" in found.detail) is not shown


def test_budgets_reserve_both_and_the_longest_draft(server: Server) -> None:
    who = pair(server)
    reserved = worst_of(who, asked(who))
    alone = [worst_of(each, asked(each)) for each in (who.first, who.stronger)]
    for number, both in enumerate(reserved):
        assert both.tokens > sum(each[number].tokens for each in alone)
        assert both.money > sum(each[number].money for each in alone)


def test_only_the_stronger_one_speaks(server: Server) -> None:
    who = pair(server)
    assert list(those_speaking(who)) == [who.stronger]
    assert set(each.name for each in those_behind(who)) == {who.first.name, who.stronger.name}
    assert list(those_speaking(Samples(who.first, 3))) == [who.first]


async def test_both_calls_are_cached_for_themselves(server: Server, tmp_path: Path) -> None:
    who = remembering(pair(server.will(vote("aye"), vote("aye"))), ReplyCache.at(tmp_path / "replies", {}))
    first, again = await said(who), await said(who)
    assert len(server.bodies) == 2
    assert (again.reply, again.attempts, again.cost) == (first.reply, 0, 0)


async def test_a_draft_may_be_one_of_several_samples(server: Server) -> None:
    both = pair(server)
    who = replace(both, first=Samples(both.first, 3))
    server.will(vote("no"), vote("aye"), vote("aye"), vote("aye"))
    found = await said(who)
    assert found.attempts == 4
    assert found.detail.endswith("confirmed in every choice")


# In a panel

CHEAP, STRONG = "openai-compatible:small@http://localhost:1/v1", "openai-compatible:large@http://localhost:1/v1"


def sitting(text: str, folder: Path) -> Participant:
    (folder / "panel.yaml").write_text(f"default: {text}\n")
    return load_panel(folder / "panel.yaml", ("judge",), env={})["judge"]  # type: ignore[index]


def test_a_panel_says_that_the_stronger_one_confirms(tmp_path: Path) -> None:
    found = sitting(f"{{model: '{CHEAP}', samples: 3, stronger: {{model: '{STRONG}', confirms: true}}}}", tmp_path)
    assert isinstance(found, Confirmation)
    assert found.name == f"{CHEAP}, 3 samples, confirmed by {STRONG}"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("{model: 'openai:a', stronger: {model: 'openai:b', confirms: true, from_round: 3}}", "stronger.from_round"),
        ("{model: 'openai:a', stronger: {model: 'openai:b', confirms: perhaps}}", "stronger.confirms"),
        ("{model: 'openai:a', stronger: {model: person, confirms: true}}", "stronger"),
        ("{model: 'openai:a', confirms: true}", "confirms"),
    ],
)
def test_a_confirmation_that_cannot_be_names_the_place(text: str, key: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        sitting(text, tmp_path)
    assert caught.value.key == f"default.{key}"
