"""Generated questions of known truth: sums, knights and knaves, and questions that cannot be answered.

A puzzle about knights and knaves is solved by trying every assignment, so that its truth is counted and not claimed:
with one solution that is the answer, with several the answer is `undecided`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

from quorate.lab.bench.task import UNDECIDED, Asked, Choice, Kind, Number, Task

NAMES = ("Ada", "Bo", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana", "Ida", "Jon", "Kim", "Lea")
MOST_TRIES = 10_000
World = tuple[bool, ...]
"""Who is a knight, by place."""


def arithmetic(task: str, draw: Random) -> Task:
    """Draw a sum of products, which takes several steps and no knowledge."""
    a, b, c, d, e, f = (draw.randint(11, 49) for _ in range(6))
    return Task(
        task,
        Kind.ARITHMETIC,
        Asked.NUMBER,
        f"What is {a} + {b} * {c} - {d} * {e} + {f}? Multiplication goes before addition.",
        Number(a + b * c - d * e + f),
    )


def unknowable(task: str, draw: Random) -> Task:
    """Draw a sum from which one number is missing."""
    boxes, each, sold = draw.randint(3, 9), draw.randint(12, 40), draw.randint(5, 30)
    thing = draw.choice(("lamps", "cups", "maps", "bells"))
    return Task(
        task,
        Kind.AMBIGUOUS,
        Asked.NUMBER,
        f"A shop gets {boxes} boxes with {each} {thing} each and sells {sold} of all the {thing} it then has. "
        f"It had some {thing} before. How many {thing} does it have now?",
        Number(None),
    )


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement: its words, and whether it is true in a world."""

    words: str
    holds: Callable[[World], bool]


def solutions(claims: tuple[Claim, ...]) -> tuple[World, ...]:
    """Return every world in which exactly the knights tell the truth, by trying all 2^n of them."""
    worlds = product((True, False), repeat=len(claims))
    return tuple(w for w in worlds if all(claim.holds(w) is w[i] for i, claim in enumerate(claims)))


def knights(task: str, draw: Random, *, solvable: bool = True) -> Task:
    """Draw an island with exactly one solution, or with several if it is not to be solvable."""
    for _ in range(MOST_TRIES):
        names = tuple(draw.sample(NAMES, 3))
        claims = tuple(draw.choice(list(_claims(i, names))) for i in range(len(names)))
        found = solutions(claims)
        if (len(found) == 1) if solvable else (len(found) > 1):
            return _island(task, draw, names, claims, found)
    raise AssertionError("some of so many islands have the wanted number of solutions")


def _island(
    task: str, draw: Random, names: tuple[str, ...], claims: tuple[Claim, ...], found: tuple[World, ...]
) -> Task:
    worlds = list(product((True, False), repeat=len(names)))
    draw.shuffle(worlds)
    letters = {world: "ABCDEFGH"[i] for i, world in enumerate(worlds)}
    said = "\n".join(f"- {name} says: {claim.words}" for name, claim in zip(names, claims, strict=True))
    listed = "\n".join(f"- {letters[world]}: {_told(names, world)}" for world in worlds)
    unique = len(found) == 1
    return Task(
        task,
        Kind.KNIGHTS if unique else Kind.AMBIGUOUS,
        Asked.CHOICE,
        "Everybody on an island is a knight, who only says what is true, or a knave, who only says what is false.\n"
        f"{said}\nWho is what?\n{listed}\n- {UNDECIDED}: it does not follow from what they say",
        Choice(letters[found[0]] if unique else UNDECIDED),
        options=(*sorted(letters.values()), UNDECIDED),
    )


def _told(names: tuple[str, ...], world: World) -> str:
    return ", ".join(f"{name} {'knight' if good else 'knave'}" for name, good in zip(names, world, strict=True))


def _claims(speaker: int, names: tuple[str, ...]) -> Iterator[Claim]:
    """Return all statements that an islander may make."""
    others = [i for i in range(len(names)) if i != speaker]
    for i in others:
        yield Claim(f"{names[i]} is a knight.", lambda w, i=i: w[i])  # type: ignore[misc]
        yield Claim(f"{names[i]} is a knave.", lambda w, i=i: not w[i])  # type: ignore[misc]
        yield Claim(f"{names[i]} and I are of one kind.", lambda w, i=i: w[i] == w[speaker])  # type: ignore[misc]
        yield Claim(f"{names[i]} or I, or both, are knaves.", lambda w, i=i: not (w[i] and w[speaker]))  # type: ignore[misc]
    a, b = others
    yield Claim(f"{names[a]} and {names[b]} are of one kind.", lambda w: w[a] == w[b])
    for count in range(len(names) + 1):
        yield Claim(f"Exactly {count} of us are knights.", lambda w, n=count: sum(w) == n)  # type: ignore[misc]
    yield Claim("At least one of us is a knave.", lambda w: not all(w))
