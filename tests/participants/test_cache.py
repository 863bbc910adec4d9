"""The cache of replies: plain files that are whole or not there, and that nobody else can write for us."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from quorate.core.errors import SettingError
from quorate.participants.cache import MOST_BYTES, SECRET, CachedReply, ReplyCache, Unreadable, key_of

KEY, OTHER = key_of({"user": "one"}), key_of({"user": "other"})
REPLY = CachedReply("openai:gpt-5", "Opinion", {"reason": "It is simple.", "confidence": 70}, 100, 10, 1234)


@pytest.fixture
def cache(tmp_path: Path) -> ReplyCache:
    return ReplyCache.at(tmp_path / "replies", {})


def file_of(cache: ReplyCache, key: str = KEY) -> Path:
    return cache.folder / f"{key}.json"


def test_what_is_kept_is_found_again(cache: ReplyCache) -> None:
    assert cache.find(KEY) is None, "a folder that is not there holds nothing"
    assert cache.keep(KEY, REPLY) == ""
    found = cache.find(KEY)
    assert found is not None
    assert (found.reply, found.tokens_in, found.tokens_out, found.cost) == (REPLY.reply, 100, 10, 1234)
    assert len(found.at) == len("2026-11-16")
    assert cache.find(OTHER) is None


def test_a_file_is_plain_json_that_only_the_user_reads(cache: ReplyCache) -> None:
    cache.keep(KEY, REPLY)
    data = json.loads(file_of(cache).read_text())
    assert (data["model"], data["reply"]["confidence"], data["key"]) == ("openai:gpt-5", 70, KEY)
    assert stat.S_IMODE(file_of(cache).stat().st_mode) == 0o600
    assert [each.name for each in cache.folder.iterdir()] == [f"{KEY}.json"], "no draft is left"


def _changed(text: str) -> str:
    data = json.loads(text)
    data["reply"]["confidence"] = 100
    return json.dumps(data)


def _without(name: str) -> Any:
    return lambda text: json.dumps({key: value for key, value in json.loads(text).items() if key != name})


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda text: text[:-20], "damaged"),
        (lambda _: "", "damaged"),
        (lambda _: "\0\0", "damaged"),
        (lambda _: "[" * 100_000, "damaged"),
        (lambda _: "[1, 2]", "another format"),
        (lambda text: text.replace('{"at"', '{"at":"x","at"', 1), "damaged"),
        (_without("seal"), "another format"),
        (_without("cost"), "another format"),
        (lambda text: json.dumps({**json.loads(text), "seal": 7}), "another format"),
        (lambda text: json.dumps({**json.loads(text), "seal": "\u00e4" * 64}), "written by another user"),
        (_changed, "written by another user"),
        (lambda _: "x" * (MOST_BYTES + 1), "not a cache file"),
    ],
)
def test_what_is_damaged_or_forged_counts_for_nothing_and_is_replaced(cache: ReplyCache, damage: Any, why: str) -> None:
    cache.keep(KEY, REPLY)
    file_of(cache).write_text(damage(file_of(cache).read_text()))
    with pytest.raises(Unreadable, match=why):
        cache.find(KEY)
    assert cache.keep(KEY, REPLY) == ""
    assert cache.find(KEY) is not None


def test_the_reply_to_something_else_is_not_taken(cache: ReplyCache) -> None:
    cache.keep(OTHER, REPLY)
    file_of(cache, OTHER).rename(file_of(cache))
    with pytest.raises(Unreadable, match="another request"):
        cache.find(KEY)


def test_another_users_folder_counts_for_nothing(cache: ReplyCache) -> None:
    """A folder that came with a project cannot put words into a model's mouth."""
    ReplyCache(cache.folder, b"somebody else's secret").keep(KEY, REPLY)
    with pytest.raises(Unreadable, match="written by another user"):
        cache.find(KEY)


def test_those_who_share_a_secret_share_replies(tmp_path: Path) -> None:
    shared = {SECRET: "a secret of the whole team"}
    ReplyCache.at(tmp_path, shared).keep(KEY, REPLY)
    assert ReplyCache.at(tmp_path, shared).find(KEY) is not None
    with pytest.raises(Unreadable):
        ReplyCache.at(tmp_path, {}).find(KEY)
    with pytest.raises(SettingError, match="too short"):
        ReplyCache.at(tmp_path, {SECRET: "short"})


def test_links_pipes_and_folders_are_passed_over(cache: ReplyCache, tmp_path: Path) -> None:
    cache.keep(OTHER, REPLY)
    file_of(cache).symlink_to(file_of(cache, OTHER))
    with pytest.raises(Unreadable):
        cache.find(KEY)
    file_of(cache).unlink()
    os.mkfifo(file_of(cache))
    with pytest.raises(Unreadable):
        cache.find(KEY)
    file_of(cache).unlink()
    file_of(cache).mkdir()
    with pytest.raises(Unreadable):
        cache.find(KEY)
    assert cache.keep(KEY, REPLY) != "", "a folder is not replaced, and nothing is raised"


def test_bounds(cache: ReplyCache, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "bytes" in cache.keep(KEY, CachedReply("m", "F", {"text": "x" * MOST_BYTES}, 1, 1, None))
    monkeypatch.setattr("quorate.participants.cache.MOST_FILES", 1)
    assert cache.keep(KEY, REPLY) == ""
    assert "full" in cache.keep(OTHER, REPLY)
    assert cache.keep(KEY, REPLY) == "", "what is there may be replaced"
    assert cache.find(OTHER) is None


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    cache = ReplyCache.at(tmp_path / "file", {})
    with pytest.raises(SettingError) as caught:
        cache.check()
    assert caught.value.key == "cache"
    assert cache.keep(KEY, REPLY) != ""
    with pytest.raises(Unreadable):
        cache.find(KEY)


def test_many_at_once_leave_one_whole_file(cache: ReplyCache) -> None:
    told: list[str] = []
    writers = [threading.Thread(target=lambda: told.append(cache.keep(KEY, REPLY))) for _ in range(8)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert told == [""] * 8
    assert cache.find(KEY) is not None
    assert len(list(cache.folder.iterdir())) == 1


def test_a_seed_follows_from_the_texts_and_the_secret(cache: ReplyCache) -> None:
    assert cache.seed("debate", "a") == cache.seed("debate", "a")
    assert cache.seed("debate", "a") != cache.seed("debate", "b")
    assert cache.seed("debate", "a") != ReplyCache(cache.folder, b"another").seed("debate", "a")
    assert 0 <= cache.seed("x") < 2**31
