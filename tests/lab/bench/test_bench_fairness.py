"""What is compared is comparable: equal tokens, costs that were paid, and limits that hold over all of a run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quorate import catalog
from quorate.config import read_config
from quorate.core.record import Record
from quorate.lab.bench.bench import tokens_of
from quorate.lab.bench.cells import Cell, read_cell
from quorate.lab.bench.decisions import BenchOrder, BenchRun, measure
from quorate.lab.bench.seats import MOST_REPLY, Informed
from quorate.lab.bench.tables import Tables, dealt
from quorate.lab.bench.task import Kind
from quorate.lab.bench.tasks import drawn
from quorate.participants.function import FunctionParticipant
from quorate.participants.relay import Relay
from quorate.store.open import open_journal
from quorate.workspace import Workspace
from tests.lab.bench.test_bench_runs import SCRIPT, SMALL, cells_in, order, workspace
from tests.support.convened import Drafted, answers, raised, replies, reviews, votes
from tests.support.provider import Fails, Server, fills_in, form_server

server = pytest.fixture(form_server)


def with_sets(*sets: str) -> Workspace:
    return Workspace(None, read_config([], {}, (*SMALL, *sets), ""), "memory:")


def asking(server: Server, folder: Path, methods: str, **changes: Any) -> BenchOrder:
    """Tasks for a model behind a real server, which is not tried twice."""
    panel = folder.parent / "panel.yaml"
    model = {"model": "openai-compatible:tiny", "base_url": server.url, "price": {"in": 1, "out": 1}, "retries": 0}
    panel.write_text(json.dumps({"default": model}), encoding="utf-8")
    made = order(folder, "arithmetic", methods, simulated=None, panels={"": panel}, count=1)
    return replace(made, **changes)


async def records_in(folder: Path) -> list[Record]:
    journal = open_journal(f"sqlite:{folder / 'sessions.db'}")
    try:
        tables = Tables(workspace(), journal)
        return [await tables.read(listed.id) for listed in await journal.sessions()]
    finally:
        await journal.close()


def last_cells(folder: Path) -> dict[tuple[str, str], Cell]:
    """The cells that count: of one that was run again, the later."""
    lines = [json.loads(line) for line in (folder / "cells.jsonl").read_text(encoding="utf-8").splitlines()]
    done = [read_cell(line["done"]) for line in lines[1:] if "done" in line]
    return {(cell.task, cell.method): cell for cell in done}


# Self-consistency


async def test_a_protocol_that_joins_later_gives_self_consistency_its_tokens(tmp_path: Path) -> None:
    """Five answers against a debate of twenty thousand tokens would be no comparison."""
    await measure(workspace(), order(tmp_path, "arithmetic", "single,sc"))
    found = await measure(workspace(), order(tmp_path, "arithmetic", "single,sc,debate"))
    cells = last_cells(tmp_path)
    for task in drawn([Kind.ARITHMETIC], 2, 1):
        assert cells[task.id, "sc"].matched == cells[task.id, "debate"].tokens
        assert cells[task.id, "sc"].samples > 5
    assert found.figures.matched is not None
    assert {row.tasks for row in found.figures.rows} == {2}, "what was run again counts once"
    before = (tmp_path / "cells.jsonl").read_bytes()
    await measure(workspace(), order(tmp_path, "arithmetic", "single,sc"))
    await measure(workspace(), order(tmp_path, "arithmetic", "single,sc,debate"))
    assert (tmp_path / "cells.jsonl").read_bytes() == before, "and then it is finished"


async def test_samples_that_were_cut_short_are_taken_anew_where_others_are_to_be_taken(tmp_path: Path) -> None:
    await measure(workspace(), order(tmp_path, "arithmetic", "sc", count=1))
    file = tmp_path / "cells.jsonl"
    *before, last = file.read_bytes().splitlines(keepends=True)
    assert b'"method": "sc"' in last
    file.write_bytes(b"".join(before))
    await measure(workspace(), order(tmp_path, "arithmetic", "sc,debate", count=1))
    (sc,) = (cell for (_, method), cell in last_cells(tmp_path).items() if method == "sc")
    assert sc.asks == sc.samples > 5


# Nobody is there


async def test_a_run_that_reaches_nobody_says_so_and_goes_on_when_it_does(tmp_path: Path, server: Server) -> None:
    folder = tmp_path / "out"
    server.will(Fails(500))
    found: BenchRun = await measure(workspace(), asking(server, folder, "single,sc,debate"))
    assert not found.finished
    assert found.unfinished.startswith("in 4 cells nobody could be reached (openai-compatible:tiny")
    assert "500" in found.unfinished
    assert any(note.startswith("4 of all cells are left out") for note in found.notes)
    assert (found.data()["finished"], found.data()["unreached"]) == (False, 4)
    assert "**not finished**: in 4 cells nobody" in (folder / "report.md").read_text(encoding="utf-8")
    server.will(fills_in)
    again = await measure(workspace(), asking(server, folder, "single,sc,debate"))
    assert (again.finished, again.data()["unfinished"], again.figures.unreached) == (True, None, ())
    cells = {method: cell for (_, method), cell in last_cells(folder).items()}
    assert cells["sc"].matched == cells["debate"].tokens > 0
    assert not any(cell.detail for cell in cells.values())


# Costs


async def test_a_cache_does_not_make_a_protocol_cheap(tmp_path: Path, server: Server) -> None:
    cached = with_sets(f"cache={tmp_path / 'replies'}")
    first = await measure(cached, asking(server, tmp_path / "one", "debate"))
    again = await measure(cached, asking(server, tmp_path / "two", "debate"))
    assert first.figures.rows == again.figures.rows
    assert first.figures.rows[0].tokens > 0
    assert not (tmp_path / "replies").exists()


async def test_votes_that_cannot_matter_are_spared_as_in_every_session(tmp_path: Path, server: Server) -> None:
    """C24: two of three that agree decide on what is contested, and nobody calls the third."""
    slow = {"vote": {"reply": votes("SUPPORT")["vote"], "delay": 3}}  # so that the third call goes out on any machine
    said = replies(SA_1={**reviews(raised()), **slow}, SA_2={**answers("DISPUTE"), **slow})
    third = {"SA-3": {"model": "openai-compatible:tiny", "base_url": server.url, "price": {"in": 1, "out": 1}}}
    Drafted(tmp_path).panel({**said, "delay": 0.2}, seats=third)
    (tmp_path / "plain.yaml").write_text("script: said.yaml\n", encoding="utf-8")
    (tmp_path / "said.yaml").write_text(SCRIPT, encoding="utf-8")
    panels = {"council": tmp_path / "panel.yaml", "single": tmp_path / "plain.yaml"}
    whole = order(tmp_path / "some", "rfc", "council", simulated=None, panels=panels, count=1)
    called = []
    for folder, curtail in (("some", "true"), ("all", "false")):
        sets = with_sets("council.depth=COUNCIL", f"curtail={curtail}")
        await measure(sets, replace(whole, folder=tmp_path / folder))
        called.append(sum('"Ballots"' in json.dumps(body["response_format"]) for body in server.bodies))
    assert called == [0, 1]
    (spared,), (asked,) = cells_in(tmp_path / "some").values(), cells_in(tmp_path / "all").values()
    assert (spared.answer, spared.verdict) == (asked.answer, asked.verdict)


async def test_a_reader_is_shown_no_facts_of_a_hidden_profile(tmp_path: Path) -> None:
    await measure(workspace(), order(tmp_path, "profiles", "single,debate", count=1))
    ((task,), records) = drawn([Kind.PROFILES], 1, 1), await records_in(tmp_path)
    fact = task.shares[0].splitlines()[0]
    asked = {record.opening.settings.get("way", "debate"): record.material for record in records}
    assert fact in asked["single"]["question"]
    assert "conclusion" in asked["read"]
    assert fact not in asked["read"]["question"]


def test_of_a_relay_both_know_the_facts_of_the_seat() -> None:
    """It stays a relay, so that the stronger one speaks from its round on here, too."""
    (task,) = drawn([Kind.PROFILES], 1, 1)
    protocol = catalog.build("debate")
    cheap, strong = FunctionParticipant(lambda _: None), FunctionParticipant(lambda _: {})
    seat = protocol.seats[0]
    found = dealt({seat: Relay(cheap, strong, 3)}, protocol, task)[seat]
    assert found == Relay(Informed(cheap, task.shares[0]), Informed(strong, task.shares[0]), 3)


# Limits


@pytest.mark.parametrize("part", [2, 3, 5, 7, 9])
async def test_all_sessions_together_stay_within_the_tokens_of_the_run(part: int, tmp_path: Path) -> None:
    """The reader of a debate's prose included, and all that was dropped on the way."""
    whole = order(tmp_path / "free", "arithmetic", "single,debate")
    free = await measure(workspace(), whole)
    needed = sum(row.tokens for row in free.figures.rows)
    limit = needed * part // 10
    assert not (await measure(workspace(), replace(whole, folder=tmp_path / "cut", tokens=limit))).finished
    assert tokens_of(await records_in(tmp_path / "cut")) <= limit
    more = 0
    while not (
        found := await measure(workspace(), replace(whole, folder=tmp_path / "cut", tokens=limit + more))
    ).finished:
        more += needed
        assert more <= 3 * needed
    assert found.figures.rows == free.figures.rows
    lines = [json.loads(line) for line in (tmp_path / "cut" / "cells.jsonl").read_text().splitlines()[1:]]
    told = sum(line["dropped"]["tokens"] for line in lines if "dropped" in line)
    told += sum(read_cell(line["done"]).tokens for line in lines if "done" in line)
    assert told == tokens_of(await records_in(tmp_path / "cut")), "every token is accounted for"


