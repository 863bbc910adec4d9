"""Format a simulation: a bar per verdict, or a bar and a row for each varied value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from textwrap import wrap

from quorate.api.simulations import NUMBERS, SimulationRow, judging_of
from quorate.cli.paragraphs import UNBOUNDED
from quorate.cli.simulation_answer import answer
from quorate.cli.simulation_numbers import mean, percent, points, relative
from quorate.cli.style import Fragment, Styled, broken
from quorate.cli.text import count
from quorate.kit.judgement import Judging
from quorate.simulate.agents import Agents
from quorate.simulate.outcomes import Estimate, Outcomes
from quorate.simulate.plot import Bar, Segment, svg

WIDEST, LEAST = 40, 8
"""Columns of a bar: where there is room, and where there is none."""
BELOW = 13
"""Columns of a label such as `  expected   `."""
EIGHTHS = " ▏▎▍▌▋▊▉█"
GRADES = (("right", "green", "█"), ("undecided", "yellow", "▒"), ("wrong", "red", "░"))


def told(protocol: str, rows: Sequence[SimulationRow], room: int = UNBOUNDED) -> Iterator[Styled]:
    """Return one simulation, or several side by side, as lines that fit the columns."""
    yield from ((line,) for text in _heading(protocol, rows) for line in _fit(text, room))
    yield ("",)
    if len(rows) == 1:
        yield from _verdicts(rows[0].outcomes, room)
        yield ("",)
        yield from _summed(rows[0].outcomes, room)
    else:
        yield from _bars(rows, room)
        yield ("",)
        yield from (((line, "bold"),) for line in _fit(answer(rows), room))
        yield ("",)
        yield from _table(rows, room)
    yield ("",)
    yield from (((line, "dim"),) for line in _fit(_basis(rows), room))


def drawing(protocol: str, rows: Sequence[SimulationRow]) -> str:
    """Draw one simulation, or several below each other, as SVG."""
    first, varied = rows[0].outcomes, " and ".join(rows[0].varied)
    title = protocol if "truth" in rows[0].varied else f"{protocol}, {first.truth}"
    note = " · ".join(filter(None, (", ".join(_described(rows[0].agents, rows[0].varied)), _basis(rows))))
    if len(rows) > 1 and first.right is not None:
        bars = [Bar(_name(row), _parts(row.outcomes), percent(row.outcomes.right) + " right") for row in rows]
        return svg(f"{title}: what changes with {varied}", note, bars, [name for name, _, _ in GRADES])
    if len(rows) > 1:
        best = next(iter(first.verdicts))
        bars = [Bar(_name(r), _plain(r.outcomes.verdicts[best]), percent(r.outcomes.verdicts[best])) for r in rows]
        return svg(f"{title}: how likely {best.name} is with {varied}", note, bars)
    styled = [(verdict, each, _grade_of(protocol, first, verdict)) for verdict, each in first.verdicts.items()]
    bars = [Bar(verdict.name, (Segment(float(each.value), style),), percent(each)) for verdict, each, style in styled]
    graded = {style for _, _, style in styled} != {"plain"}
    return svg(title, note, bars, [name for name, _, _ in GRADES] if graded else ())


# Headings


def _heading(protocol: str, rows: Sequence[SimulationRow]) -> Iterator[str]:
    varied = rows[0].varied
    first = rows[0].outcomes
    if "truth" in varied:
        yield f"{protocol} under different truths"
    else:
        yield f"{protocol}, {first.truth}: {judging_of(protocol).truths[first.truth].says}"
    if agents := ", ".join(_described(rows[0].agents, varied)):
        yield f"agents: {agents}"
    yield from _without_effect(judging_of(protocol), rows)
    if len(rows) == 1:
        yield f"{_voters(first)}, worth {_votes(first)} independent votes"
    elif len({_voters(row.outcomes) for row in rows}) == 1:
        yield _voters(first)


def _without_effect(judging: Judging, rows: Sequence[SimulationRow]) -> Iterator[str]:
    """Return which of the given detection rates have no effect."""
    something = {not judging.truths[row.outcomes.truth].favourable for row in rows}
    if something == {False} and any(row.agents.recall is not None for row in rows):
        yield "recall plays no part: there is nothing to find"
    if something == {True} and any(row.agents.false_alarm is not None for row in rows):
        yield "the rate of false alarms plays no part: there is something to find"


def _voters(found: Outcomes) -> str:
    kinds = ((found.malicious, "always wrong"), (found.obstructing, "against everything"))
    odd = "".join(f", of whom {', '.join(seats)} {kind}" for seats, kind in kinds if seats)
    return f"{count(len(found.voters), 'voter')} ({', '.join(found.voters)}){odd}"


def _described(agents: Agents, varied: Mapping[str, str]) -> Iterator[str]:
    """Return the accuracy, and the numbers that differ from a default agent's."""
    plain = Agents()
    for name in NUMBERS:
        value = getattr(agents, name)
        if name not in varied and (name == "accuracy" or value != getattr(plain, name)):
            yield f"{name.replace('_', ' ')} {_short(value)}"


