"""The ledger's file: one text for one ledger, fit for git, and every damage told with its line."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.core.errors import InputError, StoreError
from quorate.files.lock import locked
from quorate.kit.debt import Dismissal
from quorate.kit.findings import Finding, Severity
from quorate.kit.ledger import FindingStatus, Ledger, LedgerEntry, dismiss, merge
from quorate.store.ledger import ledger_text, read_ledger, update, write_ledger
from quorate.store.ledgertext import MOST_BYTES

LINT = Finding("lint", Severity.LOW, "src/größe.py", 3, "unused", "import os\nimport re", raised_by=("ruff", "lint"))
HOLE = Finding("injection", Severity.CRITICAL, "src/b.py", evidence="run(text)", veto="security hole", blocking=False)


def ledger_of(*findings: Finding) -> Ledger:
    return merge(Ledger(), findings, lambda _: True, "review-20260101-120000-abcd")[0]


def known() -> Ledger:
    found = ledger_of(LINT, HOLE, replace(LINT, occurrence=1))
    found = dismiss(found, LINT.key, Dismissal("later", "Ann <ann@example.org>", commit="c" * 40))
    return dismiss(found, HOLE.key, Dismissal("an example", "Bob", false_positive=True))


def broken(change: Any) -> str:
    """Return the text of a ledger whose data was changed by hand."""
    data = json.loads(ledger_text(known()))
    change(data)
    return json.dumps(data, indent=2)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / ".quorate" / "ledger.json"
    assert write_ledger(path, known())
    assert read_ledger(path) == known()
    assert os.listdir(path.parent) == ["ledger.json"], "no draft is left"


def test_where_there_is_no_file_the_ledger_is_empty_and_stays_unwritten(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    assert read_ledger(path) == Ledger()
    assert not write_ledger(path, Ledger())
    assert not path.exists()


def test_the_same_ledger_is_the_same_text_whatever_the_order(tmp_path: Path) -> None:
    text = ledger_text(known())
    backwards = Ledger(dict(reversed(list(known().entries.items()))))
    assert ledger_text(backwards) == text
    assert text.endswith("}\n")
    assert "größe" in text
    assert json.loads(text)["version"] == 1
    path = tmp_path / "ledger.json"
    write_ledger(path, known())
    before = path.stat().st_mtime_ns, path.stat().st_ino
    assert not write_ledger(path, backwards)
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == before


def test_every_finding_is_a_block_of_its_own() -> None:
    blocks = ledger_text(known()).split("\n\n")
    assert len(blocks) == 3
    assert all(block.count('"status"') == 1 for block in blocks)


def test_git_merges_findings_of_two_branches(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )

    def commit(ledger: Ledger) -> None:
        write_ledger(tmp_path / "ledger.json", ledger)
        git("add", "-A")
        git("commit", "-m", "x")

    many = sorted((replace(LINT, occurrence=number) for number in range(7)), key=lambda finding: finding.key)
    git("init", "-b", "main")
    commit(ledger_of(many[0], many[2], many[4], many[6]))
    git("checkout", "-b", "other")
    commit(ledger_of(many[0], many[1], many[2], many[4], many[6]))
    git("checkout", "main")
    commit(ledger_of(many[0], many[2], many[4], many[5], many[6]))
    git("merge", "other")
    merged = read_ledger(tmp_path / "ledger.json")
    assert set(merged.entries) == {many[number].key for number in (0, 1, 2, 4, 5, 6)}


def test_a_merge_conflict_is_told_with_its_line() -> None:
    text = ledger_text(known()).replace("\n\n", "\n<<<<<<< HEAD\n=======\n>>>>>>> other\n", 1)
    with pytest.raises(InputError, match="merge conflict; expected the findings of both sides") as caught:
        read_ledger(text)
    assert caught.value.line == text.split("\n").index("<<<<<<< HEAD") + 1


KEY = HOLE.key
CASES: dict[str, tuple[Any, str, str]] = {
    "newer": (lambda d: d.update(version=2), "version", "is 2; expected 1; a newer ledger needs a newer Quorate"),
    "a flag as version": (lambda d: d.update(version=True), "version", "is true"),
    "unknown on top": (lambda d: d.update(finding={}), "finding", "is unknown.*did you mean 'findings'"),
    "no list": (lambda d: d.update(findings=[]), "findings", "is not a mapping of findings"),
    "unknown key": (lambda d: d["findings"][KEY].update(sevirity="low"), f"{KEY}.sevirity", "did you mean 'severity'"),
    "no severity": (lambda d: d["findings"][KEY].pop("severity"), KEY, "has no 'severity'"),
    "a status": (lambda d: d["findings"][KEY].update(status="fixd"), f"{KEY}.status", "did you mean 'fixed'"),
    "unseen": (lambda d: d["findings"][KEY].update(status="unseen"), f"{KEY}.status", "one of new, open"),
    "a number": (lambda d: d["findings"][KEY].update(occurrence=-1), f"{KEY}.occurrence", "a whole number from 0"),
    "a flag": (lambda d: d["findings"][KEY].update(blocking=0), f"{KEY}.blocking", "true or false"),
    "names": (lambda d: d["findings"][KEY].update(raised_by="ruff"), f"{KEY}.raised_by", "a list of"),
    "a long text": (lambda d: d["findings"][KEY].update(message="m" * 3_000), f"{KEY}.message", "0 to 2,000 char"),
    "no entry": (lambda d: d["findings"].update({KEY: "open"}), KEY, "a mapping"),
    "an odd key": (lambda d: d["findings"].update(abc={}), "abc", "is not a key"),
    "another path": (lambda d: d["findings"][KEY].update(path="x"), KEY, "is not the key of the finding below"),
    "no reason": (lambda d: d["findings"][KEY]["dismissal"].pop("reason"), f"{KEY}.dismissal", "has no 'reason'"),
    "a touch": (lambda d: d["findings"][KEY]["dismissal"].update(touches="2"), f"{KEY}.dismissal.touches", "a whole"),
    "no dismissal": (lambda d: d["findings"][KEY].pop("dismissal"), KEY, "is dismissed without a reason"),
    "a veto deferred": (
        lambda d: d["findings"][KEY]["dismissal"].update(false_positive=False),
        f"{KEY}.dismissal",
        "defers a security hole",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_damage_is_told_with_its_place(name: str) -> None:
    change, key, says = CASES[name]
    text = broken(change)
    with pytest.raises(InputError, match=says) as caught:
        read_ledger(text, "ledger.json")
    error = caught.value
    assert (error.file, error.key) == ("ledger.json", key)
    assert error.line is not None
    last = key.rpartition(".")[2]
    assert f'"{last}"' in text.split("\n")[error.line - 1]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"version": NaN}', "[" * 100_000, '{"version": 1' + "0" * 9_999]
)
def test_what_is_no_ledger_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_ledger(text)


def test_a_key_that_stands_twice_is_told() -> None:
    text = ledger_text(ledger_of(LINT))
    block = text[text.index(f'    "{LINT.key}"') : text.index("\n  }\n}")]
    with pytest.raises(InputError, match=f"ledger.json:{text.count(chr(10)) - 1}: {LINT.key}: appears twice"):
        read_ledger(text.replace(block, f"{block},\n{block}"))


def test_bytes_and_sizes_that_no_ledger_has(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    path.write_bytes(b'{\n"version": 1,\n"\xff": 2}')
    with pytest.raises(InputError, match="is not UTF-8 text") as caught:
        read_ledger(path)
    assert caught.value.line == 3
    with path.open("wb") as opened:
        opened.truncate(MOST_BYTES + 10)
    with pytest.raises(InputError, match="has more than"):
        read_ledger(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match="is not a file"):
        read_ledger(path)


def test_what_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    write_ledger(path, known())
    with pytest.raises(InputError, match="path"):
        write_ledger(path, ledger_of(replace(LINT, path="x" * 10_000)))
    assert read_ledger(path) == known()


def test_the_name_of_a_file_that_is_no_utf_8_survives(tmp_path: Path) -> None:
    odd = ledger_of(replace(LINT, path="src/\udcff.py", evidence="\u202e\x00 \U0001f600"))
    path = tmp_path / "ledger.json"
    write_ledger(path, odd)
    assert read_ledger(path) == odd


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "precious"
    other.write_text(ledger_text(known()))
    path = tmp_path / "ledger.json"
    path.symlink_to(other)
    write_ledger(path, ledger_of(LINT))
    assert read_ledger(other) == known()
    assert not path.is_symlink()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    with pytest.raises(StoreError, match="cannot be written"):
        write_ledger(folder / "ledger.json", known())


def test_a_place_that_cannot_be_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / ".quorate").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        update(tmp_path / ".quorate" / "ledger.json", lambda ledger: ledger)


TEXTS = st.text(max_size=60)


@given(
    st.lists(
        st.builds(
            Finding,
            rule=st.text(min_size=1, max_size=60),
            severity=st.sampled_from(Severity),
            path=TEXTS,
            message=TEXTS,
            evidence=TEXTS,
            consequence=TEXTS,
            action=TEXTS,
            source=st.sampled_from(["check", "committee", "claim"]),
            raised_by=st.lists(TEXTS, max_size=3).map(tuple),
            veto=TEXTS,
            blocking=st.booleans(),
            occurrence=st.integers(0, 50),
            fingerprint=TEXTS,
        ),
        max_size=5,
    )
)
def test_any_ledger_is_read_as_it_was_written(findings: list[Finding]) -> None:
    ledger = ledger_of(*findings)
    text = ledger_text(ledger).encode("utf-8", "backslashreplace").decode()
    assert read_ledger(text) == ledger


@given(st.text(max_size=300), st.integers(0, 2_000), st.integers(0, 300))
def test_no_damage_gets_out_as_anything_but_a_plain_error(noise: str, place: int, cut: int) -> None:
    text = ledger_text(known())
    damaged = text[:place] + noise + text[place + cut :]
    read = None
    with suppress(InputError):
        read = read_ledger(damaged)
    assert read is None or set(read.entries) <= set(re.findall("[0-9a-f]{12}", damaged))


# Several processes


def _add(path: Path, number: int) -> None:
    for occurrence in range(number * 10, number * 10 + 10):
        update(path, partial(_with, occurrence))


def _with(occurrence: int, now: Ledger) -> Ledger:
    return merge(now, [replace(LINT, occurrence=occurrence)], lambda _: False, f"run-{occurrence}")[0]


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / ".quorate" / "ledger.json"
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_add, args=(path, number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0, 0]
    found = read_ledger(path).entries
    assert sorted(entry.finding.occurrence for entry in found.values()) == list(range(40))
    assert {type(entry) for entry in found.values()} == {LedgerEntry}
    assert {entry.status for entry in found.values()} == {FindingStatus.NEW}


def test_who_waits_in_vain_is_told(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(StoreError, match="by another process"), locked(tmp_path, patience=0):
        raise AssertionError("two hold the lock")
    with locked(tmp_path, patience=0):
        assert tmp_path.is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there; a file stands for them")
def test_a_lock_leaves_nothing_in_the_folder(tmp_path: Path) -> None:
    with locked(tmp_path):
        assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == []
