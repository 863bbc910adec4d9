"""Texts that code itself says at the table: introduction, warning, nudge, questions."""

from __future__ import annotations

from collections.abc import Sequence

from quorate.protocols.roundtable.version_1.rules.model import MANY_TURNS, RoundtableSettings
from quorate.protocols.roundtable.version_1.rules.personas import Cast, Persona

EXIT_HINT = 'Say "done", "exit" or "wrap up" when you want to end it; an empty line lets the others go on.'
MOST_TOPIC = 300
NOTHING_NEW = "Nothing new came of it."


def boundary(settings: RoundtableSettings) -> str:
    """The item that is elaborated on: a step, a phase, or neither is known."""
    parts = [f"step {settings.step}"] if settings.step else []
    parts += [f"phase {settings.phase}"] if settings.phase else []
    return " of ".join(parts)


def one_line(text: str, most: int = MOST_TOPIC) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def introduction(cast: Cast, topic: str) -> str:
    """Who joins, the topic and the item, the limit, how to leave (T7)."""
    item = boundary(cast.settings)
    about = f"{one_line(topic) or 'the topic'}{f' ({item})' if item else ''}"
    joins = _listed([each.full for each in cast.others])
    verb = "joins" if len(cast.others) == 1 else "join"
    return (
        f"{joins} {verb} {cast.lead.full} and you. The topic is: {about}. "
        f"There are {cast.settings.turns} turns. {EXIT_HINT}"
    )


def framing_by_code(cast: Cast, topic: str) -> str:
    """Return the default framing, used when the lead gave none (T8)."""
    about = one_line(topic) or "the topic"
    return f"{cast.lead.first} gave no framing. The question is open: what matters most about {about}?"


def asked_first(first: Persona) -> str:
    """Return whom the question of the framing addresses (T8)."""
    return f"The question goes to {first.first}."


def unknown_lead(cast: Cast) -> str:
    phase = f"nobody here leads the phase {cast.settings.phase}" if cast.settings.phase else "the phase is not known"
    return f"{cast.lead.first} leads, because {phase}."


def many_turns(limit: int) -> str:
    return f"{limit} turns are many; a talk of at most {MANY_TURNS} stays with its topic more easily."


def warning(turn: int, limit: int) -> str:
    """The warning before the limit (T16)."""
    left = limit - turn
    return f"{left} of {limit} turns are left. Say what still has to be said, or wrap up."


def nudge(lead: Persona) -> str:
    """The lead's question after a silence (T18)."""
    return f"{lead.first} would like to know: do you have thoughts on this, or shall we wrap up?"


def question_back() -> str:
    return "Do you want to wrap up, or was that a contribution?"


def arbitrate(one: str, other: str) -> str:
    return f"{one} and {other} disagree. How do you decide, and why?"


def missing(persona: Persona) -> str:
    return f"{persona.first} gave no reply."


def nothing_to_add(persona: Persona) -> str:
    """Return the notice for a persona that was asked and passes (T11, T12)."""
    return f"{persona.first} has nothing to add."


def nobody_adds() -> str:
    """Return the notice when all personas pass (T13)."""
    return "Nobody has anything to add."


def undecided(one: str, other: str) -> str:
    """Return why a disagreement is listed as an open question (T21)."""
    return f"{one} and {other} disagree, and nobody has decided it."


def limit_reached(limit: int) -> str:
    return f"The limit of {limit} turns is reached."


def inactive() -> str:
    return "Nothing more was said, so it is wrapped up."


def wrapped_up(reason: str) -> str:
    return f"It is wrapped up here ({reason})."


def cut_short(reason: str) -> str:
    """Return the notice when there is nothing to wrap up, or no way to (T27)."""
    return f"It ends here ({reason})."


def takeaway(topic: str, turns: int, most: int = 100) -> str:
    """The one line of a synthesis by code (T21)."""
    unit = "turn" if turns == 1 else "turns"
    start = f"Discussed in {turns} {unit}, without a synthesis: "
    return start + (one_line(topic, most - len(start)) or "the topic")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
