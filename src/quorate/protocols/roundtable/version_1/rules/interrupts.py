"""Interruptions: where each leads, and what it makes of the state (T26, T27).

One seat is asked at a time, so there is never a reply that a fold could lose.
"""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.protocol import Interrupt, When
from quorate.core.types import Reason, Replies
from quorate.core.values import replace
from quorate.protocols.roundtable.version_1.rules.model import Phase, State, Step
from quorate.protocols.roundtable.version_1.rules.talk import to_synthesis


def _wish(state: State, _: Replies) -> State:
    """Wrap up what is under way, then end (T26); what is synthesised already is not synthesised again."""
    done = state.step in (Step.SYNTHESISE, Step.APPEND, Step.RECORD)
    return replace(state if done else to_synthesis(state), leaving=True)


def _limit(state: State, replies: Replies) -> State:
    """Wrap up without a model, then end; a limit that is hit on the way ends it at once (T27)."""
    if state.mechanical:
        return replace(state, step=Step.END, unkept=True)
    cut_short = (state.turn > 0 or state.step is Step.FRAME) and state.step not in (Step.APPEND, Step.RECORD)
    wrapped = replace(_wish(state, replies), mechanical=True, missing=state.missing or cut_short)
    return replace(wrapped, step=Step.END) if cut_short and not state.spoken else wrapped


def _as_it_is(state: State, _: Replies) -> State:
    return state


INTERRUPTS: Mapping[Reason, Interrupt[State]] = {
    Reason.CANCELLED: Interrupt(Phase.ABORTED, When.NOW, _as_it_is),
    Reason.BUDGET: Interrupt(Phase.SYNTHESIS, When.NOW, _limit),
    Reason.EPISODES: Interrupt(Phase.SYNTHESIS, When.NOW, _limit),
    Reason.STALL: Interrupt(Phase.SYNTHESIS, When.NOW, _limit),
    Reason.WISH: Interrupt(Phase.SYNTHESIS, When.NOW, _wish),
}
