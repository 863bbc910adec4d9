"""What every driver of a session in the tests can tell of it: where it stands, and the moves that led there."""

from __future__ import annotations

from quorate.core.record import Moved, Record
from quorate.core.session import Conclusion, Move
from quorate.core.types import Ask


class UnderWay:
    """A session that a test drives; whoever derives from this keeps its `record`."""

    record: Record

    @property
    def open(self) -> tuple[Ask, ...]:
        return self.record.session.open

    @property
    def phase(self) -> str:
        return self.record.session.phase.name

    @property
    def conclusion(self) -> Conclusion:
        asked = [f"{ask.seat} {ask.brief}" for ask in self.open]
        assert self.record.session.conclusion is not None, f"still in {self.phase}: {asked}"
        return self.record.session.conclusion

    @property
    def verdict(self) -> str:
        return self.conclusion.verdict.name

    @property
    def moves(self) -> list[Move]:
        return [line.move for line in self.record.log if isinstance(line, Moved)]

    @property
    def outcomes(self) -> list[str]:
        return [move.outcome.name for move in self.moves]
