"""Summarise a comparison of simulations in one sentence: which row is better, and at what cost."""

from __future__ import annotations

from collections.abc import Sequence

from quorate.api.simulations import SimulationRow
from quorate.simulate.outcomes import Estimate

SURE = 2
"""Standard errors that a difference of draws must have to be called one."""


def answer(rows: Sequence[SimulationRow]) -> str:
    """Return what the second of two rows changes, or which of several is right most often.

    For a protocol without right and wrong verdicts, the share of its first verdict is compared.
    """
    graded = rows[0].outcomes.right is not None
    what = "right" if graded else next(iter(rows[0].outcomes.verdicts)).name
    shares = [_measured(row) for row in rows]
    first = shares[0]
    if len(rows) == 2:
        gain = shares[1] - first
        return f"{_instead(rows)}: {_told(what, gain)}, {_tokens(rows[1], rows[0])}"
    best = max(range(len(rows)), key=lambda number: shares[number].value)
    gain = shares[best] - first
    if not gain.value:
        equal = all(each.value == first.value for each in shares)
        return f"{what} as often in all rows" if equal else f"{what} most often with {_name(rows[0])}, the first"
    if not _clear(gain):
        return f"no row is {what} more often than {_name(rows[0])} by more than chance would have it"
    more = f"{_size(gain)} points more often than with {_name(rows[0])}"
    return f"{what} most often with {_name(rows[best])}: {more}, {_tokens(rows[best], rows[0])}"


def _measured(row: SimulationRow) -> Estimate:
    return row.outcomes.right or next(iter(row.outcomes.verdicts.values()))


def _told(what: str, gain: Estimate) -> str:
    if not gain.value:
        return f"{what} as often"
    if not _clear(gain):
        return f"no difference in how often it is {what} that chance could not have made"
    return f"{what} {_size(gain)} points {'more' if gain.value > 0 else 'less'} often"


def _clear(gain: Estimate) -> bool:
    return gain.error is None or abs(gain.value) > SURE * gain.error


def _size(gain: Estimate) -> str:
    size = abs(float(gain.value)) * 100
    return f"{size:.2f}" if gain.error is None else f"{size:.1f} ± {gain.error * 100:.1f}"


def _tokens(row: SimulationRow, first: SimulationRow) -> str:
    was, now = float(first.outcomes.tokens.value), float(row.outcomes.tokens.value)
    percent = round((now / was - 1) * 100) if was else 0
    if not percent:
        return "for as many tokens"
    return f"for {abs(percent)} % {'more' if percent > 0 else 'fewer'} tokens"


def _instead(rows: Sequence[SimulationRow]) -> str:
    """Return `seats 5 instead of 4`; if more than one thing varies, both rows are named in full."""
    first, other = rows
    short = len(first.varied) == 1
    return f"{_name(other)} instead of {next(iter(first.varied.values())) if short else _name(first)}"


def _name(row: SimulationRow) -> str:
    return ", ".join(f"{key} {value}" for key, value in row.varied.items())
