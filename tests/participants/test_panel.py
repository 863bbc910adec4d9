"""Panels: a file says who sits where; what it cannot mean is refused with its place, and nothing is started."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped,unused-ignore]
import pytest

from quorate.core.errors import InputError, SettingError
from quorate.core.forms import Prose, Reply
from quorate.core.types import Seat
from quorate.files.yaml import load
from quorate.participants.check import Check
from quorate.participants.local import LocalModel
from quorate.participants.model import ModelParticipant, Output
from quorate.participants.panel import Panel, load_panel, panel_schema
from quorate.participants.person import Person
from quorate.participants.port import Participant, Request
from quorate.participants.prices import Price
from quorate.participants.script import ScriptParticipant
from quorate.protocols.debate.rules.model import Evaluation
from tests.support.debating import debate

SEATS = ("architect", "security", "judge", "person")
PANEL = """\
default: groq:llama-3.3-70b-versatile
seats:
  judge: anthropic:claude-sonnet-5
  architect:
    model: openai:gpt-5
    temperature: 0.3
    max_tokens: 2000
    timeout: 60
    output: tool
    stream: false
    retries: 2
    window: 100000
    length: 3000
    price: {in: 1.25, out: 10}
  security: {model: "openai-compatible:qwen3:0.6b", base_url: "http://localhost:8080/v1"}
concurrency: {openai: 8}
"""
SCRIPT = """\
seats:
  architect: {"*": {absent: silent}}
  security: {"*": {absent: failed}}
  judge: {"*": {absent: refused}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "replies.yaml").write_text(SCRIPT)
    return tmp_path


def panel(folder: Path, text: str, seats: tuple[str, ...] = SEATS, **more: Any) -> Panel:
    path = folder / "panel.yaml"
    path.write_text(text)
    return load_panel(path, seats, env={}, **more)


def model_of(found: Panel, seat: str) -> ModelParticipant:
    participant = found[Seat(seat)]
    assert isinstance(participant, ModelParticipant)
    return participant


# Who sits where


def test_seats_and_options(folder: Path) -> None:
    found = panel(folder, PANEL, (*SEATS, "testing"))
    assert found.describe() == {
        "architect": "openai:gpt-5",
        "security": "openai-compatible:qwen3:0.6b@http://localhost:8080/v1",
        "judge": "anthropic:claude-sonnet-5",
        "person": "person",
        "testing": "groq:llama-3.3-70b-versatile",
    }
    architect = model_of(found, "architect")
    assert (architect.temperature, architect.max_tokens, architect.timeout) == (0.3, 2000, 60)
    assert (architect.output, architect.stream, architect.retries) == (Output.TOOL, False, 2)
    assert (architect.window, architect.length, architect.own_price) == (100_000, 3000, Price(1.25, 10))
    assert (architect.concurrency, model_of(found, "judge").concurrency) == (8, 4)
    assert isinstance(found[Seat("person")], Person)


def test_without_a_panel_the_embedded_model_sits_on_every_model_seat() -> None:
    found = load_panel(None, SEATS, env={})
    assert isinstance(found[Seat("judge")], LocalModel)
    assert found.describe()["judge"] == "local:smollm2"
    assert found[Seat("judge")] is found[Seat("architect")]
    assert isinstance(found[Seat("person")], Person)


def test_the_model_that_is_asked_for_takes_the_place_of_the_default(folder: Path) -> None:
    found = panel(folder, PANEL, (*SEATS, "testing"), model="mistral:mistral-large-latest").describe()
    assert found["testing"] == "mistral:mistral-large-latest"
    assert found["judge"] == "anthropic:claude-sonnet-5"
    assert found["person"] == "person"
    only = load_panel(None, SEATS, model="ollama:qwen3", env={}).describe()
    assert only["judge"] == only["architect"] == "ollama:qwen3"


def test_a_mapping_is_a_panel_too(folder: Path) -> None:
    found = load_panel({"default": "ollama:qwen3", "seats": {"judge": "script:replies.yaml"}}, SEATS, folder=folder)
    assert found.describe()["judge"] == "script:replies.yaml"


def test_an_empty_file_is_the_default_panel(folder: Path) -> None:
    assert panel(folder, "# nothing yet\n").describe()["judge"] == "local:smollm2"


def test_a_script_for_the_whole_panel(folder: Path) -> None:
    found = panel(folder, "script: replies.yaml\n")
    assert [type(each) for each in found.values()] == [ScriptParticipant] * 3 + [Person]
    assert found[Seat("judge")] is found[Seat("architect")]
    (folder / "replies.yaml").write_text('seats: {"*": {"*": {absent: silent}}}')
    assert isinstance(panel(folder, "script: replies.yaml\n")[Seat("person")], Person)
    (folder / "replies.yaml").write_text('seats: {person: {answer: {absent: silent}}, "*": {}}')
    assert isinstance(panel(folder, "script: replies.yaml\n")[Seat("person")], ScriptParticipant)


