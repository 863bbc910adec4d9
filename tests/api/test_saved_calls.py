"""Fewer tokens for the same decision, in whole sessions: kept replies, relays, and curtailed votes."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from quorate import api
from quorate.api.opening import open_named
from quorate.api.worth import worth
from quorate.core.errors import SettingError
from quorate.core.record import Moved, Said
from quorate.core.session import Cause
from quorate.evidence.bundle import check_bundle
from quorate.evidence.explain import explain_text
from quorate.protocols.council.world.council import open_council
from quorate.protocols.council.world.gate_passage import Sources
from quorate.runtime.happenings import Calling, Happening, Wrote
from quorate.store.memory import MemoryJournal
from quorate.workspace import Workspace, find_workspace
from quorate.worth.answerers import answered_text
from quorate_verifier import verify
from tests.support.convened import Drafted, answers, raised, replies, reviews, votes
from tests.support.provider import Says, Server, filled_in, form_server
from tests.support.working import SCRIPT

EXAMPLES = Path(__file__).parents[2] / "examples"

server = pytest.fixture(form_server)


def at(folder: Path, *sets: str, protocol: str = "debate") -> Workspace:
    return find_workspace(folder, {}, store="memory:", sets=sets, scope=protocol)


class Debates:
    """The same debate, as often as wanted, with a model behind a real server."""

    def __init__(self, folder: Path, server: Server, *sets: str) -> None:
        self.workspace = at(folder, "rounds=1", "agents=[architect, security]", *sets)
        self.panel = {
            "default": {"model": "openai-compatible:tiny", "base_url": server.url, "price": {"in": 1, "out": 1}}
        }
        self.journal = MemoryJournal()

    async def run(self, problem: str = "How do we store logs?", **more: Any) -> api.Result:
        opened = await api.open_session(
            self.workspace, self.journal, "debate", {"problem": problem}, panel=self.panel, **more
        )
        return await api.run(self.workspace, self.journal, opened)


# Several calls for one reply


async def test_a_debate_whose_agents_draw_samples_and_are_confirmed(tmp_path: Path, server: Server) -> None:
    debates = Debates(tmp_path, server)
    cheap: dict[str, Any] = {"model": "openai-compatible:cheap", "base_url": server.url, "price": {"in": 1, "out": 1}}
    strong = {**cheap, "model": "openai-compatible:strong", "price": {"in": 10, "out": 10}, "confirms": True}
    debates.panel = {"default": cheap | {"samples": 3}, "seats": {"judge": {**cheap, "stronger": strong}}}
    found = await debates.run()
    said = [(str(line.ask.seat), line.envelope) for line in found.record.log if isinstance(line, Said)]
    assert {envelope.attempts for seat, envelope in said if seat != "judge"} == {3}
    assert all("the reply is sample 1 of 3" in envelope.detail for seat, envelope in said if seat != "judge")
    judged = [envelope for seat, envelope in said if seat == "judge"]
    assert judged
    assert all(each.detail.startswith("drafted by openai-compatible:cheap@") for each in judged)
    assert all(each.model.startswith("openai-compatible:strong@") and each.attempts == 2 for each in judged)
    assert all(each.cost == 110 + 1_100 for each in judged)
    assert found.record.opening.panel["architect"].endswith(", 3 samples")
    assert len(server.bodies) == sum(envelope.attempts for _, envelope in said)
    assert len({body["seed"] for body in server.bodies}) >= 3


async def test_what_came_from_a_providers_cache_is_kept_and_told(tmp_path: Path, server: Server) -> None:
    server.will(lambda http, body: Says(filled_in(body), cached=80)(http, body))
    debates = Debates(tmp_path, server)
    found = await debates.run()
    calls = len(server.bodies)
    assert {each.tokens_cached for each in found.record.envelopes} == {80}
    told = f"{80 * calls:,} of {100 * calls:,} prompt tokens came from the provider's cache"
    assert any(sentence.startswith(told) for sentence in worth(found).sentences)
    bundle = api.bundle(found)
    assert {each["tokens_cached"] for each in bundle["transcript"]} == {80}
    assert verify(bundle).differences == []
    assert check_bundle(bundle, None) == []
    bundle["transcript"][0]["tokens_cached"] = 100
    assert "/transcript/0/tokens_cached" in [each.place for each in verify(bundle).differences]


async def test_a_session_that_read_nothing_from_a_cache_has_not_a_word_of_it(tmp_path: Path, server: Server) -> None:
    found = await Debates(tmp_path, server).run()
    assert "tokens_cached" not in json.dumps(api.bundle(found))
    assert not any("provider's cache, as far" in sentence for sentence in worth(found).sentences)


# Replies that are kept


async def test_the_same_debate_again_asks_nobody_and_says_so(tmp_path: Path, server: Server) -> None:
    debates = Debates(tmp_path, server, f"cache={tmp_path / 'replies'}")
    first = await debates.run()
    asked = len(server.bodies)
    assert asked == len(first.record.envelopes) > 0
    again = await debates.run()
    assert len(server.bodies) == asked, "nobody was asked"
    assert api.summary(again)["result"] == api.summary(first)["result"]
    assert api.summary(first)["tokens_in"] > 0
    assert (api.summary(again)["tokens_in"], api.summary(again)["tokens_out"]) == (0, 0)
    assert all(each.detail.startswith("from the cache of ") for each in again.record.envelopes)
    assert {each.attempts for each in again.record.envelopes} == {0}
    assert [each.model for each in again.record.envelopes] == [each.model for each in first.record.envelopes]
    assert f"{asked} of {asked} replies came from a cache" in explain_text(again.record)
    assert answered_text(first.record) == ""


async def test_another_problem_and_another_seed_are_asked_anew(tmp_path: Path, server: Server) -> None:
    debates = Debates(tmp_path, server, f"cache={tmp_path / 'replies'}")
    asked = len((await debates.run()).record.envelopes)
    await debates.run("How do we store logs, then?")
    assert len(server.bodies) == 2 * asked
    await debates.run(seed=7)
    assert len(server.bodies) == 3 * asked
    await debates.run(seed=7)
    assert len(server.bodies) == 3 * asked


async def test_without_the_setting_nothing_is_kept(tmp_path: Path, server: Server) -> None:
    debates = Debates(tmp_path, server)
    first, again = await debates.run(seed=7), await debates.run(seed=7)
    assert len(server.bodies) == len(first.record.envelopes) + len(again.record.envelopes)
    assert first.record.opening.run["cache"] == ""


async def test_a_session_that_goes_on_elsewhere_has_the_same_cache(tmp_path: Path, server: Server) -> None:
    """The folder is kept with the session, so a process that knows no such setting goes on with it."""
    debates = Debates(tmp_path, server, f"cache={tmp_path / 'replies'}")
    await debates.run()
    asked = len(server.bodies)
    opened = await api.open_session(
        debates.workspace, debates.journal, "debate", {"problem": "How do we store logs?"}, panel=debates.panel
    )
    await api.run(at(tmp_path), debates.journal, opened)
    assert len(server.bodies) == asked


async def test_scripts_are_never_kept(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text(SCRIPT.format(delay=0))
    workspace, journal = at(tmp_path, "rounds=1", f"cache={tmp_path / 'replies'}"), MemoryJournal()
    panel = {"script": str(tmp_path / "script.yaml")}
    for _ in range(2):
        session = await api.open_session(workspace, journal, "debate", {"problem": "p"}, panel=panel)
        result = await api.run(workspace, journal, session)
        assert result.exit_code == 0
        assert "cache" not in explain_text(result.record)
    assert list((tmp_path / "replies").iterdir()) == []


async def test_a_folder_that_is_none_is_told_before_anything_is_asked(tmp_path: Path, server: Server) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(SettingError) as caught:
        await Debates(tmp_path, server, f"cache={tmp_path / 'file'}").run()
    assert caught.value.key == "cache"
    assert server.bodies == []


def test_where_the_settings_come_from(tmp_path: Path) -> None:
    (tmp_path / "quorate.yaml").write_text("cache: .quorate/replies\ncurtail: false\n")
    found = at(tmp_path).config
    assert (found.cache, found.curtail) == (tmp_path / ".quorate" / "replies", False)
    environment = {"QUORATE_CACHE": "/elsewhere", "QUORATE_CURTAIL": "true"}
    other = find_workspace(tmp_path, environment, store="memory:").config
    assert (other.cache, other.curtail) == (Path("/elsewhere"), True)
    with pytest.raises(SettingError) as caught:
        at(tmp_path, "curtail=perhaps")
    assert caught.value.key == "curtail"
    plain = find_workspace(tmp_path / "..", {}, store="memory:").config
    assert (plain.cache, plain.curtail) == (None, True)
    properties = api.schema("settings")["properties"]
    assert (properties["cache"]["type"], properties["curtail"]["type"]) == ("string", "boolean")


# Cheap first


def relay_panel(folder: Path) -> dict[str, Any]:
    """A cheap voice that the review's own script has, and a stronger one on two seats of the committee."""
    text = (EXAMPLES / "review-replies.yaml").read_text()
    (folder / "cheap.yaml").write_text(f"price: {{in: 1, out: 1}}\n{text}")
    (folder / "strong.yaml").write_text(f"price: {{in: 10, out: 10}}\n{text}")
    cheap = str(folder / "cheap.yaml")
    both = {"script": cheap, "stronger": {"script": str(folder / "strong.yaml")}}
    return {"script": cheap, "seats": {"knowledge-manager": both, "operations-sre": both}}


