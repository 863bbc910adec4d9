"""OpenTelemetry traces and metrics with the generative AI conventions: session > phase > ask > model call.

Trace and span ids are derived from the session's id and its journal's sequence numbers. So a session that is suspended,
resumed or driven by several workers is one trace, and a span that is sent twice has the same id.
"""

from __future__ import annotations

from contextvars import ContextVar
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, assert_never

from quorate.watching import genai
from quorate.watching.extras import needed
from quorate.watching.notes import (
    REPLIED,
    About,
    Answered,
    Asked,
    Asking,
    Driven,
    Ended,
    Kind,
    Left,
    Moved,
    Note,
    Ruling,
    Stopped,
    Waits,
    Written,
)

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricReader
    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.sdk.trace.id_generator import IdGenerator

SECONDS = 5
"""For which one attempt to reach a collector may last: nobody waits longer at the end of a command."""
_next: ContextVar[tuple[int, int]] = ContextVar("quorate_span")
"""The trace and the span whose id is wanted next."""


class Telemetry:
    """Sends spans, and metrics if it has a metric reader."""

    def __init__(self, processor: SpanProcessor, reader: MetricReader | None = None) -> None:
        with needed("watch.traces"):
            from opentelemetry.sdk.metrics import MeterProvider
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
        resource = Resource.create({"service.version": version("quorate"), **genai.service_name()})
        self._provider = TracerProvider(resource=resource, id_generator=_derived_ids())
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("quorate", version("quorate"))
        self._meters = MeterProvider([reader], resource) if reader is not None else None
        self._measures = genai.Measures(self._meters) if self._meters is not None else None

    def take(self, about: About, note: Note) -> None:
        """Take a note; work that has ended becomes a span."""
        match note:
            case Answered():
                self._answered(about, note)
            case Moved():
                values = {f"quorate.{key}": getattr(note, key) for key in ("phase", "outcome", "to", "cause")}
                self._span(about, f"phase {note.phase}", _phase(note.entry), "session", (note.began, note.at), values)
            case Ended():
                name, values = f"invoke_workflow {about.protocol}", genai.session(about, note)
                self._span(about, name, "session", None, (about.began, note.at), values)
            case Driven() | Asking() | Asked() | Stopped() | Ruling() | Written() | Waits() | Left():
                pass
            case _:
                assert_never(note)
        if self._measures is not None:
            self._measures.take(about, note)

    def close(self) -> None:
        """Flush and shut down; nothing is sent after that."""
        self._provider.shutdown()
        if self._meters is not None:
            self._meters.shutdown()

    def flush(self) -> None:
        """Flush pending spans and metrics."""
        self._provider.force_flush(SECONDS * 1000)
        if self._meters is not None:
            self._meters.force_flush(SECONDS * 1000)

    def _answered(self, about: About, note: Answered) -> None:
        error = "" if note.outcome == REPLIED else note.outcome
        at, ask = note.envelope.at, f"ask {note.ask}"
        self._span(about, f"ask {note.brief}", ask, _phase(note.entry), (note.asked, at), genai.ask(about, note), error)
        if note.who.kind is Kind.PERSON:
            return
        remote = note.who.kind is Kind.MODEL
        name = f"chat {note.who.model}" if remote else f"call {note.who.kind.value}"
        times = (max(note.asked, at - note.envelope.elapsed), at)
        self._span(about, name, f"call {note.ask}", ask, times, genai.call(about, note), error, remote=remote)

    def _span(
        self,
        about: About,
        name: str,
        own: str,
        parent: str | None,
        times: tuple[int, int],
        values: dict[str, Any],
        error: str = "",
        *,
        remote: bool = False,
    ) -> None:
        """Emit a finished span; `own` and `parent` identify it within the session, `remote` marks a model's call."""
        from opentelemetry.sdk.trace.sampling import Decision
        from opentelemetry.trace import (
            NonRecordingSpan,
            SpanContext,
            SpanKind,
            Status,
            StatusCode,
            TraceFlags,
            set_span_in_context,
        )

        trace = trace_id(about.session)
        if self._provider.sampler.should_sample(None, trace, name).decision is not Decision.RECORD_AND_SAMPLE:
            return  # by the trace's id alone, so that a trace is whole or not there, whoever sends its parts
        context = None
        if parent is not None:
            above = SpanContext(trace, span_id(about.session, parent), True, TraceFlags(TraceFlags.SAMPLED))
            context = set_span_in_context(NonRecordingSpan(above))
        wanted = _next.set((trace, span_id(about.session, own)))
        try:
            kind = SpanKind.CLIENT if remote else SpanKind.INTERNAL
            span = self._tracer.start_span(name, context, kind, values, start_time=times[0] * 1_000_000)
        finally:
            _next.reset(wanted)
        if error:
            span.set_attribute("error.type", error)
            span.set_status(Status(StatusCode.ERROR, error))
        span.end(max(times) * 1_000_000)


def to_collector(url: str, *, push_metrics: bool = False) -> Telemetry:
    """Return telemetry that exports to a collector; without an address, to the one in the OTEL_* variables."""
    with needed("watch.traces"):
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    base = url.rstrip("/")
    spans = OTLPSpanExporter(f"{base}/v1/traces" if base else None, timeout=SECONDS)
    measured = OTLPMetricExporter(f"{base}/v1/metrics" if base else None, timeout=SECONDS) if push_metrics else None
    reader = PeriodicExportingMetricReader(measured) if measured is not None else None
    return Telemetry(BatchSpanProcessor(spans), reader)


def trace_id(session: str) -> int:
    """Return the trace id of a session."""
    return int.from_bytes(sha256(f"quorate\0{session}".encode()).digest()[:16])


def span_id(session: str, name: str) -> int:
    """Return the span id of a part of a session."""
    return int.from_bytes(sha256(f"quorate\0{session}\0{name}".encode()).digest()[:8]) or 1


def _phase(entry: int) -> str:
    return f"phase {entry}"


def _derived_ids() -> IdGenerator:
    from opentelemetry.sdk.trace.id_generator import IdGenerator

    class Derived(IdGenerator):
        """Id generator that returns precomputed ids."""

        def generate_trace_id(self) -> int:
            return _next.get()[0]

        def generate_span_id(self) -> int:
            return _next.get()[1]

        def is_trace_id_random(self) -> bool:
            return True  # a digest is as good as drawn

    return Derived()
