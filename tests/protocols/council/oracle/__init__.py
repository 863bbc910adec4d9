"""The oracle of the council: its rules coded a second time, from RULES.md alone, and compared at every move.

It counts votes, draws lenses and derives asks, states, facts and verdicts without the protocol's own functions, as
etcd's tests do for its quorums. `verify` walks a council with it beside the council's own invariants.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from quorate.core.protocol import Invariant, Protocol
from quorate.kit.settings import read_settings
from quorate.protocols.council.rules.model import CouncilSettings, Phase, State
from tests.protocols.council.oracle.asks import asks
from tests.protocols.council.oracle.promises import (
    Check,
    as_counted,
    deadlocks,
    decides,
    degraded,
    leads,
    settles,
    stalls,
    told,
    verdict,
)
from tests.protocols.council.oracle.recount import Recount
from tests.protocols.council.oracle.redraw import drawn
from tests.protocols.council.oracle.sheet import M
from tests.protocols.council.oracle.silence import about_silence

PROMISES: tuple[tuple[str, str, Check], ...] = (
    ("the verdict follows from the findings", "C30-C33", verdict),
    ("DEADLOCKED exactly where agreement is lacking", "C11 C30", deadlocks),
    ("the vote alone settles early, and only where it is certain", "C24", settles),
    ("every outcome leads where it should", "C2", leads),
    ("the lenses are drawn by the algorithm and checked", "C3 C4", drawn),
    ("every decision is the one that the rules name", "C2 C11 C12 C30 C36", decides),
    ("findings have the numbers and places under which they were raised", "C8 C13 C14", as_counted("numbers")),
    ("severities are the worst that anybody gave, until a vote", "C17", as_counted("severities")),
    ("agreement follows from backers, answers and votes", "C9 C20-C23", as_counted("agreements")),
    ("resolutions follow from votes and edits", "C22 C25 C37-C39", as_counted("resolutions")),
    ("remediations are counted as proposed", "C15 C18", as_counted("remedies")),
    ("attempts at edits are counted", "C38 C39", as_counted("attempts")),
    ("who backs a finding is known until it is answered", "C16 C20", as_counted("backing")),
    ("a seat without a usable reply is lost", "C36", as_counted("losses")),
    ("doubts are those of the assessment", "C32", as_counted("doubts")),
    ("who judged had something to say, and assessed", "C46", as_counted("judging")),
    ("what was shown is what code says", "C42", as_counted("coverage")),
    ("a lens is bound by a finding or a row that is not blank", "C6", as_counted("lenses")),
    ("the state says which step comes next", "C2 C13 C15 C18 C38", as_counted("course")),
    ("the record is told what was counted, and nothing else", "C6 C14 C16 C22 C38", told),
)


def oracle(settings: CouncilSettings) -> tuple[Invariant[State], ...]:
    """Return the comparisons with the recount under these settings, each as an invariant."""
    recount = Recount(settings)

    def always(check: Check) -> Callable[[M], bool]:
        return lambda moment: check(recount, moment)

    def normally(check: Check) -> Callable[[M], bool]:
        """Limit a check to the council's own phases, and to moments that decide something."""

        def holds(moment: M) -> bool:
            ours = isinstance(moment.phase, Phase) and moment.interrupted is None
            return not ours or check(recount, moment)

        return holds

    mute = frozenset(settings.unqualified_seats)
    return tuple(about_silence(each, mute) if mute else each for each in _all(always, normally))


def _all(always: Callable[[Check], Any], normally: Callable[[Check], Any]) -> tuple[Invariant[State], ...]:
    return (
        *(Invariant(name, rule, normally(check)) for name, rule, check in PROMISES),
        Invariant("every step asks exactly whom the rules name", "C1 C13 C15 C18 C38", normally(asks())),
        Invariant("the degradation is that of the lost seats", "C36", always(degraded)),
        Invariant("a stall is a phase in which nobody brought anything", "C34", always(stalls)),
    )


def with_oracle(protocol: Protocol[Any]) -> Protocol[Any]:
    """Return the same council, with the oracle beside its own invariants."""
    settings = read_settings(CouncilSettings, protocol.settings)
    return replace(protocol, invariants=(*protocol.invariants, *oracle(settings)))
