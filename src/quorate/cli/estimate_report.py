"""Format an estimate: a table of phases with expected and maximum cost, and its assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from quorate.api.estimate import Estimate
from quorate.api.expected_cost import Sum
from quorate.api.worst_case import Basis, CostBounds
from quorate.cli.paragraphs import UNBOUNDED
from quorate.cli.style import Fragment, Styled, broken
from quorate.cli.text import count, money
from quorate.runtime.budget import MILLIONTHS

GROUPS = ("EXPECTED", "AT MOST")
HEADINGS = ("ASKS", "IN", "OUT", "MONEY")
Cells = tuple[str, ...]
NAMES = 4
"""Seats of one participant that are named; more are counted."""
MARGIN, LABEL = 2, 12
"""Columns before what goes on below: in a sentence, and beside a label such as `  budget    `."""


def told(found: Estimate, room: int = UNBOUNDED) -> Iterator[Styled]:
    """Return an estimate as lines of at most `columns` columns."""
    yield from _fit(_heading(found), room, MARGIN)
    yield ("",)
    yield from _table(found, room)
    yield ("",)
    yield from _fit(_compared(found), room, LABEL)
    yield ("",)
    yield from _fit(_basis(found), room, MARGIN)


def _fit(lines: Iterable[Styled], room: int, hang: int) -> Iterator[Styled]:
    for line in lines:
        yield from broken(line, room, hang)


def _heading(found: Estimate) -> Iterator[Styled]:
    yield (found.protocol, "bold"), ": what a session costs in asks, tokens and money"
    seats: dict[str, list[str]] = {}
    for seat, name in found.panel.items():
        if seat not in found.free:
            seats.setdefault(name, []).append(seat)
    for name, held in seats.items():
        shown = ", ".join(held) if len(held) <= NAMES else f"{', '.join(held[:NAMES])} and {len(held) - NAMES} more"
        yield (f"{name}: {shown}",)
    if found.free:
        yield (f"no tokens: {', '.join(found.free)}",)
    measured = "as it was brought" if found.brought else "assumed"
    yield (f"material: {found.matter:,} tokens, {measured}",)


# The table


def _table(found: Estimate, room: int) -> Iterator[Styled]:
    """Return the expected and maximum columns side by side, or below each other if they do not fit."""
    expected = found.expected
    names = ("PHASE", *found.phases, "in all")
    means = [None if expected is None else expected.phases.get(name, Sum()) for name in found.phases]
    left = [HEADINGS, *map(_expected, means), _expected(None if expected is None else expected.total)]
    right = [HEADINGS, *map(_worst, found.phases.values()), _worst(found.worst)]
    beside = list(_halves(names, left, right))
    if max(sum(map(_width, line)) for line in beside) <= room:
        yield from beside
        return
    yield from _halves(names, left)
    yield ("",)
    yield from _halves(names, right, titles=GROUPS[1:])


def _halves(names: Sequence[str], *halves: Sequence[Cells], titles: Sequence[str] = GROUPS) -> Iterator[Styled]:
    """Return the halves of the table side by side, each below its title, after the row names."""
    first = max(map(len, names))
    sizes = [[max(map(len, column)) for column in zip(*half, strict=True)] for half in halves]
    heads = [f"{title:<{sum(size) + 2 * len(size) - 2}}" for title, size in zip(titles, sizes, strict=False)]
    yield " " * first, *((f"    {head}", "bold") for head in heads)
    for number, name in enumerate(names):
        style = "bold" if number in (0, len(names) - 1) else ""
        cells = (
            (f"{'  ' if place or half == 0 else '    '}{cell:>{size}}", style)
            for half in range(len(halves))
            for place, (cell, size) in enumerate(zip(halves[half][number], sizes[half], strict=True))
        )
        yield (f"  {name:{first}}", style), *cells


def _width(fragment: Fragment) -> int:
    return len(fragment if isinstance(fragment, str) else fragment[0])


def _expected(mean: Sum | None) -> Cells:
    if mean is None:
        return ("-",) * len(HEADINGS)
    price = _known(round(mean.money), unknown=mean.unpriced > 0)
    return (f"{mean.asks:.1f}", f"{mean.tokens_in:,.0f}", f"{mean.tokens_out:,.0f}", price)


def _worst(worst: CostBounds) -> Cells:
    price = _known(worst.money, unknown=bool(worst.unpriced))
    return (f"{worst.asks:,}", f"{worst.tokens_in:,}", f"{worst.tokens_out:,}", price)


def _known(amount: int, *, unknown: bool) -> str:
    """Return an amount of money; `+` marks a partly unknown amount, `?` a wholly unknown one."""
    if not unknown:
        return money(amount)
    return f"{money(amount)}+" if amount else "?"


# What it compares with


def _compared(found: Estimate) -> Iterator[Styled]:
    worst, plain = found.worst, found.unrepaired
    if worst.unpriced:
        known = f"at most {money(worst.money)} as far as it is known; " if worst.money else ""
        yield "  prices    ", (f"{known}not known: {', '.join(worst.unpriced)}", "yellow")
    tokens = count(plain.tokens_in + plain.tokens_out, "token")
    price = _known(plain.money, unknown=bool(plain.unpriced))
    yield "  repairs   ", f"without malformed replies at most {tokens}, {price}"
    if worst.people:
        yield "  people    ", f"asked at most {count(worst.people, 'time')}, without a token"
    if found.single is not None:
        yield from _single(found, found.single)
    if found.expected is not None and found.expected.total.tokens_in:
        share = f"{found.expected.cacheable:.0%}".replace("%", " %")
        yield "  cache     ", f"{share} of the expected input begins like an earlier prompt; not subtracted"
    yield "  budget    ", *_budget(found)


def _single(found: Estimate, single: Sum) -> Iterator[Styled]:
    tokens = single.tokens_in + single.tokens_out
    price = _known(round(single.money), unknown=single.unpriced > 0)
    yield "  one call  ", f"of {found.asked} about the same: {count(round(tokens), 'token')}, {price}"
    if found.expected is not None:
        total = found.expected.total.tokens_in + found.expected.total.tokens_out
        yield " " * 12, f"the session is expected to take {total / tokens:.0f} times the tokens"


def _budget(found: Estimate) -> Styled:
    limits = []
    if found.budget.tokens is not None:
        limits.append(count(found.budget.tokens, "token"))
    if found.budget.cents is not None:
        limits.append(money(found.budget.cents * MILLIONTHS))
    if not limits:
        return ("no limit is set (`budget` in quorate.yaml)",)
    said = " and ".join(limits)
    match found.fits:
        case True:
            return f"{said}: ", ("the worst case fits", "green")
        case False:
            return f"{said}: ", ("the worst case does not fit", "red"), _mean(found)
        case None:
            return f"{said}: ", ("whether the worst case fits is not known", "yellow")


def _mean(found: Estimate) -> str:
    """Return whether the expected cost fits the budget; parts of unknown price may still exceed it."""
    if found.expected is None:
        return ""
    mean, tokens, cents = found.expected.total, found.budget.tokens, found.budget.cents
    if tokens is not None and mean.tokens_in + mean.tokens_out > tokens:
        return "; what is expected does not fit either"
    if cents is not None and mean.money > cents * MILLIONTHS:
        return "; what is expected does not fit either"
    if cents is not None and mean.unpriced:
        return "; whether what is expected fits is not known"
    return "; what is expected fits"


def _basis(found: Estimate) -> Iterator[Styled]:
    walked = found.basis is Basis.WALK
    asks = "asks proven by a walk over every session" if walked else "asks bounded by the protocol's schedule"
    yield ((f"at most: {asks},", "dim"),)
    yield (("  tokens bounded by forms, limits of participants and repairs; 3 bytes count as a token", "dim"),)
    if found.relayed:
        yield (("  of two models on a seat the dearer is counted for every ask", "dim"),)
    if found.several:
        yield (("  all samples of an ask are counted, and both a draft and its confirmation", "dim"),)
    if found.expected is None:
        yield ((f"expected: not known; {found.protocol} does not say how agents take part in it", "dim"),)
        return
    assumed, error = found.assumed, found.expected.error
    spread = f", ± {error:,.0f} tokens" if error >= 1 else ""
    yield ((f"expected: simulated, {count(assumed.samples, 'session')} from seed {assumed.seed}{spread};", "dim"),)
    agents = f"{found.expected.truth}, accuracy {assumed.accuracy}"
    yield ((f"  assumed: {agents}, replies of {assumed.reply:,} tokens, no repairs", "dim"),)
    if found.relayed:
        yield (("  of two models on a seat the one is asked whose round it is", "dim"),)
    if found.curtailed:
        spared = f"{found.expected.spared:.1f}"
        yield ((f"  votes that cannot matter are not asked for (`curtail`): {spared} asks spared", "dim"),)
