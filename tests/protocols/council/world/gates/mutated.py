"""The sample RFC, and its mutants: what each changes in a copy of the sample, and what code must find there."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from quorate.files.located_values import Located
from quorate.files.yaml import load
from quorate.protocols.council.rules.taxonomy import WHOLE_RFC, Severity, Subcategory
from quorate.protocols.council.world.gates.run import run_gates
from quorate.protocols.council.world.rfc.read import read_rfc

EXAMPLES = Path(__file__).parents[5] / "examples"
SAMPLE = EXAMPLES / "rfc"
MUTANTS = EXAMPLES / "mutants.yaml"
RFC = Path("documents/rfcs/RFC-0042")
"""The RFC's folder within the sample."""
SECRET = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
PLACEHOLDERS = {"{{a secret}}": SECRET, "{{a megabyte}}": "x" * 1_000_000}
"""What must not stand in a file of the repository is put in when a mutant is made."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one file: text replaced, the file added, or the file removed."""

    file: str
    find: str = ""
    replace: str = ""
    add: str | None = None
    remove: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Seen:
    """A finding as it is compared."""

    file: str
    line: int
    subcategory: str
    severity: str
    place: str
    """`ticket`, `document` or `rfc`."""

    def __str__(self) -> str:
        return f"{self.subcategory} {self.severity} {self.file}:{self.line} ({self.place})"


@dataclass(frozen=True, slots=True)
class Expected:
    """A finding that a mutant must lead to; its line is looked up in the mutated file, never typed."""

    file: str
    at: tuple[str, ...]
    """Pieces of text: the line of the first, then of the next from there on, and so forth; none means line 1."""
    subcategory: Subcategory
    severity: Severity
    place: str

    def in_folder(self, root: Path) -> Seen:
        return Seen(
            self.file, line_of(root / self.file, self.at), self.subcategory.value, self.severity.value, self.place
        )


@dataclass(frozen=True, slots=True)
class Cousin:
    """A candidate that the receipt must name."""

    path: str
    existing: str


