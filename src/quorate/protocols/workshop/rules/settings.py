"""What a user may change about a workshop."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from quorate.core.errors import SettingError, nearest
from quorate.core.forms import AtMost, Between
from quorate.kit.interpretation import Interpretation
from quorate.kit.qualification import Unqualified
from quorate.kit.settings import Later
from quorate.protocols.workshop.rules.next_action import ConcludeOn
from quorate.protocols.workshop.rules.strategies import BY_NAME
from quorate.protocols.workshop.rules.taxonomy import Workflow


class EscalateOn(Enum):
    """Which unsure responses ask for escalation (W23)."""

    CRITICAL = "critical"
    ANY = "any"


class Format(Enum):
    SRS = "srs"
    VOLERE = "volere"
    SIMPLE = "simple"


LONGEST_WORD = 60
USUAL_DOCUMENTS = 8_000


@dataclass(frozen=True, slots=True)
class WorkshopSettings:
    """What a user may change about a workshop."""

    workflow: Annotated[Workflow, "what it is for, and which artifacts it makes"] = Workflow.OPEN
    strategy: Annotated[str, "standard, disney, debate, consensus-driven or six-hats; empty: the workflow's own"] = ""
    participants: Annotated[
        tuple[str, ...], AtMost(11), "who takes part: role names; empty: the workflow's own roster"
    ] = ()
    pro: Annotated[tuple[str, ...], AtMost(11), "participants who argue for, in a debate"] = ()
    con: Annotated[tuple[str, ...], AtMost(11), "participants who argue against, in a debate"] = ()
    min_rounds: Annotated[int, Between(1, 100), "complete rounds before which nothing is concluded"] = 3
    max_rounds: Annotated[int, Between(1, 100), "the most rounds"] = 20
    conclude_on: Annotated[ConcludeOn, "which topics have to be closed: all, or the required ones"] = ConcludeOn.ALL
    escalation: Annotated[bool, "put what does not get settled to a person"] = True
    max_rounds_per_conflict: Annotated[int, Between(1, 20), "the round of a conflict in which it is escalated"] = 3
    confidence_below: Annotated[int, Between(0, 100), "a response that is less sure than this is unsure"] = 50
    escalate_on: Annotated[EscalateOn, "unsure responses that escalate: those on critical matters, or any"] = (
        EscalateOn.CRITICAL
    )
    critical_keywords: Annotated[tuple[str, ...], AtMost(40), "words that make a matter critical"] = (
        "security",
        "must-have",
        "blocking",
        "legal",
    )
    threshold: Annotated[int, Between(1, 100), "percent of confidence that makes a weighted majority"] = 60
    interactive: Annotated[bool, "ask a person after every round"] = False
    document_tokens: Annotated[
        int, Between(500, 200_000), "the most of long documents that a seat is shown at once; more is divided in parts"
    ] = USUAL_DOCUMENTS
    format: Annotated[Format, "of requirements.md"] = Format.SRS
    max_episodes: Annotated[int | None, Between(1, 100_000), "the most replies from models; then it is aborted"] = None
    stall_after: Annotated[int | None, Between(1, 1_000), "model replies in a row without progress that abort it"] = (
        None
    )

    reading: Annotated[Interpretation, "what comes after a round: by the rules, or by the seed's order", Later()] = (
        Interpretation.RULES
    )
    unqualified_seats: Unqualified = ()

    def __post_init__(self) -> None:
        if self.min_rounds > self.max_rounds:
            raise SettingError(
                f"is {self.min_rounds}, above max_rounds ({self.max_rounds})",
                key="min_rounds",
                expected="at most max_rounds, so that both can hold",
            )
        if self.strategy and self.strategy not in BY_NAME:
            raise SettingError(
                f"is {self.strategy!r}",
                key="strategy",
                expected="one of " + ", ".join(BY_NAME),
                nearest=nearest(self.strategy, list(BY_NAME)),
            )
        if any(not word.strip() or len(word) > LONGEST_WORD for word in self.critical_keywords):
            raise SettingError(
                "contains a word that is empty or too long",
                key="critical_keywords",
                expected=f"words of at most {LONGEST_WORD} characters",
            )
