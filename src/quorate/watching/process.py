"""Observability of this process: created once from the settings, shared by all sessions it drives."""

from __future__ import annotations

import ipaddress
import logging
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Protocol, TextIO
from urllib.parse import urlsplit

from quorate.core.errors import SettingError
from quorate.core.record import Record
from quorate.participants.providers import OFFLINE
from quorate.runtime.happenings import Happening, Watcher
from quorate.safety.secrets import without_secrets
from quorate.watching.logs import Logs
from quorate.watching.metrics import Metrics
from quorate.watching.notes import About, Driven, Note
from quorate.watching.reader import NoteTaker
from quorate.watching.settings import LogFormat, Watch
from quorate.watching.telemetry import Telemetry, to_collector

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
"""The variables by which OpenTelemetry itself is told of a collector."""
HEADERS = tuple(f"OTEL_EXPORTER_OTLP_{kind}HEADERS" for kind in ("", "TRACES_", "METRICS_"))
"""The variables that hold keys for it."""
_log = logging.getLogger(__name__)
MOST_MESSAGE = 1_000
"""Characters of one message of a library."""
_TELEMETRY = logging.getLogger("opentelemetry")


class Sink(Protocol):
    """Receiver of notes."""

    def take(self, about: About, note: Note) -> None: ...


@dataclass(frozen=True)
class Watching:
    """The sinks of this process."""

    telemetry: Telemetry | None = None
    logs: Logs | None = None
    metrics: Metrics | None = None
    prose: bool = False

    @property
    def sinks(self) -> tuple[Sink, ...]:
        return tuple(sink for sink in (self.telemetry, self.logs, self.metrics) if sink is not None)

    @contextmanager
    def session(self, about: About, record: Record, watch: Watcher, *, drives: bool = True) -> Iterator[Watcher]:
        """Also send a session's notes to all sinks. Pass `drives=False` if only a single entry is written."""
        if not self.prose:
            about = replace(about, title="")
        reader = NoteTaker(about, record, prose=self.prose)
        error = ""

        def tell(happening: Happening) -> None:
            watch(happening)
            self._note(reader, reader.read(happening))

        if drives:
            self._note(reader, [Driven()])
        try:
            yield tell
        except Exception as raised:
            error = type(raised).__name__
            raise
        finally:
            if drives:
                self._note(reader, reader.leave(error))

    def _note(self, reader: NoteTaker, told: Iterable[Note]) -> None:
        """Send notes to every sink. Errors are logged and never reach the session."""
        try:
            for note in told:
                for sink in self.sinks:
                    sink.take(reader.about, note)
        except Exception:
            _log.exception("a note could not be taken")


_made: dict[Watch, Watching] = {}
"""By settings: a collector has one connection from a process, however many sessions there are."""


def watching(settings: Watch) -> Watching:
    """Return the sinks for sessions driven by this process: traces only, unless it is a service."""
    if settings not in _made:
        _made[settings] = Watching(_telemetry(settings), prose=settings.prose)
    return _made[settings]


def as_service(settings: Watch, stream: TextIO | None = None) -> Watching:
    """Return the sinks of a service, now used for all its sessions: logs and metrics too, if enabled."""
    before = watching(settings)
    logs = Logs(stream) if settings.logs is LogFormat.JSON else None
    metrics = Metrics() if settings.metrics else None
    _made[settings] = made = replace(before, logs=logs, metrics=metrics)
    if logs is not None:
        _into_lines(logs)
    return made


def forget(settings: Watch) -> None:
    """Flush and drop the sinks for these settings; they are created again on next use."""
    found = _made.pop(settings, None)
    if found is not None and found.telemetry is not None:
        found.telemetry.close()


def _telemetry(settings: Watch) -> Telemetry | None:
    if settings.traces:
        if not _may_reach(settings.traces, os.environ):
            raise SettingError("is on another machine, and QUORATE_OFFLINE is set", key="watch.traces")
        _keep_keys(os.environ)
        _say_once()
        return to_collector(settings.traces, push_metrics=settings.push_metrics)
    if _told_by_variables(os.environ):
        _say_once()
        return to_collector("", push_metrics=os.environ.get("OTEL_METRICS_EXPORTER", "none") == "otlp")
    return None


def _keep_keys(environment: Mapping[str, str]) -> None:
    """Raise SettingError if a key from the environment would be sent to an address from a project's file."""
    for name in HEADERS:
        if environment.get(name):
            raise SettingError(
                f"would send the keys in {name} to an address from the settings",
                key="watch.traces",
                expected=f"the collector's address in {ENDPOINTS[1]}, beside its keys",
            )


def _told_by_variables(environment: Mapping[str, str]) -> bool:
    """Return whether OpenTelemetry's own variables name a collector.

    They may be meant for other programs, so they are ignored if our extra is not installed or we are offline.
    """
    url = next((environment[name] for name in ENDPOINTS if environment.get(name)), "")
    off = (
        environment.get("OTEL_SDK_DISABLED", "").lower() == "true" or environment.get("OTEL_TRACES_EXPORTER") == "none"
    )
    return bool(url) and not off and _may_reach(url, environment) and find_spec("opentelemetry.exporter") is not None


def _may_reach(url: str, environment: Mapping[str, str]) -> bool:
    if environment.get(OFFLINE) != "1":
        return True
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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


def _say_once() -> None:
    """Make OpenTelemetry report its first error only."""
    if not _TELEMETRY.handlers:
        _TELEMETRY.addHandler(_Once())
        _TELEMETRY.propagate = False


def _into_lines(logs: Logs) -> None:
    """Route the log records of all libraries into the service's logs."""
    root = logging.getLogger()
    for logger, mine in ((_TELEMETRY, _Once), (root, _ToLogs)):
        for handler in [each for each in logger.handlers if isinstance(each, mine)]:
            logger.removeHandler(handler)
    _TELEMETRY.propagate = True
    root.addHandler(_ToLogs(logs))


def _words(record: logging.LogRecord) -> str:
    return without_secrets(record.getMessage()[:MOST_MESSAGE])