def _short(value: Fraction | int | None) -> str:
    return "none" if value is None else f"{float(value):g}"


def _votes(found: Outcomes) -> str:
    return "no" if found.effective is None else f"{float(found.effective):.2f}"


# One simulation


def _verdicts(found: Outcomes, room: int) -> Iterator[Styled]:
    names = max(len(verdict.name) for verdict in found.verdicts)
    numbers = max(len(percent(each)) for each in found.verdicts.values())
    bar = _bar(room, names + numbers)
    for verdict, each in found.verdicts.items():
        filled = _filled(float(each.value), bar)
        yield f"  {verdict.name:{names}}  ", (filled, "cyan"), f"  {percent(each):>{numbers}}"


def _summed(found: Outcomes, room: int) -> Iterator[Styled]:
    numbers = max(len(percent(each)) for each in (found.right, found.wrong, found.undecided))
    if found.right is not None and found.wrong is not None:
        alone = Estimate(found.alone)
        versus = f"   one seat alone is right in {percent(alone)}: {points(found.right, alone)} points"
        yield from broken(("  right      ", (f"{percent(found.right):>{numbers}}", "green"), versus), room, BELOW)
        yield "  wrong      ", (f"{percent(found.wrong):>{numbers}}", "red")
    yield "  undecided  ", (f"{percent(found.undecided):>{numbers}}", "yellow")
    people = f", {mean(found.people)} to people" if found.people.value else ""
    yield "  expected   ", f"{mean(found.rounds)} rounds, {mean(found.asks)} asks to models{people}"
    yield "             ", f"about {float(found.tokens.value):,.0f} tokens without briefs; see `quorate estimate`"


def _basis(rows: Sequence[SimulationRow]) -> str:
    drawn = [row.outcomes for row in rows if not row.outcomes.exact]
    if not drawn:
        moves = sum(row.outcomes.paths for row in rows)
        return f"exact: every session was followed, {count(moves, 'move')} of the protocol in all"
    each = drawn[0]
    which = "" if len(drawn) == len(rows) else f" in {len(drawn)} of {len(rows)} rows, the others are exact"
    return f"drawn{which}: {count(each.samples or 0, 'session')} from seed {each.seed}; ± is one standard error"


# Several


def _bars(rows: Sequence[SimulationRow], room: int) -> Iterator[Styled]:
    named = [_cut(_name(row), room) for row in rows]
    names = max(map(len, named))
    graded = rows[0].outcomes.right is not None
    best = next(iter(rows[0].outcomes.verdicts))
    shares = [row.outcomes.right or row.outcomes.verdicts[best] for row in rows]
    numbers, what = max(len(percent(each)) for each in shares), "right" if graded else best.name
    bar = _bar(room, names + numbers + 1 + len(what))
    for name, row, each in zip(named, rows, shares, strict=True):
        drawn = _stacked(row.outcomes, bar) if graded else ((_filled(float(each.value), bar), "cyan"),)
        yield f"  {name:{names}}  ", *drawn, f"  {percent(each):>{numbers}} {what}"
    if graded:
        keys = [part for name, style, sign in GRADES for part in ((sign, style), f" {name}   ")]
        yield f"  {'':{names}}  ", *keys


def _stacked(found: Outcomes, columns: int) -> tuple[Fragment, ...]:
    shares = [getattr(found, name).value for name, _, _ in GRADES]
    ends = [round(float(sum(shares[: number + 1])) * columns) for number in range(len(shares))]
    sizes = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
    return tuple((sign * size, style) for size, (_, style, sign) in zip(sizes, GRADES, strict=True) if size)


Column = tuple[str, list[str]]


def _table(rows: Sequence[SimulationRow], room: int) -> Iterator[Styled]:
    """Return one row per value with the difference to the first, split into several tables if too wide."""
    names = (", ".join(rows[0].varied).upper(), [_cut(_values(row), room) for row in rows])
    came, took = list(_came(rows)), list(_took(rows))
    whole = [names, *(column for group in (*came, *took) for column in group)]
    fits = sum(2 + _width(each) for each in whole) <= room
    tables = [whole] if fits else [each for part in (came, took) for each in _dealt(names, part, room)]
    for number, columns in enumerate(tables):
        if number:
            yield ("",)
        yield from _lines(columns)


