"""Keys come from the environment or the keyring, and whatever they look like they are masked wherever text goes out."""

from __future__ import annotations

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringError

from quorate.api.model_list import models
from quorate.api.temporal import reachable
from quorate.cli.exits import tell
from quorate.core.errors import SettingError
from quorate.http.problems import problem
from quorate.mcp.quotations import refusal
from quorate.participants.providers import KEYRING, parse_spec
from quorate.safety.environment import given_secrets
from quorate.safety.secrets import without_secrets

VALUE = "corp.gateway/" + "Vd83-kQpz-71xw"


class Ring(KeyringBackend):
    """A keyring in memory."""

    priority = 1.0
    kept: dict[tuple[str, str], str] = {("quorate", "OPENAI_API_KEY"): VALUE}  # noqa: RUF012
    locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringError(f"locked {VALUE}")
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringError("nothing is ever written")


@pytest.fixture
def ring() -> Ring:
    made = Ring()  # type: ignore[no-untyped-call]
    keyring.set_keyring(made)
    return made


def test_the_keyring_is_asked_only_where_that_is_wanted_and_the_environment_goes_first(ring: Ring) -> None:
    spec = parse_spec("openai:gpt-5")
    assert spec.key({}) is None
    assert spec.key({KEYRING: "1"}) == VALUE
    assert spec.key({KEYRING: "1", "OPENAI_API_KEY": "other"}) == "other"
    assert parse_spec("mistral:m").key({KEYRING: "1"}) is None
    ring.locked = True
    with pytest.raises(SettingError, match="the keyring cannot be read") as refused:
        spec.key({KEYRING: "1"})
    assert VALUE not in str(refused.value)


def test_a_worker_and_the_list_of_models_know_what_the_keyring_holds(ring: Ring) -> None:
    assert "openai" in reachable({KEYRING: "1"})
    assert not {"openai", "mistral"} & set(reachable({}))
    assert "mistral" not in reachable({KEYRING: "1"})
    assert _ready({KEYRING: "1"})["openai:MODEL"] == (True, "")
    assert _ready({"OPENAI_API_KEY": ""})["openai:MODEL"] == (False, "set OPENAI_API_KEY")
    ring.locked = True
    ready, todo = _ready({KEYRING: "1"})["openai:MODEL"]
    assert not ready
    assert "the keyring cannot be read" in todo
    assert VALUE not in todo


def _ready(env: dict[str, str]) -> dict[str, tuple[bool, str]]:
    return {each.name: (each.ready, each.todo) for each in models(env)}


def test_only_what_is_named_as_a_secret_and_looks_like_one_is_taken_from_the_environment() -> None:
    env = {
        "OPENAI_API_KEY": VALUE,
        "QUORATE_KEY_HOST": VALUE + "2",
        "PGPASSWORD": "password",
        "SOME_TOKEN": "short",
        "SSH_PRIVATE_KEY": "/home/somebody/.ssh/id",
        "HOME_TOKEN_FILE": "anything-that-is-long",
        "PATH": "/usr/bin",
    }
    assert given_secrets(env) == (VALUE + "2", VALUE)


def test_errors_of_every_surface_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", VALUE)
    said = f"401: {VALUE} is no key for postgresql://me:{'hQ7' + 'xw92kd'}@db.corp.io/x"
    shown = [tell(SettingError(said)), bytes(problem(422, said).body).decode(), refusal(said), without_secrets(said)]
    monkeypatch.setenv("QUORATE_DEBUG", "1")
    shown.append(tell(RuntimeError(said)))
    for each in shown:
        assert VALUE not in each
        assert "hQ7" not in each
        assert "[masked secret] is no key" in each
