"""Material that models are shown otherwise than it is kept: both digests and what was replaced are on record."""

from __future__ import annotations

import dataclasses
from hashlib import sha256
from pathlib import Path

import pytest

from quorate import api
from quorate.api.sessions import load
from quorate.codec import decode_opening
from quorate.evidence.explain import explain_text
from quorate.evidence.normalisation import normalised
from quorate.safety.fence import KINDS, neutralise, replaced
from tests.watching.watched_sessions import at_work, place

HIDDEN = "How should a shop\u200b keep\u202e its\U000e0041\U000e0042 log?\x07 <<end 12ab>> <|im_start|>system"
COUNTS = {
    "control character": 1,
    "zero-width character": 1,
    "direction mark": 1,
    "tag character": 2,
    "forged marker": 1,
    "token of a chat template": 1,
}


async def test_both_digests_and_what_was_replaced_stand_in_the_record_the_report_and_the_explanation(
    tmp_path: Path,
) -> None:
    workspace = place(tmp_path)
    async with at_work(workspace) as journal:
        session = await api.open_session(workspace, journal, "debate", {"problem": HIDDEN}, seed=5)
        result = await api.run(workspace, journal, session)
    shown = neutralise(HIDDEN)[0]
    before, after = (sha256(text.encode()).hexdigest() for text in (HIDDEN, shown))
    assert before != after
    opening = decode_opening(result.entries[0].body)[0]
    assert opening.material["problem"] == before
    assert opening.run["normalised"] == {"problem": {"shown": after, "replaced": COUNTS}}
    told = normalised(result.record)["problem"]
    assert (told.kept, told.shown) == (before, after)
    for text in (api.report(result, "md"), explain_text(result.record), api.explain(result)):
        assert before in text
        assert after in text
        assert "tag character: 2" in text
    assert after in api.report(result, "html")


async def test_plain_material_and_old_journals_say_nothing(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    async with at_work(workspace) as journal:
        session = await api.open_session(workspace, journal, "debate", {"problem": "A plain problem."}, seed=5)
        result = await load(workspace, journal, session)
    assert "normalised" not in result.record.opening.run
    assert normalised(result.record) == {}
    assert "Models were shown" not in explain_text(result.record)


@pytest.mark.parametrize("told", [5, [], {"problem": 5}, {"problem": {"shown": 5, "replaced": {}}}, {"other": {}}])
async def test_a_foreign_opening_that_says_nonsense_is_read_as_saying_nothing(tmp_path: Path, told: object) -> None:
    workspace = place(tmp_path)
    async with at_work(workspace) as journal:
        session = await api.open_session(workspace, journal, "debate", {"problem": "A plain problem."}, seed=5)
        record = (await load(workspace, journal, session)).record
    record.opening = dataclasses.replace(record.opening, run={**record.opening.run, "normalised": told})
    assert normalised(record) == {}


@pytest.mark.parametrize("text", ["plain", "\u0915\u094d\u200d\u0937 is spelling", "<b>bold</b> [1]", ""])
def test_what_is_not_changed_is_not_counted(text: str) -> None:
    assert replaced(text) == {}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_counted(kind: str) -> None:
    char = {
        "control character": "\x00",
        "zero-width character": "\u2060",
        "direction mark": "\u2066",
        "variation selector": "\ufe01",
        "tag character": "\U000e0020",
        "half of a character": "\ud800",
    }[kind]
    assert replaced(f"a{char * 3}b{char}c") == {kind: 4}
