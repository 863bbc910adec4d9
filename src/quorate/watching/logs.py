"""Logs of a service: one JSON line per event, with the session's id."""

from __future__ import annotations

import sys
from typing import Any, TextIO, assert_never

from quorate.safety.secrets import without_secrets
from quorate.watching.extras import needed
from quorate.watching.notes import (
    About,
    Answered,
    Asked,
    Asking,
    Driven,
    Ended,
    Left,
    Moved,
    Note,
    Ruling,
    Stopped,
    Waits,
    Written,
)


class Logs:
    """Writes JSON lines with `structlog`: time, level, event and session."""

    def __init__(self, stream: TextIO | None = None) -> None:
        with needed("watch.logs"):
            import structlog
        self._log = structlog.wrap_logger(
            structlog.WriteLogger(stream or sys.stderr),
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.JSONRenderer(ensure_ascii=True),  # so that no text can end a line
            ],
            wrapper_class=structlog.BoundLogger,
            context_class=dict,
        )

    def say(self, session: str, words: str) -> None:
        """Write a host's message about a session or the store."""
        level = "error" if words.startswith("failed") or not session else "info"
        self.line(level, "host", says=without_secrets(words), **({"session": session} if session else {}))

    def line(self, level: str, event: str, **values: Any) -> None:
        """Write one line."""
        getattr(self._log, level)(event, **values)

    def take(self, about: About, note: Note) -> None:
        """Write a line for a note; single calls and writes are left to metrics."""
        told = _line(note)
        if told is not None:
            level, event, values = told
            self.line(level, event, session=about.session, protocol=about.protocol, **values)


def _line(note: Note) -> tuple[str, str, dict[str, Any]] | None:
    match note:
        case Driven():
            return "info", "driven", {}
        case Asking(ask, seat, known):
            return "info", "asking", {"ask": ask, "seat": seat, "participant": known.kind.value, "model": known.model}
        case Answered():
            return _answered(note)
        case Moved():
            return "info", "moved", _values(note, "phase", "outcome", "to", "cause")
        case Stopped(reason):
            return "warning", "interrupted", {"reason": reason}
        case Ruling(verdict):
            return "info", "ruled", {"verdict": verdict}
        case Ended():
            keys = ("verdict", "degradation", "interrupted", "tokens_in", "tokens_out", "cost")
            return "info", "concluded", _values(note, *keys)
        case Waits(seats):
            return "info", "waiting", {"seats": list(seats)}
        case Left(error):
            return ("error", "left", {"error": error}) if error else None
        case Asked() | Written():
            return None
        case _:
            assert_never(note)


def _values(note: Note, *keys: str) -> dict[str, Any]:
    return {key: getattr(note, key) for key in keys}


def _answered(note: Answered) -> tuple[str, str, dict[str, Any]]:
    kept = note.envelope
    values = {
        "ask": note.ask,
        "seat": note.seat,
        "brief": note.brief,
        "outcome": note.outcome,
        "participant": note.who.kind.value,
        "model": note.who.model,
        "seq": kept.seq,
        "tokens_in": kept.tokens_in,
        "tokens_out": kept.tokens_out,
        "cost": kept.cost,
        "milliseconds": kept.elapsed,
        "attempts": kept.attempts,
    }
    return ("info" if note.outcome == "replied" else "warning"), "answered", values
