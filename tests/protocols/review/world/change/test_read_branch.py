"""A branch is what it brings since it parted; what had to be guessed, and what is not part of it, the title says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from quorate.core.errors import InputError, SettingError
from quorate.kit.change import FileStatus
from quorate.protocols.review.world.change.read import digest_of, read_change
from quorate.protocols.review.world.change.source import Branch, Commit, Diff, Source, Staged, pinned
from tests.protocols.review.world.change.repos import Repo


def refused(source: Source, folder: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read_change(source, folder)
    return caught.value


def test_a_branch_against_main(repo: Repo) -> None:
    base = repo.git("rev-parse", "main")
    head = repo.commit({"src/app.py": "one\n2\nthree\nfour\n", "src/new.py": "x = 1\n"})
    change = read_change(Branch(), repo.folder)
    assert (change.title, change.base, change.head) == ("feature against main", base, head)
    assert change.root == str(repo.folder)
    new, app = change.files
    assert (new.path, new.status, new.before, new.after) == ("src/new.py", FileStatus.ADDED, None, "x = 1\n")
    assert new.patch == (
        "diff --git a/src/new.py b/src/new.py\nnew file mode 100644\n"
        "--- /dev/null\n+++ b/src/new.py\n@@ -0,0 +1 @@\n+x = 1\n"
    )
    assert (app.status, app.before, app.after) == (FileStatus.MODIFIED, "one\ntwo\nthree\n", "one\n2\nthree\nfour\n")
    assert dict(app.added) == {2: "2", 4: "four"}
    assert dict(app.removed) == {2: "two"}
    assert change.left_out == ()


def test_the_trees_are_the_whole_project(repo: Repo) -> None:
    repo.commit({"src/app.py": "changed\n"})
    change = read_change(Branch(), repo.folder)
    assert change.before is not None
    assert change.after is not None
    assert set(change.before.paths()) == {"src/app.py", "README.md"} == set(change.after.paths())
    assert change.before.read("src/app.py") == "one\ntwo\nthree\n"
    assert change.after.read("src/app.py") == "changed\n"
    assert change.after.read("README.md") == "# Shop\n"
    assert change.after.read("none") is None
    assert change.after.read("../project/README.md") is None


def test_what_main_did_meanwhile_is_not_the_branch(repo: Repo) -> None:
    repo.commit({"src/new.py": "x = 1\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit({"other.py": "y = 1\n"})
    repo.git("checkout", "--quiet", "feature")
    assert [file.path for file in read_change(Branch(), repo.folder).files] == ["src/new.py"]
    assert [file.path for file in read_change(Branch("main"), repo.folder).files] == ["src/new.py"]


def test_origin_comes_before_a_local_main(repo: Repo, tmp_path: Path) -> None:
    repo.git("push", "--quiet", str(_remote(tmp_path)), "main:develop")
    repo.git("remote", "add", "origin", str(tmp_path / "remote"))
    repo.git("fetch", "--quiet", "origin")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
    repo.commit({"src/new.py": "x = 1\n"})
    assert read_change(Branch(), repo.folder).title == "feature against origin/develop"


def _remote(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", "--bare", str(tmp_path / "remote")], check=True)
    return tmp_path / "remote"


def test_the_branch_that_the_user_calls_default(empty: Repo) -> None:
    empty.git("checkout", "--quiet", "-b", "trunk")
    empty.commit({"a.py": "1\n"})
    empty.git("checkout", "--quiet", "-b", "feature")
    empty.commit({"a.py": "2\n"})
    assert read_change(Branch(), empty.folder).title == "feature against trunk"


def test_on_the_default_branch_it_is_the_last_commit_and_the_title_says_so(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "main")
    first = repo.git("rev-parse", "HEAD")
    repo.commit({"a.py": "1\n"})
    change = read_change(Branch(), repo.folder)
    assert change.title == "the last commit of main, which is the default branch itself"
    assert (change.base, [file.path for file in change.files]) == (first, ["a.py"])


def test_on_the_default_branch_with_one_commit_all_of_it_is_new(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "main")
    change = read_change(Branch(), repo.folder)
    assert change.base == ""
    assert {file.status for file in change.files} == {FileStatus.ADDED}
    assert pinned(Branch(), change) == Commit(change.head)


def test_unpushed_commits_of_the_default_branch_are_the_change(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "main")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.commit({"a.py": "1\n"})
    repo.commit({"b.py": "1\n"})
    change = read_change(Branch(), repo.folder)
    assert change.title == "main against origin/main"
    assert [file.path for file in change.files] == ["a.py", "b.py"]


def test_a_detached_head_goes_by_its_commit(repo: Repo) -> None:
    head = repo.commit({"a.py": "1\n"})
    repo.git("checkout", "--quiet", "--detach")
    assert read_change(Branch(), repo.folder).title == f"{head[:10]} against main"
    repo.git("checkout", "--quiet", "--detach", "main")
    assert read_change(Branch(), repo.folder).title == f"the commit {repo.git('rev-parse', 'main')[:10]}"


def test_what_is_not_committed_is_not_part_and_counted(repo: Repo) -> None:
    repo.commit({"a.py": "1\n"})
    repo.write("a.py", "2\n")
    repo.write("untracked.py", "2\n")
    repo.write("staged.py", "2\n")
    repo.git("add", "staged.py")
    change = read_change(Branch(), repo.folder)
    assert change.title == "feature against main (3 uncommitted files are not part of it)"
    assert [file.after for file in change.files] == ["1\n"]


def test_a_file_that_was_only_touched_is_no_uncommitted_one(repo: Repo) -> None:
    repo.commit({"a.py": "1\n"})
    repo.write("a.py", "1\n")
    (repo.folder / "a.py").touch()
    assert read_change(Branch(), repo.folder).title == "feature against main"


def test_paths_narrow_it_down_and_are_seen_from_where_one_stands(repo: Repo) -> None:
    repo.commit({"src/a.py": "1\n", "docs/a.md": "1\n", "src/deep/b.py": "1\n"})
    assert [file.path for file in read_change(Branch(paths=("src",)), repo.folder).files] == [
        "src/a.py",
        "src/deep/b.py",
    ]
    assert read_change(Branch(paths=("src",)), repo.folder).title == "only src of feature against main"
    many = read_change(Branch(paths=("src", "a", "b", "c", "d")), repo.folder)
    assert many.title == "only src, a, b and 2 more of feature against main"
    assert [file.path for file in read_change(Branch(paths=("deep",)), repo.folder / "src").files] == ["src/deep/b.py"]
    assert len(read_change(Branch(paths=(".",)), repo.folder).files) == 3
    assert "changes nothing" not in str(refused(Branch(paths=("nowhere",)), repo.folder))
    assert "under nowhere" in str(refused(Branch(paths=("nowhere",)), repo.folder))
    assert "outside of" in str(refused(Branch(paths=("../x",)), repo.folder))
    # No pattern is read into a path.
    refused(Branch(paths=("src/*.py",)), repo.folder)
    refused(Branch(paths=(":(glob)**",)), repo.folder)


def test_a_commit_against_its_first_parent(repo: Repo) -> None:
    sha = repo.commit({"a.py": "1\n"})
    repo.commit({"b.py": "1\n"})
    change = read_change(Commit(sha[:12]), repo.folder)
    assert (change.title, change.head) == (f"commit {sha[:10]}", sha)
    assert [file.path for file in change.files] == ["a.py"]


def test_a_merge_commit_is_what_it_brought_to_its_first_parent(repo: Repo) -> None:
    repo.commit({"a.py": "1\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit({"b.py": "1\n"})
    repo.git("merge", "--quiet", "--no-edit", "feature")
    assert [file.path for file in read_change(Commit("HEAD"), repo.folder).files] == ["a.py"]


def test_the_first_commit_is_against_nothing(repo: Repo) -> None:
    change = read_change(Commit("main"), repo.folder)
    assert change.base == ""
    assert change.before is not None
    assert change.before.paths() == ()
    assert sorted(file.path for file in change.files) == ["README.md", "src/app.py"]


def test_a_later_process_reads_the_same_from_a_pinned_source(repo: Repo) -> None:
    repo.commit({"a.py": "1\n"})
    change = read_change(Branch(), repo.folder)
    source = pinned(Branch(), change)
    repo.commit({"b.py": "1\n"})
    repo.git("branch", "--force", "main", "HEAD")
    assert digest_of(read_change(source, repo.folder)) == digest_of(change)
    assert digest_of(read_change(Commit("HEAD"), repo.folder)) != digest_of(change)


def test_a_repository_with_sha256_names(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "sha256")
    repo.folder.mkdir()
    repo.git("init", "--quiet", "--initial-branch=main", "--object-format=sha256")
    repo.commit({"a.py": "1\n"})
    repo.commit({"a.py": "2\n"})
    change = read_change(Commit("HEAD"), repo.folder)
    assert len(change.head) == 64
    assert change.files[0].before == "1\n"


def test_a_linked_worktree(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.commit({"a.py": "1\n"})
    assert read_change(Branch(), linked.folder).title == "other against main"
    linked.write("b.py", "1\n")
    linked.git("add", "b.py")
    assert [file.path for file in read_change(Staged(), linked.folder).files] == ["b.py"]


# What cannot be reviewed says so, and what to do


def test_a_name_that_is_not_known(repo: Repo) -> None:
    repo.commit({"a.py": "1\n"})
    error = refused(Branch("mian"), repo.folder)
    assert isinstance(error, SettingError)
    assert (error.key, error.nearest) == ("base", "main")
    assert refused(Commit("nope"), repo.folder).key == "commit"


@pytest.mark.parametrize("name", ["--output=/tmp/x", "-h", "", "a\nb", "x" * 2_000, "\0"])
def test_a_name_that_is_none(repo: Repo, name: str) -> None:
    assert refused(Branch(name), repo.folder).key == "base"
    assert refused(Commit(name), repo.folder).key == "commit"


def test_not_a_repository(tmp_path: Path) -> None:
    assert "not in a git repository" in str(refused(Branch(), tmp_path))
    assert "is not a folder" in str(refused(Branch(), tmp_path / "none"))


def test_a_bare_repository(tmp_path: Path) -> None:
    assert "bare repository" in str(refused(Branch(), _remote(tmp_path)))


def test_an_unborn_branch(empty: Repo) -> None:
    assert "no commit yet" in str(refused(Branch(), empty.folder))
    assert refused(Commit("HEAD"), empty.folder).key == "commit"


def test_no_default_branch(empty: Repo) -> None:
    empty.git("checkout", "--quiet", "-b", "odd")
    empty.commit({"a.py": "1\n"})
    error = refused(Branch(), empty.folder)
    assert "origin/HEAD, main or master" in str(error)
    assert "as the base" in str(error)


def test_an_empty_change(repo: Repo) -> None:
    assert "feature has no changes that main lacks" in str(refused(Branch(), repo.folder))
    repo.commit(message="nothing")
    assert "has no changes" in str(refused(Branch(), repo.folder))
    assert "changes no file" in str(refused(Commit("HEAD"), repo.folder))
    assert "nothing is staged" in str(refused(Staged(), repo.folder))


def test_a_shallow_clone(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "1\n"})
    repo.commit({"a.py": "2\n"})
    clone = Repo(tmp_path / "clone")
    url = f"file://{repo.folder}"
    repo.git("clone", "--quiet", "--depth=1", "--no-single-branch", url, str(clone.folder))
    assert "fetch --unshallow" in str(refused(Branch("origin/main"), clone.folder))
    assert "shallow clone" in str(refused(Commit("HEAD"), clone.folder))
    assert "--unshallow" in str(refused(Commit("HEAD~1"), clone.folder))


def test_histories_without_a_common_commit(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "--orphan", "island")
    repo.commit({"a.py": "1\n"})
    error = refused(Branch(), repo.folder)
    assert "no commit in common with 'main'" in str(error)


def test_a_merge_under_way(repo: Repo) -> None:
    repo.commit({"README.md": "one\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit({"README.md": "other\n"})
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "feature")
    assert "a merge has unresolved conflicts" in str(refused(Staged(), repo.folder))


def test_a_diff_from_standard_input_is_not_kept(repo: Repo) -> None:
    assert "was not kept" in str(refused(Diff("-"), repo.folder))


def test_git_is_not_installed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", ".")
    repo.write("git", "#!/bin/sh\ntouch ran\n")
    (repo.folder / "git").chmod(0o755)
    monkeypatch.chdir(repo.folder)
    assert "git was not found" in str(refused(Branch(), repo.folder))
    assert not (repo.folder / "ran").exists()
