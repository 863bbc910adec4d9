"""The two sides of a branch, of a commit and of the index."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from quorate.core.errors import InputError, SettingError
from quorate.files.git import GitFailed
from quorate.protocols.review.world.change.repository import Repository, the_repository
from quorate.protocols.review.world.change.sides import Sides, narrowed, nothing_in, titled
from quorate.protocols.review.world.change.source import Branch, Commit, Staged
from quorate.protocols.review.world.change.trees import GitTree
from quorate.protocols.review.world.change.workbench import Workbench

SHORT = 10


def of_branch(source: Branch, folder: Path) -> Sides:
    """Compare a branch with its merge base; the default branch itself with its previous commit."""
    repository = the_repository(folder)
    head = repository.head() if source.head is None else repository.resolve(source.head, "head")
    if head is None:
        how = "a first commit, or a review of what is staged"
        raise InputError("has no commit yet", file=str(repository.root), expected=how)
    branch = repository.branch() if source.head is None else None
    name = branch or _short(source.head or head, head)
    label, other = _compared_with(source, repository)
    base = repository.merge_base(other, head, label)
    bench = Workbench(repository)
    if base == head and source.base is None and branch in (None, label.removeprefix("origin/")):
        title = f"the last commit of {name}, which is the default branch itself" if branch else f"the commit {name}"
        return _of_one(repository, bench, head, title + _uncommitted(repository, bench, head), source.paths, folder)
    title = f"{name} against {_short(label, other)}"
    if source.head is None:
        title += _uncommitted(repository, bench, head)
    paths = narrowed(source.paths, folder, repository.root)
    how = "a branch with commits of its own; or, for what is not committed yet, `git add` it and review with --staged"
    nothing = nothing_in(f"{name} has no changes that {label} lacks", paths, how)
    return _sides(repository, bench, base, head, title, nothing, paths)


def of_commit(source: Commit, folder: Path) -> Sides:
    """Compare a commit with its first parent; a root commit with nothing."""
    repository = the_repository(folder)
    commit = repository.resolve(source.sha, "commit")
    sides = _of_one(repository, Workbench(repository), commit, f"commit {commit[:SHORT]}", source.paths, folder)
    parted = _parted(repository, sides.base)
    if parted is None:
        return sides
    grounds = GitTree(sides.bench, parted)
    return replace(sides, rules=grounds, grounds=grounds)


def _parted(repository: Repository, parent: str) -> str | None:
    """Return the merge base of a commit's parent with the default branch, since the parent may be the author's too.

    None if that is the parent itself, or unknown.
    """
    default = repository.default_branch() if parent else None
    if default is None:
        return None
    try:
        parted = repository.merge_base(default[1], parent, default[0])
    except (InputError, SettingError):
        return None
    return parted if parted != parent else None


def of_staged(source: Staged, folder: Path) -> Sides:
    """Compare what is staged with the last commit."""
    repository = the_repository(folder)
    head, bench = repository.head(), Workbench(repository)
    paths = narrowed(source.paths, folder, repository.root)
    nothing = nothing_in("nothing is staged", paths, "`git add` first, or a branch or commit to review")
    new = bench.tree_of_index(repository.index())
    title = f"what is staged on {repository.branch() or _short(head or '', head or '')}"
    old = head or bench.empty_tree()
    return _sides(repository, bench, old, new, title, nothing, paths, base=head or "", head="")


def _of_one(
    repository: Repository, bench: Workbench, commit: str, title: str, paths: tuple[str, ...], folder: Path
) -> Sides:
    parent = bench.parent(commit)
    if parent is not None:
        try:
            bench.git.run("cat-file", "-e", f"{parent}^{{tree}}")
        except GitFailed as error:
            how = "a longer history: `git fetch --deepen=1`, or `fetch-depth: 2` in a GitHub Action"
            raise InputError(
                f"the parent of {commit[:SHORT]} is missing, because this is a shallow clone", expected=how
            ) from error
    within = narrowed(paths, folder, repository.root)
    nothing = nothing_in(f"the commit {commit[:SHORT]} changes no file", within, "another commit")
    old = parent or bench.empty_tree()
    return _sides(repository, bench, old, commit, title, nothing, within, base=parent or "")


def _sides(
    repository: Repository,
    bench: Workbench,
    old: str,
    new: str,
    title: str,
    nothing: InputError,
    paths: tuple[str, ...],
    *,
    base: str | None = None,
    head: str | None = None,
) -> Sides:
    before = GitTree(bench, old)
    return Sides(
        bench,
        old,
        new,
        titled(title, paths),
        old if base is None else base,
        new if head is None else head,
        repository.root,
        nothing,
        before,
        GitTree(bench, new),
        rules=before,
        paths=paths,
    )


def _compared_with(source: Branch, repository: Repository) -> tuple[str, str]:
    """Return the name and commit of the branch to compare with."""
    if source.base is not None:
        return source.base, repository.resolve(source.base, "base")
    default = repository.default_branch()
    if default is None:
        how = "the name of the branch to compare with, as the base"
        raise InputError("has no branch origin/HEAD, main or master", file=str(repository.root), expected=how)
    return default


def _uncommitted(repository: Repository, bench: Workbench, head: str) -> str:
    count = bench.uncommitted(repository.index(), repository.root, head) + repository.untracked()
    if not count:
        return ""
    return f" ({count:,} uncommitted file{'s are' if count > 1 else ' is'} not part of it)"


def _short(name: str, commit: str) -> str:
    """Return a name, shortened if it is the id of the commit."""
    return name[:SHORT] if name == commit else name
