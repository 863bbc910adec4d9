"""Log records of libraries: JSON lines in a service, or a single message at a terminal."""

from __future__ import annotations

import logging
import sys

from quorate.safety.secrets import without_secrets
from quorate.watching.logs import Logs

MOST = 1_000
"""Characters of one message."""
_TELEMETRY = logging.getLogger("opentelemetry")


class _Once(logging.Handler):
    """Prints only the first failure; an unreachable collector would flood the terminal."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._said = False

    def emit(self, record: logging.LogRecord) -> None:
        if not self._said:
            self._said = True
            sys.stderr.write(f"watch.traces: traces are lost: {_words(record)}\n")


class _ToLogs(logging.Handler):
    """Forwards library log records to the service's logs, so that all lines are JSON."""

    def __init__(self, logs: Logs) -> None:
        super().__init__(logging.WARNING)
        self._logs = logs

    def emit(self, record: logging.LogRecord) -> None:
        level = "error" if record.levelno >= logging.ERROR else "warning"
        self._logs.line(level, "library", logger=record.name, says=_words(record))


def say_once() -> None:
    """Make OpenTelemetry report its first error only."""
    if not _TELEMETRY.handlers:
        _TELEMETRY.addHandler(_Once())
        _TELEMETRY.propagate = False


def into_lines(logs: Logs) -> None:
    """Route the log records of all libraries into the service's logs."""
    root = logging.getLogger()
    for logger, mine in ((_TELEMETRY, _Once), (root, _ToLogs)):
        for handler in [each for each in logger.handlers if isinstance(each, mine)]:
            logger.removeHandler(handler)
    _TELEMETRY.propagate = True
    root.addHandler(_ToLogs(logs))


def _words(record: logging.LogRecord) -> str:
    return without_secrets(record.getMessage()[:MOST])
