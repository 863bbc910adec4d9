"""The corpus: small code changes in twins, one with exactly one planted fault and one without; questions; requirements.

It lies in `items/`. A file `items/twins/<language>/<name>.twins` is one pair: a head of `key: value` lines, the section
`=== change` and, if there is one, `=== check`. The change is the whole file, every line behind one mark:

    ' '  before and after      '-'  before      '+'  after, in both twins
    '='  after, in the clean twin alone         '!'  after, in the faulty twin alone
    '>'  as '!', and the place of the fault     '*'  as '+', and the place of the fault in the faulty twin

Where neither '>' nor '*' marks a place, the first '!' is the place. A diff has the whole file as its context, so that
no method sees more of it than another. The check is a Python program that fails on the faulty twin; the tests run it.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from hashlib import sha256
from importlib import resources
from random import Random
from typing import Any

from quorate.core.errors import InputError, SettingError
from quorate.lab.bench.task import Asked, Fault, FaultKind, Judged, Judgement, Kind, MaterialKind, Task

HEAD = ("language", "kind", "path", "title", "function", "fault")
LOOK = (
    "Look for what is wrong with this change: an input or a moment for which the new code does not do what it should. "
    "Quote the lines, and say what goes wrong for whom. A finding blocks if the change must not be merged with it. "
    "An empty list of findings is an answer, too: many changes are sound."
)
CLEAN_MARKS, FAULTY_MARKS = " +=*", " +!>*"


class Language(Enum):
    PYTHON = "python"
    TYPESCRIPT = "typescript"
    GO = "go"
    SQL = "sql"


class Planted(Enum):
    """The kind of a planted fault."""

    OFF_BY_ONE = "off-by-one"
    MISSING_AWAIT = "missing await"
    ROUNDING = "wrong rounding"
    INJECTION = "injection"
    LOST_UPDATE = "lost update"
    SWAPPED = "swapped arguments"
    AUTHORISATION = "missing authorisation"
    DEFAULT = "wrong default"
    LEAK = "resource leak"
    TIMEZONE = "timezone"
    NULL = "null"
    SWALLOWED = "error swallowed"


@dataclass(frozen=True, slots=True)
class Twins:
    """A pair of changes to one file that differ in one planted fault alone."""

    id: str
    language: Language
    kind: Planted
    path: str
    title: str
    """Of the commit; the same for both, and says nothing of the fault."""
    function: str
    """What the faulty lines belong to: a function, method, view or query."""
    fault: str
    """What goes wrong for whom, in one sentence."""
    base: str
    clean: str
    faulty: str
    line: int
    """Of the fault, in the new file of the faulty twin."""
    check: str = ""
    """A Python program that fails on the faulty twin and on no other; empty where there is none."""

    def diff(self, *, faulty: bool) -> str:
        """Return a unified diff of the file as it was against one of the twins, with all of it as context."""
        before, after = self.base.splitlines(keepends=True), (self.faulty if faulty else self.clean)
        length = len(before) + after.count("\n")
        names = f"a/{self.path}", f"b/{self.path}"
        lines = difflib.unified_diff(before, after.splitlines(keepends=True), *names, n=length)
        return f"diff --git {names[0]} {names[1]}\n{''.join(lines)}"


@dataclass(frozen=True, slots=True)
class ChangeItem:
    """One of two twins, as it is put to a method."""

    twins: Twins
    faulty: bool

    @property
    def id(self) -> str:
        """Return an id that does not tell the twins apart to anybody who does not know the corpus."""
        first = sha256(self.twins.id.encode()).digest()[0] % 2 == 0
        return f"{self.twins.id}-{'a' if first == self.faulty else 'b'}"

    @property
    def diff(self) -> str:
        return self.twins.diff(faulty=self.faulty)

    def task(self) -> Task:
        """Return the task of the bench that a method is given."""
        each = self.twins
        fault = Fault(each.path, each.line, FaultKind.OTHER)
        truth = Judged(Judgement.DEFECTIVE, (fault,)) if self.faulty else Judged(Judgement.SOUND)
        text = each.faulty if self.faulty else each.clean
        files = {each.path: text}
        return Task(self.id, Kind.CODE, Asked.FINDINGS, LOOK, truth, MaterialKind.CHANGE, files=files, patch=self.diff)


@dataclass(frozen=True, slots=True)
class CheckedQuestion:
    """A question with one answer that follows from what it says."""

    id: str
    question: str
    answer: int | str
    options: tuple[str, ...] = ()
    check: str = ""
    """A Python expression that computes the answer in another way; empty where none does."""


@dataclass(frozen=True, slots=True)
class RequirementList:
    """Requirements that can be met, and the one that turns them into a list with a contradiction."""

    id: str
    title: str
    requirements: tuple[str, ...]
    replace: int
    """The number of the requirement, from 1, that is worded otherwise in the faulty twin."""
    by: str
    against: int
    """The number of the requirement that it then contradicts."""
    why: str

    def listed(self, *, faulty: bool) -> tuple[str, ...]:
        """Return the requirements of one of the twins."""
        numbered = enumerate(self.requirements, start=1)
        return tuple(self.by if faulty and number == self.replace else text for number, text in numbered)


# Reading


@cache
def twins() -> tuple[Twins, ...]:
    """Return all pairs of the corpus, by their ids."""
    folder = resources.files("quorate.lab.bench") / "items" / "twins"
    found = []
    for language in Language:
        for file in (folder / language.value).iterdir():
            name = file.name.removesuffix(".twins")
            if name != file.name:
                found.append(read_twins(f"{language.value}-{name}", file.read_text(encoding="utf-8")))
    return tuple(sorted(found, key=lambda each: each.id))


def read_twins(name: str, text: str) -> Twins:
    """Parse one pair; InputError names the line that is wrong."""
    lines = text.splitlines()
    if "=== change" not in lines:
        raise InputError("has no change", file=name, expected="a line `=== change`")
    start = lines.index("=== change")
    end = lines.index("=== check") if "=== check" in lines else len(lines)
    head = dict(_head(name, lines[:start]))
    if tuple(head) != HEAD:
        raise InputError(f"has the keys {', '.join(head)}", file=name, expected=", ".join(HEAD))
    body = [(line or " ") for line in lines[start + 1 : end]]
    for number, line in enumerate(body, start=start + 2):
        if line[0] not in " -+=!>*":
            raise InputError(f"begins with {line[0]!r}", file=name, line=number, expected="one of ' -+=!>*'")
    language, kind = head.pop("language"), head.pop("kind")
    check = "\n".join([*lines[end + 1 :], ""]) if lines[end:] else ""
    return Twins(
        id=name,
        language=Language(language),
        kind=Planted(kind),
        base=_side(body, " -"),
        clean=_side(body, CLEAN_MARKS),
        faulty=_side(body, FAULTY_MARKS),
        line=_place(name, body),
        check=check,
        **head,
    )


def _head(name: str, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines, start=1):
        key, colon, value = line.partition(": ")
        if not colon:
            raise InputError("is not a line of a head", file=name, line=number, expected="`key: value`")
        yield key, value.strip()


def _side(body: Iterable[str], marks: str) -> str:
    return "".join(f"{line[1:]}\n" for line in body if line[0] in marks)


def _place(name: str, body: Iterable[str]) -> int:
    """Return the number of the fault's line in the faulty twin."""
    marks = [line[0] for line in body if line[0] in FAULTY_MARKS]
    places = [number for number, mark in enumerate(marks, start=1) if mark in ">*"] or [
        number for number, mark in enumerate(marks, start=1) if mark == "!"
    ]
    if not places:
        raise InputError(
            "does not mark where the fault is", file=name, expected="a line that begins with '!', '>' or '*'"
        )
    return places[0]