def _came(rows: Sequence[SimulationRow]) -> Iterator[list[Column]]:
    """Return the columns of outcomes: each share with its differences."""
    for heading, estimates in _measured(rows):
        differences = [points(each, estimates[0]) for each in estimates[1:]]
        yield [(heading, [percent(each) for each in estimates]), ("", ["", *differences])]


def _took(rows: Sequence[SimulationRow]) -> Iterator[list[Column]]:
    """Return the columns of effort, and of effective votes."""
    found = [row.outcomes for row in rows]
    yield [("ROUNDS", [mean(each.rounds) for each in found])]
    yield [("ASKS", [mean(each.asks) for each in found])]
    more = [relative(each.tokens, found[0].tokens) for each in found[1:]]
    yield [("TOKENS", [f"{float(each.tokens.value):,.0f}" for each in found]), ("", ["", *more])]
    yield [("EFFECTIVE", [_votes(each) for each in found])]


def _dealt(names: Column, groups: Sequence[Sequence[Column]], room: int) -> Iterator[list[Column]]:
    """Distribute groups of columns over as many tables as the width requires; each begins with the names."""
    columns, taken = [names], 2 + _width(names)
    for group in groups:
        needed = sum(2 + _width(each) for each in group)
        if taken + needed > room and len(columns) > 1:
            yield columns
            columns, taken = [names], 2 + _width(names)
        columns += group
        taken += needed
    yield columns


def _lines(columns: Sequence[Column]) -> Iterator[Styled]:
    widths = [_width(each) for each in columns]
    for number in range(-1, len(columns[0][1])):
        cells = [heading if number < 0 else column[number] for heading, column in columns]
        first_cell = f"  {cells[0]:{widths[0]}}"
        rest = [f"  {cell:>{size}}" for cell, size in zip(cells[1:], widths[1:], strict=True)]
        style = "bold" if number < 0 else ""
        yield (first_cell, style), *((cell, style or _tone(cell)) for cell in rest)


def _width(column: Column) -> int:
    return max(map(len, (column[0], *column[1])))


def _measured(rows: Sequence[SimulationRow]) -> Iterator[tuple[str, list[Estimate]]]:
    """Return the measures that rows are compared by; those that are zero in all rows are left out."""
    found = {verdict.name: [row.outcomes.verdicts[verdict] for row in rows] for verdict in rows[0].outcomes.verdicts}
    if rows[0].outcomes.right is not None:
        found = {name.upper(): [getattr(row.outcomes, name) for row in rows] for name, _, _ in GRADES}
    for name, estimates in found.items():
        if any(each.value for each in estimates):
            yield name, estimates


def _tone(cell: str) -> str:
    return "dim" if cell.strip()[:1] in ("+", "-") else ""


def _name(row: SimulationRow) -> str:
    return ", ".join(f"{key} {value}" for key, value in row.varied.items())


def _values(row: SimulationRow) -> str:
    return ", ".join(row.varied.values())


# Lines and bars


def _fit(text: str, room: int) -> list[str]:
    return wrap(text, room, break_on_hyphens=False)


def _cut(name: str, room: int) -> str:
    """Shorten a name to a third of the width, keeping its start and end, where long lists differ."""
    most = max(LEAST, room // 3)
    return name if len(name) <= most else f"{name[: most // 2 - 1]}…{name[-(most - most // 2) :]}"


def _bar(room: int, beside: int) -> int:
    """Return the columns left for a bar beside names and numbers, with six blanks."""
    return max(LEAST, min(WIDEST, room - beside - 6))


def _filled(share: float, columns: int) -> str:
    whole, eighths = divmod(round(share * columns * 8), 8)
    return ("█" * whole + EIGHTHS[eighths].strip()).ljust(columns)


def _parts(found: Outcomes) -> tuple[Segment, ...]:
    return tuple(Segment(float(getattr(found, name).value), name) for name, _, _ in GRADES)


def _plain(each: Estimate) -> tuple[Segment, ...]:
    return (Segment(float(each.value), "plain"),)


def _grade_of(protocol: str, found: Outcomes, verdict: Enum) -> str:
    judging = judging_of(protocol)
    if found.right is None or judging.answer is not None:
        return "plain"
    grade = judging.grade(judging.truths[found.truth], verdict, None)
    return {True: "right", False: "wrong", None: "undecided"}[grade]
