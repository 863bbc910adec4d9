"""The settings of watching: where traces go, how a service logs, and whether it counts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated
from urllib.parse import urlsplit

from quorate.core.errors import SettingError

COLLECTOR = "the address of a collector that takes OTLP over HTTP, such as http://localhost:4318"


class LogFormat(Enum):
    """How a service tells what it does."""

    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Watch:
    """What is told of sessions, and to whom. Nothing by default."""

    traces: Annotated[str, f"{COLLECTOR}; empty is nowhere"] = ""
    push_metrics: Annotated[bool, "send metrics to the collector of traces, too"] = False
    logs: Annotated[LogFormat, "how `serve`, `work` and `worker` tell what they do on stderr"] = LogFormat.TEXT
    metrics: Annotated[bool, "count for Prometheus, and answer at /metrics of `serve`"] = False
    prose: Annotated[bool, "send what was said along with traces, and the titles of sessions"] = False

    def __post_init__(self) -> None:
        if self.traces:
            _check_address(self.traces)
        elif self.push_metrics:
            raise SettingError("needs a collector", key="push_metrics", expected="an address in watch.traces")


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        raise SettingError("is not an address", key="traces", expected=COLLECTOR) from None
    if parts.username is not None or parts.password is not None:
        raise SettingError(
            "contains a user name or a password",
            key="traces",
            expected=f"{COLLECTOR}; keys stand in OTEL_EXPORTER_OTLP_HEADERS, beside OTEL_EXPORTER_OTLP_ENDPOINT",
        )
    if not fits or parts.query or parts.fragment:
        raise SettingError("is not an address", key="traces", expected=COLLECTOR)
