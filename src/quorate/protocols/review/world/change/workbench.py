"""A temporary git directory that borrows a repository's objects and uses only our own configuration.

Diffs are made, patches applied and files read here, so that no attribute, filter, driver or setting of the repository
under review takes effect, and nothing is ever written to it. It is removed when closed, collected, or at exit.
"""

from __future__ import annotations

import shutil
import subprocess
import weakref
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import IO

from quorate.core.errors import InputError, RuleViolation
from quorate.files.git import Git, GitFailed
from quorate.protocols.review.world.change.quoted_paths import in_header, shown
from quorate.protocols.review.world.change.repository import Repository

MOST_FILE = 1_000_000
"""Bytes of one file; a larger one is never read."""

ASKED_AT_ONCE = 100
"""Objects asked for before an answer is read: so few that neither side's pipe can be full while it waits."""

_CONFIG = """[core]
\trepositoryformatversion = {version}
\tbare = true
\tfilemode = false
\tbigFileThreshold = {most}
"""


@dataclass(frozen=True, slots=True)
class Given:
    """A file to add to the workbench."""

    path: bytes
    mode: str
    data: bytes


class Workbench:
    """A private git directory. Trees and commits of the repository are known in it by their ids."""

    def __init__(self, repository: Repository | None = None) -> None:
        self.folder = Path(mkdtemp(prefix="quorate-"))
        self._servers: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = Lock()
        self._finalizer = weakref.finalize(self, _discard, self.folder, self._servers)
        self.git = Git.in_private(self.folder)
        object_format = repository.object_format if repository is not None else "sha1"
        (self.folder / "objects" / "info").mkdir(parents=True)
        (self.folder / "refs").mkdir()
        (self.folder / "HEAD").write_text("ref: refs/heads/none\n")
        config = _CONFIG.format(version=0 if object_format == "sha1" else 1, most=MOST_FILE + 1)
        if object_format != "sha1":
            config += f"[extensions]\n\tobjectFormat = {object_format}\n"
        (self.folder / "config").write_text(config)
        if repository is not None:
            (self.folder / "objects" / "info" / "alternates").write_text(f"{repository.objects}\n")

    def close(self) -> None:
        """Stop its processes and remove it; closing twice is harmless."""
        self._finalizer()

    @property
    def closed(self) -> bool:
        return not self._finalizer.alive

    # Trees

    def empty_tree(self) -> str:
        return self._word("mktree")

    def tree_of_index(self, index: Path) -> str:
        """Return the tree of the index."""
        self._bring_index(index)
        try:
            return self._word("write-tree")
        except GitFailed as error:
            if "not a valid object" in error.complaint or "unmerged" in error.complaint:
                raise InputError(
                    "a merge has unresolved conflicts", expected="all of them resolved and staged"
                ) from error
            raise

    def tree_of_files(self, files: Iterable[Given]) -> str:
        """Return a tree with only these files."""
        self.git.run("fast-import", "--quiet", "--force", given=_import(files))
        return self._word("rev-parse", "refs/heads/given^{tree}")

    def applied(self, tree: str, patch: str, *, reverse: bool = False, recount: bool = False) -> str | None:
        """Return the tree with a patch applied, or None if it does not apply."""
        options = ["--cached", "--whitespace=nowarn", "-p1", *["--reverse"] * reverse, *["--recount"] * recount]
        text = patch if patch.endswith("\n") else f"{patch}\n"
        self.git.run("read-tree", tree)
        try:
            self.git.run("apply", *options, "-", given=(text.encode("utf-8", "replace"),))
        except GitFailed:
            return None
        return self._word("write-tree")

    def parent(self, commit: str) -> str | None:
        """Return the first parent of a commit, or None for a root."""
        try:
            return self._word("rev-parse", "--verify", "--quiet", f"{commit}^1")
        except GitFailed:
            return None

    def uncommitted(self, index: Path, root: Path, head: str) -> int:
        """Return how many tracked files differ, staged or not, from a commit."""
        self._bring_index(index)
        git = replace(self.git, folder=root, environment={**self.git.environment, "GIT_WORK_TREE": str(root)})
        with suppress(GitFailed):
            # The copy of the index is brought up to date first, so that a file that was only touched does not count.
            git.run("update-index", "-q", "--refresh", "--ignore-submodules")
        unstaged = git.run("diff-files", "-z", "--name-only", "--ignore-submodules=all")
        staged = git.run("diff-index", "-z", "--name-only", "--cached", "--ignore-submodules=all", head)
        return len({*unstaged.split(b"\0"), *staged.split(b"\0")} - {b""})

    def _bring_index(self, index: Path) -> None:
        (self.folder / "index").unlink(missing_ok=True)
        if index.is_file():
            shutil.copyfile(index, self.folder / "index")
            for shared in index.parent.glob("sharedindex.*"):
                shutil.copyfile(shared, self.folder / shared.name)

    def _word(self, *arguments: str) -> str:
        return self.git.run(*arguments).decode().strip()

    # Objects

    def sizes(self, oids: Iterable[str]) -> dict[str, int]:
        """Return the sizes in bytes of blobs; missing objects are left out."""
        with self._lock:
            return self._sizes(oids)

    def read(self, oid: str) -> bytes | None:
        """Return the content of a blob; None if it is missing or larger than `MOST_FILE`."""
        return self.read_all([oid]).get(oid)

    def read_all(self, oids: Iterable[str], most: int = MOST_FILE) -> dict[str, bytes]:
        """Return the contents of blobs; those missing or larger than `most` bytes are left out."""
        with self._lock:
            readable = [oid for oid, size in self._sizes(oids).items() if size <= most]
            return {oid: stdout.read(size + 1)[:-1] for oid, size, stdout in self._ask("--batch", readable)}

    def _sizes(self, oids: Iterable[str]) -> dict[str, int]:
        return {oid: size for oid, size, _ in self._ask("--batch-check", dict.fromkeys(oids))}

    def _ask(self, mode: str, oids: Iterable[str]) -> Iterator[tuple[str, int, IO[bytes]]]:
        """Query a `git cat-file` process for many objects at once; yield those it has, in order."""
        if self.closed:
            raise RuleViolation("the change was closed, so its files can no longer be read")
        if mode not in self._servers:
            self._servers[mode] = self.git.serve("cat-file", mode)
        server, waiting = self._servers[mode], list(oids)
        assert server.stdin is not None
        assert server.stdout is not None
        for start in range(0, len(waiting), ASKED_AT_ONCE):
            asked = waiting[start : start + ASKED_AT_ONCE]
            server.stdin.write("".join(f"{oid}\n" for oid in asked).encode())
            server.stdin.flush()
            for oid in asked:
                words = server.stdout.readline().split()
                if words[:1] != [oid.encode()]:
                    raise InputError("git stopped answering", expected="a repository that is not damaged")
                if len(words) == 3 and words[1] == b"blob":
                    yield oid, int(words[2]), server.stdout


def _import(files: Iterable[Given]) -> Iterator[bytes]:
    """Yield the `git fast-import` stream for these files in one commit."""
    listed = list[bytes]()
    for mark, file in enumerate(files, start=1):
        yield b"blob\nmark :%d\ndata %d\n" % (mark, len(file.data))
        yield file.data + b"\n"
        path = in_header("", shown(file.path))
        listed.append(f"M {file.mode} :{mark} {path}\n".encode())
    yield b"commit refs/heads/given\ncommitter quorate <quorate> 0 +0000\ndata 0\n"
    yield from listed


def _discard(folder: Path, servers: dict[str, subprocess.Popen[bytes]]) -> None:
    for server in servers.values():
        for stream in (server.stdin, server.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        server.kill()
        server.wait()
    servers.clear()
    shutil.rmtree(folder, ignore_errors=True)