async def review(folder: Path, panel: dict[str, Any], *sets: str, seen: list[Happening] | None = None) -> api.Result:
    workspace, journal = at(folder, *sets, protocol="review"), MemoryJournal()
    opened = await open_named(
        workspace, journal, "review", {"diff": (EXAMPLES / "change.diff").read_text()}, panel=panel, seed=1
    )
    return await api.run(workspace, journal, opened.session, watch=(seen if seen is not None else []).append)


async def test_a_disagreement_brings_in_the_stronger_one(tmp_path: Path) -> None:
    seen: list[Happening] = []
    result = await review(tmp_path, relay_panel(tmp_path), seen=seen)
    ballots = [line for line in result.record.log if isinstance(line, Said) and line.ask.brief == "ballot"]
    relays = {(line.round, line.envelope.model) for line in ballots if line.ask.seat == "knowledge-manager"}
    assert relays == {(1, "script:cheap.yaml"), (2, "script:strong.yaml")}
    others = {line.envelope.model for line in ballots if line.ask.seat == "engineering-architect"}
    assert others == {"script:cheap.yaml"}
    called = {(each.ask.id, each.participant) for each in seen if isinstance(each, Calling)}
    assert {(line.ask.id, line.envelope.model) for line in ballots} <= called
    opening = result.record.opening.panel
    assert opening["operations-sre"] == "script:cheap.yaml, from round 2 script:strong.yaml"
    told = "On the seat knowledge-manager spoke script:cheap.yaml in round 1, script:strong.yaml in round 2."
    assert told in explain_text(result.record)


