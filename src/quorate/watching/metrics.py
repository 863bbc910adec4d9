"""Prometheus metrics of this process: counters of session activity since it started."""

from __future__ import annotations

from importlib.metadata import version
from typing import assert_never

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
    Who,
    Written,
)

MOST_MODELS = 100
"""Models that are counted apart: who opens sessions may name any, and each name is a row for ever."""
OTHER = "other"
CALLS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0)
WRITES = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Bounds of histograms, in seconds."""


class Metrics:
    """Counts notes in a Prometheus registry of its own."""

    def __init__(self) -> None:
        with needed("watch.metrics"):
            from prometheus_client import (
                CollectorRegistry,
                Counter,
                Gauge,
                GCCollector,
                Histogram,
                Info,
                PlatformCollector,
                ProcessCollector,
            )
        to = self.registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=to)
        by = ("provider", "model")
        self._driven = Gauge("quorate_sessions_driven", "Sessions that this process drives now", registry=to)
        self._begun = Counter("quorate_drives", "Times that this process began to drive one", ["protocol"], registry=to)
        self._failed = Counter("quorate_drives_failed", "Times that it ended in an error", ["error"], registry=to)
        self._concluded = Counter(
            "quorate_sessions_concluded",
            "Sessions that this process brought to a verdict",
            ["protocol", "verdict", "degradation"],
            registry=to,
        )
        self._stopped = Counter("quorate_interrupts", "Sessions interrupted", ["protocol", "reason"], registry=to)
        self._waits = Counter("quorate_waits", "Times that only people could go on", ["protocol"], registry=to)
        self._moves = Counter("quorate_moves", "Phases that are over", ["protocol", "phase"], registry=to)
        self._calling = Gauge("quorate_calls_under_way", "Calls of participants now", by, registry=to)
        self._replies = Counter("quorate_replies", "Replies and absences", [*by, "outcome"], registry=to)
        self._seconds = Histogram("quorate_call_seconds", "How long calls took", by, buckets=CALLS, registry=to)
        self._repairs = Counter("quorate_repairs", "Replies that were asked for again", by, registry=to)
        self._tokens = Counter("quorate_tokens", "Tokens in and out", [*by, "direction"], registry=to)
        self._cost = Counter("quorate_cost_dollars", "What calls cost, where the price is known", by, registry=to)
        self._unpriced = Counter("quorate_calls_unpriced", "Calls whose price is not known", by, registry=to)
        self._written = Histogram(
            "quorate_write_seconds", "How long an entry took to be durable", buckets=WRITES, registry=to
        )
        Info("quorate", "The version", registry=to).info({"version": version("quorate")})
        self._models: set[tuple[str, str]] = set()

    def text(self) -> tuple[str, bytes]:
        """Return the content type and the text of all metrics."""
        from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

        return CONTENT_TYPE_PLAIN_0_0_4, generate_latest(self.registry)

    def take(self, about: About, note: Note) -> None:
        """Count a note."""
        match note:
            case Driven():
                self._driven.inc()
                self._begun.labels(about.protocol).inc()
            case Left(error):
                self._driven.dec()
                if error:
                    self._failed.labels(error).inc()
            case Asking(who=called) | Asked(who=called):
                self._calling.labels(*self._by(called)).inc(1 if isinstance(note, Asking) else -1)
            case Answered():
                self._answered(note)
            case Moved(phase=phase):
                self._moves.labels(about.protocol, phase).inc()
            case Stopped(reason):
                self._stopped.labels(about.protocol, reason).inc()
            case Ended(verdict, degradation):
                self._concluded.labels(about.protocol, verdict, degradation).inc()
            case Waits():
                self._waits.labels(about.protocol).inc()
            case Written(seconds=seconds):
                self._written.observe(seconds)
            case Ruling():
                pass
            case _:
                assert_never(note)

    def _answered(self, note: Answered) -> None:
        by, kept = self._by(note.who), note.envelope
        self._replies.labels(*by, note.outcome).inc()
        self._seconds.labels(*by).observe(kept.elapsed / 1000)
        self._repairs.labels(*by).inc(max(0, kept.attempts - 1))
        self._tokens.labels(*by, "in").inc(kept.tokens_in)
        self._tokens.labels(*by, "out").inc(kept.tokens_out)
        if kept.cost is None:
            self._unpriced.labels(*by).inc()
        else:
            self._cost.labels(*by).inc(kept.cost / 1_000_000)

    def _by(self, called: Who) -> tuple[str, str]:
        """Return the labels of a participant. Beyond a maximum number, further models share one label."""
        key = (called.provider, called.model)
        if key not in self._models and len(self._models) >= MOST_MODELS:
            return called.provider, OTHER
        self._models.add(key)
        return key
