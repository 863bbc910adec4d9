"""What the review of version 1 made of the cases that version 2 mends: the same replies, as far as its forms take them.

Each transcript names the one in `transcripts/` that tells what comes of the same now. What version 1 has no field for
(parts of a change, items taken back) is left out of a reply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from quorate import catalog
from quorate.core.engine import replay
from quorate.core.record import Opening, Record
from quorate.core.session import Step
from quorate.core.shapes import Group, Many, PerKey, Shape, shape_of
from quorate.core.types import Absent, Ask
from quorate.kit.settings import plain, read_settings
from quorate.protocols.review.version_1.definition import DEFINITION, build
from tests.protocols.review.rules.test_review_transcripts import FOLDER as NOW
from tests.protocols.review.rules.test_review_transcripts import Story
from tests.support.committee import CHANGE, Committee
from tests.support.transcripts import compare, played, told

FILES = sorted((Path(__file__).parent / "transcripts_before").glob("*.txt"))


@cache
def briefs() -> dict[str, str]:
    return catalog.briefs(DEFINITION)


class Before(Committee):
    """A committee that decides by the rules of version 1."""

    def __init__(self, *members: str, **more: Any) -> None:
        settings = read_settings(DEFINITION.settings, {"members": list(members), **more})
        self.protocol: Any = build(settings, briefs(), 7)
        self.opening = Opening("review", "1", "", "A review", 7, plain(settings), {}, {})
        self.material = {"change": CHANGE, "checks": "{}", "claims": "[]"}
        self.record = Record(self.protocol, self.opening, self.material)
        self.events = []

    def reply(self, ask: Ask, values: Mapping[str, Any] | Absent | None = None) -> Step[Any]:
        if isinstance(values, Mapping):
            values = _taken(shape_of(ask.form), values)
        return super().reply(ask, values)


def _taken(shape: Shape, value: Any) -> Any:
    """Return of a value what a form of this shape takes."""
    match shape:
        case Many(item=item) if isinstance(value, list | tuple):
            return [_taken(item, each) for each in value]
        case PerKey(item=item) if isinstance(value, Mapping):
            return {key: _taken(item, each) for key, each in value.items()}
        case Group(fields=fields) if isinstance(value, Mapping):
            known = {each.name: each.shape for each in fields if each.mark is None}
            return {name: _taken(known[name], each) for name, each in value.items() if name in known}
        case _:
            return value


class StoryBefore(Story):
    def _open(self, _: str, settings: dict[str, Any]) -> Iterator[str]:
        self.committee = Before(*settings.pop("members"), **settings)
        yield from told(replay(self._at.protocol, []))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_version_1_went_as_written(file: Path) -> None:
    expected = file.read_text()
    compare(file, expected, played(expected, StoryBefore().run))


def test_each_of_them_has_one_that_tells_how_it_goes_now() -> None:
    assert len(FILES) >= 6
    assert {file.stem for file in FILES} <= {file.stem for file in NOW.glob("*.txt")}
