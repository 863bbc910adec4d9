"""How a model sits the exam: real requests to a server on this machine that judges well, badly or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quorate.core.errors import InputError
from quorate.exam.candidate import REMOTE, Allowance, Examination, ExamOutcome, Halt, ways
from quorate.exam.results import Sitting, keep, kept, latest, of_data, to_data
from quorate.exam.scores import Competence
from quorate.participants.respondent import RemoteRespondent
from quorate.participants.token_odds import NoAnswerError
from tests.support.candidates import PAPERS, candidate_server, judging
from tests.support.provider import Fails, Server, participant

server = pytest.fixture(candidate_server)


async def sit(server: Server, limits: Allowance = REMOTE, *names: str, seed: int = 1) -> ExamOutcome:
    chosen = [paper for name, paper in PAPERS.items() if not names or name in names]
    return await Examination(RemoteRespondent(participant(server)), chosen, seed, limits).run()


async def test_a_model_that_judges_well_is_qualified_for_everything_in_sixty_calls(server: Server) -> None:
    found = await sit(server.will(judging(lambda good: good)))
    assert {each.protocol: each.competence for each in found.scores} == dict.fromkeys(PAPERS, Competence.QUALIFIED)
    assert set(found.halts) == {Halt.DECIDED}
    assert found.calls == len(server.bodies) <= 60
    assert not found.measured
    assert all((each.yes.value, each.brier.value, each.discrimination.value) == (500, 0, 1000) for each in found.scores)


async def test_probabilities_decide_where_the_server_gives_them(server: Server) -> None:
    """It says yes to everything, and is a little surer of it where the text is good."""
    server.will(judging(lambda good: good, odds=0.6))
    found = await sit(server, REMOTE, "workshop")
    (score,) = found.scores
    assert found.measured
    assert (score.right, score.pairs) == (6, 6)
    # 0.6 for good texts and 0.4 for bad ones: squared errors of 0.16
    assert (score.brier.value, score.seen) == (160, 1000)


async def test_a_model_that_prefers_the_bad_one_is_worse_than_chance(server: Server) -> None:
    found = await sit(server.will(judging(lambda good: not good)), REMOTE, "debate")
    assert [each.competence for each in found.scores] == [Competence.WORSE]
    assert found.halts == (Halt.DECIDED,)


async def test_a_model_that_always_agrees_is_as_good_as_a_lot(server: Server) -> None:
    found = await sit(server.will(judging(lambda _: True)), REMOTE, "review")
    (score,) = found.scores
    assert (score.ties, score.yes.value) == (score.pairs, 1000)
    assert score.competence is Competence.UNDECIDED
    assert found.halts == (Halt.CALLS,)
    assert len(server.bodies) <= 60


async def test_drawing_ends_when_the_time_is_used(server: Server) -> None:
    moments = iter(range(0, 100_000, 5))
    limits = Allowance(seconds=300, calls=None, full=True)
    chosen = [PAPERS["review"]]
    who = RemoteRespondent(participant(server.will(judging(lambda _: True))))
    found = await Examination(who, chosen, 1, limits, clock=lambda: float(next(moments))).run()
    assert found.halts == (Halt.TIME,)
    assert 1 <= found.scores[0].pairs < len(PAPERS["review"].items)


async def test_what_could_not_be_asked_is_said(server: Server) -> None:
    found = await sit(server.will(judging(lambda good: good)), replace(REMOTE, calls=5))
    assert len(found.scores) + len(found.unasked) == len(PAPERS)
    assert found.unasked
    assert len(server.bodies) <= 5


async def test_all_items_are_drawn_where_nothing_else_ends_it(server: Server) -> None:
    found = await sit(server.will(judging(lambda _: False)), Allowance(None, None, full=False), "debate")
    assert found.halts in ((Halt.ITEMS,), (Halt.DECIDED,))
    assert found.scores[0].pairs <= len(PAPERS["debate"].items)


async def test_the_same_seed_asks_the_same_questions(server: Server) -> None:
    asked = []
    for seed in (1, 1, 2):
        server.forget()
        await sit(server.will(judging(lambda good: good)), REMOTE, "council", seed=seed)
        asked.append([body["messages"] for body in server.bodies])
    assert asked[0] == asked[1] != asked[2]


async def test_an_error_of_the_server_ends_the_exam(server: Server) -> None:
    with pytest.raises(NoAnswerError, match="403"):
        await sit(server.will(Fails(403, "this key may not")))


def test_a_measurement_has_both_orders_and_the_next_pair_the_next_wordings() -> None:
    paper = PAPERS["review"]
    full = ways(paper, 0, 4)
    assert len(full) == len(set(full)) == 8
    assert set(ways(paper, 1, 4)) == set(full)
    assert ways(paper, 0, 2) + ways(paper, 1, 2) == full
    assert [asking.turned for asking in ways(paper, 3, 1)] == [False, True]
    assert {asking for pair in range(4) for asking in ways(paper, pair, 1)} == set(full)
    assert {ways(paper, pair, 0) for pair in range(8)} == {(asking,) for asking in full}


@pytest.mark.parametrize(("tick", "ways_each"), [pytest.param(0.01, 8, marks=pytest.mark.slow), (0.9, 4), (5, 2)])
async def test_as_many_wordings_are_added_up_as_there_is_time_for(server: Server, tick: float, ways_each: int) -> None:
    """A clock that moves with every question: it shows how long one takes."""
    limits = Allowance(seconds=120, calls=None, full=True)
    chosen = [PAPERS["review"]]
    who = RemoteRespondent(participant(server.will(judging(lambda _: True))))
    clock = lambda: tick * len(server.bodies)  # noqa: E731
    found = await Examination(who, chosen, 1, limits, clock=clock).run()
    assert abs(found.scores[0].askings - ways_each) <= 1
    assert found.seconds <= 120
    assert found.halts == (Halt.ITEMS if tick < 0.1 else Halt.TIME,)


# What is kept


async def test_a_sitting_is_kept_and_found_again(server: Server, tmp_path: Path) -> None:
    found = await sit(server.will(judging(lambda good: good)), REMOTE, "debate")
    sitting = Sitting("local:/models/a b.gguf", "abc", "1-x", "2026-03-01T12:00:00+00:00", 1, found)
    file = keep(sitting, tmp_path)
    assert of_data(json.loads(file.read_text())) == sitting
    later = replace(sitting, at="2026-03-02T12:00:00+00:00")
    keep(later, tmp_path)
    assert kept(tmp_path) == [later, sitting]
    assert latest(sitting.model, "abc", tmp_path, protocol="debate") == later
    assert latest("local:b.gguf", "abc", tmp_path, protocol="debate") == later, "the same weights by another path"
    assert latest(sitting.model, "abc", tmp_path, protocol="review") is None, "its paper was not among them"
    assert later.of("debate") == found.scores[0]
    assert later.of("review") is None
    assert latest(sitting.model, "other weights", tmp_path, protocol="debate") is None
    assert latest(sitting.model, "", tmp_path, protocol="debate") == later
    assert latest("local:other", "", tmp_path, protocol="debate") is None


@pytest.mark.parametrize("text", ["{}", "[]", "nothing", '{"format": 2}', "[" * 50_000])
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(InputError, match=r"m\.json.*not the result of an exam"):
        kept(tmp_path)


def test_nothing_is_kept_anywhere_yet(tmp_path: Path) -> None:
    assert kept(tmp_path / "none") == []


def test_wrong_values_in_a_file_are_refused(tmp_path: Path) -> None:
    outcome = ExamOutcome((), (), (), (), True, 0, 0.0)
    data = to_data(Sitting("m", "", "1", "2026-03-01T12:00:00+00:00", 1, outcome))
    assert of_data(data).outcome == outcome
    changes: tuple[dict[str, Any], ...] = (
        {"at": "yesterday"},
        {"halts": ["because"]},
        {"scores": [{}]},
        {"rates": [{"name": "x"}]},
    )
    for change in changes:
        with pytest.raises((ValueError, TypeError, KeyError)):
            of_data(data | change)
