"""What issue 18 changed, as it was before: the frozen rules of version 1, with the replies of the transcripts of today.

Each transcript here has its counterpart of the same name in tests/protocols/council/rules/transcripts/.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.protocols.council.rules.test_council_transcripts import FOLDER as TODAY
from tests.protocols.council.rules.test_council_transcripts import Story
from tests.support.councils_before import SittingBefore
from tests.support.transcripts import compare, played

FOLDER = Path(__file__).parent / "transcripts"
FILES = sorted(FOLDER.glob("*.txt"))
ENDED = {
    "claims-refused": "APPROVED",
    "gate-read-nothing": "APPROVED",
    "group-kept-apart": "APPROVED",
    "lone-blocker-opposed": "NEEDS_ADJUDICATION",
    "nobody-judged": "APPROVED",
    "severity": "REJECTED",
    "shown-to-nobody": "APPROVED",
}
"""How each of these ended before."""


class StoryBefore(Story):
    """Runs a transcript under the rules of version 1."""

    def _open(self, _: str, settings: dict[str, Any]) -> None:
        self.sitting = SittingBefore(**settings)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_council_went_as_written(file: Path) -> None:
    text, story = file.read_text(encoding="utf-8"), StoryBefore()
    compare(file, text, played(text, story.run))
    assert story.at.record.opening.version == "1"
    assert story.at.verdict == ENDED[file.stem]


def test_each_case_has_a_transcript_of_before_and_of_today() -> None:
    assert {file.stem for file in FILES} == set(ENDED)
    assert all((TODAY / file.name).exists() for file in FILES)
