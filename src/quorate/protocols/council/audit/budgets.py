"""Checks of the budgets: tokens and episodes within their limits unless the council was aborted (C34, C35)."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.kit.untrusted_value import Spot
from quorate.protocols.council.audit.deviation import Deviation, broken
from quorate.protocols.council.audit.read import Bundle
from quorate.protocols.council.rules.conclusion import too_few
from quorate.protocols.council.rules.result.budget import ALLOCATION, TOKENS


def check_tokens(bundle: Bundle) -> Iterator[Deviation]:
    """Token use stays within the budget unless the council was aborted for it (C35)."""
    at, limit = bundle.meta["tokens_consumed"], bundle.at["budget"]["tokens"]
    yield from _number(at, "C35", "tokens")
    most = None if limit.exists and limit.value is None else limit.whole or TOKENS
    if at.whole is not None and most is not None and at.whole > most and not bundle.aborted:
        yield broken(
            at, "C35", f"{at.whole:,} tokens of {most:,}, and the council went on", "ABORTED: BUDGET_EXHAUSTED"
        )
    for name, share in ALLOCATION.items():
        stated = bundle.at["budget"]["allocation"][name]
        if stated.given and stated.whole != share:
            yield broken(stated, "C35", f"{stated} tokens for {name}", str(share))
    spent = [each.whole for each in bundle.at["budget"]["spent"].entries.values()]
    if spent and at.whole is not None and sum(number or 0 for number in spent) != at.whole:
        says = f"the cycles spent {sum(number or 0 for number in spent)} tokens in all"
        yield broken(bundle.at["budget"]["spent"], "C35", says, f"{at.whole}, as the metadata has it")


def check_episodes(bundle: Bundle) -> Iterator[Deviation]:
    """Episodes stay within their limit (C34)."""
    at, most = bundle.meta["episodes_consumed"], bundle.max_episodes
    yield from _number(at, "C34", "episodes")
    if at.whole is not None and most is not None and at.whole > most:
        yield broken(at, "C34", f"{at} episodes", f"at most {most}")


def _number(at: Spot, rule: str, noun: str) -> Iterator[Deviation]:
    if at.given and (at.whole is None or at.whole < 0):
        yield broken(at, rule, f"{at} {noun}", "a whole number from 0")


def check_degraded(bundle: Bundle) -> Iterator[Deviation]:
    """A council that lost a seat is marked as degraded, with a reason (C36)."""
    at, reason = bundle.at["degraded"], bundle.at["degraded_reason"]
    if at.flag is None:
        return
    if at.flag is not bool(bundle.lost) and bundle.agents and _says_lost(bundle):
        says = f"{at}, and {', '.join(sorted(bundle.lost)) or 'no seat'} was lost"
        yield broken(at, "C36", says, "true" if bundle.lost else "false")
    if at.flag and reason.exists and not (reason.text or "").strip():
        yield broken(reason, "C36", "degraded without a reason", "who was lost, why, and the threshold that applied")
    active = len(bundle.seats) - len(bundle.lost)
    if not bundle.alone and too_few(active, bundle.quorum).held and not bundle.aborted:
        says = f"{active} active seats, and a quorum of {bundle.quorum}"
        yield broken(bundle.at["terminal_state"], "C36", says, "ABORTED: INSUFFICIENT_AGENTS")


def _says_lost(bundle: Bundle) -> bool:
    return all(spot["lost"].flag is not None for spot in bundle.agents.values())
