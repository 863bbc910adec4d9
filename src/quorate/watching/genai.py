"""Attributes of OpenTelemetry's generative AI conventions, filled from notes.

The conventions are still changing upstream, so all names are kept in this module.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from quorate.watching.notes import REPLIED, About, Answered, Ended, Kind, Note

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider

PROVIDERS = {"google": "gcp.gemini", "mistral": "mistral_ai"}
"""What the conventions call a provider, where that is not our word."""
DURATIONS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864]
"""Bounds of histograms, as the conventions want them."""


def service_name() -> dict[str, str]:
    """Return the service name: `quorate`, unless the environment sets another."""
    named = "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "") or os.environ.get("OTEL_SERVICE_NAME")
    return {} if named else {"service.name": "quorate"}


def session(about: About, note: Ended) -> dict[str, Any]:
    """Return the attributes of a session span."""
    values: dict[str, Any] = {
        **_of(about),
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": about.protocol,
        "gen_ai.usage.input_tokens": note.tokens_in,
        "gen_ai.usage.output_tokens": note.tokens_out,
        "quorate.protocol.version": about.version,
        "quorate.verdict": note.verdict,
        "quorate.degradation": note.degradation,
    }
    if note.cost is not None:
        values["quorate.cost.usd"] = note.cost / 1_000_000
    if note.interrupted:
        values["quorate.interrupted"] = note.interrupted
    if about.title:
        values["quorate.title"] = about.title
    return values


def ask(about: About, note: Answered) -> dict[str, Any]:
    """Return the attributes of an ask span."""
    return {
        **_of(about),
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": note.seat,
        "quorate.ask": note.ask,
        "quorate.brief": note.brief,
        "quorate.phase": note.phase,
        "quorate.participant": note.who.kind.value,
        "quorate.outcome": note.outcome,
        "quorate.seq": note.envelope.seq,
    }


def call(about: About, note: Answered) -> dict[str, Any]:
    """Return the attributes of the model call span of an ask; repairs share that span."""
    kept = note.envelope
    values: dict[str, Any] = {**_of(about), "quorate.ask": note.ask, "quorate.attempts": kept.attempts}
    if note.who.kind is Kind.MODEL:
        values |= {
            **_called(note),
            "gen_ai.response.model": kept.model.partition("@")[0].removeprefix(f"{note.who.provider}:"),
            "gen_ai.output.type": "json",
            "gen_ai.usage.input_tokens": kept.tokens_in,
            "gen_ai.usage.output_tokens": kept.tokens_out,
        }
        if kept.cost is not None:
            values["quorate.cost.usd"] = kept.cost / 1_000_000
    if note.said is not None:
        message = {"role": "assistant", "parts": [{"type": "text", "content": note.said}], "finish_reason": "stop"}
        values["gen_ai.output.messages"] = json.dumps([message], ensure_ascii=False)
    return values


def _of(about: About) -> dict[str, Any]:
    return {"gen_ai.conversation.id": about.session, "quorate.protocol": about.protocol}


def _called(note: Answered) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDERS.get(note.who.provider, note.who.provider),
        "gen_ai.request.model": note.who.model,
    }


class Measures:
    """The metrics of the conventions, and two of our own: sessions by verdict, and cost."""

    def __init__(self, provider: MeterProvider) -> None:
        meter = provider.get_meter("quorate")
        self._duration = meter.create_histogram(
            "gen_ai.client.operation.duration",
            "s",
            "How long a call of a model takes, repairs included.",
            explicit_bucket_boundaries_advisory=DURATIONS,
        )
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            "{token}",
            "Tokens of a call, in and out.",
            explicit_bucket_boundaries_advisory=TOKENS,
        )
        self._cost = meter.create_counter("quorate.cost", "USD", "What calls have cost, as far as prices are known.")
        self._sessions = meter.create_counter("quorate.sessions.concluded", "{session}", "Sessions with a verdict.")

    def take(self, about: About, note: Note) -> None:
        """Record the measurements of a note."""
        if isinstance(note, Ended):
            self._sessions.add(1, {"quorate.protocol": about.protocol, "quorate.verdict": note.verdict})
        if not isinstance(note, Answered) or note.who.kind is not Kind.MODEL:
            return
        kept, values = note.envelope, _called(note)
        self._tokens.record(kept.tokens_in, {**values, "gen_ai.token.type": "input"})
        self._tokens.record(kept.tokens_out, {**values, "gen_ai.token.type": "output"})
        if kept.cost:
            self._cost.add(kept.cost / 1_000_000, values)
        failed = {} if note.outcome == REPLIED else {"error.type": note.outcome}
        self._duration.record(kept.elapsed / 1000, {**values, **failed})
