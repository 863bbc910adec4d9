"""Runs: real sessions of protocols and of the baseline, in a store, once each, within a budget, and gone on with."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from quorate.codec.chain import GENESIS, chain
from quorate.config import read_config
from quorate.core.errors import InputError, QuorateError, SettingError
from quorate.lab.bench.baseline import DEFINITION
from quorate.lab.bench.bench import USUAL_SAMPLES, cost_of
from quorate.lab.bench.cells import Cell, read_cell
from quorate.lab.bench.decisions import BenchOrder, BenchRun, measure
from quorate.lab.bench.methods import Method, read_methods
from quorate.lab.bench.seats import Simulated
from quorate.lab.bench.tables import Tables
from quorate.lab.bench.task import Choice, Kind, plain
from quorate.lab.bench.tasks import drawn, read_kinds
from quorate.store.open import open_journal
from quorate.workspace import Workspace
from tests.cli.shell import SCRIPT as SCRIPTED
from tests.cli.shell import script

SMALL = ("debate.rounds=1", 'debate.agents=["architect","simplicity"]', "debate.summarization.enabled=false")


def workspace() -> Workspace:
    return Workspace(None, read_config([], {}, SMALL, ""), "memory:")


def order(folder: Path, kinds: str, methods: str, accuracy: str = "1", **changes: Any) -> BenchOrder:
    simulated = Simulated(Fraction(accuracy), Fraction(0), 1)
    made = BenchOrder(read_kinds(kinds), 2, read_methods(methods), folder, simulated=simulated)
    return replace(made, **changes)


def cells_in(folder: Path) -> dict[tuple[str, str], Cell]:
    lines = [json.loads(line) for line in (folder / "cells.jsonl").read_text(encoding="utf-8").splitlines()]
    done = [read_cell(line["done"]) for line in lines[1:] if "done" in line]
    assert len({(cell.task, cell.method) for cell in done}) == len(done), "each cell once"
    return {(cell.task, cell.method): cell for cell in done}


@pytest.mark.parametrize("kind", Kind)
async def test_seats_that_are_always_right_are_graded_right_by_every_method(kind: Kind, tmp_path: Path) -> None:
    found = await measure(workspace(), order(tmp_path, kind.value, "single,cot,sc,reask,protocol"))
    assert found.finished
    cells = cells_in(tmp_path)
    assert len(cells) == 10
    assert [cell for cell in cells.values() if not cell.right or cell.grade.false] == []
    assert all(cell.absent == 0 for cell in cells.values())


@pytest.mark.parametrize("kind", [Kind.ARITHMETIC, Kind.PROFILES, Kind.CODE, Kind.SOUND, Kind.RFC])
async def test_seats_that_are_always_wrong_are_graded_wrong_by_every_method(kind: Kind, tmp_path: Path) -> None:
    await measure(workspace(), order(tmp_path, kind.value, "single,cot,sc,reask,protocol", "0"))
    assert [cell for cell in cells_in(tmp_path).values() if cell.right] == []


async def test_self_consistency_gets_the_tokens_of_the_protocol(tmp_path: Path) -> None:
    await measure(workspace(), order(tmp_path, "arithmetic", "debate,sc"))
    cells = cells_in(tmp_path)
    for task in drawn([Kind.ARITHMETIC], 2, 1):
        debate, cot, sc = (cells[task.id, method] for method in ("debate", "cot", "sc"))
        assert sc.matched == debate.tokens
        assert sc.samples == debate.tokens // cot.tokens > 1
        assert sc.asks == sc.samples
        assert sc.tokens <= debate.tokens
        assert debate.tokens - sc.tokens < 2 * cot.tokens
        assert len(debate.sessions) == 2, "the debate, and the reader of its prose"


async def test_without_a_protocol_self_consistency_takes_the_usual_number(tmp_path: Path) -> None:
    found = await measure(workspace(), order(tmp_path, "knights", "sc"))
    assert {cell.samples for cell in cells_in(tmp_path).values() if cell.method == "sc"} == {USUAL_SAMPLES}
    assert any("took five answers" in note for note in found.notes)


async def test_what_is_finished_is_never_run_again(tmp_path: Path) -> None:
    first = await measure(workspace(), order(tmp_path, "arithmetic", "single,reask,debate", "7/10"))
    before = (tmp_path / "cells.jsonl").read_bytes()
    again = await measure(workspace(), order(tmp_path, "arithmetic", "single,reask,debate", "7/10"))
    assert (tmp_path / "cells.jsonl").read_bytes() == before
    assert again.data() == first.data()
    more = await measure(workspace(), order(tmp_path, "arithmetic", "single,reask,debate", "7/10", count=3))
    assert (tmp_path / "cells.jsonl").read_bytes().startswith(before)
    assert {row.tasks for row in more.figures.rows} == {3}


async def test_a_cell_that_was_cut_short_goes_on_in_its_session(tmp_path: Path) -> None:
    """The process ends while it writes that the cell is done; nothing that was said is asked for again."""
    await measure(workspace(), order(tmp_path, "arithmetic", "debate", count=1))
    (cell,) = cells_in(tmp_path).values()
    lengths, file = await _lengths(tmp_path), tmp_path / "cells.jsonl"
    *before, last = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(before) + last[:40])
    await measure(workspace(), order(tmp_path, "arithmetic", "debate", count=1))
    assert list(cells_in(tmp_path).values()) == [cell]
    assert await _lengths(tmp_path) == lengths
    file.write_bytes(b"".join(before[:2]))  # it ended before the reader's session was noted
    await measure(workspace(), order(tmp_path, "arithmetic", "debate", count=1))
    (later,) = cells_in(tmp_path).values()
    assert later.sessions[0] == cell.sessions[0]
    assert later.answer == cell.answer
    assert len(await _lengths(tmp_path)) == 3, "the reader alone was asked again"


async def _lengths(folder: Path) -> dict[str, int]:
    journal = open_journal(f"sqlite:{folder / 'sessions.db'}")
    try:
        return {listed.id: listed.last for listed in await journal.sessions()}
    finally:
        await journal.close()


async def test_every_session_is_sealed_and_its_cost_is_that_of_the_cell(tmp_path: Path) -> None:
    await measure(workspace(), order(tmp_path, "knights", "single,reask,debate", count=1))
    journal = open_journal(f"sqlite:{tmp_path / 'sessions.db'}")
    tables = Tables(workspace(), journal)
    try:
        for cell in cells_in(tmp_path).values():
            records = []
            for session in cell.sessions:
                hash_ = GENESIS
                for entry in await journal.entries(session):
                    hash_ = chain(hash_, entry.body)
                    assert entry.hash == hash_
                records.append(await tables.read(session))
            assert cost_of(records) == (cell.tokens_in, cell.tokens_out, cell.cost)
            told = DEFINITION.result(records[-1])
            assert (told["verdict"], told["answer"]) == ("ANSWERED", plain(cell.answer))
    finally:
        await journal.close()


async def test_a_run_stays_within_its_tokens_and_goes_on_with_more(tmp_path: Path) -> None:
    whole = order(tmp_path, "arithmetic", "single,debate", count=3)
    free = await measure(workspace(), replace(whole, folder=tmp_path / "free"))
    needed = sum(row.tokens for row in free.figures.rows)
    limit = needed // 2
    found = await measure(workspace(), replace(whole, tokens=limit))
    assert not found.finished
    spent = sum(cell.tokens for cell in cells_in(tmp_path).values())
    lines = [json.loads(line) for line in (tmp_path / "cells.jsonl").read_text(encoding="utf-8").splitlines()[1:]]
    dropped = sum(line["dropped"]["tokens"] for line in lines if "dropped" in line)
    assert 0 < spent + dropped <= limit
    assert "not finished" in (tmp_path / "report.md").read_text(encoding="utf-8")
    rest = await measure(workspace(), replace(whole, tokens=None))
    assert rest.finished
    assert rest.figures.rows == free.figures.rows


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"seed": 2}, "seed: is 2"),
        ({"simulated": Simulated(Fraction(1, 2), Fraction(0), 1)}, "panel: is"),
    ],
)
async def test_another_seed_or_panel_does_not_mix(changes: dict[str, Any], says: str, tmp_path: Path) -> None:
    await measure(workspace(), order(tmp_path, "arithmetic", "single"))
    with pytest.raises(SettingError, match=says):
        await measure(workspace(), order(tmp_path, "arithmetic", "single", **changes))


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"done": {}}', '{"x": {"task": "a", "method": "b"}}', '{"done": 1, "begun": 2}', "\ud7ff" * 10]
)
async def test_a_damaged_file_of_cells_is_refused_with_its_line(line: str, tmp_path: Path) -> None:
    await measure(workspace(), order(tmp_path, "arithmetic", "single"))
    with (tmp_path / "cells.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(InputError, match=r"cells\.jsonl:6: is not a line of a bench"):
        await measure(workspace(), order(tmp_path, "arithmetic", "single"))


@pytest.mark.parametrize("kept", [0, 5, 40])
async def test_a_first_line_that_a_crash_tore_is_written_anew(kept: int, tmp_path: Path) -> None:
    await measure(workspace(), order(tmp_path, "arithmetic", "single"))
    file = tmp_path / "cells.jsonl"
    file.write_bytes(file.read_bytes()[:kept])
    for _ in range(2):
        assert (await measure(workspace(), order(tmp_path, "arithmetic", "single"))).finished
    assert len(cells_in(tmp_path)) == 2


async def test_a_run_that_never_began_may_be_planned_anew(tmp_path: Path) -> None:
    """Whoever has mistaken a setting, or lacks a key, mends it and uses the same folder."""
    wrong = Workspace(None, read_config([], {}, ["debate.rounds=999"], ""), "memory:")
    with pytest.raises(SettingError, match="rounds"):
        await measure(wrong, order(tmp_path, "arithmetic", "debate"))
    assert (await measure(workspace(), order(tmp_path, "arithmetic", "single"))).finished
    with pytest.raises(SettingError, match="settings: is"):
        await measure(wrong, order(tmp_path, "arithmetic", "single"))


@pytest.mark.parametrize("text", ["not ours", '{"format": "quorate-bench/2", "plan": {}}\n', "[]\n"])
async def test_a_file_that_is_not_ours_is_left_as_it_is(text: str, tmp_path: Path) -> None:
    (tmp_path / "cells.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"cells\.jsonl"):
        await measure(workspace(), order(tmp_path, "arithmetic", "single"))
    assert (tmp_path / "cells.jsonl").read_text(encoding="utf-8") == text


async def test_nobody_decides_by_default(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="no participants are given"):
        await measure(workspace(), order(tmp_path, "arithmetic", "single", simulated=None))


async def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    first = asyncio.create_task(measure(workspace(), order(tmp_path, "arithmetic", "debate")))
    await asyncio.sleep(0)
    with pytest.raises(QuorateError, match="another process"):
        await measure(workspace(), order(tmp_path, "arithmetic", "debate"))
    assert (await first).finished


SCRIPT = """\
seats:
  answerer:
    answer: {option: A}
    think: {reasons: so it seems, option: A}
    again: {reasons: so it still seems, option: undecided}
