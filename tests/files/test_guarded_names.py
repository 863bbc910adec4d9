"""Files that hold secrets by their name: no reader of users' files opens one, unless the machine's owner says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quorate.cli.deliberate import read_problem
from quorate.core.errors import InputError
from quorate.files.guarded_names import ALLOWED, is_guarded, refuse_guarded
from quorate.files.named_file import text_of
from quorate.files.yaml import load
from quorate.kit.change import Why
from quorate.kit.findings import Severity
from quorate.participants.tools import ContextFolder
from quorate.protocols.council.world.rfc.files import Shelf, Trouble
from quorate.protocols.review.world.change.file_order import shown
from quorate.protocols.review.world.change.read import read_change
from quorate.protocols.review.world.change.source import Diff, Paths
from quorate.protocols.review.world.checks.coverage import check_coverage
from quorate.protocols.roundtable.world.elaboration.files import Trouble as NoDocument
from quorate.protocols.roundtable.world.elaboration.files import read_inside
from quorate.protocols.workshop.world.agenda.read import read_agenda

GUARDED = [
    *(".env", ".env.production", "prod.env", "server.pem", "TLS.KEY", "id_rsa", "id_ed25519.bak", ".netrc", ".pgpass"),
    *("credentials.json", "secrets.yaml", "secrets", ".ssh/config", ".aws/anything.txt", "infra/terraform.tfstate"),
]
OPEN = [
    *("secrets.py", "credentials_test.go", "env.md", ".env.example", "id_rsa.pub", "keys.md", "key", "monkey.keys"),
    *("docs/ssh/config", "environment.yaml", "secretsanta.txt", ".gitignore", "pem.txt"),
]


@pytest.mark.parametrize("name", GUARDED)
def test_these_are_guarded(name: str) -> None:
    assert is_guarded(name.split("/"), environment={})
    assert not is_guarded(name.split("/"), environment={ALLOWED: f"nothing, {name.split('/', maxsplit=1)[0]} ,*"})


@pytest.mark.parametrize("name", OPEN)
def test_these_are_not(name: str) -> None:
    assert not is_guarded(name.split("/"), environment={})


def test_it_can_be_allowed_by_name_and_no_other_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALLOWED, ".env.ci, *.pem")
    assert not is_guarded((".env.ci",))
    assert not is_guarded(("certs", "Server.PEM"))
    assert is_guarded((".env",))


READERS: dict[str, Callable[[Path], Any]] = {
    "yaml": load,
    "agenda": read_agenda,
    "a named file": lambda path: text_of(path, 1_000, "a text"),
    "a problem": read_problem,
    "a diff": lambda path: read_change(Diff(path.name), path.parent),
    "any": refuse_guarded,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", [".env", "harmless.yaml"])
def test_no_reader_opens_one_nor_a_link_to_one(tmp_path: Path, reader: str, name: str) -> None:
    (tmp_path / ".env").write_text("PHRASE: hunter2-and-more\n")
    if name != ".env":
        (tmp_path / name).symlink_to(".env")
    with pytest.raises(InputError, match="is not read, because a file of this name may contain secrets") as refused:
        READERS[reader](tmp_path / name)
    assert "hunter2" not in str(refused.value)
    assert ALLOWED in str(refused.value)


def test_folders_of_rfcs_documents_and_context_pass_it_by(tmp_path: Path) -> None:
    for name in (".env", "secrets.yaml"):
        (tmp_path / name).write_text("PHRASE: hunter2-and-more\n")
    (tmp_path / "linked.md").symlink_to("secrets.yaml")
    assert isinstance(Shelf(tmp_path).read(tmp_path / "secrets.yaml"), Trouble)
    assert isinstance(Shelf(tmp_path).read(tmp_path / "linked.md"), Trouble)
    assert isinstance(read_inside(tmp_path, "linked.md", 1_000), NoDocument)
    assert ContextFolder(tmp_path).read("linked.md").startswith("refused:")


def test_what_is_allowed_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secrets.yaml").write_text("kind: santa\n")
    monkeypatch.setenv(ALLOWED, "secrets.yaml")
    assert load(tmp_path / "secrets.yaml").plain() == {"kind": "santa"}
    assert text_of(tmp_path / "secrets.yaml", 1_000, "a text") == "kind: santa\n"


def test_reviewers_are_not_shown_one_checks_read_it_and_a_finding_says_so(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("print(1)\n")
    (tmp_path / ".env").write_text("PHRASE=plain words\n")
    change = read_change(Paths(("app.py", ".env")), tmp_path)
    assert {file.path for file in change.files} == {"app.py", ".env"}
    assert [file.path for file in shown(change)] == ["app.py"]
    assert [(each.path, each.why) for each in change.left_out] == [(".env", Why.GUARDED)]
    found = check_coverage(change).findings
    assert [(each.rule, each.path, each.severity) for each in found] == [("coverage/unshown", ".env", Severity.MEDIUM)]


def test_source_that_is_only_called_so_is_reviewed(tmp_path: Path) -> None:
    """Or whoever wants something unseen would call it `credentials.py`."""
    for name in ("secrets.py", "credentials.py", "env.py"):
        (tmp_path / name).write_text("print(1)\n")
    change = read_change(Paths((".",)), tmp_path)
    assert len(shown(change)) == 3


def test_in_a_context_folder_secrets_are_masked_and_cannot_be_guessed(tmp_path: Path) -> None:
    token = "ghp_" + "9hQ2xWv7LpTz4RkYc1NbMf8JsDg5aEu3oKiZ"
    (tmp_path / "notes.md").write_text(f"The gateway takes {token} as it is.\n")
    folder = ContextFolder(tmp_path)
    assert "takes [masked secret] as" in folder.read("notes.md")
    assert "[masked secret]" in folder.search("gateway")
    assert folder.search(token[:6]).startswith("ok: 0 lines")
