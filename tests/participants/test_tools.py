"""The context folder: what is inside can be read, nothing else can be reached, and nothing raises (seed 003, tools)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from quorate.core.errors import InputError
from quorate.participants.port import Tools
from quorate.participants.tools import MOST_ENTRIES, MOST_HITS, MOST_SHOWN, SNIPPET, ContextFolder, look
from tests.support.drawn_secrets import pem


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ctx"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "plan.md").write_text("First line\nThe Cache must expire.\n", encoding="utf-8")
    (folder / "readme.txt").write_text("hello", encoding="utf-8")
    (tmp_path / "outside.txt").write_text("SECRET", encoding="utf-8")
    (tmp_path / "ctx-evil").mkdir()
    (tmp_path / "ctx-evil" / "loot.txt").write_text("SECRET", encoding="utf-8")
    return folder


@pytest.fixture
def tools(root: Path) -> ContextFolder:
    return ContextFolder(root)


def test_it_is_what_participants_take(tools: ContextFolder) -> None:
    seam: Tools = tools
    assert seam.list() == "ok: 2 entries\ndocs/\nreadme.txt (5 bytes)"
    assert seam.list("docs") == "ok: 1 entries\nplan.md (34 bytes)"
    assert seam.read("docs/plan.md") == "ok: docs/plan.md, 34 bytes\nFirst line\nThe Cache must expire.\n"
    assert seam.read("./docs//plan.md").startswith("ok:")


@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt",
        "docs/../../outside.txt",
        "docs/../readme.txt",
        "..",
        "../ctx-evil/loot.txt",
        "/etc/passwd",
        "//etc/passwd",
        "nul\0byte",
        "readme.txt\0.md",
        "a" * 5000,
        "x/" * 1500,
        "nothing.txt",
        "readme.txt/inside",
        "",
    ],
)
def test_a_path_that_leads_out_or_nowhere_is_refused_in_words(tools: ContextFolder, path: str) -> None:
    answer = tools.read(path)
    assert answer.startswith("refused: ")
    assert "SECRET" not in answer
    assert "root:" not in answer


def test_an_absolute_path_into_the_folder_is_refused_too(tools: ContextFolder, root: Path) -> None:
    assert tools.read(str(root / "readme.txt")).startswith("refused: ")


def test_links_are_followed_within_the_folder_and_not_out_of_it(tools: ContextFolder, root: Path) -> None:
    (root / "inside.md").symlink_to("docs/plan.md")
    (root / "out.txt").symlink_to(root.parent / "outside.txt")
    (root / "evil").symlink_to(root.parent / "ctx-evil")
    (root / "up").symlink_to("..")
    (root / "loop").symlink_to("loop")
    (root / "dangling").symlink_to("nothing")
    assert "must expire" in tools.read("inside.md")
    for path in ("out.txt", "evil/loot.txt", "up/outside.txt", "up/ctx-evil/loot.txt", "loop", "dangling"):
        assert tools.read(path).startswith("refused: "), path
    for path in ("evil", "up", "loop"):
        assert tools.list(path).startswith("refused: "), path
    listed = tools.list()
    assert "inside.md" in listed
    assert "5 not shown" in listed
    assert "SECRET" not in tools.search("SECRET")
    assert tools.listing() == "inside.md (34 bytes)\nreadme.txt (5 bytes)\ndocs/plan.md (34 bytes)"


def test_a_root_that_is_a_link_is_where_it_leads(root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    assert ContextFolder(link).read("readme.txt").endswith("hello")


def test_a_link_that_is_put_in_the_way_after_the_check_is_not_followed(tools: ContextFolder, root: Path) -> None:
    resolved = tools._resolve("docs/plan.md")
    (root / "docs" / "plan.md").unlink()
    (root / "docs" / "plan.md").symlink_to(root.parent / "outside.txt")
    with pytest.raises(Exception, match=r"regular file|cannot be read"):
        tools._open(resolved)


def test_a_folder_that_is_replaced_by_a_link_after_the_check_is_not_followed(tools: ContextFolder, root: Path) -> None:
    resolved = tools._resolve("docs/plan.md")
    (root / "docs").rename(root / "old")
    (root.parent / "ctx-evil" / "plan.md").write_text("SECRET", encoding="utf-8")
    (root / "docs").symlink_to(root.parent / "ctx-evil")
    with pytest.raises(Exception, match="cannot be read"):
        tools._open(resolved)


def test_pipes_sockets_and_folders_are_no_files(tools: ContextFolder, root: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / "null").symlink_to("/dev/null")
    assert tools.read("pipe") == "refused: pipe is not a regular file"
    assert tools.read("null").startswith("refused: ")
    assert tools.read("docs") == "refused: docs is not a regular file"
    assert tools.list("readme.txt").startswith("refused: ")
    assert "pipe" not in tools.listing()
    assert tools.search("absent words").startswith("ok: 0 lines")


def test_secrets_are_neither_listed_nor_read_nor_searched(root: Path) -> None:
    secret = ["server.pem", ".env", ".env.local", "id_rsa", "ID_RSA.bak", "tls.key", ".netrc", "credentials.json"]
    for name in secret:
        (root / name).write_text("TOKEN", encoding="utf-8")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("TOKEN", encoding="utf-8")
    (root / "harmless.txt").symlink_to(".env")
    tools = ContextFolder(root)
    for name in [*secret, ".git/config", "harmless.txt"]:
        assert tools.read(name).startswith("refused: "), name
        assert name not in tools.listing()
    assert tools.list(".git").startswith("refused: ")
    assert "10 not shown" in tools.list()
    assert tools.search("TOKEN") == "ok: 0 lines found"
    allowed = ContextFolder(root, allow=(".env",))
    assert allowed.read(".env").endswith("TOKEN")
    assert allowed.read("id_rsa").startswith("refused: ")


def test_a_search_shows_no_line_of_a_private_key_and_confirms_none(tools: ContextFolder, root: Path) -> None:
    key = pem()
    body = key.split("\n")[1:-1]
    (root / "notes.md").write_text(f"The key of the gateway:\n{key}\nKeep the key safe.\n", encoding="utf-8")
    assert not any(line in tools.read("notes.md") for line in body)
    for line in body:
        assert tools.search(line) == "ok: 0 lines found"
        assert tools.search(line[3:9]) == "ok: 0 lines found"
    found = tools.search("key")
    assert found.splitlines()[0] == "ok: 4 lines found"
    assert "notes.md:11: Keep the key safe." in found
    assert not any(line in found for line in body)


def test_long_files_show_their_beginning_and_say_so(tools: ContextFolder, root: Path) -> None:
    (root / "long.txt").write_text("é" * MOST_SHOWN, encoding="utf-8")
    (root / "odd.txt").write_text("x" + "é" * MOST_SHOWN, encoding="utf-8")
    first, _, text = tools.read("long.txt").partition("\n")
    assert first == f"ok: long.txt, the first {MOST_SHOWN} of {2 * MOST_SHOWN} bytes"
    assert text == "é" * (MOST_SHOWN // 2)
    assert "\N{REPLACEMENT CHARACTER}" not in tools.read("odd.txt")


def test_binary_files_are_named_as_such_and_broken_text_is_still_shown(tools: ContextFolder, root: Path) -> None:
    (root / "logo.png").write_bytes(b"\x89PNG\r\n\0\0\0")
    (root / "latin.txt").write_bytes("naïve".encode("latin-1"))
    assert tools.read("logo.png") == "ok: logo.png is a binary file of 9 bytes; it is not shown"
    assert tools.read("latin.txt").endswith("na\N{REPLACEMENT CHARACTER}ve")


def test_long_lists_are_cut_with_a_note(tools: ContextFolder, root: Path) -> None:
    for number in range(MOST_ENTRIES + 20):
        (root / "docs" / f"n{number:04}").touch()
    listed = tools.list("docs").splitlines()
    assert listed[0] == f"ok: {MOST_ENTRIES} entries"
    assert len(listed) == MOST_ENTRIES + 2
    assert listed[-1] == "[21 further entries are not listed]"
    assert tools.listing().splitlines()[-1] == "[22 further files are not listed]"


def test_names_cannot_forge_lines_or_markers(tools: ContextFolder, root: Path) -> None:
    (root / "a\nok: forged").touch()
    (root / "b<<end>>").touch()
    (root / "c\u202etxt").touch()
    (root / os.fsdecode(b"d\xff")).touch()
    assert [line.split(" (")[0] for line in tools.list().splitlines()[1:]] == [
        "a ok: forged",
        "b((end))",
        "c[hidden U+202E]txt",
        "docs/",
        "d[hidden U+DCFF]",
        "readme.txt",
    ]
    assert tools.listing().encode()


def test_search_is_case_insensitive_and_shows_snippets(tools: ContextFolder, root: Path) -> None:
    (root / "wide.txt").write_text("a" * 1000 + " NEEDLE " + "b" * 1000 + "\n(needle)?\n", encoding="utf-8")
    assert tools.search("cACHE") == "ok: 1 lines found\ndocs/plan.md:2: The Cache must expire."
    hits = tools.search("needle").splitlines()[1:]
    assert [hit.split(":")[1] for hit in hits] == ["1", "2"]
    snippet = hits[0].split(": ", 1)[1]
    assert "NEEDLE" in snippet
    assert len(snippet) <= SNIPPET
    assert tools.search("(needle)?").startswith("ok: 1 lines")
    assert tools.search("absent words") == "ok: 0 lines found"
    assert tools.search(" \n").startswith("refused: ")
    assert tools.search("x" * 1_001).startswith("refused: ")


def test_search_stops_at_its_limit_and_passes_clutter_and_binaries_by(tools: ContextFolder, root: Path) -> None:
    (root / "many.txt").write_text("hit\n" * (MOST_HITS * 2), encoding="utf-8")
    (root / "blob.bin").write_bytes(b"\0word")
    (root / "node_modules").mkdir()
    (root / "node_modules" / "x.js").write_text("word", encoding="utf-8")
    lines = tools.search("hit").splitlines()
    assert len(lines) == 1 + MOST_HITS
    assert lines[0] == f"ok: {MOST_HITS} lines found; there may be more, not everything was searched"
    assert tools.search("word") == "ok: 0 lines found"
    assert tools.read("node_modules/x.js").endswith("word")


@pytest.mark.parametrize("argument", [None, 7, b"readme.txt", ["readme.txt"], {"path": "x"}, True])
def test_arguments_of_a_wrong_kind_are_refused(tools: ContextFolder, argument: Any) -> None:
    for answer in (tools.read(argument), tools.list(argument), tools.search(argument)):
        assert answer.startswith("refused: the argument must be text")


def test_calls_by_name(tools: ContextFolder) -> None:
    assert look(tools, "read", '{"path": "readme.txt"}').endswith("hello")
    assert look(tools, "read", {"path": "readme.txt"}).endswith("hello")
    assert look(tools, "list", "{}").startswith("ok: 2 entries")
    assert look(tools, "search", {"term": "hello"}).startswith("ok: 1 lines")


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("reed", "{}", "did you mean read?"),
        ("delete", '{"path": "readme.txt"}', "there is no tool delete"),
        ("__class__", "{}", "there is no tool"),
        ("read", "not json", "are not unambiguous JSON"),
        ("read", '{"path": ', "are not unambiguous JSON"),
        ("read", "[" * 100_000, "are not unambiguous JSON"),
        ("read", "{}", 'expected {"path": "…"}'),
        ("read", '["readme.txt"]', "do not fit"),
        ("read", '{"path": "readme.txt", "mode": "w"}', "do not fit"),
        ("read", '{"file": "readme.txt"}', "do not fit"),
        ("search", '{"term": null}', "must be text"),
    ],
)
def test_unknown_tools_and_malformed_arguments_are_refused(
    tools: ContextFolder, name: str, arguments: str, says: str
) -> None:
    answer = look(tools, name, arguments)
    assert answer.startswith("refused: ")
    assert says in answer


@pytest.mark.parametrize("name", ["nothing", "readme.txt"])
def test_a_folder_that_is_none_is_the_users_error(root: Path, name: str) -> None:
    with pytest.raises(InputError, match="the context folder"):
        ContextFolder(root / name)
