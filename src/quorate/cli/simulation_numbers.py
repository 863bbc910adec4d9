"""Format the numbers of a simulation: exact ones with two decimals, sampled ones with a standard error."""

from __future__ import annotations

from quorate.simulate.outcomes import Estimate

NEVER = 3
"""What never came in n draws is, at 95 % confidence, rarer than 3 in n."""


def percent(each: Estimate | None) -> str:
    """Return a share such as `73.17 %` or `78.9 ± 0.9 %`; one that was never sampled as an upper bound."""
    if each is None:
        return "-"
    if each.error is None:
        return f"{float(each.value) * 100:.2f} %"
    if each.value == 0:
        return f"< {NEVER * each.error * 100:.2g} %"
    return f"{float(each.value) * 100:.1f} ± {each.error * 100:.1f} %"


def points(each: Estimate, first: Estimate) -> str:
    """Return the difference of two shares in percentage points."""
    found = each - first
    if found.error is None:
        return f"{float(found.value) * 100:+.2f}"
    return f"{float(found.value) * 100:+.1f} ± {found.error * 100:.1f}"


def relative(each: Estimate, first: Estimate) -> str:
    """Return the relative change in percent of the first; empty if that is zero."""
    return f"{float(each.value / first.value - 1) * 100:+.0f} %" if first.value else ""


def mean(each: Estimate) -> str:
    """Return a mean over all sessions."""
    return f"{float(each.value):.2f}" if each.error is None else f"{float(each.value):.2f} ± {each.error:.2f}"