def test_a_script_for_one_seat_in_both_spellings(folder: Path) -> None:
    text = "default: ollama:x\nseats:\n  judge: {script: replies.yaml}\n  security: script:replies.yaml\n"
    found = panel(folder, text)
    assert isinstance(found[Seat("judge")], ScriptParticipant)
    assert found[Seat("judge")] is found[Seat("security")]
    assert found.describe()["architect"] == "ollama:x"


def test_a_seat_that_the_script_leaves_out_needs_a_default(folder: Path) -> None:
    seats = (*SEATS, "testing")
    with pytest.raises(InputError) as caught:
        panel(folder, "script: replies.yaml\n", seats)
    assert (caught.value.line, caught.value.key) == (1, "script")
    assert "has replies for architect, security, judge, but none for the seat testing" in str(caught.value)
    found = panel(folder, "default: ollama:x\nscript: replies.yaml\n", seats)
    assert found.describe()["testing"] == "ollama:x"


def test_checks_and_people_keep_their_seats_unless_they_are_named() -> None:
    def count(_: Request) -> Reply:
        return Evaluation(Prose("counted"), 1)

    own: dict[str, Participant] = {"clerk": Check(count, "clerk"), "human": Person("human")}
    found = load_panel({"default": "ollama:x", "seats": {"human": "ollama:y"}}, ("clerk", "human"), defaults=own)
    assert found.describe() == {"clerk": "clerk", "human": "ollama:y"}


def test_a_model_may_sit_on_the_persons_seat_where_it_is_named() -> None:
    assert (
        load_panel({"seats": {"person": "ollama:x"}, "default": "ollama:y"}, SEATS).describe()["person"] == "ollama:x"
    )


