"""Simulations: agents of known accuracy take the seats of a protocol, optionally with settings or numbers varied."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from quorate import catalog
from quorate.api.creation import own_briefs
from quorate.core.errors import InputError, SettingError, nearest
from quorate.files.yaml import load
from quorate.kit.judgement import Judging
from quorate.kit.settings import describe
from quorate.simulate import runs
from quorate.simulate.agents import WHOLE, Agents
from quorate.simulate.outcomes import Estimate, Outcomes
from quorate.simulate.seats import Sizes
from quorate.workspace import Workspace

ALIASES = {"phi": "correlation", "p": "accuracy", "false-alarm": "false_alarm", "common-mode": "common_mode"}
NUMBERS = tuple(each.name for each in fields(Agents))
MOST_ROWS = 24
PLAIN = Sizes()
MOST_BITS = 256
"""Of the denominator of a fraction that is written out; a long session has thousands of digits."""


@dataclass(frozen=True, slots=True)
class Chances:
    """How a simulation is computed."""

    samples: int = 20_000
    seed: int = 1
    sizes: Sizes = PLAIN
    exact: bool = True
    """False draws even where every walk could be followed."""


USUAL = Chances()


@dataclass(frozen=True, slots=True)
class SimulationRequest:
    """Parameters of a simulation, except those that vary."""

    agents: Mapping[str, str]
    """Numbers of the agents by name, as they were written."""
    seats: int | None = None
    truth: str | None = None
    chances: Chances = USUAL


@dataclass(frozen=True, slots=True)
class SimulationRow:
    """One simulation, with the varied values that identify it."""

    varied: Mapping[str, str]
    agents: Agents
    settings: Mapping[str, Any]
    outcomes: Outcomes


def simulate(
    workspace: Workspace,
    name: str,
    asked: SimulationRequest,
    vary: Sequence[str] = (),
    begins: Callable[[str], None] = lambda _: None,
) -> tuple[SimulationRow, ...]:
    """Simulate a protocol, once or for every combination of varied values (`quorum=2/3,3/4`, `phi=0,0.3`).

    `begins` is called before each row is computed.
    """
    judging = judging_of(name)
    axes = [_axis(name, each) for each in vary]
    combined = list(product(*axes))
    if len(combined) > MOST_ROWS:
        raise SettingError(f"asks for {len(combined)} rows", key="vary", expected=f"at most {MOST_ROWS}")
    rows = []
    for each in combined:
        begins(", ".join(f"{key} {value}" for key, value in each))
        rows.append(_row(workspace, name, judging, asked, dict(each)))
    return tuple(rows)


def judging_of(name: str) -> Judging:
    """Return how agents take part in a protocol; SettingError if it does not define that."""
    found = catalog.definition(name)
    if found.judging is None:
        able = [each.name for each in catalog.definitions().values() if each.judging is not None]
        raise SettingError(
            f"{name!r} does not define which verdicts are right, so it cannot be simulated",
            expected=f"one of {', '.join(able)}; a protocol of your own gives its Definition a `judging`",
        )
    return found.judging


def _axis(name: str, text: str) -> list[tuple[str, str]]:
    """Parse `key=a,b,c`; commas inside brackets are part of a value."""
    written, equals, values = text.partition("=")
    key = ALIASES.get(written.strip(), written.strip())
    found = [each.strip() for each in _split(values)]
    if not equals or not key or "" in found:
        raise SettingError(f"is {text!r}", key="vary", expected="key=a,b,c, such as quorum=1/2,2/3 or phi=0,0.3,0.6")
    settings = [each.key for each in describe(catalog.definition(name).settings)]
    known = [*NUMBERS, *ALIASES, "seats", "truth", *settings]
    if key not in known:
        raise SettingError(
            f"cannot vary {written.strip()!r}, which is neither a number of the agents nor a setting",
            key="vary",
            expected="a number of the agents (" + ", ".join((*NUMBERS, "seats", "truth")) + f") or a setting of {name}",
            nearest=nearest(key, known),
        )
    return [(key, each) for each in found]


def _split(values: str) -> Iterator[str]:
    depth, part = 0, ""
    for sign in values:
        depth += (sign == "[") - (sign == "]")
        if sign == "," and depth == 0:
            yield part
            part = ""
        else:
            part += sign
    yield part


def _row(
    workspace: Workspace, name: str, judging: Judging, asked: SimulationRequest, varied: Mapping[str, str]
) -> SimulationRow:
    agents = agents_of({**asked.agents, **{key: value for key, value in varied.items() if key in NUMBERS}})
    truth = varied.get("truth") or asked.truth or next(iter(judging.truths))
    config = workspace.config
    seats = _whole("seats", varied["seats"]) if "seats" in varied else asked.seats
    if seats is not None:
        config = config.with_settings(name, judging.seated(seats))
    for key in (key for key in varied if key not in (*NUMBERS, "seats", "truth")):
        config = config.with_settings(name, _nested(key, _plain(key, varied[key])))
    settings = config.protocol(name)
    with config.placing(name):
        protocol = catalog.build(name, settings, seed=asked.chances.seed, own=own_briefs(workspace))
    chances = asked.chances
    outcomes = runs.simulate(
        protocol,
        judging,
        agents,
        truth,
        chance=Random,
        samples=chances.samples,
        seed=chances.seed,
        sizes=chances.sizes,
        most_moves=runs.MOST_MOVES if chances.exact else 0,
    )
    return SimulationRow(varied, agents, settings, outcomes)


def agents_of(written: Mapping[str, str]) -> Agents:
    """Parse the numbers of the agents; SettingError if one is unknown, unreadable or out of range."""
    agents = Agents()
    read: dict[str, Any] = {}
    for name, text in written.items():
        key = ALIASES.get(name, name)
        if key not in NUMBERS:
            raise SettingError(
                "unknown number of the agents",
                key=name,
                expected="one of " + ", ".join(NUMBERS),
                nearest=nearest(name, (*NUMBERS, *ALIASES)),
            )
        read[key] = _whole(key, text) if key in WHOLE else _fraction(key, text)
    return replace(agents, **read)


_LONG_EXPONENT = re.compile(r"[eE][+-]?[\d_]{4}")
"""1e-9999999 is a few characters, and a number of ten million digits."""


def _fraction(key: str, text: str) -> Fraction:
    try:
        if len(text) > 40 or _LONG_EXPONENT.search(text):
            raise ValueError(text)
        found = Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise SettingError(f"is {text[:40]!r}", key=key, expected="a number such as 0.7 or 2/3") from None
    low = -1 if key == "bias" else 0
    if not low <= found <= 1:
        raise SettingError(f"is {text}", key=key, expected=f"a number from {low} to 1")
    return found


def _whole(key: str, text: str) -> int:
    if not text.strip().isdecimal() or len(text) > 9:
        raise SettingError(f"is {text[:40]!r}", key=key, expected="a whole number of at most 9 digits")
    return int(text)


def _plain(key: str, text: str) -> Any:
    """Parse a setting's value as YAML, as `--set` does."""
    try:
        return load(text, key).plain()
    except InputError as error:
        raise SettingError(error.what, key=key, expected=error.expected) from error


