"""What issue 18 changed, as it was before: the frozen rules of version 1, with the replies of the transcripts of today.

Each transcript here has its counterpart of the same name in tests/protocols/debate/rules/transcripts/.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quorate.core.engine import replay
from tests.protocols.debate.rules.test_transcripts import FOLDER as TODAY
from tests.protocols.debate.rules.test_transcripts import Story
from tests.support.debating_before import TableBefore
from tests.support.transcripts import compare, played

FILES = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
CASES = {"same-question", "asked-again", "without-words"}


class StoryBefore(Story):
    """Runs a transcript under the rules of version 1."""

    def _open(self, _: str, settings: dict[str, Any]) -> Iterator[str]:
        self.table = TableBefore(**settings)
        yield from self._told(replay(self.table.protocol, []))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_debate_went_as_written(file: Path) -> None:
    text, story = file.read_text(encoding="utf-8"), StoryBefore()
    compare(file, text, played(text, story.run))
    assert text.startswith("# ")
    assert story.table is not None
    assert story.table.conclusion is not None
    assert story.table.record.opening.version == story.table.protocol.version == "1"


def test_each_case_has_a_transcript_of_before_and_of_today() -> None:
    """D8, D21, D32."""
    assert {file.stem for file in FILES} == CASES
    assert all((TODAY / file.name).exists() for file in FILES)