# What is refused


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        ("defaults: x\n", 1, "defaults", "unknown key 'defaults'; expected one of default, seats"),
        ("seats:\n  jugde: ollama:x\n", 2, "seats.jugde", "unknown seat 'jugde'"),
        ("seats:\n  jugde: ollama:x\n", 2, "seats.jugde", "did you mean 'judge'?"),
        ("default: openia:gpt-5\n", 1, "default", "unknown provider 'openia'"),
        ("default: openia:gpt-5\n", 1, "default", "did you mean 'openai'?"),
        ("default: loca:smollm2\n", 1, "default", "did you mean 'local'?"),
        ("default: gpt-5\n", 1, "default", "expected provider:name"),
        ("default: 'openai:'\n", 1, "default", "is not a model"),
        ("default: 5\n", 1, "default", "expected a mapping with model"),
        ("default: local:smollm3\n", 1, "default", "did you mean 'smollm2'?"),
        ("default: local:/no/such.gguf\n", 1, "default", "/no/such.gguf"),
        ("default: openai-compatible:x\n", 1, "default", "has no address"),
        ("default: openai-compatible:x@http://\n", 1, "default", "is not an address"),
        ("default: openai-compatible:x@http://me:secret@host/v1\n", 1, "default", "put keys into the environment"),
        ("seats:\n  judge: {temperature: 1}\n", 2, "seats.judge", "either `model` or `script`"),
        ("seats:\n  judge: {model: ollama:x, temprature: 1}\n", 2, "seats.judge.temprature", "'temperature'"),
        ("seats:\n  judge: {model: ollama:x, temperature: 3}\n", 2, "seats.judge.temperature", "from 0 to 2"),
        ("seats:\n  judge: {model: ollama:x, max_tokens: 1.5}\n", 2, "seats.judge.max_tokens", "a whole number"),
        ("seats:\n  judge: {model: ollama:x, output: natve}\n", 2, "seats.judge.output", "did you mean 'native'?"),
        ("seats:\n  judge: {model: ollama:x, stream: 1}\n", 2, "seats.judge.stream", "true or false"),
        ("seats:\n  judge: {model: ollama:x, base_url: localhost}\n", 2, "seats.judge.base_url", "is not an address"),
        ("seats:\n  judge: {model: ollama:x, price: {in: 1}}\n", 2, "seats.judge.price", "both `in` and `out`"),
        ("seats:\n  judge: {model: local:smollm2, output: tool}\n", 2, "seats.judge.output", "embedded model"),
        ("seats:\n  judge: {model: person, timeout: 5}\n", 2, "seats.judge.timeout", "is not an option of a person"),
        ("seats:\n  judge: {script: replies.yaml, timeout: 5}\n", 2, "seats.judge.timeout", "unknown key 'timeout'"),
        ("seats:\n  judge: script:nothing.yaml\n", 2, "seats.judge", "nothing.yaml does not exist"),
        ("script: nothing.yaml\n", 1, "script", "nothing.yaml does not exist"),
        ("concurrency: {opanai: 4}\n", 1, "concurrency.opanai", "did you mean 'openai'?"),
        ("concurrency: {openai: 0}\n", 1, "concurrency.openai", "from 1 to 1000"),
        ("seats:\n  judge: a\n  judge: b\n", 3, "seats.judge", "a second time"),
        ("- a\n", 1, None, "expected a mapping with default"),
    ],
)
def test_a_panel_that_cannot_be_used_names_the_place(
    folder: Path, text: str, line: int, key: str | None, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        panel(folder, text)
    error = caught.value
    assert (error.file, error.line, error.key) == (str(folder / "panel.yaml"), line, key)
    assert words in str(error)


def test_a_broken_script_names_its_own_file(folder: Path) -> None:
    (folder / "replies.yaml").write_text("seats:\n  judge:\n    evaluate: {absent: never}\n")
    with pytest.raises(InputError) as caught:
        panel(folder, "script: replies.yaml\n")
    assert (caught.value.file, caught.value.line) == (str(folder / "replies.yaml"), 3)


def test_a_missing_panel_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        load_panel(tmp_path / "none.yaml", SEATS)


def test_an_unusable_model_from_the_command_line_is_refused() -> None:
    with pytest.raises(SettingError, match=r"^model: 'opnai:gpt-5': unknown provider 'opnai'.*did you mean 'openai'"):
        load_panel(None, SEATS, model="opnai:gpt-5")


def test_scripts_are_checked_against_the_protocol(folder: Path) -> None:
    protocol = debate(agents=["architect", "security"])
    panel(folder, "script: replies.yaml\n").check(protocol)
    (folder / "replies.yaml").write_text(SCRIPT + '  "*": {propose: {reasons: r, text: t}}\n')
    with pytest.raises(InputError) as caught:
        panel(folder, "script: replies.yaml\n").check(protocol)
    assert (caught.value.line, caught.value.nearest) == (5, "reasoning")


# Keys


def test_missing_keys_are_no_error_until_somebody_looks(folder: Path) -> None:
    path = folder / "panel.yaml"
    path.write_text(PANEL)
    problems = load_panel(path, (*SEATS, "testing", "more"), env={}).problems()
    assert problems == [
        "openai:gpt-5 needs a key: set OPENAI_API_KEY in the environment",
        "anthropic:claude-sonnet-5 needs a key: set ANTHROPIC_API_KEY in the environment",
        "groq:llama-3.3-70b-versatile needs a key: set GROQ_API_KEY in the environment",
    ]
    env = {"OPENAI_API_KEY": "a", "ANTHROPIC_API_KEY": "b", "GROQ_API_KEY": "c"}
    assert load_panel(path, SEATS, env=env).problems() == []


def test_a_key_is_never_shown(folder: Path) -> None:
    path = folder / "panel.yaml"
    path.write_text(PANEL)
    found = load_panel(path, SEATS, env={"OPENAI_API_KEY": "sk-very-secret"})
    assert "sk-very-secret" not in repr(found)
    assert "sk-very-secret" not in str(found.describe()) + str(found.problems())


# For editors


def test_the_schema_takes_what_the_reader_takes() -> None:
    jsonschema.Draft202012Validator.check_schema(panel_schema(SEATS))
    for schema in (panel_schema(), panel_schema(SEATS)):
        jsonschema.validate(load(PANEL, "p").plain(), schema)
        jsonschema.validate({"script": "replies.yaml", "seats": {"judge": {"script": "x.yaml"}}}, schema)


@pytest.mark.parametrize(
    "text",
    [
        "defaults: x",
        "seats: {jugde: ollama:x}",
        "default: gpt-5",
        "seats: {judge: {temperature: 1}}",
        "seats: {judge: {model: ollama:x, temprature: 1}}",
        "seats: {judge: {model: ollama:x, output: natve}}",
        "concurrency: {opanai: 4}",
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(folder: Path, text: str) -> None:
    with pytest.raises(InputError):
        panel(folder, text)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(load(text, "p").plain(), panel_schema(SEATS))


def test_shipped_panels_are_valid() -> None:
    examples = Path(__file__).parents[2] / "examples"
    panels = [path for path in examples.rglob("*.yaml") if "panel" in path.stem]
    assert panels
    for path in panels:
        jsonschema.validate(load(path).plain(), panel_schema())
        assert load(path).value