@dataclass(frozen=True, slots=True)
class Mutant:
    name: str
    says: str
    edits: tuple[Edit, ...]
    expected: tuple[Expected, ...] = ()
    cousins: tuple[Cousin, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """What code found in a mutant, against what it must find."""

    mutant: Mutant
    hit: tuple[Seen, ...]
    missed: tuple[Seen, ...]
    extra: tuple[Seen, ...]
    messages: Mapping[Seen, str] = field(default_factory=dict)
    cousins_found: tuple[Cousin, ...] = ()
    cousins_missed: tuple[Cousin, ...] = ()

    @property
    def right(self) -> int:
        """How much of what is expected was found, candidates included."""
        return len(self.hit) + len(self.cousins_found)

    @property
    def wanting(self) -> int:
        return len(self.missed) + len(self.cousins_missed)

    @property
    def exact(self) -> bool:
        return not self.wanting and not self.extra


def mutants() -> dict[str, Mutant]:
    """Return all mutants by their names."""
    entries = load(MUTANTS).mapping(("mutants",))["mutants"].items()
    found = [_mutant(entry) for entry in entries]
    repeated = [name for name, count in Counter(each.name for each in found).items() if count > 1]
    assert not repeated, f"mutants with the same name: {repeated}"
    return {each.name: each for each in found}


def try_mutant(mutant: Mutant, folder: Path) -> Result:
    """Make a mutant in an empty folder, run the gates on it, and compare."""
    root = make(mutant, folder)
    expected = [each.in_folder(root) for each in mutant.expected]
    found, messages, cousins = examine(root / RFC)
    hit = Counter(expected) & Counter(found)
    missed, extra = Counter(expected) - hit, Counter(found) - hit
    seen = tuple(each for each in mutant.cousins if each in cousins)
    unseen = tuple(each for each in mutant.cousins if each not in cousins)
    return Result(mutant, _all(hit), _all(missed), _all(extra), messages, seen, unseen)


def make(mutant: Mutant, folder: Path) -> Path:
    """Copy the sample into a folder, change it as the mutant says, and return the copy's root."""
    root = folder / "sample"
    shutil.copytree(SAMPLE, root)
    for edit in mutant.edits:
        _apply(edit, root / edit.file, mutant.name)
    return root


def examine(folder: Path) -> tuple[list[Seen], dict[Seen, str], set[Cousin]]:
    """Read an RFC and run the gates: the findings, what each says, and the candidates for cousins."""
    report = run_gates(read_rfc(folder))
    found, messages = [], {}
    for each in report.findings:
        kind = "rfc" if each.place == WHOLE_RFC else "ticket" if each.place.startswith("T") else "document"
        seen = Seen(str(each.file), each.line, each.subcategory.value, each.severity.value, kind)
        found.append(seen)
        messages[seen] = str(each.message)
    receipt = json.loads(str(report.receipt))
    cousins = {Cousin(each["path"], each["existing"]) for each in receipt["cousins"]}
    return found, messages, cousins


def line_of(file: Path, pieces: tuple[str, ...]) -> int:
    """Return the line of the last piece of text, each looked for from the line of the one before it on."""
    if not pieces:
        return 1
    lines = file.read_bytes().decode("utf-8", "replace").splitlines()
    at = 0
    for piece in pieces:
        piece = _filled(piece)
        at = next((number for number in range(at, len(lines)) if piece in lines[number]), -1)
        assert at >= 0, f"{file}: no line with {piece!r}"
    return at + 1


def _apply(edit: Edit, file: Path, name: str) -> None:
    if edit.remove:
        file.unlink()
    elif edit.add is not None:
        assert not file.exists(), f"{name}: {edit.file} is there already"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_filled(edit.add), encoding="utf-8")
    else:
        text = file.read_text(encoding="utf-8")
        assert text.count(edit.find) == 1, f"{name}: {edit.file} holds {edit.find!r} {text.count(edit.find)} times"
        file.write_text(text.replace(edit.find, _filled(edit.replace)), encoding="utf-8")


def _filled(text: str) -> str:
    for placeholder, filling in PLACEHOLDERS.items():
        text = text.replace(placeholder, filling)
    return text


def _all(seen: Counter[Seen]) -> tuple[Seen, ...]:
    return tuple(sorted(seen.elements()))


# The file of mutants


def _mutant(entry: Located) -> Mutant:
    keys = entry.mapping(("name", "says", "edits", "expect", "cousins"))
    return Mutant(
        keys["name"].text(),
        keys["says"].text(),
        tuple(_edit(each) for each in keys["edits"].items()),
        tuple(_expected(each) for each in _items(keys, "expect")),
        tuple(_cousin(each) for each in _items(keys, "cousins")),
    )


def _items(keys: Mapping[str, Located], name: str) -> tuple[Located, ...]:
    return keys[name].items() if name in keys else ()


def _edit(entry: Located) -> Edit:
    keys = entry.mapping(("file", "find", "replace", "add", "remove"))
    return Edit(
        keys["file"].text(),
        keys["find"].text() if "find" in keys else "",
        keys["replace"].text() if "replace" in keys else "",
        keys["add"].text() if "add" in keys else None,
        "remove" in keys and keys["remove"].flag(),
    )


def _expected(entry: Located) -> Expected:
    keys = entry.mapping(("file", "at", "subcategory", "severity", "place"))
    return Expected(
        keys["file"].text(),
        tuple(each.text() for each in _items(keys, "at")),
        Subcategory(keys["subcategory"].choice([each.value for each in Subcategory])),
        Severity(keys["severity"].choice([each.value for each in Severity])),
        keys["place"].choice(("ticket", "document", "rfc")),
    )


def _cousin(entry: Located) -> Cousin:
    keys = entry.mapping(("path", "existing"))
    return Cousin(keys["path"].text(), keys["existing"].text())
