"""Traces: one for a session whoever drives it, with the names of the conventions, and no word of what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from quorate import api
from quorate.core.record import Said
from quorate.core.types import Reason
from quorate.runtime.happenings import Happening, Wrote
from quorate.watching import process
from quorate.watching.process import Watching
from quorate.watching.settings import Watch
from quorate.watching.telemetry import Telemetry, span_id, trace_id
from tests.cli.shell import SCRIPT
from tests.watching.watched_sessions import PROSE, at_work, opened, place


@contextmanager
def collecting(settings: Watch, reader: InMemoryMetricReader | None = None) -> Iterator[InMemorySpanExporter]:
    """Let a collector in memory watch this process under the settings."""
    exporter = InMemorySpanExporter()
    telemetry = Telemetry(SimpleSpanProcessor(exporter), reader)
    process._made[settings] = Watching(telemetry, prose=settings.prose)
    try:
        yield exporter
    finally:
        process.forget(settings)


def by_name(spans: tuple[ReadableSpan, ...]) -> dict[str, list[ReadableSpan]]:
    found: dict[str, list[ReadableSpan]] = {}
    for span in spans:
        found.setdefault(span.name, []).append(span)
    return found


def ids(span: ReadableSpan) -> tuple[int, int, int | None]:
    assert span.context is not None
    return span.context.trace_id, span.context.span_id, span.parent.span_id if span.parent else None


def times(span: ReadableSpan) -> tuple[int, int]:
    assert span.start_time is not None
    assert span.end_time is not None
    return span.start_time, span.end_time


async def test_a_session_is_a_trace_of_phases_asks_and_calls(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    with collecting(workspace.config.watch) as exporter:
        async with at_work(workspace) as journal:
            session = await opened(workspace, journal)
            result = await api.run(workspace, journal, session)
            spans = exporter.get_finished_spans()
    said = [line for line in result.record.log if isinstance(line, Said)]
    found = by_name(spans)
    (root,) = found["invoke_workflow debate"]
    assert ids(root) == (trace_id(session), span_id(session, "session"), None)
    conclusion = result.record.session.conclusion
    assert root.attributes is not None
    assert conclusion is not None
    assert root.attributes["quorate.verdict"] == conclusion.verdict.name
    assert root.attributes["gen_ai.conversation.id"] == session
    assert root.attributes["gen_ai.usage.input_tokens"] == sum(line.envelope.tokens_in for line in said)
    phases = {ids(span)[1]: span for span in spans if span.name.startswith("phase ")}
    assert phases
    assert {ids(span)[2] for span in phases.values()} == {span_id(session, "session")}
    asks = {ids(span)[1]: span for span in spans if span.name.startswith("ask ")}
    assert len(asks) == len(said)
    assert all(ids(span)[2] in phases for span in asks.values())
    calls = found["call script"]
    assert [ids(span)[2] for span in calls] == list(asks)
    for span in spans:  # whatever is below lies within what is above
        above = next((each for each in spans if ids(each)[1] == ids(span)[2]), None)
        assert above is None or times(above)[0] <= times(span)[0] <= times(span)[1] <= times(above)[1]


async def test_a_trace_goes_on_where_a_session_was_left(tmp_path: Path) -> None:
    slow = {"criticise": {"delay": 60, "reply": SCRIPT["seats"]["*"]["criticise"]}}
    workspace = place(tmp_path, every=slow)
    with collecting(workspace.config.watch) as exporter:
        async with at_work(workspace) as journal:
            session = await opened(workspace, journal)
            proposed = asyncio.Event()

            def watch(happening: Happening) -> None:
                if isinstance(happening, Wrote) and happening.moves and happening.moves[-1].to.name == "CRITIQUE":
                    proposed.set()

            task = asyncio.create_task(api.run(workspace, journal, session, watch=watch))
            async with asyncio.timeout(60):
                await proposed.wait()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            before = len(exporter.get_finished_spans())
            place(tmp_path)
            await api.interrupt(workspace, journal, session, Reason.CANCELLED)
            spans = exporter.get_finished_spans()
    assert 0 < before < len(spans)
    assert {ids(span)[0] for span in spans} == {trace_id(session)}
    assert len({ids(span)[1] for span in spans}) == len(spans)
    (root,) = by_name(spans)["invoke_workflow debate"]
    assert root.attributes is not None
    assert root.attributes["quorate.interrupted"] == "cancelled"


async def test_what_others_wrote_is_told_by_them(tmp_path: Path) -> None:
    """Two processes look at one session; each entry is told once, by whoever wrote it."""
    workspace = place(tmp_path)
    with collecting(workspace.config.watch) as exporter:
        async with at_work(workspace) as journal:
            session = await opened(workspace, journal)
            first, second = (asyncio.create_task(api.run(workspace, journal, session)) for _ in range(2))
            await asyncio.gather(first, second, return_exceptions=True)
            spans = exporter.get_finished_spans()
    assert len({ids(span)[1] for span in spans}) == len(spans)


async def test_no_prose_leaves_unless_a_setting_says_so(tmp_path: Path) -> None:
    for watch, told in (({}, False), ({"prose": True}, True)):
        folder = tmp_path / str(told)
        folder.mkdir()
        workspace = place(folder, watch)
        with collecting(workspace.config.watch) as exporter:
            async with at_work(workspace) as journal:
                await api.run(workspace, journal, await opened(workspace, journal))
                text = "".join(span.to_json() for span in exporter.get_finished_spans())
        assert text
        assert all((word in text) == told for word in PROSE), told


async def test_an_absence_is_an_error_with_its_reason(tmp_path: Path) -> None:
    workspace = place(tmp_path, every={"propose": {"absent": "timed_out"}})
    with collecting(workspace.config.watch) as exporter:
        async with at_work(workspace) as journal:
            await api.run(workspace, journal, await opened(workspace, journal))
            spans = by_name(exporter.get_finished_spans())["ask propose"]
    assert spans
    for span in spans:
        assert span.status.status_code is StatusCode.ERROR
        assert span.attributes is not None
        assert span.attributes["error.type"] == "timed_out"


async def test_a_collector_that_breaks_breaks_no_session(tmp_path: Path) -> None:
    class Broken(Telemetry):
        def take(self, *_: Any) -> None:
            raise RuntimeError("no room")

    workspace = place(tmp_path)
    process._made[workspace.config.watch] = Watching(Broken(SimpleSpanProcessor(InMemorySpanExporter())))
    async with at_work(workspace) as journal:
        result = await api.run(workspace, journal, await opened(workspace, journal))
    assert result.record.session.conclusion is not None


def test_ids_are_the_same_everywhere_and_never_null() -> None:
    assert trace_id("debate-1") == trace_id("debate-1") != trace_id("debate-2")
    assert span_id("debate-1", "session") != span_id("debate-2", "session") != 0
    assert trace_id("debate-1").bit_length() <= 128
    assert span_id("debate-1", "ask 1.0").bit_length() <= 64


@pytest.mark.parametrize("sampler", ["always_off", "traceidratio"])
async def test_the_sampler_of_the_environment_counts(
    sampler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", sampler)
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0.5")
    workspace = place(tmp_path)
    with collecting(workspace.config.watch) as exporter:
        async with at_work(workspace) as journal:
            for _ in range(3):
                await api.run(workspace, journal, await opened(workspace, journal))
            spans = exporter.get_finished_spans()
    roots = {ids(span)[0] for span in spans if span.parent is None}
    assert {ids(span)[0] for span in spans} == roots  # a trace is whole or not there
    assert sampler != "always_off" or not spans


async def test_a_call_of_a_model_has_the_names_of_the_conventions(tmp_path: Path) -> None:
    from tests.watching.model_notes import answered

    reader = InMemoryMetricReader()
    with collecting(Watch(), reader) as exporter:
        telemetry = process.watching(Watch()).telemetry
        assert telemetry is not None
        about, note = answered()
        telemetry.take(about, note)
        spans = exporter.get_finished_spans()
        measured = reader.get_metrics_data()
    call = next(span for span in spans if span.name == "chat gpt-5")
    assert call.kind is SpanKind.CLIENT
    assert call.attributes is not None
    assert dict(call.attributes) | {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.response.model": "gpt-5-2026-08-01",
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.usage.output_tokens": 30,
        "quorate.cost.usd": 0.0015,
        "quorate.attempts": 2,
    } == dict(call.attributes)
    assert measured is not None
    names = {m.name for r in measured.resource_metrics for scope in r.scope_metrics for m in scope.metrics}
    assert {"gen_ai.client.operation.duration", "gen_ai.client.token.usage", "quorate.cost"} <= names