async def test_where_all_agree_nobody_calls_the_stronger_one(tmp_path: Path) -> None:
    """The same review without its veto: the first ballot decides, so it costs the cheap voice alone."""
    panel, seen = relay_panel(tmp_path), list[Happening]()
    for name in ("cheap.yaml", "strong.yaml"):
        script = YAML(typ="safe").load((tmp_path / name).read_text())
        ballots = script["seats"]["knowledge-manager"]
        ballots["ballot"] = ballots["ballot"][-1:]
        (tmp_path / name).write_text(json.dumps(script))
    result = await review(tmp_path, panel, seen=seen)
    ballots = [line for line in result.record.log if isinstance(line, Said) and line.ask.brief == "ballot"]
    assert {line.round for line in ballots} == {1}
    assert not any("strong" in each.participant for each in seen if isinstance(each, Calling))


async def test_the_verdict_is_that_of_the_same_words_from_one_voice(tmp_path: Path) -> None:
    relayed = await review(tmp_path, relay_panel(tmp_path))
    alone = await review(tmp_path, {"script": str(tmp_path / "cheap.yaml")})
    strong = await review(tmp_path, {"script": str(tmp_path / "strong.yaml")})
    assert api.summary(relayed)["verdict"] == api.summary(alone)["verdict"] == api.summary(strong)["verdict"]
    cost = [sum(each.cost or 0 for each in result.record.envelopes) for result in (alone, relayed, strong)]
    assert cost[0] < cost[1] < cost[2]


