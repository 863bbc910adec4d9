"""`keygen`, `sign` and `check --key`: who vouches for a bundle, and what is said where nobody does."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from quorate.cli.main import cli
from quorate_verifier.__main__ import main as verifier

pytest.importorskip("cryptography")
KEY = "QUORATE_SIGNING_KEY"


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The bundles of two debates."""
    where = tmp_path_factory.mktemp("sessions")
    question, panel = str(EXAMPLES / "problem.md"), str(EXAMPLES / "scripted-panel.yaml")
    for name in ("one", "two"):
        out, store = str(where / name), f"sqlite:{where / 'store.db'}"
        ended = run("debate", "-f", question, "--panel", panel, "--out", out, "--store", store)
        assert ended.exit_code == 0, ended.stderr
    return (where / "one/bundle.json").read_text(), (where / "two/bundle.json").read_text()


@pytest.fixture
def folder(bundles: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a bundle in it, and a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(KEY, raising=False)
    (tmp_path / "bundle.json").write_text(bundles[0], encoding="utf-8")
    assert run("keygen", "own.key").exit_code == 0
    return tmp_path


def run(*args: str, **environment: str) -> Result:
    return CliRunner().invoke(cli, args, env=environment)


def told(*args: str) -> dict[str, Any]:
    value = json.loads(run(*args, "--json").stdout)
    assert isinstance(value, dict)
    return value


def test_a_key_is_its_owners_alone_and_is_never_replaced(folder: Path) -> None:
    secret = folder / "own.key"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    before = secret.read_bytes()
    ended = run("keygen", "own.key")
    assert ended.exit_code != 0
    assert "exists already" in ended.stderr
    assert secret.read_bytes() == before
    assert run("keygen", "new.key").exit_code == 0
    (folder / "half.key.pub").write_text("mine", encoding="utf-8")
    assert run("keygen", "half.key").exit_code != 0
    assert not (folder / "half.key").exists()


def test_a_signed_bundle_holds_for_its_key_and_for_no_other(folder: Path) -> None:
    signed = told("sign", "bundle.json", "--key", "own.key")
    assert signed["signature"] == "bundle.json.sig"
    held = run("check", "bundle.json", "--key", "own.key.pub")
    assert held.stdout == f"bundle.json: holds, signed by {signed['fingerprint']}\n"
    assert verifier(["bundle.json", "--key", "own.key.pub"]) == 0
    assert run("keygen", "other.key").exit_code == 0
    ended = run("check", "bundle.json", "--key", "other.key.pub")
    assert ended.exit_code == 1
    assert f"signed by {signed['fingerprint']}; expected a signature by SHA256:" in ended.stdout
    assert verifier(["bundle.json", "--key", "other.key.pub"]) == 1


def test_an_unsigned_bundle_holds_but_not_for_a_key(folder: Path) -> None:
    assert run("check", "bundle.json").stdout == "bundle.json: holds\n"
    ended = run("check", "bundle.json", "--key", "own.key.pub")
    assert ended.exit_code == 1
    assert "signed by nobody" in ended.stdout


def test_a_second_signature_stands_beside_the_first_and_the_same_key_counts_once(folder: Path) -> None:
    assert run("keygen", "other.key").exit_code == 0
    for key, count in (("own.key", 1), ("other.key", 2), ("own.key", 2)):
        assert told("sign", "bundle.json", "--key", key)["signatures"] == count
    found = told("check", "bundle.json", "--key", "own.key.pub", "--key", "other.key.pub")
    assert found["holds"]
    assert len(found["signers"]) == 2


def test_what_was_changed_after_signing_is_told_from_another_journal(folder: Path, bundles: tuple[str, str]) -> None:
    assert run("sign", "bundle.json", "--key", "own.key").exit_code == 0
    data = json.loads((folder / "bundle.json").read_text())
    data["totals"]["last_at"] = 99
    (folder / "bundle.json").write_text(json.dumps(data), encoding="utf-8")
    ended = run("check", "bundle.json", "--key", "own.key.pub")
    assert ended.exit_code == 1
    assert "the bundle was changed after it was signed, beside its entries" in ended.stdout
    (folder / "bundle.json").write_text(bundles[1], encoding="utf-8")
    assert f"it is of the session {data['session']!r}" in run("check", "bundle.json").stdout
    refused = run("sign", "bundle.json", "--key", "own.key")
    assert refused.exit_code != 0
    assert "move the file away" in refused.stderr


def test_a_forged_signature_is_found(folder: Path) -> None:
    assert run("sign", "bundle.json", "--key", "own.key").exit_code == 0
    assert run("keygen", "other.key").exit_code == 0
    shutil.copy("bundle.json", "copy.json")
    assert run("sign", "copy.json", "--key", "other.key").exit_code == 0
    ours, theirs = (json.loads(Path(f"{name}.json.sig").read_text()) for name in ("bundle", "copy"))
    theirs["signatures"][0]["key"] = ours["signatures"][0]["key"]
    (folder / "bundle.json.sig").write_text(json.dumps(theirs), encoding="utf-8")
    assert "it was not made by the key that it names" in run("check", "bundle.json").stdout


def test_a_key_for_which_anybody_can_sign_has_signed_nothing(folder: Path) -> None:
    """With the neutral point as key, the base point as commitment and 1 as answer hold for every message."""
    signed = told("sign", "bundle.json", "--key", "own.key")
    sheet = json.loads(Path(signed["signature"]).read_text())
    key, base = b"\x01" + bytes(31), b"\x58" + b"\x66" * 31
    forged = {"key": b64encode(key).decode(), "signature": b64encode(base + b"\x01" + bytes(31)).decode()}
    sheet["signatures"][0] |= forged
    (folder / "bundle.json.sig").write_text(json.dumps(sheet), encoding="utf-8")
    ended = run("check", "bundle.json")
    assert ended.exit_code == 1
    assert "it names no key that one person holds" in ended.stdout
    assert verifier(["bundle.json"]) == 1
    line = b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + key).decode()
    (folder / "anybody.pub").write_text(f"ssh-ed25519 {line}\n", encoding="ascii")
    ended = run("check", "bundle.json", "--key", "anybody.pub")
    assert ended.exit_code != 0
    assert "anybody can sign for it" in ended.stderr


