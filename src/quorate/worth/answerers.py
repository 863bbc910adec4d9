"""Who answered: seats on which several models replied, and replies taken from a cache."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Record, Said


def answered_text(record: Record) -> str:
    """Return as text which models replied in which rounds on seats with several, and which replies were cached."""
    return "\n".join([*_seats(record), *_cached(record)])


def _seats(record: Record) -> Iterator[str]:
    spoke: dict[str, dict[str, dict[int, None]]] = {}
    for line in record.log:
        if isinstance(line, Said) and line.envelope.model:
            rounds = spoke.setdefault(str(line.ask.seat), {}).setdefault(line.envelope.model, {})
            rounds[line.round] = None
    for seat, models in spoke.items():
        if len(models) > 1:
            yield f"On the seat {seat} spoke {', '.join(f'{model} in {_rounds(r)}' for model, r in models.items())}."


def _rounds(numbers: dict[int, None]) -> str:
    return f"round{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _cached(record: Record) -> Iterator[str]:
    said = [line for line in record.log if isinstance(line, Said)]
    kept = sum(line.from_cache for line in said)
    if kept:
        yield f"{kept} of {len(said)} replies came from a cache: they were given to the same questions before."
