"""The tolerance of a debate's verdict: one judge decides, so no vote can be spared."""

from __future__ import annotations

from quorate.core.record import Record
from quorate.kit.tolerance import Margin
from quorate.protocols.debate.version_1.rules.model import JUDGE, Verdict


def tolerance(record: Record) -> Margin | None:
    """Return the judge's synthesis as the only vote; None if the debate ended without a solution."""
    conclusion = record.session.conclusion
    if conclusion is None or conclusion.verdict not in (Verdict.SOLUTION, Verdict.PARTIAL_SOLUTION):
        return None
    said = record.latest(JUDGE, "synthesize")
    return None if said is None else Margin((said,), "one judge", 0, alone=str(JUDGE))
