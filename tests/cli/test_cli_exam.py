"""`quorate exam`: a model sits down, the result is printed and kept, and `doctor` knows it."""

from __future__ import annotations

import json

import pytest

from tests.cli.shell import Shell, lines
from tests.support.candidates import candidate_server, judging
from tests.support.provider import Fails, Server

server = pytest.fixture(candidate_server)


def panel_name(server: Server) -> str:
    return f"openai-compatible:tiny@{server.url}"


def test_a_server_sits_the_exam_and_doctor_says_how_it_did(shell: Shell, server: Server) -> None:
    name = panel_name(server.will(judging(lambda good: good, odds=0.8)))
    assert "No model has sat the exam yet" in shell.call("exam", "--list").out
    told = shell.call("exam", name)
    assert told.code == 0, told.err
    assert lines(told.out, ["measured by token probabilities"])
    assert lines(told.out, ["version tiny-2026"])
    assert lines(told.out, ["review", "6 of 6", "100 % (54 to 100)", "1.00 (0.61 to 1.00)"])
    assert lines(told.out, ["review: qualified", "Drawing ended because the interval left chance."])
    assert lines(told.out, ["quote", "0 of 3"])
    assert len(server.bodies) <= 60
    listed = shell.call("exam", "--list")
    assert lines(listed.out, [name, "debate qualified (6 of 6 pairs)"])
    (kept,) = shell.call("exam", "--list", "--json").json()
    assert (kept["model"], kept["version"], kept["seed"]) == (name, "tiny-2026", 1)
    (shell.folder / "panel.yaml").write_text(json.dumps({"default": name}))
    assert lines(shell.call("doctor").out, [f"exam of {name}", "review qualified (6 of 6 pairs)"])


def test_without_probabilities_what_it_says_counts(shell: Shell, server: Server) -> None:
    name = panel_name(server.will(judging(lambda _: True)))
    told = shell.call("exam", name, "--protocol", "debate", "--calls", "20", "--json").json()
    (score,) = told["scores"]
    assert (told["measured"], score["competence"], score["ties"]) == (False, "not told apart from chance", 8)
    assert told["calls"] <= 20


def test_who_never_sat_it_is_unexamined(shell: Shell, server: Server) -> None:
    name = panel_name(server.will(judging(lambda _: True)))
    (shell.folder / "panel.yaml").write_text(json.dumps({"default": name}))
    assert lines(shell.call("doctor").out, ["-", f"exam of {name}", "has not sat the exam", f"quorate exam {name}"])


def test_doctor_lets_whoever_is_unexamined_sit_it_once(shell: Shell, server: Server) -> None:
    name = panel_name(server.will(judging(lambda good: good, odds=0.8)))
    (shell.folder / "panel.yaml").write_text(json.dumps({"default": name}))
    assert lines(shell.call("doctor", "--exam").out, [f"exam of {name}", "review qualified (6 of 6 pairs)"])
    asked = len(server.bodies)
    assert lines(shell.call("doctor", "--exam").out, [f"exam of {name}", "review qualified (6 of 6 pairs)"])
    assert len(server.bodies) < asked + 20, "the second time only the greeting and its repairs"


def test_doctor_says_why_an_exam_came_to_nothing(shell: Shell, server: Server) -> None:
    name = panel_name(server.will(Fails(401, "no such key")))
    (shell.folder / "panel.yaml").write_text(json.dumps({"default": name}))
    assert lines(shell.call("doctor", "--exam").out, ["FAILED", f"exam of {name}", "401: no such key"])


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("local:smollm", "did you mean 'smollm2'"),
        ("opnai:gpt-5", "did you mean 'openai'"),
        ("person", "is not a model"),
        ("gpt-5", "model"),
        ("local:missing/model.gguf", "does not exist"),
        ("openai-compatible:tiny", "has no address"),
    ],
)
def test_a_name_that_is_no_model_is_refused(shell: Shell, model: str, says: str) -> None:
    ran = shell.call("exam", model)
    assert (ran.code, says in ran.err) == (64, True), ran.err


def test_other_wrong_requests_are_refused(shell: Shell) -> None:
    assert shell.call("exam").code == 64
    assert shell.call("exam", "local:smollm2", "--list").code == 64
    assert "did you mean 'review'" in shell.call("exam", "openai:gpt-5", "--protocol", "reveiw").err
    assert "OPENAI_API_KEY" in shell.call("exam", "openai:gpt-5").err


def test_an_error_of_the_server_is_told_and_nothing_is_kept(shell: Shell, server: Server) -> None:
    ran = shell.call("exam", panel_name(server.will(Fails(503, "overloaded"))))
    assert ran.code == 70
    assert "503: overloaded" in ran.err
    assert shell.call("exam", "--list", "--json").json() == []


def test_a_damaged_result_is_named(shell: Shell, server: Server) -> None:
    name = panel_name(server.will(judging(lambda good: good)))
    assert shell.call("exam", name, "--protocol", "debate").code == 0
    (file,) = (shell.folder / "quorate/exams").glob("*.json")
    file.write_text("{}")
    assert shell.call("exam", "--list").code == 65
    (shell.folder / "panel.yaml").write_text(json.dumps({"default": name}))
    assert lines(shell.call("doctor").out, ["FAILED", "exam of", "is not the result of an exam"])


@pytest.mark.model
def test_the_embedded_model_sits_a_part_of_it(shell: Shell) -> None:
    told = shell.call("exam", "local:smollm2", "--protocol", "debate", "--seconds", "8", "--json")
    assert told.code == 0, told.err
    found = told.json()
    assert found["measured"]
    assert len(found["version"]) == 64
    assert [each["protocol"] for each in found["scores"]] + found["unasked"] == ["debate"]
    for score, halt in zip(found["scores"], found["halts"], strict=True):
        assert score["pairs"] >= 1
        assert score["seen"] > 0
        assert score["accuracy"]["low"] <= score["accuracy"]["value"] <= score["accuracy"]["high"]
        assert halt in ("the time was used up", "the interval left chance", "all items were drawn")
    assert shell.call("exam", "--list").out.count("local:smollm2") == 1
