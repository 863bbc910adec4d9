"""Results of redecided ballots, as sentences, a table and plain data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from quorate.lab.bench.redecision import Redecided, Redecision
from quorate.lab.bench.report import Rows, as_float, percent

FORMAT = "quorate-redecided/1"


def facts(found: Redecision) -> Iterator[str]:
    """Return sentences that describe the ballots, before any rule is applied."""
    yield f"{found.items} items, {found.labelled} with a known truth, {found.voters} voters"
    if not found.labelled:
        yield "nothing can be said to be right or wrong"
        return
    yield f"one ballot of the first round is right in {percent(found.accuracy)}"
    if found.phi is None:
        yield "error correlation: not known (too few voters or items, or all alike)"
    else:
        in_turn = found.effective is None or found.effective > found.voters
        worth = f"more than {found.voters}" if in_turn else f"{float(found.effective or 0):.2f}"
        yield f"error correlation phi {float(found.phi):.3f}: {found.voters} voters are worth {worth} independent votes"
    roof = found.ceiling
    if roof.beta is not None:
        yield (
            f"nobody is right in {percent(roof.beta)}: with 95 % confidence no rule over these voters is right in more "
            f"than {100 * roof.accuracy_bound:.1f} %"
        )
    agreed = found.unanimity
    if agreed.unanimous:
        yield (
            f"unanimous in the first round: {percent(agreed.coverage)} of the items, right in "
            f"{percent(agreed.precision)} of them (with 95 % confidence in at least "
            f"{100 * agreed.precision_bound:.1f} %)"
        )
    else:
        yield "unanimous in the first round: none of the items"
    flips = found.flips
    if flips.gain is not None:
        yield (
            f"talk turned {percent(flips.helpful_rate)} of the wrong answers right and {percent(flips.harmful_rate)} "
            "of the right ones wrong"
        )
    if found.recorded is not None:
        right, of = found.recorded
        yield f"what was recorded as decided is right in {percent(Fraction(right, of))}"


def rule_table(found: Redecision) -> Rows:
    """Return the table of results, one row per rule."""
    headings = ("RULE", "BALLOTS", "RIGHT", "95 % INTERVAL", "WRONG", "UNDECIDED", "READ", "SO IT IS")
    return headings, [_row(each) for each in found.rules]


def _row(each: Redecided) -> tuple[str, ...]:
    reach = f"{100 * each.interval.low:.1f} to {100 * each.interval.high:.1f}"
    shares = (percent(Fraction(n, each.items) if each.items else None) for n in (each.wrong, each.undecided))
    return each.rule, each.ballots, percent(each.accuracy), reach, *shares, f"{each.read:,}", each.says


def data(found: Redecision) -> dict[str, Any]:
    """Return the results as plain data."""
    agreed, roof, flips = found.unanimity, found.ceiling, found.flips
    return {
        "format": FORMAT,
        "items": found.items,
        "labelled": found.labelled,
        "voters": found.voters,
        "accuracy": as_float(found.accuracy),
        "phi": as_float(found.phi),
        "effective_votes": as_float(found.effective),
        "ceiling": {"all_wrong": roof.all_wrong, "items": roof.items, "accuracy_bound": roof.accuracy_bound},
        "unanimity": {
            "items": agreed.items,
            "unanimous": agreed.unanimous,
            "right": agreed.right,
            "precision_bound": agreed.precision_bound,
        },
        "flips": {
            "helpful": flips.helpful,
            "harmful": flips.harmful,
            "stayed_right": flips.stayed_right,
            "stayed_wrong": flips.stayed_wrong,
        },
        "recorded": None if found.recorded is None else {"right": found.recorded[0], "items": found.recorded[1]},
        "rules": [_rule(each) for each in found.rules],
    }


def _rule(each: Redecided) -> dict[str, Any]:
    return {
        "rule": each.rule,
        "ballots": each.ballots,
        "items": each.items,
        "right": each.right,
        "wrong": each.wrong,
        "undecided": each.undecided,
        "read": each.read,
        "interval": list(each.interval),
        "p": as_float(each.p),
        "says": each.says,
    }
