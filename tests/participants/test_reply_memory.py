"""Models that are not asked the same twice, against a real HTTP server on this machine."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import pytest

from quorate.core.forms import AtMost, Between, Prose, Reply
from quorate.core.types import Absent, AbsentReason
from quorate.participants.cache import ReplyCache
from quorate.participants.check import Check
from quorate.participants.local import LocalModel
from quorate.participants.person import Person
from quorate.participants.port import Answer, Participant, Prompt, Request, those_behind
from quorate.participants.providers import PROVIDERS, ModelSpec
from quorate.participants.relay import Relay
from quorate.participants.reply_memory import Remembered, remembering
from quorate.participants.script import ScriptParticipant, load_script
from quorate.participants.tools import ContextFolder
from tests.support.provider import GOOD, OPINION, Fails, Opinion, Says, Server, participant, request


@dataclass(frozen=True, slots=True)
class Verdict(Reply):
    """Has the fields of Opinion, and is another form."""

    reason: Annotated[Prose, AtMost(300), "why"]
    confidence: Annotated[int, Between(0, 100), "0 to 100"]


@pytest.fixture
def cache(tmp_path: Path) -> ReplyCache:
    return ReplyCache.at(tmp_path / "replies", {})


async def said(who: Participant, asked: Request | None = None) -> Answer:
    found = await who.reply(asked or request(), lambda _: None)
    assert found is not None
    return found


async def test_the_second_time_nobody_is_asked_and_it_costs_nothing(server: Server, cache: ReplyCache) -> None:
    server.will(Says(GOOD))
    first = await said(remembering(participant(server), cache))
    again = await said(remembering(participant(server), cache))
    assert (first.reply, first.tokens_in, first.tokens_out, first.detail) == (OPINION, 100, 10, "")
    assert again.reply == OPINION
    assert (again.tokens_in, again.tokens_out, again.cost, again.attempts) == (0, 0, 0, 0)
    assert again.model == first.model, "the record names the same model"
    assert again.detail.startswith("from the cache of 20")
    assert "110 tokens" in again.detail
    assert len(server.bodies) == 1


def other_prompt(asked: Request) -> Request:
    return replace(asked, prompt=Prompt(asked.prompt.system, asked.prompt.user + " "))


def other_system(asked: Request) -> Request:
    return replace(asked, prompt=Prompt(asked.prompt.system + " ", asked.prompt.user))


def other_seed(asked: Request) -> Request:
    return replace(asked, seed=asked.seed + 1)


def other_schema(asked: Request) -> Request:
    return replace(asked, schema={**asked.schema, "title": "Other"})


def other_form(asked: Request) -> Request:
    return replace(asked, ask=replace(asked.ask, form=Verdict))


@pytest.mark.parametrize("other", [other_prompt, other_system, other_seed, other_schema, other_form])
async def test_anything_else_that_is_asked_is_asked(other: Any, server: Server, cache: ReplyCache) -> None:
    server.will(Says(GOOD))
    who = remembering(participant(server), cache)
    await said(who)
    await said(who, other(request()))
    assert len(server.bodies) == 2


@pytest.mark.parametrize("options", [{"temperature": 0.3}, {"max_tokens": 77}, {"length": 900}, {"window": 9000}])
async def test_a_model_with_other_options_is_another_model(
    options: dict[str, Any], server: Server, cache: ReplyCache
) -> None:
    server.will(Says(GOOD))
    await said(remembering(participant(server), cache))
    await said(remembering(participant(server, **options), cache))
    assert len(server.bodies) == 2


@pytest.mark.parametrize(("provider", "variable"), [("ollama", "OLLAMA_BASE_URL"), ("openai", "OPENAI_BASE_URL")])
async def test_a_server_that_the_environment_names_is_another_one(
    provider: str, variable: str, server: Server, cache: ReplyCache
) -> None:
    spec, other = ModelSpec(provider, "tiny"), Server()
    try:
        for each in (server, other, server, other):
            each.will(Says(GOOD))
            env = {variable: each.url, "OPENAI_API_KEY": "none", "QUORATE_OFFLINE": "1"}
            assert (await said(remembering(participant(server, spec=spec, env=env), cache))).reply == OPINION
    finally:
        other.http.shutdown()
        other.http.server_close()
    assert (len(server.bodies), len(other.bodies)) == (1, 1)


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
def test_the_key_holds_the_address_that_is_used(provider: str, server: Server, cache: ReplyCache) -> None:
    def key(spec: ModelSpec, env: dict[str, str]) -> str:
        found = remembering(participant(server, spec=spec, env=env), cache)
        assert isinstance(found, Remembered)
        return found.key(request())

    usual, elsewhere = ModelSpec(provider, "tiny"), "http://127.0.0.1:9/v1"
    assert key(usual, {}) != key(replace(usual, base_url=elsewhere), {})
    if variable := PROVIDERS[provider].elsewhere:
        assert len({key(usual, env) for env in ({}, {variable: elsewhere}, {variable: server.url})}) == 3
        assert key(usual, {}) == key(usual, {variable: ""})
        given = replace(usual, base_url=server.url)
        assert key(given, {}) == key(given, {variable: elsewhere}), "the panel's address goes before"


@pytest.mark.model
def test_an_embedded_model_with_another_window_is_another_model(cache: ReplyCache) -> None:
    keys = []
    for window in (2048, 4096, 4096):
        who = remembering(LocalModel("smollm2", window=window), cache)
        assert isinstance(who, Remembered)
        keys.append(who.key(request()))
    assert keys[0] != keys[1] == keys[2]


async def test_options_that_change_no_reply_change_no_key(server: Server, cache: ReplyCache) -> None:
    server.will(Says(GOOD))
    await said(remembering(participant(server), cache))
    await said(remembering(participant(server, timeout=7, retries=0, stream=False), cache))
    assert len(server.bodies) == 1


async def test_an_absence_is_not_kept(server: Server, cache: ReplyCache) -> None:
    server.will(Fails(400, "no"), Says(GOOD))
    who = remembering(participant(server), cache)
    assert (await said(who)).reply == Absent(AbsentReason.FAILED)
    assert (await said(who)).reply == OPINION


async def test_a_damaged_file_is_passed_over_with_a_note_and_replaced(server: Server, cache: ReplyCache) -> None:
    server.will(Says(GOOD))
    who = remembering(participant(server), cache)
    await said(who)
    file = next(cache.folder.iterdir())
    file.write_text(file.read_text().replace("simple", "simply"))
    noted = await said(who)
    assert noted.reply == OPINION
    assert "a file of the cache was passed over: it was written by another user, or was changed" in noted.detail
    assert (await said(who)).detail.startswith("from the cache")
    assert len(server.bodies) == 2


async def test_a_reply_that_is_none_to_this_form_any_more_is_asked_for_again(server: Server, cache: ReplyCache) -> None:
    """The seal is ours, the form has changed: what was kept is read as strictly as any reply."""
    server.will(Says(GOOD))
    who = remembering(participant(server), cache)
    assert isinstance(who, Remembered)
    await said(who)
    key = who.key(request())
    kept = cache.find(key)
    assert kept is not None
    cache.keep(key, replace(kept, reply={**kept.reply, "confidence": 700}))
    noted = await said(who)
    assert noted.reply == OPINION
    assert "passed over" in noted.detail


async def test_secrets_are_masked_before_anything_is_written(server: Server, cache: ReplyCache) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    server.will(Says(json.dumps({"reason": f"It has {token} in it.", "confidence": 70})))
    who = remembering(participant(server), cache)
    await said(who)
    assert all(token not in file.read_text() for file in cache.folder.iterdir())
    again = (await said(who)).reply
    assert isinstance(again, Opinion)
    assert token not in again.reason.text
    assert again.confidence == 70


async def test_with_a_folder_to_look_into_nothing_is_kept(server: Server, cache: ReplyCache, tmp_path: Path) -> None:
    """What a model reads there is no part of the prompt."""
    server.will(Says(GOOD))
    who = remembering(participant(server), cache)
    asked = request(tools=ContextFolder(tmp_path))
    await said(who, asked)
    await said(who, asked)
    assert len(server.bodies) == 2
    assert not cache.folder.exists()


async def test_a_folder_that_cannot_be_written_costs_a_note(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    server.will(Says(GOOD))
    answer = await said(remembering(participant(server), ReplyCache.at(tmp_path / "file", {})))
    assert answer.reply == OPINION
    assert "not kept in the cache" in answer.detail


def test_people_checks_and_scripts_are_never_remembered(server: Server, cache: ReplyCache, tmp_path: Path) -> None:
    (tmp_path / "replies.yaml").write_text("seats: {'*': {judge: {text: x}}}\n")
    for each in (Person(), Check(lambda _: OPINION), ScriptParticipant(load_script(tmp_path / "replies.yaml"))):
        assert remembering(each, cache) is each
    model = participant(server)
    relay = remembering(Relay(model, Person()), cache)
    assert isinstance(relay, Relay)
    assert isinstance(relay.first, Remembered)
    assert isinstance(relay.stronger, Person)
    assert next(iter(those_behind(relay))) is model


def test_limits_and_prices_are_those_of_the_model(server: Server, cache: ReplyCache) -> None:
    model = participant(server, window=9_000)
    who = remembering(model, cache)
    assert (who.name, who.provider, who.concurrency, who.window) == (
        model.name,
        model.provider,
        model.concurrency,
        9_000,
    )
    assert who.most_tokens(100, 1) == model.most_tokens(100, 1)
    assert who.price(10, 10) == model.price(10, 10)
