"""Whether a person's turn says something, beside that the talk is to end (T21, T22)."""

from __future__ import annotations

from quorate.protocols.roundtable.rules.farewell import Leaving, is_command, leaving
from quorate.protocols.roundtable.rules.sentences import Sentence, says_something, sentences, unquoted

_EXIT = "done"


def says_more(text: str) -> bool:
    """Whether anything is left of a turn without exits and courtesies; first names count as something."""
    if not says_something(text) or is_command(text):
        return False
    said = sentences(unquoted(text))
    if not said:
        return True  # signs alone, such as an emoji
    return any(not _leaves(clause) and not _is_courtesy(clause) for each in said for clause in each.clauses)


def _leaves(clause: tuple[str, ...]) -> bool:
    """Whether a clause asks for an exit, clearly or doubtfully, and for nothing else."""
    found = leaving((Sentence(clause, asks=False),), ())
    return found is not None and (found.clear or found.words == " ".join(clause))


def _is_courtesy(clause: tuple[str, ...]) -> bool:
    """Whether an exit that follows a clause is still all that is said."""
    return leaving((Sentence((*clause, ",", _EXIT), asks=False),), ()) == Leaving(_EXIT, clear=True)