async def test_a_debate_whose_reader_cannot_be_paid_is_accounted_for(tmp_path: Path) -> None:
    whole = order(tmp_path / "free", "arithmetic", "debate", count=1)
    await measure(workspace(), whole)
    (debate,) = (record for record in await records_in(tmp_path / "free") if record.opening.protocol == "debate")
    limit = tokens_of([debate]) + MOST_REPLY  # which is reserved for a reply, and the reader has a prompt beside it
    assert not (await measure(workspace(), replace(whole, folder=tmp_path / "cut", tokens=limit))).finished
    lines = [json.loads(line) for line in (tmp_path / "cut" / "cells.jsonl").read_text().splitlines()[1:]]
    told = sum(line["dropped"]["tokens"] for line in lines if "dropped" in line)
    assert told == tokens_of(await records_in(tmp_path / "cut")) == tokens_of([debate])


async def test_a_session_that_was_begun_without_a_limit_goes_on_within_it(tmp_path: Path) -> None:
    whole = order(tmp_path, "arithmetic", "debate", count=1)
    await measure(workspace(), whole)
    needed = tokens_of(await records_in(tmp_path))
    file, (task,) = tmp_path / "cells.jsonl", drawn([Kind.ARITHMETIC], 1, 1)
    plan = file.read_bytes().splitlines(keepends=True)[0]
    (tmp_path / "sessions.db").unlink()
    journal = open_journal(f"sqlite:{tmp_path / 'sessions.db'}")
    tables = Tables(workspace(), journal, simulated=whole.simulated)
    session = await tables.open_protocol("debate", {"problem": task.question}, 1, "debate", task)
    await journal.close()
    begun = {"begun": {"task": task.id, "method": "debate", "session": session}}
    file.write_bytes(plan + json.dumps(begun).encode() + b"\n")  # and there it ended
    assert not (await measure(workspace(), replace(whole, tokens=needed // 2))).finished
    assert tokens_of(await records_in(tmp_path)) <= needed // 2
    assert (await measure(workspace(), replace(whole, tokens=10 * needed))).finished


async def test_a_budget_of_every_session_is_not_that_of_the_run(tmp_path: Path) -> None:
    """What a session's own budget ends is an answer like any other, and the run goes on."""
    whole = order(tmp_path, "arithmetic", "single,debate", tokens=10**9)
    found = await measure(with_sets("budget.tokens=4000"), whole)
    assert found.finished
    assert {cell.verdict for (_, method), cell in cells_in(tmp_path).items() if method == "debate"} != {"CONVERGED"}
    assert all(tokens_of([record]) <= 4000 for record in await records_in(tmp_path))
