"""A relay: who speaks follows from the round, and a worst case counts with the worse of the two."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from quorate.core.errors import InputError
from quorate.participants.model import ModelParticipant
from quorate.participants.panel import Panel, load_panel, panel_schema
from quorate.participants.port import those_behind
from quorate.participants.relay import Relay
from quorate.participants.script import ScriptParticipant

SEATS = ("architect", "judge")
CHEAP, STRONG = "openai-compatible:small@http://localhost:1/v1", "openai-compatible:large@http://localhost:1/v1"


def panel(text: str, folder: Path) -> Panel:
    (folder / "panel.yaml").write_text(text)
    (folder / "replies.yaml").write_text("seats:\n  '*':\n    judge: {text: x}\n")
    return load_panel(folder / "panel.yaml", SEATS, env={})


def relay(text: str, folder: Path) -> Relay:
    found = panel(f"default: {text}\n", folder)["judge"]  # type: ignore[index]
    assert isinstance(found, Relay)
    return found


def test_the_first_speaks_in_round_1_and_the_stronger_one_from_round_2_on(tmp_path: Path) -> None:
    found = relay(f"{{model: '{CHEAP}', stronger: '{STRONG}'}}", tmp_path)
    assert [found.in_round(number).name for number in (1, 2, 3)] == [CHEAP, STRONG, STRONG]
    assert found.name == f"{CHEAP}, from round 2 {STRONG}"
    assert [each.name for each in those_behind(found)] == [CHEAP, STRONG]


def test_the_round_and_the_options_of_either_can_be_said(tmp_path: Path) -> None:
    text = f"{{model: '{CHEAP}', max_tokens: 500, stronger: {{model: '{STRONG}', max_tokens: 9000, from_round: 3}}}}"
    found = relay(text, tmp_path)
    assert [found.in_round(number).name for number in (2, 3)] == [CHEAP, STRONG]
    first, stronger = found.first, found.stronger
    assert isinstance(first, ModelParticipant)
    assert isinstance(stronger, ModelParticipant)
    assert (first.max_tokens, stronger.max_tokens) == (500, 9000)


def test_a_worst_case_is_the_worse_of_the_two(tmp_path: Path) -> None:
    text = (
        f"{{model: '{CHEAP}', max_tokens: 500, price: {{in: 1, out: 2}}, window: 8000, "
        f"stronger: {{model: '{STRONG}', max_tokens: 9000, price: {{in: 10, out: 20}}, window: 4000}}}}"
    )
    found = relay(text, tmp_path)
    assert found.most_tokens(100, 0) == found.stronger.most_tokens(100, 0) == 9100
    assert found.price(1000, 1000) == found.stronger.price(1000, 1000) == 30_000
    assert found.window == 8000
    free = relay(f"{{model: '{CHEAP}', stronger: 'openai:some-model-nobody-knows'}}", tmp_path)
    assert free.price(1000, 1000) is None, "a price that is not known is not taken for nothing"


def test_scripts_may_stand_in_for_both(tmp_path: Path) -> None:
    found = relay("{script: replies.yaml, stronger: 'script:replies.yaml'}", tmp_path)
    assert all(isinstance(each, ScriptParticipant) for each in those_behind(found))


def test_what_is_missing_for_either_is_told(tmp_path: Path) -> None:
    found = panel("default: {model: 'openai:gpt-5-mini', stronger: 'anthropic:claude-opus-4-1'}\n", tmp_path)
    told = " ".join(found.problems())
    assert "OPENAI_API_KEY" in told
    assert "ANTHROPIC_API_KEY" in told


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("{model: person, stronger: 'openai:gpt-5'}", "default.stronger", "has a person in a relay"),
        ("{model: 'openai:gpt-5', stronger: person}", "default.stronger", "has a person in a relay"),
        ("{model: 'openai:gpt-5', stronger: {from_round: 3}}", "default.stronger", "does not say who takes this seat"),
        ("{model: 'openai:gpt-5', stronger: 'opnai:gpt-5'}", "default.stronger", "unknown provider"),
        ("{model: 'openai:gpt-5', stronger: [a]}", "default.stronger", ""),
        ("{model: 'openai:gpt-5', from_round: 3}", "default.from_round", "unknown"),
        ("{stronger: 'openai:gpt-5'}", "default", "does not say who takes this seat"),
        ("{model: 'openai:gpt-5', stronger: {model: 'openai:o', from_round: 1}}", "default.stronger.from_round", ""),
        (
            "{model: 'openai:gpt-5', stronger: {model: 'openai:o', stronger: 'openai:p'}}",
            "default.stronger.stronger",
            "unknown",
        ),
        ("{script: replies.yaml, stronger: 'openai:o', timeout: 5}", "default.timeout", "unknown"),
    ],
)
def test_a_relay_that_cannot_be_used_names_the_place(text: str, key: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        panel(f"default: {text}\n", tmp_path)
    assert caught.value.key == key
    assert words in str(caught.value)


def test_the_schema_takes_what_the_loader_takes() -> None:
    validator = Draft202012Validator(panel_schema(SEATS))
    good = {"model": CHEAP, "stronger": {"model": STRONG, "from_round": 3, "max_tokens": 100}}
    assert validator.is_valid({"default": good, "seats": {"judge": {"model": CHEAP, "stronger": STRONG}}})
    for bad in (
        {"model": CHEAP, "stronger": {"model": STRONG, "from_round": 1}},
        {"model": CHEAP, "stronger": {"model": STRONG, "stronger": STRONG}},
        {"model": CHEAP, "from_round": 2},
        {"stronger": STRONG},
    ):
        assert not validator.is_valid({"default": bad}), bad
