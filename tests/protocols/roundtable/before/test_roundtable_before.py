"""What issue 18 changed, as it was before: the frozen rules of version 1, with the replies of the transcripts of today.

Each transcript here has its counterpart of the same name in tests/protocols/roundtable/rules/transcripts/.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.protocols.roundtable.rules.test_roundtable_transcripts import CASES, Story, play
from tests.protocols.roundtable.rules.test_roundtable_transcripts import FOLDER as TODAY
from tests.support.roundtables_before import TalkBefore

FILES = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))


class StoryBefore(Story):
    """Runs a transcript under the rules of version 1."""

    made = TalkBefore


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_roundtable_went_as_written(file: Path) -> None:
    story = StoryBefore()
    play(file, story)
    assert story.at.record.opening.version == story.at.protocol.version == "1"


def test_each_case_has_a_transcript_of_before_and_of_today() -> None:
    assert {file.stem for file in FILES} == CASES
    assert all((TODAY / file.name).exists() for file in FILES)
