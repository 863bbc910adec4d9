"""Argument types shared by several tools, with their bounds and descriptions."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, WrapValidator


def _or_nothing(value: Any, check: Any) -> Any:
    return None if value is None else check(value)


OPTIONAL = WrapValidator(_or_nothing)
"""Null counts as left out. The type stays that of the argument, so that a text stays one where it looks like JSON."""
Session = Annotated[
    str,
    Field(
        min_length=1,
        max_length=120,
        description="The session: its id, the start of one, or `latest` (the newest of this store).",
    ),
]
Panel = Annotated[
    str,
    Field(max_length=1000, description="A panel file inside the roots: who sits on the seats. Default: the project's."),
    OPTIONAL,
]
Model = Annotated[
    str,
    Field(max_length=500, description="The model of all seats, such as anthropic:claude-sonnet-4-5. Costs money."),
    OPTIONAL,
]
Settings = Annotated[
    dict[str, Any],
    Field(description="Settings of the protocol that differ from the project's; `protocols` tells which there are."),
    OPTIONAL,
]
Limits = Annotated[
    dict[str, Any],
    Field(description="Limits of this session: tokens, cents, seconds. At a limit it wraps up with what there is."),
    OPTIONAL,
]
Seed = Annotated[int, Field(ge=0, le=2**31 - 1, description="Draw everything from this number."), OPTIONAL]
