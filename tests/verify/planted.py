"""How a defect is planted by hand, in any protocol as a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any

from quorate.core.decisions import Decision
from quorate.core.protocol import Protocol
from quorate.core.record import Record
from quorate.core.types import Ask, Question, Reason, Replies
from quorate.core.view import Section, View

P = Protocol[Any]
Defect = Callable[[P], P]


def with_node(protocol: P, phase: Enum, **changes: Any) -> P:
    return replace(protocol, nodes={**protocol.nodes, phase: replace(protocol.nodes[phase], **changes)})


def deciding(phase: Enum, change: Callable[[Any, Replies, Decision[Any]], Decision[Any]]) -> Defect:
    """A defect in the decision of one phase."""

    def plant(protocol: P) -> P:
        decide = protocol.nodes[phase].decide
        return with_node(protocol, phase, decide=lambda state, heard: change(state, heard, decide(state, heard)))

    return plant


def asking(phase: Enum, change: Callable[[Any, tuple[Question, ...]], tuple[Question, ...]]) -> Defect:
    """A defect in the asks of one phase."""

    def plant(protocol: P) -> P:
        asks = protocol.nodes[phase].asks
        return with_node(protocol, phase, asks=lambda state: change(state, asks(state)))

    return plant


def showing(brief: str, change: Callable[[Record, Ask, View], View]) -> Defect:
    """A defect in the views of one brief."""

    def plant(protocol: P) -> P:
        shown = protocol.view

        def view(record: Record, ask: Ask) -> View:
            seen = shown(record, ask)
            return change(record, ask, seen) if ask.brief == brief else seen

        return replace(protocol, view=view)

    return plant


def interrupting(reason: Reason, **changes: Any) -> Defect:
    return lambda protocol: replace(
        protocol, interrupts={**protocol.interrupts, reason: replace(protocol.interrupts[reason], **changes)}
    )


def more(seen: View, text: str) -> View:
    return replace(seen, sections=(*seen.sections, Section("More", text)))


def briefs(change: Mapping[str, str | None]) -> Defect:
    def plant(protocol: P) -> P:
        texts = {**protocol.briefs, **change}
        return replace(protocol, briefs={name: text for name, text in texts.items() if text is not None})

    return plant
