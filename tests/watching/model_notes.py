"""A note of a call to a model, made by hand: no test calls one."""

from __future__ import annotations

from quorate.core.record import Envelope
from quorate.watching.notes import REPLIED, About, Answered, who

ABOUT = About("debate-1", "debate", "1", 1_700_000_000_000, "")


def answered(model: str = "openai:gpt-5", cost: int | None = 1500) -> tuple[About, Answered]:
    envelope = Envelope(3, ABOUT.began + 5_000, "openai:gpt-5-2026-08-01", 120, 30, cost, 2_000, 2)
    return ABOUT, Answered(
        "0.1", 0, "architect", "propose", "PROPOSAL", who(model), REPLIED, envelope, ABOUT.began, None
    )
