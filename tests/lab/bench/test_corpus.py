"""The corpus: every diff applies, twins differ near the fault alone, and hidden checks tell them apart."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from quorate.core.errors import InputError, SettingError
from quorate.lab.bench.conclusions import numbered_patch
from quorate.lab.bench.corpus import (
    ChangeItem,
    Language,
    Planted,
    Twins,
    questions,
    read_twins,
    requirement_lists,
    sample,
    twins,
)

PRELUDE = """\
import pathlib, re, sqlite3, sys
sys.path.insert(0, ".")
source = pathlib.Path({path!r}).read_text()
queries = dict(re.findall(r"-- name: (\\w+)\\n(.*?)(?=\\n-- name:|\\Z)", source, re.DOTALL))
db = sqlite3.connect(":memory:")
"""
"""What a hidden check finds: the text of the file, the queries in it by name, and an empty database."""
CHECKED = [each for each in twins() if each.check]
NAMES = [each.id for each in CHECKED]


def test_there_are_enough_of_each_language_and_kind() -> None:
    assert 2 * len(twins()) >= 120
    languages, kinds = Counter(each.language for each in twins()), Counter(each.kind for each in twins())
    assert all(2 * languages[language] >= 30 for language in Language)
    assert all(kinds[kind] >= 5 for kind in Planted)
    assert max(languages.values()) - min(languages.values()) <= 1
    assert max(kinds.values()) - min(kinds.values()) <= 1
    assert len(CHECKED) >= 20


def test_names_are_their_own() -> None:
    items = [ChangeItem(each, faulty) for each in twins() for faulty in (True, False)]
    assert len({item.id for item in items}) == len(items)
    assert len({item.diff for item in items}) == len(items)
    assert len({each.fault for each in twins()}) == len(twins())
    assert 20 < sum(item.id.endswith("-a") for item in items if item.faulty) < 44, "an id must not tell which it is"


@pytest.mark.parametrize("pair", twins(), ids=lambda pair: pair.id)
def test_a_pair_is_well_formed(pair: Twins) -> None:
    assert all(15 <= text.count("\n") <= 60 for text in (pair.base, pair.clean, pair.faulty))
    assert all(len(line) <= 120 for line in (pair.base + pair.clean + pair.faulty).splitlines())
    assert pair.fault.endswith(".")
    assert pair.function in pair.faulty
    words = {*pair.title.lower().split(), *pair.path.lower().replace("/", " ").split()}
    assert not words & {"bug", "fault", "faulty", "broken", "wrong", "clean"}
    diff = pair.diff(faulty=True)
    number = 0
    for line in diff.splitlines()[4:]:
        number += line[0] != "-"
        if number == pair.line:
            assert line[0] == "+", "the place of a fault is a line that came"
            return
    raise AssertionError("there is no such line")


@pytest.mark.parametrize("pair", twins(), ids=lambda pair: pair.id)
def test_twins_differ_near_the_fault_alone(pair: Twins) -> None:
    clean, faulty = pair.clean.splitlines(), pair.faulty.splitlines()
    while clean and faulty and clean[-1] == faulty[-1]:
        clean.pop()
        faulty.pop()
    same = next(n for n, (one, other) in enumerate(zip([*clean, None], [*faulty, None], strict=False)) if one != other)
    changed = max(len(clean), len(faulty)) - same
    assert changed <= (26 if "branch-log" in pair.id else 14), "branch-log needs its import, far above"
    assert same - 3 <= pair.line <= len(faulty) + 4


@pytest.mark.parametrize("pair", twins(), ids=lambda pair: pair.id)
def test_every_diff_applies_to_its_base(pair: Twins, tmp_path: Path) -> None:
    file = tmp_path / pair.path
    for faulty, after in ((True, pair.faulty), (False, pair.clean)):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(pair.base, encoding="utf-8")
        diff = pair.diff(faulty=faulty).encode()
        subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=diff, check=True)
        assert file.read_text(encoding="utf-8") == after


@pytest.mark.parametrize("pair", CHECKED, ids=NAMES)
def test_a_hidden_check_fails_on_the_faulty_twin_alone(pair: Twins, tmp_path: Path) -> None:
    assert _check(pair, pair.clean, tmp_path / "clean") == 0
    assert _check(pair, pair.faulty, tmp_path / "faulty") == 1


def _check(pair: Twins, text: str, folder: Path) -> int:
    file = folder / pair.path
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    code = PRELUDE.format(path=pair.path) + pair.check
    ran = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60)
    assert "SyntaxError" not in ran.stderr
    assert "NameError" not in ran.stderr
    return ran.returncode


@pytest.mark.parametrize(
    "pair", [each for each in twins() if each.language is Language.PYTHON], ids=lambda pair: pair.id
)
def test_python_compiles(pair: Twins) -> None:
    for text in (pair.base, pair.clean, pair.faulty):
        compile(text, pair.path, "exec")


def test_a_sample_is_balanced_grows_and_holds_both_twins() -> None:
    small, whole = sample(24, 1), sample(None, 1)
    assert whole[:24] == small
    assert len(whole) == 2 * len(twins())
    assert {item.twins.kind for item in small} == set(Planted)
    assert Counter(item.twins.language for item in small) == dict.fromkeys(Language, 6)
    assert sum(item.faulty for item in small) == 12
    assert sample(24, 2) != small
    with pytest.raises(SettingError, match="a whole number from 1 to 128"):
        sample(129, 1)


def test_lines_of_a_patch_are_numbered_as_in_the_new_file() -> None:
    item = next(item for item in sample(None, 1) if item.faulty)
    shown = numbered_patch(item.diff).splitlines()
    text = item.twins.faulty.splitlines()
    marked = [line for line in shown if line.startswith(f"{item.twins.line:4}| +")]
    assert [line[7:] for line in marked] == [text[item.twins.line - 1]]
    assert sum(line[4:5] == "|" for line in shown) == len(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("language: go\n", "has no change"),
        ("language: go\n=== change\n x\n", "has the keys language"),
        ("language go\n=== change\n x\n", "is not a line of a head"),
    ],
)
def test_a_file_that_is_not_a_pair_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_twins("x", text)


HEAD = "language: go\nkind: null\npath: a.go\ntitle: t\nfunction: f\nfault: It breaks.\n=== change\n"


def test_marks_say_what_is_in_which_text() -> None:
    pair = read_twins("x", HEAD + " a\n-b\n+c\n=d\n!e\n\n*f\n=== check\npass\n")
    assert (pair.base, pair.clean, pair.faulty) == ("a\nb\n\n", "a\nc\nd\n\nf\n", "a\nc\ne\n\nf\n")
    assert pair.line == 5
    assert pair.check == "pass\n"
    with pytest.raises(InputError, match="does not mark where the fault is"):
        read_twins("x", HEAD + " a\n+c\n")
    with pytest.raises(InputError, match="x:9: begins with '#'"):
        read_twins("x", HEAD + " a\n#c\n")


def test_questions_have_one_answer_that_is_computed_another_way() -> None:
    found = questions()
    assert len(found) >= 20
    assert len({each.id for each in found}) == len(found)
    for each in found:
        assert isinstance(each.answer, int) or each.answer in each.options
        if each.check:
            assert eval(each.check) == each.answer, each.id
    assert sum(bool(each.check) for each in found) >= 20


def test_requirements_differ_in_one_that_contradicts_another() -> None:
    found = requirement_lists()
    assert len(found) >= 20
    assert len({each.id for each in found}) == len(found)
    for each in found:
        clean, faulty = each.listed(faulty=False), each.listed(faulty=True)
        assert [n for n, (one, other) in enumerate(zip(clean, faulty, strict=True), 1) if one != other] == [
            each.replace
        ]
        assert each.against != each.replace
        assert 1 <= each.against <= len(clean)
        assert each.why.endswith(".")
