"""Hidden profiles: facts are dealt so that each hand points to the wrong option, and all together to the right one.

Everybody knows the facts that speak for the decoy; each fact that speaks for the best option is in one hand alone. The
question says how options are weighed, so that the truth is a count: advantages minus drawbacks, over all facts.
"""

from __future__ import annotations

from random import Random

from quorate.lab.bench.task import UNDECIDED, Asked, Choice, Kind, Task

HANDS = 3
THINGS = ("site", "supplier", "candidate", "route", "tool", "plan")
GOOD = (
    "is cheap to run",
    "is ready at once",
    "has spare room",
    "is liked by its users",
    "has a second source",
    "needs no training",
    "is easy to leave again",
    "has been tried before",
    "is well documented",
    "keeps its own records",
    "works without a network",
    "is quiet",
)
BAD = ("has a long waiting list", "depends on one person", "breaks in winter", "has no support at weekends")
Fact = tuple[str, str, int]
"""An option, what is said of it, and +1 or -1."""


def profile(task: str, draw: Random) -> Task:
    """Draw a choice of three: the decoy leads by one in every hand, the best option by one in all hands together."""
    thing = draw.choice(THINGS)
    best, decoy, other = draw.sample(("A", "B", "C"), 3)
    good, bad = draw.sample(GOOD, len(GOOD)), draw.sample(BAD, len(BAD))
    shared: list[Fact] = [(decoy, good.pop(), 1), (decoy, good.pop(), 1), (other, good.pop(), 1)]
    hidden: list[list[Fact]] = [[(best, good.pop(), 1)] for _ in range(HANDS)]
    shared.append((other, bad.pop(), -1))
    hands = tuple(tuple(draw.sample([*shared, *own], len(shared) + len(own))) for own in hidden)
    every = {*shared, *(fact for own in hidden for fact in own)}
    assert _leader(every) == best
    assert all(_leader(set(hand)) == decoy for hand in hands)
    return Task(
        task,
        Kind.PROFILES,
        Asked.CHOICE,
        f"Which {thing} is best: A, B or C? Count over all facts that anybody here knows: the best one has the most "
        f"advantages minus drawbacks, each fact counted once. Answer A, B, C, or {UNDECIDED} where two are equal.",
        Choice(best),
        options=("A", "B", "C", UNDECIDED),
        shares=tuple("\n".join(f"- {thing} {option} {words}" for option, words, _ in hand) for hand in hands),
    )


def _leader(facts: set[Fact]) -> str:
    sums = {option: sum(worth for of, _, worth in facts if of == option) for option in ("A", "B", "C")}
    most = max(sums.values())
    leaders = [option for option, total in sums.items() if total == most]
    return leaders[0] if len(leaders) == 1 else UNDECIDED
