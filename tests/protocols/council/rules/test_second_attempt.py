"""The second attempt at edits: what held is made again, what was refused is not judged again (C38, C39)."""

from __future__ import annotations

import json

from quorate.core.record import Record
from tests.support.councils import Sitting


def tried(record: Record) -> list[list[str]]:
    """The findings of every patch that the gates are shown."""
    (ask,) = [ask for ask in record.session.open if ask.brief == "apply"]
    sections = record.protocol.view(record, ask).sections
    patches = [json.loads(section.text) for section in sections if section.title.startswith("Patch")]
    return [[edit["finding"] for edit in patch["edits"]] for patch in patches]


def half_held() -> Sitting:
    """Two findings in the hands of two seats; of the edits one held and one was prose alone."""
    sitting = Sitting(remediate=True).gates("SCOPE_GAP R01").review({"SA-1": ["AMBIGUOUS_SCOPE T1"]})
    sitting.respond("CONFIRM fix").vote().patch()
    assert sitting.record.session.state.attempts == 1
    return sitting.apply({"F1": "APPLIED", "F2": "PROSE_ONLY"})


def test_edits_that_held_are_made_again_with_those_of_the_second_attempt() -> None:
    """C38: so the last diff has them all."""
    sitting = half_held().patch("F2")
    assert tried(sitting.record) == [["F1"], ["F2"]]
    described = sitting.record.protocol.view(sitting.record, sitting.open[0]).sections[0]
    assert set(json.loads(described.text)) == {"F1", "F2"}


def test_a_refused_edit_is_not_judged_a_second_time() -> None:
    """C39: prose alone counts twice only where it was offered twice."""
    sitting = half_held()
    before = sitting.record.session.state
    assert [each.prosaic for each in before.findings] == [0, 1]
    sitting.patch("none of them")
    assert sitting.record.session.conclusion is not None
    assert [each.prosaic for each in sitting.record.session.state.findings] == [0, 1]
