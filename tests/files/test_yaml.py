"""Users' files: every value knows its place, and what cannot be used says file, line, key and what would be right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorate.core.errors import InputError
from quorate.files.located_values import MOST_DEPTH, Located, located
from quorate.files.yaml import MOST_BYTES, MOST_VALUES, load

FILE = """\
# a comment
seats:
  judge:
    model: openai:gpt-5
    timeout: 60
  security: [one, 2, 2.5, true, null]
note: |
  two
  lines
"""


def refused(source: str | Path, name: str = "file.yaml") -> InputError:
    with pytest.raises(InputError) as caught:
        load(source, name if isinstance(source, str) else None)
    return caught.value


def test_values_and_places() -> None:
    root = load(FILE, "file.yaml")
    assert root.plain() == {
        "seats": {"judge": {"model": "openai:gpt-5", "timeout": 60}, "security": ["one", 2, 2.5, True, None]},
        "note": "two\nlines\n",
    }
    judge = root.mapping()["seats"].mapping()["judge"]
    assert (judge.file, judge.line, judge.key) == ("file.yaml", 3, "seats.judge")
    assert judge.mapping()["timeout"].line == 5
    entry = root.mapping()["seats"].mapping()["security"].items()[1]
    assert (entry.line, entry.key) == (6, "seats.security[1]")
    assert root.line_of(("seats", "judge", "model")) == 4
    assert root.line_of(("seats", "judge", "nothing", "below")) == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("no", "no"),
        ("2024-01-01", "2024-01-01"),
        ("1:30", "1:30"),
        ("0x10", 16),
        ("0o17", 15),
        ("-3", -3),
        ("1e3", 1000.0),
        ("~", None),
        ("'5'", "5"),
        ("<<", "<<"),
    ],
)
def test_plain_words_stay_words(text: str, value: object) -> None:
    assert load(f"key: {text}", "f").plain() == {"key": value}


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("<<: {a: 1}\n", 1, "<<"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", 3, "c.<<"),
        ("a: {<<: {b: 1}}\n", 1, "a.<<"),
        ("- ? <<\n  : {b: 1}\n", 1, "[0].<<"),
    ],
)
def test_a_merge_key_is_refused(text: str, line: int, key: str) -> None:
    """Another reader would see fields that this one does not."""
    with pytest.raises(InputError, match="merge keys are not read; write the fields out") as caught:
        load(text, "f")
    assert (caught.value.line, caught.value.key) == (line, key)


@pytest.mark.parametrize("text", ['"<<": {a: 1}\n', "'<<': {a: 1}\n"])
def test_a_merge_key_in_quotes_is_a_name(text: str) -> None:
    assert load(text, "f").plain() == {"<<": {"a": 1}}


def test_an_empty_file_is_an_empty_value() -> None:
    assert load("# nothing here\n", "f").value is None


def test_aliases_are_expanded_and_keep_their_own_place() -> None:
    root = load("one: &x {a: 1}\ntwo: *x\n", "f")
    two = root.mapping()["two"]
    assert two.plain() == {"a": 1}
    assert (two.line, two.key) == (2, "two")


def test_the_value_cannot_be_changed() -> None:
    root = load("a: 1", "f")
    with pytest.raises(TypeError):
        root.value["a"] = 2  # type: ignore[index]


# What is refused


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "'a' appears a second time"),
        ("a:\n  b: 1\n  b: 2\n", 3, "already on line 2"),
        ("a: &x [1, *x]\n", 1, "*x contains itself"),
        ("a: 1\nb: *y\n", 2, "*y has no anchor"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
        ("a: !!python/object:os.system 1\n", 1, "tag"),
        ("a: !!binary aGk=\n", 1, "tag"),
        ("a: !thing {b: 1}\n", 1, "tag"),
        ("a: 1\n? [b, c]\n: 2\n", 2, "key is a list or a mapping"),
        ("a: 1\nb: [1, 2\n", 3, "cannot be read"),
        ("a: 1\nb: 'open\n", 3, "cannot be read"),
        ("a: 1\n\tb: 2\n", 2, "cannot be read"),
        ("a: 1\nb: \x01\n", 2, "control character"),
        ('a: "\\ud83d"\n', 1, "surrogate"),
        ("a: " + "9" * 5000, 1, "not a number that can be read"),
    ],
)
def test_what_is_no_plain_data_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    error = refused(text)
    assert (error.file, error.line) == ("file.yaml", line)
    assert words in str(error)


def test_an_alias_bomb_is_refused_before_it_fills_memory() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]")
    error = refused("\n".join(lines))
    assert str(MOST_VALUES) in error.what
    assert error.line == 5


def test_deep_nesting_is_refused() -> None:
    assert "nested deeper" in refused("[" * 100_000).what
    assert "nested deeper" in refused("[" * 100_000 + "]" * 100_000, "file.json").what
    assert load("[" * MOST_DEPTH + "]" * MOST_DEPTH, "f").items() is not None


def test_a_large_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_text("a: " + "x" * MOST_BYTES)
    error = refused(path)
    assert "too large" in error.what
    assert error.file == str(path)


def test_binary_and_other_encodings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    path.write_bytes(b"a: 1\nb: \x00\x01")
    assert "binary" in refused(path).what
    assert refused(path).line == 2
    path.write_bytes("a: 1\nb: 2\nname: Müller\n".encode("latin-1"))
    assert refused(path).what == "is not UTF-8"
    assert refused(path).line == 3
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert load(path).plain() == {"a": 1}


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    error = refused(tmp_path / "none.yaml")
    assert error.file == str(tmp_path / "none.yaml")
    assert "No such file" in error.what
    assert "cannot be read" in refused(tmp_path).what


# JSON


def test_json_goes_the_same_way() -> None:
    data = {"a": [1, {"b": "tab\there, 😀, / and \\"}], "c": None, "d": -1.5e3}
    text = json.dumps(data, indent="\t")
    root = load(text, "file.json")
    assert root.plain() == data
    assert root.mapping()["c"].line == 8


def test_json_is_held_to_json() -> None:
    error = refused('{"a": 1,\n b: 2}', "file.json")
    assert error.line == 2
    assert "is not valid JSON" in error.what
    assert refused('{"a": 1,\n "a": 2}', "file.json").line == 2


# Readers


@pytest.fixture
def root() -> Located:
    return load("name: judge\ncount: 3\nshare: 0.5\nflag: true\nnothing:\n", "f.yaml")


def test_readers_return_what_was_asked_for(root: Located) -> None:
    given = root.mapping()
    assert given["name"].text() == "judge"
    assert given["count"].whole(1, 5) == 3
    assert given["share"].number(0, 1) == 0.5
    assert given["flag"].flag() is True
    assert given["name"].choice(("judge", "agent")) == "judge"


def test_an_unknown_key_names_the_nearest(root: Located) -> None:
    with pytest.raises(InputError) as caught:
        root.mapping(("names", "count", "share", "flag", "nothing"))
    assert str(caught.value) == (
        "f.yaml:1: name: unknown key 'name'; expected one of names, count, share, flag, nothing; did you mean 'names'?"
    )


@pytest.mark.parametrize(
    ("key", "read", "message"),
    [
        ("name", lambda node: node.whole(1, 5), 'f.yaml:1: name: is "judge"; expected a whole number from 1 to 5'),
        ("count", lambda node: node.whole(1, 2), "f.yaml:2: count: is 3; expected a whole number from 1 to 2"),
        ("flag", lambda node: node.whole(0, 5), "f.yaml:4: flag: is true; expected a whole number from 0 to 5"),
        ("flag", lambda node: node.number(0, 5), "f.yaml:4: flag: is true; expected a number from 0 to 5"),
        ("share", lambda node: node.number(1, 2), "f.yaml:3: share: is 0.5; expected a number from 1 to 2"),
        ("count", lambda node: node.flag(), "f.yaml:2: count: is 3; expected true or false"),
        ("nothing", lambda node: node.text(), "f.yaml:5: nothing: is empty; expected a text"),
        ("name", lambda node: node.items(), 'f.yaml:1: name: is "judge"; expected a list'),
        ("name", lambda node: node.mapping(("a",)), 'f.yaml:1: name: is "judge"; expected a mapping with a'),
        (
            "name",
            lambda node: node.choice(("judges", "agent"), "seat"),
            "f.yaml:1: name: unknown seat 'judge'; expected one of judges, agent; did you mean 'judges'?",
        ),
    ],
)
def test_readers_say_where_and_what(root: Located, key: str, read: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(root.mapping()[key])  # type: ignore[operator]
    assert str(caught.value) == message


def test_callers_data_has_the_same_readers() -> None:
    node = located({"a": [1, {"b": 2}]}, "settings")
    inner = node.mapping()["a"].items()[1].mapping()["b"]
    assert (inner.key, inner.line, inner.plain()) == ("a[1].b", None, 2)
    with pytest.raises(InputError, match="plain data"):
        located({"a": object()}, "settings")
