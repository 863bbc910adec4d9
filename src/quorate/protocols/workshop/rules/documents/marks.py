"""The markers that documents carry, as comments: whose they are, and where each artifact stands.

Only our code writes them: prose has no raw `<` left (`plain.py`). Merging finds sessions and ids by them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_SESSION_MARK = re.compile(
    r"^<!-- quorate session (\S{1,120}) ([0-9a-f]{12})((?: [^\s=]{1,120}=[^\s=]{1,120})*) -->\r?$", re.M
)
_ANCHOR = re.compile(r"<!-- quorate ([A-Z]{2,4}-\d{3,6}) (\S{1,120}) -->")


@dataclass(frozen=True, slots=True)
class SessionMark:
    """Which session a part of a document comes from, and what its ids became when it was merged."""

    session: str
    digest: str
    """Of the session's result: another digest is another state of the session."""
    renamed: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def session_mark(session: str, digest: str, renamed: Mapping[str, str] | None = None) -> str:
    """Return the marker that a document, or what is merged into one, begins with."""
    pairs = "".join(f" {old}={new}" for old, new in (renamed or {}).items())
    return f"<!-- quorate session {session} {digest}{pairs} -->"


def session_marks(text: str) -> tuple[SessionMark, ...]:
    """Return the markers of all sessions in a text, in their order."""
    found: list[SessionMark] = []
    for session, digest, pairs in _SESSION_MARK.findall(text):
        renamed = dict(pair.split("=", 1) for pair in pairs.split())
        found.append(SessionMark(session, digest, MappingProxyType(renamed)))
    return tuple(found)


def anchor(id_: str, session: str) -> str:
    """Return the marker of the place where an artifact stands."""
    return f"<!-- quorate {id_} {session} -->"


def anchored(text: str, session: str) -> tuple[str, ...]:
    """Return the ids of a session's artifacts that stand in a text, in their order, each once."""
    return tuple(dict.fromkeys(id_ for id_, whose in _ANCHOR.findall(text) if whose == session))
