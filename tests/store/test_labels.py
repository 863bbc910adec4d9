"""Labels on disk: lines that are only added, and every damage told with its line."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from quorate.core.errors import InputError, StoreError
from quorate.store.labels import LABELS_NAME, MOST_BYTES, Label, add_label, read_labels

HEAD = "a" * 64
ONE = Label(1_794_844_768_923, "review-1", "review", "APPROVED", 15, HEAD, "sound")
TWO = replace(ONE, at=ONE.at + 1, truth="wrong", finding="56f2b55944b3", note="It was an\nexample: größer, \u2028.")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".quorate" / LABELS_NAME


def test_what_is_added_is_read_again_in_order(path: Path) -> None:
    assert read_labels(path) == ()
    assert add_label(path, ONE) == (ONE,)
    before = path.read_bytes()
    assert add_label(path, TWO) == (ONE, TWO)
    assert read_labels(path) == (ONE, TWO)
    assert path.read_bytes().startswith(before), "what was there stays byte by byte"
    assert path.read_text().count("\n") == 2
    assert [each.name for each in path.parent.iterdir()] == [LABELS_NAME]


def test_lines_that_people_wrote_stay_as_they_are(path: Path) -> None:
    path.parent.mkdir()
    own = json.dumps(asdict(ONE), indent=None, separators=(" , ", " : "))
    path.write_text(f"\n{own}")
    assert add_label(path, TWO) == (ONE, TWO)
    assert path.read_text().startswith(f"\n{own}\n")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", ":2: is not JSON"),
        ("[]", ":2: is not a JSON object"),
        ('{"at": 1, "at": 2}', ":2: is not JSON: the key 'at' appears twice"),
        (json.dumps({**asdict(ONE), "thruth": "x"}), "thruth: is unknown; expected one of at, .*did you mean 'truth'"),
        (json.dumps({"at": 1}), ":2: has no 'session'"),
        (json.dumps({**asdict(ONE), "head": "abc"}), 'head: is "abc"; expected 64 digits'),
        (json.dumps({**asdict(ONE), "at": -1}), "at: is -1; expected a whole number from 0"),
        (json.dumps({**asdict(ONE), "at": True}), "at: is true"),
        (json.dumps({**asdict(ONE), "at": 10**30}), "at: is 1000"),
        (json.dumps({**asdict(ONE), "truth": ""}), 'truth: is ""'),
        (json.dumps({**asdict(ONE), "note": "x" * 2001}), "note: is "),
        ("x" * 30_000, "has more than 20,000 characters"),
        ("[" * 15_000, "is not JSON"),
    ],
)
def test_what_is_no_label_is_told_and_nothing_is_written(path: Path, line: str, told: str) -> None:
    add_label(path, ONE)
    with path.open("a") as opened:
        opened.write(line + "\n")
    before = path.read_bytes()
    with pytest.raises(InputError, match=told):
        read_labels(path)
    with pytest.raises(InputError):
        add_label(path, TWO)
    assert path.read_bytes() == before


def test_what_could_not_be_read_again_is_not_written(path: Path) -> None:
    add_label(path, ONE)
    before = path.read_bytes()
    with pytest.raises(InputError, match="truth"):
        add_label(path, replace(ONE, truth="x" * 201))
    with pytest.raises(StoreError, match="cannot be written"):
        add_label(path, replace(ONE, note="\ud800"))
    assert path.read_bytes() == before


def test_what_is_no_text_or_no_file(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"\n\xff\n")
    with pytest.raises(InputError, match=":2: is not UTF-8 text"):
        read_labels(path)
    path.unlink()
    (tmp_path / "elsewhere").write_text("")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is not a file"):
        read_labels(path)
    with pytest.raises(InputError, match="is not a file"):
        add_label(path, ONE)
    assert (tmp_path / "elsewhere").read_text() == ""
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match="is not a file"):
        read_labels(path)


def test_a_file_that_is_too_large(path: Path) -> None:
    path.parent.mkdir()
    with path.open("wb") as opened:
        opened.truncate(MOST_BYTES + 1)
    with pytest.raises(InputError, match="has more than 20,000,000 bytes"):
        read_labels(path)


def _add_many(path: Path, who: int) -> None:
    for number in range(10):
        add_label(path, replace(ONE, session=f"review-{who}-{number}"))


def test_processes_that_label_at_the_same_time_lose_nothing(path: Path) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_add_many, args=(path, who)) for who in range(3)]
    for each in workers:
        each.start()
    for each in workers:
        each.join(60)
        assert each.exitcode == 0
    assert len({each.session for each in read_labels(path)}) == 30