"""


async def test_a_scripted_panel_sits_on_the_seat_of_the_baseline(tmp_path: Path) -> None:
    (tmp_path / "replies.yaml").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "panel.yaml").write_text("script: replies.yaml\n", encoding="utf-8")
    panels = {"": tmp_path / "panel.yaml"}
    whole = order(tmp_path / "out", "knights", "single,reask", simulated=None, panels=panels, count=6)
    found = await measure(workspace(), whole)
    rights = sum(task.truth.option == "A" for task in drawn([Kind.KNIGHTS], 6, 1))  # type: ignore[union-attr]
    rows = {row.method: row for row in found.figures.rows}
    assert rows["single"].right == rights
    assert rows["reask"].right == 0
    assert found.figures.again is not None
    assert found.figures.again.harmful == rights
    assert not any("simulated" in note or "smoke" in note for note in found.notes)


async def test_a_protocol_has_a_panel_of_its_own_and_its_reader_that_of_single_calls(tmp_path: Path) -> None:
    """The scripted judge says A, and the scripted reader writes down what is scripted for it."""
    (tmp_path / "plain.yaml").write_text("script: replies.yaml\n", encoding="utf-8")
    (tmp_path / "replies.yaml").write_text(f"{SCRIPT}    read: {{option: A}}\n", encoding="utf-8")
    (tmp_path / "debate.yaml").write_text("script: said.yaml\n", encoding="utf-8")
    said = script(judge={"synthesize": {**SCRIPTED["seats"]["judge"]["synthesize"], "solution": "It is A."}})
    said["seats"].pop("security")  # it has no seat in a debate with the usual agents
    (tmp_path / "said.yaml").write_text(json.dumps(said), encoding="utf-8")
    panels = {"single": tmp_path / "plain.yaml", "debate": tmp_path / "debate.yaml"}
    whole = order(tmp_path / "out", "knights", "single,debate", simulated=None, panels=panels)
    await measure(workspace(), whole)
    cells = cells_in(tmp_path / "out")
    assert {cell.answer for cell in cells.values()} == {Choice("A")}
    assert all(cell.absent == 0 for cell in cells.values())
    with pytest.raises(SettingError, match="has no participants for cot"):
        await measure(workspace(), replace(whole, methods=read_methods("cot,debate"), folder=tmp_path / "other"))


def test_methods_run_protocols_first_and_self_consistency_last() -> None:
    names = [method.name for method in read_methods("sc,single,debate")]
    assert names == ["debate", "cot", "single", "sc"]
    code, question = drawn([Kind.CODE], 1, 1)[0], drawn([Kind.KNIGHTS], 1, 1)[0]
    assert Method("review").fits(code)
    assert not Method("review").fits(question)
    assert Method("debate").fits(code)
    assert [Method("protocol").protocol(task) for task in (code, question)] == ["review", "debate"]
    with pytest.raises(SettingError, match="did you mean 'debate'"):
        read_methods("debatte")


@pytest.mark.slow
async def test_figures_agree_with_what_is_known_of_simulated_seats(tmp_path: Path) -> None:
    """A single call is right with 0.7, a vote of five independent answers with 0.8369 (Condorcet); four errors."""
    found = await measure(workspace(), order(tmp_path, "arithmetic,knights", "single,sc", "7/10", count=100))
    every = {row.method: row for row in found.figures.of("all")}
    assert every["single"].tasks == every["sc"].tasks == 200
    assert abs(every["single"].right / 200 - 0.7) < 4 * (0.21 / 200) ** 0.5
    # Wrong answers differ among each other, so a plurality is at least as good as a majority of five.
    assert every["sc"].right / 200 > 0.83692 - 4 * (0.1365 / 200) ** 0.5
    low, high = every["single"].interval
    assert low < 0.7 < high


@pytest.mark.slow
@pytest.mark.model
async def test_the_embedded_model_runs_as_a_smoke_test_and_says_so(tmp_path: Path) -> None:
    whole = order(tmp_path, "arithmetic,knights", "single,reask", simulated=None, model="local:smollm2", count=1)
    found: BenchRun = await measure(workspace(), whole)
    assert found.finished
    assert found.notes[0].startswith("a smoke test")
    assert all(cell.tokens > 0 for cell in cells_in(tmp_path).values())
    assert "smoke test" in (tmp_path / "report.md").read_text(encoding="utf-8")
