"""Metrics: counted once by whoever wrote, bounded in their labels, and without a word of what was said."""

from __future__ import annotations

import asyncio
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from quorate import api
from quorate.core.record import Said
from quorate.runtime.happenings import Calling, Happening
from quorate.watching.metrics import MOST_MODELS, Metrics
from quorate.watching.notes import Kind, who
from quorate.watching.process import as_service
from tests.watching.model_notes import answered
from tests.watching.watched_sessions import PROSE, at_work, opened, place


def counted(metrics: Metrics, name: str, **labels: str) -> float:
    """Return the sum of all samples of a name that have these labels."""
    families = text_string_to_metric_families(metrics.text()[1].decode())
    samples = [sample for family in families for sample in family.samples if sample.name == name]
    return sum(sample.value for sample in samples if labels.items() <= sample.labels.items())


async def test_a_session_is_counted(tmp_path: Path) -> None:
    workspace = place(tmp_path, {"metrics": True})
    metrics = as_service(workspace.config.watch).metrics
    assert metrics is not None
    async with at_work(workspace) as journal:
        result = await api.run(workspace, journal, await opened(workspace, journal))
    said = [line for line in result.record.log if isinstance(line, Said)]
    conclusion = result.record.session.conclusion
    assert conclusion is not None
    assert counted(metrics, "quorate_replies_total", provider="script", outcome="replied") == len(said)
    tokens = sum(line.envelope.tokens_out for line in said)
    assert counted(metrics, "quorate_tokens_total", direction="out") == tokens
    assert counted(metrics, "quorate_sessions_concluded_total", verdict=conclusion.verdict.name) == 1
    assert counted(metrics, "quorate_write_seconds_count") == len(result.record.envelopes)
    assert counted(metrics, "quorate_drives_total", protocol="debate") == 1
    assert counted(metrics, "quorate_sessions_driven") == 0
    assert counted(metrics, "quorate_calls_under_way") == 0
    assert counted(metrics, "quorate_drives_failed_total") == 0
    text = metrics.text()[1].decode()
    assert "process_resident_memory_bytes" in text
    assert not any(word in text for word in (*PROSE, result.session))


async def test_calls_that_are_withdrawn_are_not_under_way_any_more(tmp_path: Path) -> None:
    workspace = place(tmp_path, {"metrics": True}, delay=60)
    metrics = as_service(workspace.config.watch).metrics
    assert metrics is not None
    under_way = asyncio.Event()

    def watch(happening: Happening) -> None:
        if isinstance(happening, Calling):
            under_way.set()

    async with at_work(workspace) as journal:
        driving = asyncio.create_task(api.run(workspace, journal, await opened(workspace, journal), watch=watch))
        async with asyncio.timeout(60):
            await under_way.wait()
        await asyncio.sleep(0)
        assert counted(metrics, "quorate_calls_under_way", provider="script") > 0
        assert counted(metrics, "quorate_sessions_driven") == 1
        driving.cancel()
        await asyncio.gather(driving, return_exceptions=True)
    assert counted(metrics, "quorate_calls_under_way") == 0
    assert counted(metrics, "quorate_sessions_driven") == 0
    assert counted(metrics, "quorate_drives_failed_total") == 0


def test_models_that_somebody_makes_up_fill_no_memory() -> None:
    metrics = Metrics()
    for number in range(MOST_MODELS * 3):
        metrics.take(*answered(f"openai:made-up-{number}"))
    families = text_string_to_metric_families(metrics.text()[1].decode())
    models = {s.labels["model"] for family in families for s in family.samples if s.name == "quorate_replies_total"}
    assert len(models) == MOST_MODELS + 1
    assert counted(metrics, "quorate_replies_total", model="other") == MOST_MODELS * 2


def test_money_is_counted_where_it_is_known() -> None:
    metrics = Metrics()
    metrics.take(*answered())
    metrics.take(*answered(cost=None))
    assert counted(metrics, "quorate_cost_dollars_total", provider="openai", model="gpt-5") == 0.0015
    assert counted(metrics, "quorate_calls_unpriced_total") == 1
    assert counted(metrics, "quorate_repairs_total") == 2


def test_who_a_participant_is() -> None:
    own = who("openai-compatible:qwen3@http://box:8000/v1")
    assert (own.kind, own.provider, own.model) == (Kind.MODEL, "openai-compatible", "qwen3")
    assert who("local:small").kind is Kind.MODEL
    assert who("person").kind is Kind.PERSON
    assert who("script:panel.yaml").kind is Kind.SCRIPT
    assert who("function:my.module.judge").kind is Kind.FUNCTION
    assert who("tally").kind is Kind.CHECK
