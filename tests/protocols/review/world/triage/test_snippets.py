"""What of a change is asked about: functions with their past, lines elsewhere, and what is left out."""

from __future__ import annotations

import pytest

from quorate.kit.change import LeftOut, Why
from quorate.protocols.review.world.triage.snippets import MOST_SNIPPETS, Snippet, snippets_of
from tests.support.changes import change_of

BASE = """\
import os

LIMIT = 3


def one(x):
    return x + 1


def two(x):
    return x + 2


def three(x):
    return x + 3
"""


def asked(before: str, after: str, path: str = "a.py", *, trees: bool = True) -> list[Snippet]:
    found, _ = snippets_of(change_of({path: before}, {path: after}, trees=trees))
    return found


def test_a_changed_function_comes_with_its_past_and_the_others_not_at_all() -> None:
    (found,) = asked(BASE, BASE.replace("x + 2", "x - 2"))
    assert (found.path, found.line, found.name, found.language) == ("a.py", 10, "two", "python")
    assert found.before == "def two(x):\n    return x + 2\n"
    assert found.after == "def two(x):\n    return x - 2\n"


def test_a_new_function_has_no_past_and_a_deleted_one_is_not_asked_about() -> None:
    after = BASE.replace("def two(x):\n    return x + 2\n\n\n", "") + "\n\ndef four(x):\n    return x + 4\n"
    (found,) = asked(BASE, after)
    assert (found.name, found.before) == ("four", None)


def test_a_renamed_function_has_the_past_of_the_one_that_stood_there() -> None:
    (found,) = asked(BASE, BASE.replace("def two(x)", "def second(x)"))
    assert (found.name, found.before) == ("second", "def two(x):\n    return x + 2\n")


def test_a_function_that_only_moved_or_was_indented_is_not_asked_about() -> None:
    head, one, two, three = BASE.split("def ")
    assert asked(BASE, f"{head}def {three.rstrip()}\n\n\ndef {one}def {two.rstrip()}\n") == []
    wrapped = BASE.replace("def three(x):\n    return x + 3", "if LIMIT:\n    def three(x):\n        return x + 3")
    assert [each.name for each in asked(BASE, wrapped)] == [""], "the new condition alone"


def test_lines_outside_of_functions_are_widened_to_their_paragraph() -> None:
    before = BASE.replace("LIMIT = 3", "LIMIT = 3\nMOST = 9")
    (found,) = asked(before, before.replace("MOST = 9", "MOST = 10"))
    assert (found.name, found.line) == ("", 3)
    assert (found.before, found.after) == ("LIMIT = 3\nMOST = 9\n", "LIMIT = 3\nMOST = 10\n")


def test_imports_and_comments_alone_are_not_asked_about() -> None:
    assert asked(BASE, BASE.replace("import os", "import os\nimport sys  # for later\n# A note.")) == []


def test_of_a_bare_diff_the_hunks_are_read() -> None:
    (found,) = asked(BASE, BASE.replace("x + 2", "x - 2"), trees=False)
    assert (found.name, found.line) == ("two", 10)
    assert "x + 2" in (found.before or "")


def test_methods_of_one_name_are_told_apart_by_their_text() -> None:
    code = "func (a *A) Go() {{\n\t{0}()\n}}\n\nfunc (b *B) Go() {{\n\t{1}()\n}}\n"
    (found,) = asked(code.format("x", "y"), code.format("x", "z"), "a.go")
    assert (found.name, found.before) == ("B.Go", "func (b *B) Go() {\n\ty()\n}\n")


def test_what_is_no_code_is_left_out_and_said() -> None:
    change = change_of({}, {"notes.md": "# x\n", "a.json": "{}\n"}, left_out=(LeftOut("b.png", Why.BINARY),))
    found, out = snippets_of(change)
    assert found == []
    assert {(each.path, each.why) for each in out} == {
        ("notes.md", "not code in a known language"),
        ("a.json", "not code in a known language"),
        ("b.png", "binary"),
    }


def test_what_is_too_long_or_too_much_is_left_out_and_said() -> None:
    line = "x = '" + "a" * 7_000 + "'\n"
    many = "".join(f"def f{number}():\n    return {number}\n" for number in range(MOST_SNIPPETS + 5))
    found, out = snippets_of(change_of({}, {"long.py": line, "many.py": many}))
    assert len(found) == MOST_SNIPPETS
    whys = [each.why for each in out]
    assert whys.count("too long to be asked about") == 1
    assert whys.count(f"more than {MOST_SNIPPETS} changed functions") == 5


def test_of_a_function_too_long_for_a_small_model_the_changed_paragraph_is_asked_about() -> None:
    body = "".join(f"    a{number} = {number}\n" for number in range(600))
    code = f"def long():\n{body}\n    total = 1\n    return total\n"
    (found,) = asked(code, code.replace("total = 1", "total = 2"))
    assert (found.name, found.after) == ("", "total = 2\nreturn total\n")


@pytest.mark.parametrize("trees", [True, False])
def test_a_deleted_file_is_not_asked_about(trees: bool) -> None:
    found, _ = snippets_of(change_of({"a.py": BASE}, {}, trees=trees))
    assert found == []
