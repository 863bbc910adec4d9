"""Interruptions: every reason, at every state, with the replies that may be in when it comes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from quorate.core.engine import step
from quorate.core.protocol import When
from quorate.core.session import Session
from quorate.core.types import Interrupted, Reason, Replies
from quorate.verify.combinations import answered
from quorate.verify.counterexamples import Via
from quorate.verify.options import Options

if TYPE_CHECKING:
    from quorate.verify.explore import Walk

S = TypeVar("S")
Partial = tuple[int | None, ...]


class Interruptions(Generic[S]):
    """Adds interruptions to a walk. What they lead to is walked like everything else."""

    def __init__(self, walk: Walk[S]) -> None:
        self.walk = walk
        self._ended: set[Hashable] = set()
        self._diverted: set[Hashable] = set()
        self._folds_that_read: set[Reason] = set()

    def every(self, place: int, session: Session[S], options: Sequence[Options]) -> None:
        """Interrupt a waiting session, for every reason."""
        for reason, interrupt in self.walk.protocol.interrupts.items():
            if interrupt.when is When.NOW:
                self._now(place, session, reason, options)
            else:
                self._later(place, session, reason, options)

    def _now(self, place: int, session: Session[S], reason: Reason, options: Sequence[Options]) -> None:
        interrupt = self.walk.protocol.interrupts[reason]
        if interrupt.to in self.walk.protocol.verdicts:
            # It ends the session: reasons with the same end and fold differ in their name only.
            same = (session.phase, session.interrupted, interrupt.to, interrupt.fold)
            if (*same, session.state) in self._ended and (*same, reason) in self._ended:
                return
            self._ended |= {(*same, session.state), (*same, reason)}
        for partial in self._partly(session, reason, options):
            pairs = zip(session.asks, partial, options, strict=True)
            given = {ask.id: each.sealed[n] for ask, n, each in pairs if n is not None}
            self.walk.step(place, answered(session, given), Interrupted(reason), Via(partial, reason))

    def _later(self, place: int, session: Session[S], reason: Reason, options: Sequence[Options]) -> None:
        """Try an interruption that waits for the phase, once for each place that the decision leads to.

        A decision that ends the session ends it as it would have without the interruption.
        """
        waiting = step(self.walk.probe.watched, session, Interrupted(reason)).session
        if waiting is session:
            return
        episodes = session.episodes if self.walk.protocol.limits.episodes is not None else 0
        for led_to, via in self.walk.vertices[place].telling.items():
            leaving = (led_to, reason, session.interrupted, episodes)
            if leaving not in self._diverted:
                self._diverted.add(leaving)
                self.walk.hear(place, waiting, via._replace(reason=reason), options)

    def _partly(self, session: Session[S], reason: Reason, options: Sequence[Options]) -> list[Partial]:
        """Return the partial replies to interrupt with: none, unless the interrupt's fold reads them."""
        nobody: Partial = (None,) * len(options)
        if reason not in self._folds_that_read:
            try:
                self.walk.protocol.interrupts[reason].fold(session.state, UNREAD)
                return [nobody]
            except Exception:
                self._folds_that_read.add(reason)
        cut = f"{reason.name} looks at the replies that are in: tried with none, with each alone, and with all but one"
        self.walk.cuts[cut] = None
        found = [nobody]
        for alone in range(len(options)):
            found.append(tuple(0 if n == alone else None for n in range(len(options))))
            found.append(tuple(None if n == alone else 0 for n in range(len(options))))
        return list(dict.fromkeys(found))


class Touched(Exception):
    """Raised when a fold reads its replies."""


class UnreadableReplies(Replies):
    """Replies that raise `Touched` when read: a fold that runs with these does not depend on replies."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        raise Touched(name)

    def __iter__(self) -> Any:
        raise Touched

    def __len__(self) -> int:
        raise Touched


UNREAD: UnreadableReplies = object.__new__(UnreadableReplies)
