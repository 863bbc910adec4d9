"""What a person says beside a choice: words that decide nothing, and that the facilitator is shown (W24, W25)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quorate.core.session import Cause
from quorate.kit.fates import Fate
from quorate.protocols.workshop.rules.forms import PauseReply, Ruling, RulingChoice
from quorate.protocols.workshop.rules.history import Happened
from quorate.protocols.workshop.rules.model import PERSON, Phase

DECIDES = (RulingChoice.ACCEPT.value, RulingChoice.DECIDE.value)


def beside(reply: Ruling | None, choice: str) -> str:
    """Return what a person wrote that is no part of a ruling; `choice` is what the answer amounts to."""
    if reply is None:
        return ""
    words = ("" if choice == RulingChoice.DECIDE.value else reply.decision.text, reply.reason.text)
    return "\n\n".join(filter(str.strip, words[:1] if choice in DECIDES else words))


def remarked(rounds: Sequence[Mapping[str, Any]], now: int) -> str:
    """Return what a person has remarked after the round before this one, and in this one."""
    earlier, here = [each for each in rounds if each["round"] < now][-1:], [e for e in rounds if e["round"] == now]
    words = [ruling["remark"] for each in (*earlier, *here) for ruling in each["rulings"]]
    return "\n\n".join(filter(str.strip, (*words, *(each["remark"] for each in earlier))))


def remark_fates(moves: Sequence[Happened], *, over: bool, longest: int) -> Iterator[Fate]:
    """Yield what became of every remark: the facilitator was shown it, or the session ended before (W39)."""
    number = 0
    for place, each in enumerate(moves):
        text, rule = _words(each)
        if text.strip():
            number += 1
            shown = any(map(_shows, moves[place + 1 :]))
            became = "put to the facilitator" if shown else "kept" if over else "under way"
            yield Fate(f"remark-{number}", "remark", (str(PERSON),), text[:longest], became, rule)


def _words(each: Happened) -> tuple[str, str]:
    for said in each.said:
        if isinstance(said.reply, PauseReply):
            return said.reply.remark.text, "W25"
        if isinstance(said.reply, Ruling):
            choice = next((fact["choice"] for fact in each.facts("ruling")), "")
            return beside(said.reply, choice), "W24"
    return "", ""


def _shows(each: Happened) -> bool:
    """Whether this move decides upon what the facilitator was asked."""
    phase = each.move.phase
    if each.move.cause is Cause.INTERRUPTED:
        return False
    return phase is Phase.QUESTION or (phase is Phase.SYNTHESIS and bool(each.move.before.answered))