def _nested(key: str, value: Any) -> dict[str, Any]:
    first, _, rest = key.partition(".")
    return {first: _nested(rest, value) if rest else value}


def simulation_data(rows: Sequence[SimulationRow]) -> list[dict[str, Any]]:
    """Return simulations as plain data for programs; exact numbers also as fractions."""
    return [
        {
            "varied": dict(row.varied),
            "truth": row.outcomes.truth,
            "agents": {
                name: None if value is None else value if name in WHOLE else float(value)
                for name in NUMBERS
                for value in (getattr(row.agents, name),)
            },
            "voters": [str(seat) for seat in row.outcomes.voters],
            "malicious": [str(seat) for seat in row.outcomes.malicious],
            "obstructing": [str(seat) for seat in row.outcomes.obstructing],
            "effective_votes": None if row.outcomes.effective is None else float(row.outcomes.effective),
            "one_seat_right": float(row.outcomes.alone),
            "exact": row.outcomes.exact,
            "samples": row.outcomes.samples,
            "seed": row.outcomes.seed,
            "verdicts": {verdict.name: _number(each) for verdict, each in row.outcomes.verdicts.items()},
            **{
                name: _number(getattr(row.outcomes, name))
                for name in ("right", "wrong", "undecided", "rounds", "asks", "people", "tokens")
            },
        }
        for row in rows
    ]


def _number(each: Estimate | None) -> dict[str, Any] | None:
    if each is None:
        return None
    if each.error is None:
        short = each.value.denominator.bit_length() <= MOST_BITS
        return {"value": float(each.value), "exactly": str(each.value) if short else None}
    return {"value": float(each.value), "standard_error": each.error}