def questions() -> tuple[CheckedQuestion, ...]:
    """Return the questions of the corpus."""
    return tuple(CheckedQuestion(**{**each, "options": tuple(each.get("options", ()))}) for each in _yaml("questions"))


def requirement_lists() -> tuple[RequirementList, ...]:
    """Return the lists of requirements of the corpus."""
    found = _yaml("requirements")
    return tuple(RequirementList(**{**each, "requirements": tuple(each["requirements"])}) for each in found)


def _yaml(name: str) -> list[dict[str, Any]]:
    from quorate.files.yaml import load

    file = resources.files("quorate.lab.bench") / "items" / f"{name}.yaml"
    found: list[dict[str, Any]] = load(file.read_text(encoding="utf-8"), file.name).plain()
    return found


# Drawing


def sample(count: int | None, seed: int) -> tuple[ChangeItem, ...]:
    """Return so many changes, or all: pairs in turn, as evenly over kinds and languages as can be.

    A larger sample of the same seed begins with the smaller one, so that a run can grow.
    """
    most = 2 * len(twins())
    if count is not None and not 1 <= count <= most:
        raise SettingError(f"is {count}", key="items", expected=f"a whole number from 1 to {most}")
    draw = Random(f"twins {seed}")  # noqa: S311 - a sample has to be the same for everybody, not secret
    left = draw.sample(twins(), len(twins()))
    kinds, languages = Counter[Planted](), Counter[Language]()
    drawn: list[ChangeItem] = []
    while left and (count is None or len(drawn) < count):
        # A language has three times as many pairs as a kind.
        pair = min(left, key=lambda each: 3 * kinds[each.kind] + languages[each.language])
        left.remove(pair)
        kinds[pair.kind] += 1
        languages[pair.language] += 1
        drawn += sorted((ChangeItem(pair, True), ChangeItem(pair, False)), key=lambda item: item.id)
    return tuple(drawn[:count])
