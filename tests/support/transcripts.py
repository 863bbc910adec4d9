"""Readable transcripts of a protocol: blocks of input, `----` and output, and what a step reads like."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from quorate.core.session import Cause, Conclude, Move, Step, Withdraw
from quorate.core.types import Ask


@dataclass
class Block:
    """Comments, then a command with its input and its output."""

    before: list[str]
    command: str
    input: list[str]
    output: list[str]


def read_blocks(text: str) -> Iterator[Block]:
    lines = iter(text.splitlines())
    before: list[str] = []
    for line in lines:
        if not line.strip() or line.startswith("#"):
            before.append(line)
            continue
        given = list(iter(lambda: next(lines), "----"))
        output: list[str] = []
        for said in lines:
            if not said.strip():
                break
            output.append(said)
        yield Block(before, line, given, output)
        before = [""]


def write_blocks(blocks: list[Block]) -> str:
    lines = [line for b in blocks for line in (*b.before, b.command, *b.input, "----", *b.output)]
    return "\n".join(lines) + "\n"


def played(text: str, run: Callable[[Block], list[str]]) -> str:
    """Return a transcript with the output that it gives now."""
    blocks = list(read_blocks(text))
    for block in blocks:
        block.output = run(block)
    return write_blocks(blocks)


def compare(file: Path, expected: str, found: str) -> None:
    """Fail with a diff where a transcript is not what is played; with QUORATE_REWRITE it is written anew instead."""
    if expected != found and os.environ.get("QUORATE_REWRITE"):
        file.write_text(found)
    elif expected != found:
        pytest.fail(
            "\n".join(unified_diff(expected.splitlines(), found.splitlines(), "written", "played", lineterm=""))
        )


def told(step: Step[Any]) -> Iterator[str]:
    """What a step does, in lines: what it withdraws, decides and asks, and how it ends."""
    yield from (f"withdrawn {effect.ask}" for effect in step.effects if isinstance(effect, Withdraw))
    for move in step.moves:
        yield from _move(move)
    asks = [effect for effect in step.effects if isinstance(effect, Ask)]
    if asks:
        yield f"{step.session.phase.name} asks, round {step.session.state.round}"
    for ask in asks:
        yield f"  {ask.id} {ask.seat} {ask.brief}" + (f" [{', '.join(ask.keys)}]" if ask.keys else "")
    for effect in step.effects:
        if isinstance(effect, Conclude):
            end = effect.conclusion
            why = f", interrupted: {end.interrupted.value}" if end.interrupted else ""
            yield f"{end.verdict.name}, degradation: {end.degradation.value}{why}"


def _move(move: Move) -> Iterator[str]:
    arrow = "==" if move.cause is Cause.INTERRUPTED else "--"
    yield f"{move.phase.name} {arrow}{move.outcome.name}{arrow}> {move.to.name}"
    for test in move.because:
        yield f"  {'yes' if test.held else 'no '} {test.rule} {test.claim}"
        if test.held:
            break
    for fact in move.facts:
        yield f"  * {fact.name}: " + ", ".join(f"{name} {value}" for name, value in fact.values)
