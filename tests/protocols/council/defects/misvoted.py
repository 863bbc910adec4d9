"""Planted defects of the council that are made by hand, in votes, ends, edits and lenses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.forms import Key
from quorate.core.types import Replies
from quorate.protocols.council.rules.forms import Applied, Ballots
from quorate.protocols.council.rules.model import Finding, Resolution, State
from tests.protocols.council.defects.misruled import Change, instead


def with_counts(change: Callable[[State, Replies, Key, Any], Any]) -> Change:
    """Change the count of each item."""

    def wrap(real: Any) -> Any:
        def count_votes(state: State, replies: Replies) -> Any:
            return {key: change(state, replies, key, count) for key, count in real(state, replies).items()}

        return count_votes

    return wrap


def missing_opposes(state: State, replies: Replies, key: Key, count: Any) -> Any:
    unsaid = sum(isinstance(reply, Ballots) and key not in reply.votes for _, reply in replies)
    return replace(count, oppose=count.oppose + unsaid, abstain=count.abstain - unsaid)


def absent_supports(state: State, replies: Replies, key: Key, count: Any) -> Any:
    return replace(count, support=count.support + len(replies.absent()))


def any_quotation_refutes(state: State, replies: Replies, key: Key, count: Any) -> Any:
    given = [reply.votes.get(key) for _, reply in replies if isinstance(reply, Ballots)]
    return replace(count, refuted=any(each is not None and each.refuted for each in given))


def simple_majority(real: Any) -> Any:
    """More for than against is enough, once all votes are in."""

    def standing(self: Any, quorum: int, waiting: int, lone: bool = False) -> Any:
        if waiting == 0 and self.support > self.oppose:
            quorum = min(quorum, self.support)
        return real(self, quorum, waiting, lone)

    return standing


def threshold_falls(real: Any) -> Any:
    """The quorum is one lower for each seat that is lost."""
    return lambda state, counts, quorum, waiting: real(
        state, counts, quorum - sum(each.lost for each in state.seats), waiting
    )


def dismissed_is_mended(real: Any) -> Any:
    def _settled(finding: Finding, true: Any, grave: Any, remedied: bool) -> Any:
        made = real(finding, true, grave, remedied)
        return replace(made, resolution=Resolution.REMEDIATION_AGREED) if remedied else made

    return _settled


def _all_lenses(real: Any, reply: Any) -> Any:
    name = {"ScoringTable": "scores", "MockRun": "steps", "AssuranceTree": "claims"}.get(type(reply).__name__, "")
    return real(reply) | {row.lens for row in getattr(reply, name, ())}


CHANGED: Mapping[str, tuple[str, Mapping[str, Change]]] = {
    "a lone BLOCKER is dismissed silently": (
        "votes",
        {"Count.standing": lambda real: lambda self, quorum, waiting, lone=False: real(self, quorum, waiting)},
    ),
    "a vote that is missing opposes": ("votes", {"count_votes": with_counts(missing_opposes)}),
    "who is absent supports": ("votes", {"count_votes": with_counts(absent_supports)}),
    "a quotation refutes whoever gives it": ("votes", {"count_votes": with_counts(any_quotation_refutes)}),
    "a simple majority is a quorum": ("votes", {"Count.standing": simple_majority}),
    "the quorum falls with a lost seat": ("votes", {"standings": threshold_falls}),
    "a dismissed finding is to be mended": ("votes", {"_settled": dismissed_is_mended}),
    "a gate's finding is voted upon": (
        "votes",
        {
            "contested": lambda real: (
                lambda state: {**real(state), **{each.key: each.key for each in state.findings if each.proven}}
            )
        },
    ),
    "contested findings are not voted upon": ("votes", {"contested": instead(lambda state: {})}),
    "a stranded BLOCKER is an agreement": ("conclusion", {"is_stranded": instead(lambda *_: False)}),
    "a gate's BLOCKER goes to a person": (
        "conclusion",
        {"is_stranded": lambda real: lambda proven, *others: real(False, *others)},
    ),
    "no doubt is enough": ("conclusion", {"SEATS_IN_DOUBT": instead(4)}),
    "one doubt is enough": ("conclusion", {"SEATS_IN_DOUBT": instead(1)}),
    "what is agreed to be mended is mended": ("conclusion", {"REMAINING": instead((Resolution.UPHELD,))}),
    "an edit of prose is a remedy": (
        "edits",
        {
            "edited": lambda real: (
                lambda finding, result: real(finding, Applied.APPLIED if result is Applied.PROSE_ONLY else result)
            )
        },
    ),
    "an edit that a gate complains about is a remedy": (
        "edits",
        {
            "edited": lambda real: (
                lambda finding, result: real(finding, Applied.APPLIED if result is Applied.REGRESSED else result)
            )
        },
    ),
    "prose once goes to a person": ("edits", {"MOST_ATTEMPTS": instead(1)}),
    "one seat makes all edits": (
        "edits",
        {"shared_out": lambda real: lambda state: {state.active[0]: tuple(k for v in real(state).values() for k in v)}},
    ),
    "a row that is blank binds a lens": (
        "protocol",
        {"lenses_used": lambda real: lambda reply: _all_lenses(real, reply)},
    ),
    "a seat that is absent is not lost": ("protocol", {"_lose": instead(lambda state, replies: state)}),
    "edits are asked for three times": ("protocol", {"MOST_ATTEMPTS": instead(3)}),
    "a BLOCKER has no final attempt": ("protocol", {"_without_remedy": instead(lambda state: ())}),
    "the matcher is not asked": ("protocol", {"_ask_matcher": instead(lambda state: ())}),
    "the lenses of a seat are not its own": (
        "lenses",
        {"ANCHORS": lambda real: dict(zip(real, [*list(real.values())[1:], next(iter(real.values()))], strict=True))},
    ),
    "an overlap of four passes": ("lenses", {"overlap": lambda real: lambda modes: max(0, real(modes) - 1)}),
    "a redraw is seeded otherwise": (
        "lenses",
        {"draw": lambda real: lambda seed, seat, anchors, attempt=0: real(seed, seat, anchors, 2 * attempt)},
    ),
}
"""Where the defect is, and what becomes of which function."""