async def test_a_resumed_session_asks_the_same(tmp_path: Path) -> None:
    """Who speaks follows from the record: a session that is cut anywhere goes on as it would have."""
    whole = await review(tmp_path, relay_panel(tmp_path))
    expected = [(each.model, each.cost) for each in whole.record.envelopes]
    workspace, journal = at(tmp_path, protocol="review"), MemoryJournal()
    opened = await open_named(
        workspace,
        journal,
        "review",
        {"diff": (EXAMPLES / "change.diff").read_text()},
        panel=relay_panel(tmp_path),
        seed=1,
    )

    class Enough(Exception):
        pass

    while (await api.load(workspace, journal, opened.session)).record.session.conclusion is None:
        wrote = 0

        def watch(happening: Happening) -> None:
            nonlocal wrote
            wrote += isinstance(happening, Wrote)
            if wrote == 2:
                raise Enough

        with suppress(Enough):
            await api.run(workspace, journal, opened.session, watch=watch)
    result = await api.load(workspace, journal, opened.session)
    assert sorted((each.model, each.cost) for each in result.record.envelopes) == sorted(expected)


async def test_a_worst_case_counts_with_the_dearer_one(tmp_path: Path) -> None:
    panel = relay_panel(tmp_path)
    (tmp_path / "panel.yaml").write_text(json.dumps(panel))
    (tmp_path / "strong-panel.yaml").write_text(json.dumps({"script": str(tmp_path / "strong.yaml")}))
    (tmp_path / "cheap-panel.yaml").write_text(json.dumps({"script": str(tmp_path / "cheap.yaml")}))
    asks = {"four members": {"knowledge-manager": 3, "operations-sre": 3}}

    def worst(name: str) -> int:
        found = api.worst_costs(at(tmp_path), "review", asks, panel=tmp_path / name)["four members"].cost
        assert found is not None
        return found

    assert worst("panel.yaml") == worst("strong-panel.yaml") == 10 * worst("cheap-panel.yaml")


# Curtailed votes


async def council(folder: Path, minds: tuple[str, ...], *sets: str) -> tuple[api.Result, int]:
    """A council with a contested finding, and how many seats were called for their vote."""
    draft, (one, two, three) = Drafted(folder), map(votes, minds)
    said = replies(SA_1={**reviews(raised()), **one}, SA_2={**answers("DISPUTE"), **two}, SA_3=three)
    draft.panel(said)
    workspace, journal = at(folder, *sets, f"panel={folder / 'panel.yaml'}", protocol="council"), MemoryJournal()
    seen: list[Happening] = []
    convened = await open_council(workspace, journal, Sources(draft.rfc), depth="COUNCIL", seed="42")
    result = await api.run(workspace, journal, convened.session, watch=seen.append)
    return result, sum(isinstance(each, Calling) and each.ask.brief == "vote" for each in seen)


@pytest.mark.parametrize("minds", list(product(("SUPPORT", "OPPOSE"), repeat=3)), ids="-".join)
async def test_a_curtailed_vote_of_the_council_decides_the_same(tmp_path: Path, minds: tuple[str, ...]) -> None:
    """C24: two of three that agree decide, and then nobody calls the third."""
    result, called = await council(tmp_path, minds)
    whole, all_called = await council(tmp_path, minds, "curtail=false")
    assert (called, all_called) == (2 if minds[0] == minds[1] else 3, 3)
    assert result.record.opening.run["curtail"] is True
    assert whole.record.opening.run["curtail"] is False
    first, second = result.record.session, whole.record.session
    assert first.conclusion == second.conclusion is not None
    assert first.state == second.state
    moves = [line.move for line in result.record.log if isinstance(line, Moved) and line.move.outcome.name == "VOTED"]
    assert [move.cause for move in moves] == [Cause.SETTLED if called == 2 else Cause.DECIDED]
