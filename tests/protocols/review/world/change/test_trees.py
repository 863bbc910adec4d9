"""Trees read files and nothing else, and let go of everything when they are closed."""

from __future__ import annotations

import gc
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from quorate.core.errors import RuleViolation
from quorate.protocols.review.world.change.read import read_change
from quorate.protocols.review.world.change.repository import the_repository
from quorate.protocols.review.world.change.source import Branch
from quorate.protocols.review.world.change.trees import FolderTree, GitTree, Laid, close
from quorate.protocols.review.world.change.workbench import MOST_FILE, Workbench
from tests.protocols.review.world.change.repos import Repo


def test_a_folder(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (root / ".git").mkdir()
    (tmp_path / "outside.txt").write_text("outside\n")
    (root / ".git" / "config").write_text("x\n")
    (root / "a" / "x.py").write_text("x\n")
    (root / "a" / "binary").write_bytes(b"\0")
    (root / "a" / "large").write_bytes(b"x" * (MOST_FILE + 1))
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    (root / "up").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    tree = FolderTree(root)
    assert tree.paths() == ("a/binary", "a/large", "a/x.py")
    assert tree.read("a/x.py") == "x\n"
    for path in ("a", "a/binary", "a/large", "link.txt", "up/outside.txt", "pipe", "../outside.txt", "a/../a/x.py"):
        assert tree.read(path) is None
    for path in ("", "/", "/etc/passwd", "a//x.py", "./a/x.py", "none", "a/x.py/y", "a\0b"):
        assert tree.read(path) is None


def test_one_laid_over_another(tmp_path: Path) -> None:
    for name, files in {"over": {"a": "new", "b": "b"}, "under": {"a": "old", "c": "c", "d": "d"}}.items():
        (tmp_path / name).mkdir()
        for path, text in files.items():
            (tmp_path / name / path).write_text(text)
    tree = Laid(FolderTree(tmp_path / "over"), FolderTree(tmp_path / "under"), ["d"])
    assert tree.paths() == ("a", "b", "c")
    assert [tree.read(path) for path in ("a", "b", "c", "d", "e")] == ["new", "b", "c", None, None]


def test_closing_removes_the_workbench_and_its_processes(repo: Repo) -> None:
    repo.commit({"a.py": "1\n"})
    change = read_change(Branch(), repo.folder)
    assert isinstance(change.after, GitTree)
    bench = change.after.bench
    servers = list(bench._servers.values())
    assert servers
    assert bench.folder.is_dir()
    close(change)
    assert not bench.folder.exists()
    assert all(server.returncode is not None for server in servers)
    close(change)
    with pytest.raises(RuleViolation, match="closed"):
        bench.read("0" * 40)


def test_forgetting_a_change_removes_it_as_well(repo: Repo) -> None:
    repo.commit({"a.py": "1\n"})
    change = read_change(Branch(), repo.folder)
    assert isinstance(change.after, GitTree)
    folder = change.after.bench.folder
    del change
    gc.collect()
    assert not folder.exists()


def test_many_threads_read_one_tree(repo: Repo) -> None:
    repo.commit({f"f{number}.txt": f"{number}\n" * number for number in range(60)})
    change = read_change(Branch(), repo.folder)
    assert change.after is not None
    read = change.after.read
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(read, [f"f{number}.txt" for number in range(60)] * 5))
    assert texts == [f"{number}\n" * number for number in range(60)] * 5


def test_what_is_not_there(repo: Repo) -> None:
    bench = Workbench(the_repository(repo.folder))
    assert bench.sizes(["0" * 40, repo.git("rev-parse", "HEAD")]) == {}
    assert bench.read("0" * 40) is None
    # A commit is no file.
    assert bench.read(repo.git("rev-parse", "HEAD")) is None
    assert bench.read(repo.git("rev-parse", "HEAD:README.md")) == b"# Shop\n"
    bench.close()


def test_the_store_and_gits_own_files_are_never_opened(tmp_path: Path) -> None:
    tmp_path = tmp_path / "folder"
    tmp_path.mkdir()
    for name in (".quorate/quorate.db", ".quorate/quorate.db-wal", ".quorate/.lock", ".git/config", "a.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n")
    tree = FolderTree(tmp_path)
    assert tree.paths() == ("a.py",)
    for name in (".quorate/quorate.db", ".Quorate/Quorate.db", ".git/config", ".GIT/config"):
        assert tree.given(name.encode()) is None
    assert tree.read(".quorate/quorate.db") is None


def test_a_store_of_another_name_is_not_opened_while_it_is_in_use(tmp_path: Path) -> None:
    """To close its file would let go of the locks of whoever has it open in this process."""
    file = tmp_path / "mine.db"
    file.write_text("x\n")
    tree = FolderTree(tmp_path)
    assert tree.read("mine.db") == "x\n"
    for name in ("mine.db-shm", "mine.db-wal"):
        (tmp_path / name).write_text("x\n")
    assert [tree.given(name) for name in (b"mine.db", b"mine.db-shm", b"mine.db-wal")] == [None, None, None]