def test_a_bundle_that_does_not_hold_is_not_signed(folder: Path) -> None:
    data = json.loads((folder / "bundle.json").read_text())
    data["verdict"]["verdict"] = "FAILED"
    (folder / "bundle.json").write_text(json.dumps(data), encoding="utf-8")
    ended = run("sign", "bundle.json", "--key", "own.key")
    assert ended.exit_code != 0
    assert "is not valid, so it was not signed" in ended.stderr
    assert not (folder / "bundle.json.sig").exists()


def test_the_key_may_come_from_the_environment_as_a_file_or_as_itself(folder: Path) -> None:
    assert "--key FILE, or this variable" in run("sign", "bundle.json").stderr
    assert run("sign", "bundle.json", **{KEY: "own.key"}).exit_code == 0
    text = (folder / "own.key").read_text()
    assert run("sign", "bundle.json", **{KEY: text}).exit_code == 0


def test_a_key_that_others_can_read_or_that_is_none_is_refused_without_repeating_it(folder: Path) -> None:
    (folder / "own.key").chmod(0o644)
    ended = run("sign", "bundle.json", "--key", "own.key")
    assert "can be read by others" in ended.stderr
    (folder / "odd.key").write_text("-----BEGIN PRIVATE KEY-----\nmysecretwords\n-----END PRIVATE KEY-----\n")
    (folder / "odd.key").chmod(0o600)
    ended = run("sign", "bundle.json", "--key", "odd.key")
    assert "is not a private key in a known format" in ended.stderr
    assert "mysecretwords" not in ended.stderr


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen")
def test_keys_of_ssh_keygen_sign_too_and_a_passphrase_is_named(folder: Path) -> None:
    for name, phrase in (("plain.key", ""), ("locked.key", "abcdef")):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-f", name]
        subprocess.run(command, check=True, timeout=60, cwd=folder)
    made = told("sign", "bundle.json", "--key", "plain.key")
    shown = subprocess.run(
        ["ssh-keygen", "-l", "-f", "plain.key.pub"], check=True, capture_output=True, text=True, timeout=60, cwd=folder
    )
    assert made["fingerprint"] in shown.stdout
    assert run("check", "bundle.json", "--key", "plain.key.pub").exit_code == 0
    assert "is protected by a passphrase" in run("sign", "bundle.json", "--key", "locked.key").stderr


def test_check_says_who_checked_what(folder: Path) -> None:
    ended = run("check", "bundle.json", "-v")
    assert "engine: the chain" in ended.stderr
    assert "verifier: who is asked in every phase" in ended.stderr
    data = json.loads((folder / "bundle.json").read_text())
    data["verdict"]["verdict"] = "ABORTED"
    (folder / "bundle.json").write_text(json.dumps(data), encoding="utf-8")
    ended = run("check", "bundle.json")
    assert ended.exit_code == 1
    assert "(both)" in ended.stdout
