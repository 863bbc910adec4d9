"""What libraries log while they watch: into the lines of a service, or one sentence for whoever sits at a terminal."""

from __future__ import annotations

import logging
import sys

from quorate.safety.secrets import without_secrets
from quorate.watching.logs import Logs

MOST = 1_000
"""Characters of one message."""
_TELEMETRY = logging.getLogger("opentelemetry")


class _Once(logging.Handler):
    """Says the first failure in a sentence; a collector that is away would fill a screen."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._said = False

    def emit(self, record: logging.LogRecord) -> None:
        if not self._said:
            self._said = True
            sys.stderr.write(f"watch.traces: traces are lost: {_words(record)}\n")


class _ToLogs(logging.Handler):
    """Takes what libraries log into the lines of a service, so that all of them are JSON."""

    def __init__(self, logs: Logs) -> None:
        super().__init__(logging.WARNING)
        self._logs = logs

    def emit(self, record: logging.LogRecord) -> None:
        level = "error" if record.levelno >= logging.ERROR else "warning"
        self._logs.line(level, "library", logger=record.name, says=_words(record))


def say_once() -> None:
    """Let the libraries of telemetry say once what is wrong, and then be quiet."""
    if not _TELEMETRY.handlers:
        _TELEMETRY.addHandler(_Once())
        _TELEMETRY.propagate = False


def into_lines(logs: Logs) -> None:
    """Let all libraries log into the lines of a service, from now on."""
    root = logging.getLogger()
    for logger, mine in ((_TELEMETRY, _Once), (root, _ToLogs)):
        for handler in [each for each in logger.handlers if isinstance(each, mine)]:
            logger.removeHandler(handler)
    _TELEMETRY.propagate = True
    root.addHandler(_ToLogs(logs))


def _words(record: logging.LogRecord) -> str:
    return without_secrets(record.getMessage()[:MOST])
