"""Clean changes: what a model says of code before and after a change that brings no fault, and when to flag another.

A flag at 5 % means: of clean changes like those of the exam at most 5 % are flagged. With n of them measured, a change
is flagged where (1 + how many of the n look at least as bad) / (n + 1) is at most 5 %. That holds for any n, model and
distribution as long as the change at hand and those of the exam are drawn alike (a conformal p-value); with fewer than
19 nothing can be flagged. A changed function looks as bad as its measured answer has fallen. A new one has no before:
its answer is held against those for the clean functions of the exam as they stand after their changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import floor
from pathlib import Path
from statistics import median

from quorate.exam.paper import Paper, Twins
from quorate.files.yaml import load
from quorate.participants.token_odds import Respondent, askings, measure

FOLDER = "clean"
"""In the folder of a paper: its clean changes, which are no items, so that they do not change the exam."""
RATE = 0.05


@dataclass(frozen=True, slots=True)
class CleanChange:
    """A sound text and the sound text that it became: the good one of an item."""

    item: Twins
    earlier: str


@dataclass(frozen=True, slots=True)
class CleanSample:
    """What one model says of clean changes: of 1,000 in favour of each text, before and after."""

    protocol: str
    asked: str
    """Digest of how it was asked: with other wordings the figures mean nothing."""
    changes: tuple[tuple[int, int], ...]

    @property
    def usual(self) -> int:
        """What it says of a clean function in the middle of the field."""
        return round(median(after for _, after in self.changes))

    def worst_change(self, rate: float = RATE) -> int | None:
        """Return the fall of an answer beyond which a changed function is flagged; None with too few clean changes."""
        return threshold([before - after for before, after in self.changes], rate)

    def worst_new(self, rate: float = RATE) -> int | None:
        """Return the distance below the usual answer beyond which a new function is flagged."""
        return threshold([self.usual - after for _, after in self.changes], rate)


def threshold(clean: Sequence[int], rate: float) -> int | None:
    """Return the figure that a clean change exceeds in at most this share of cases; None where there are too few."""
    most = floor(rate * (len(clean) + 1) + 1e-9)
    return sorted(clean, reverse=True)[most - 1] if most else None


def load_clean_changes(folder: Path, paper: Paper) -> tuple[CleanChange, ...]:
    """Read the clean changes of a paper; none where it has no folder of them. Raises InputError for a wrong file."""
    items = {item.id: item for item in paper.items}
    return tuple(each for file in sorted((folder / FOLDER).glob("*.yaml")) for each in _changes(file, items))


def _changes(file: Path, items: Mapping[str, Twins]) -> Iterable[CleanChange]:
    for node in load(file).mapping(("changes",))["changes"].items():
        given = {name: each.text() for name, each in node.mapping(("id", "now", "was")).items()}
        item = items.get(given.get("id", ""))
        if item is None or set(given) != {"id", "now", "was"}:
            raise node.wrong("the id of an item, a part of its good text (now), and what stood there earlier (was)")
        if item.good.count(given["now"]) != 1:
            raise node.error(
                f"the good text of {item.id} does not contain {given['now']!r} exactly once", "a part of it"
            )
        yield CleanChange(item, item.good.replace(given["now"], given["was"]))


def how_asked(paper: Paper) -> str:
    """Return the digest of a paper's wordings and of what stands before them."""
    words = "\0".join([paper.matter, *(asking.text for asking in askings(paper.wordings))])
    return sha256(words.encode()).hexdigest()[:16]


async def measure_clean(
    who: Respondent, paper: Paper, changes: Sequence[CleanChange], tell: Callable[[str], None], samples: int = 1
) -> CleanSample:
    """Ask about every clean change in all wordings and both orders. Raises NoAnswerError where it cannot be asked."""
    how, found = askings(paper.wordings), list[tuple[int, int]]()
    for number, each in enumerate(changes, 1):
        texts = (paper.matter_of(each.earlier, each.item.language, each.item.context), paper.put(each.item, good=True))
        before, after = [await measure(who, text, how, samples=samples) for text in texts]
        found.append((before.shares[0], after.shares[0]))
        tell(f"{paper.protocol}: {number} of {len(changes)} clean changes")
    return CleanSample(paper.protocol, how_asked(paper), tuple(found))
