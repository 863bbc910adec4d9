"""Papers: the items of the exam and how they are put, read from YAML files.

A paper is a folder with `paper.yaml` (how items are put) and files of items. An item is a pair of twins, two texts
that differ in what matters: a mended function and its faulty twin, a finding true of a ticket and one that is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random

from quorate.files.located_values import Located
from quorate.files.yaml import load
from quorate.participants.token_odds import Wording

VERSION = "1"
"""Of the exam's rules; its items are told by their digest."""
PAPER = "paper.yaml"
_ITEM = ("id", "kind", "context", "good", "bad", "was", "now", "fault", "check")


@dataclass(frozen=True, slots=True)
class Twins:
    """One item: a good and a bad text about the same thing."""

    id: str
    kind: str
    good: str
    bad: str
    context: str = ""
    language: str = ""
    fault: str = ""
    """One sentence about what is wrong with the bad one."""
    check: str = ""
    """Python that passes beside the good text and fails beside the bad one; never shown to a model."""

    @property
    def line(self) -> int:
        """The first line of the bad text, from 1, that differs from the good one."""
        pairs = zip(self.bad.splitlines(), self.good.splitlines(), strict=False)
        return next((number for number, (bad, good) in enumerate(pairs, 1) if bad != good), 1)

    @property
    def stratum(self) -> str:
        return self.language or self.kind


@dataclass(frozen=True, slots=True)
class Paper:
    """The items of one protocol and how they are put."""

    protocol: str
    matter: str
    """Template of what stands before the question."""
    wordings: tuple[Wording, ...]
    """The first word of each speaks for the text."""
    items: tuple[Twins, ...]

    def put(self, twins: Twins, *, good: bool) -> str:
        """Return what is put before a question about one of two twins."""
        return self.matter_of(twins.good if good else twins.bad, twins.language, twins.context)

    def matter_of(self, text: str, language: str, context: str = "") -> str:
        """Return what is put before a question about any text."""
        return _filled(self.matter, {"{text}": text, "{context}": context, "{language}": language})


def _filled(template: str, parts: Mapping[str, str]) -> str:
    """Replace the names once, from left to right, so that a text with braces stays as it is."""
    places = sorted((place, name) for name in parts if (place := template.find(name)) >= 0)
    found, done = "", 0
    for place, name in places:
        found += template[done:place] + parts[name]
        done = place + len(name)
    return found + template[done:]


def load_paper(folder: Path, protocol: str) -> Paper:
    """Read a protocol's paper. Raises InputError for a file that is not as it should be."""
    root = load(folder / PAPER)
    given = root.mapping(("matter", "wordings"))
    for name in ("matter", "wordings"):
        if name not in given:
            raise root.error(f"has no {name}", "matter and wordings")
    wordings = tuple(_wording(each) for each in given["wordings"].items())
    files = sorted(file for file in folder.glob("*.yaml") if file.name != PAPER)
    items = tuple(item for file in files for item in _items(load(file)))
    return Paper(protocol, given["matter"].text(), wordings, items)


def _wording(node: Located) -> Wording:
    given = node.mapping(("ask", "words"))
    if set(given) != {"ask", "words"}:
        raise node.wrong("a question (ask) and its words")
    return Wording(given["ask"].text(), tuple(word.text() for word in given["words"].items()))


def _items(root: Located) -> Iterator[Twins]:
    given = root.mapping(("language", "items"))
    language = given["language"].text() if "language" in given else ""
    for node in given["items"].items() if "items" in given else ():
        texts = {name: each.text() for name, each in node.mapping(_ITEM).items()}
        for name in ("id", "kind", "good"):
            if name not in texts:
                raise node.error(f"has no {name}", "id, kind, good, and bad or was and now")
        was, now = texts.pop("was", ""), texts.pop("now", "")
        if "bad" not in texts:
            if texts["good"].count(was) != 1:
                raise node.error(f"`good` does not contain {was!r} exactly once", "a part of `good` as `was`")
            texts["bad"] = texts["good"].replace(was, now)
        yield Twins(language=language, **texts)


def drawn(items: Iterable[Twins], seed: int) -> list[Twins]:
    """Return all items in a random order in which the first n of them hold every stratum about equally often."""
    chance, strata = Random(seed), dict[str, list[Twins]]()  # noqa: S311  (a draw of questions, not a secret)
    for item in items:
        strata.setdefault(item.stratum, []).append(item)
    names = sorted(strata)
    chance.shuffle(names)
    for name in names:
        chance.shuffle(strata[name])
    longest = max(map(len, strata.values()), default=0)
    return [strata[name][turn] for turn in range(longest) for name in names if turn < len(strata[name])]


def exam_version(folders: Sequence[Path]) -> str:
    """Return the version of the exam with a digest of its items, so that a changed item is another exam."""
    digest = sha256()
    for folder in folders:
        for file in sorted(folder.glob("*.yaml")):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return f"{VERSION}-{digest.hexdigest()[:8]}"
