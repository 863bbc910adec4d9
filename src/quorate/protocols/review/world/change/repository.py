"""The user's git repository: its location, refs, and uncommitted files."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from quorate.core.errors import InputError, SettingError, nearest
from quorate.files.git import Git, GitFailed, printable

MOST_NAME = 1_000
MOST_COMMITTED = 1_000_000
"""Bytes of a file that is read from the commit that is checked out."""
MOST_NAMES = 4_000_000
"""Bytes of names of refs, from which the nearest to a misspelt one is taken."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository with a working tree."""

    git: Git
    root: Path
    git_dir: Path
    objects: Path
    object_format: str
    shallow: bool

    def resolve(self, ref: str, key: str) -> str:
        """Return the commit that a ref names; raises SettingError with the nearest name if there is none."""
        if ref.startswith("-") or not ref or len(ref) > MOST_NAME or not ref.isprintable():
            raise SettingError(f"is {ref[:80]!r}", key=key, expected="a branch, a tag or a commit")
        commit = self._commit(ref)
        if commit is None:
            names = self.git.run("for-each-ref", "--format=%(refname:short)", most=MOST_NAMES).decode(errors="replace")
            expected = "a branch, a tag or a commit of this repository"
            if self.shallow:
                expected += " (it is a shallow clone: `git fetch --unshallow` fetches the rest)"
            known = nearest(ref, names.splitlines())
            raise SettingError(f"there is no {ref!r}", key=key, expected=expected, nearest=known)
        return commit

    def head(self) -> str | None:
        """Return the commit that is checked out, or None if there is no commit yet."""
        return self._commit("HEAD")

    def committed(self, path: str) -> str | None:
        """Return the text of a file in the commit that is checked out, or None."""
        try:
            return self.git.run("cat-file", "blob", f"HEAD:{path}", most=MOST_COMMITTED).decode()
        except (GitFailed, UnicodeDecodeError):
            return None

    def branch(self) -> str | None:
        """Return the name of the branch that is checked out, or None."""
        try:
            return _line(self.git.run("symbolic-ref", "--quiet", "--short", "HEAD"))
        except GitFailed:
            return None

    def default_branch(self) -> tuple[str, str] | None:
        """Return name and commit of the default branch, preferring that of the remote `origin`."""
        remote = "refs/remotes/origin/"
        wanted = [f"{remote}HEAD", f"{remote}main", f"{remote}master", "refs/heads/main", "refs/heads/master"]
        with suppress(GitFailed):
            wanted.append(f"refs/heads/{_line(self.git.run('config', '--get', 'init.defaultBranch'))}")
        printed = self.git.run("for-each-ref", "--format=%(refname) %(objectname) %(symref)", *wanted)
        found = {words[0]: words[1:] for words in (line.split(" ") for line in printed.decode().splitlines())}
        for ref in wanted:
            if ref in found:
                commit, target = found[ref][0], found[ref][1] or ref
                return target.removeprefix("refs/remotes/").removeprefix("refs/heads/"), commit
        return None

    def merge_base(self, one: str, other: str, name: str) -> str:
        """Return the merge base of two commits."""
        try:
            return _line(self.git.run("merge-base", one, other))
        except GitFailed as error:
            what = f"has no commit in common with {name!r}"
            if self.shallow:
                how = "a full history: `git fetch --unshallow`, or `fetch-depth: 0` in a GitHub Action"
                raise InputError(f"the checkout is shallow and {what}", expected=how) from error
            raise SettingError(f"HEAD {what}", key="base", expected="a branch that this one began from") from error

    def index(self) -> Path:
        """Return the index file; within a git hook, the one the hook was given if it is this repository's."""
        given = os.environ.get("GIT_INDEX_FILE", "")
        if given:
            file = Path(os.path.abspath(self.root / given))
            if file.is_relative_to(self.git_dir) and file.is_file():
                return file
        return self.git_dir / "index"

    def known_files(self, *paths: str) -> list[bytes]:
        """Return the files that git tracks or would track under these paths, relative to the root."""
        narrowed = ("--", *paths) if paths else ()
        listing = ("ls-files", "-z", "--full-name", "--cached", "--others", "--exclude-standard", *narrowed)
        return sorted(set(self.git.run(*listing).split(b"\0")) - {b""})

    def untracked(self) -> int:
        """Return the number of untracked, not ignored files and folders, except our own folder."""
        printed = self.git.run("ls-files", "-z", "--others", "--exclude-standard", "--directory")
        return sum(not path.startswith(b".quorate/") for path in printed.split(b"\0") if path)

    def _commit(self, name: str) -> str | None:
        try:
            return _line(self.git.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"))
        except GitFailed:
            return None


def find_repository(folder: Path) -> Repository | None:
    """Return the repository that a folder belongs to, or None; raises InputError if git refuses access."""
    git = Git.in_repository(folder)
    asked = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--is-shallow-repository")
    try:
        printed = git.run("rev-parse", *asked, "--show-object-format")
    except GitFailed as error:
        if "dubious ownership" in error.complaint:
            how = f"your own checkout, or: git config --global --add safe.directory {folder}"
            raise InputError(
                "git does not trust this repository, because another user owns it", file=str(folder), expected=how
            ) from error
        if "must be run in a work tree" in error.complaint or "bare repository" in error.complaint:
            raise InputError("is a bare repository", file=str(folder), expected="a checkout") from error
        if "not a git repository" in error.complaint:
            return None
        raise
    lines = os.fsdecode(printed).splitlines()
    if len(lines) != 5:
        raise InputError("has a line break in its name", file=printable(str(folder)), expected="a folder without one")
    root, git_dir, common = Path(lines[0]), Path(lines[1]), folder / lines[2]
    if not (root / ".git").exists():
        how = "a checkout with its .git in the folder itself"
        raise InputError("git's configuration points to another folder", file=str(root), expected=how)
    return Repository(
        Git.in_repository(root), root, git_dir, common.resolve() / "objects", lines[4], lines[3] == "true"
    )


def the_repository(folder: Path) -> Repository:
    """Return the repository that a folder belongs to; raises InputError if there is none."""
    if not folder.is_dir():
        raise InputError("is not a folder", file=str(folder))
    repository = find_repository(folder)
    if repository is None:
        raise InputError(
            "is not in a git repository", file=str(folder), expected="a git checkout; otherwise give a diff, or paths"
        )
    return repository


def _line(printed: bytes) -> str:
    return os.fsdecode(printed).strip()
