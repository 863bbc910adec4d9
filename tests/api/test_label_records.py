"""Labels: what turned out to be right, and what that means for a session of each protocol."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from quorate import api
from quorate.api.label_meaning import Judged, find_truth, judge, truths_of
from quorate.api.label_records import counting, find_finding, judges, label, labels, labels_path
from quorate.api.sessions import Result
from quorate.core.errors import SettingError
from quorate.protocols.debate.rules.model import Phase
from quorate.store.journal import Journal
from quorate.store.labels import read_labels
from quorate.workspace import Workspace
from tests.support import councils_ended
from tests.support.councils import SESSION, Sitting
from tests.support.debating import TWO, Table
from tests.support.reviewed import SESSION as REVIEW
from tests.support.reviewed import Reviewed, approved, compromised, inconclusive, vetoed
from tests.support.reviewing import SECRET


def result(course: Reviewed | Sitting) -> Result:
    return Result(REVIEW if isinstance(course, Reviewed) else SESSION, course.record, course.entries)


# What a truth means


@pytest.mark.parametrize(
    ("course", "truth", "judged"),
    [
        (approved, "sound", Judged(True, True)),
        (approved, "defective", Judged(False, False)),
        (approved, "dangerous", Judged(False, False)),
        (vetoed, "dangerous", Judged(True, False)),
        (vetoed, "sound", Judged(False, True)),
        (approved, "APPROVED", Judged(True, True)),
        (approved, "REQUEST_CHANGES", Judged(False, False)),
        (approved, "right", Judged(True, True)),
        (approved, "wrong", Judged(False, False)),
        (vetoed, "wrong", Judged(False, True)),
        (inconclusive, "defective", Judged(None, False)),
        (inconclusive, "APPROVED", Judged(None, True)),
        (councils_ended.with_remediation, "defective", Judged(True, False)),
        (councils_ended.with_remediation, "REJECTED", Judged(False, False)),
        (councils_ended.clean, "sound", Judged(True, True)),
        (councils_ended.split, "sound", Judged(None, True)),
    ],
)
def test_what_a_truth_means_for_a_verdict(course: object, truth: str, judged: Judged) -> None:
    assert callable(course)
    assert judge(result(course()), truth) == judged


def test_a_debate_is_right_where_its_solution_is() -> None:
    """Nobody but the judge says whether the problem is solved, so the label says whether the judge was right."""
    table = Table(agents=TWO, rounds=1, summarization={"enabled": False}).until(Phase.SYNTHESIS)
    table.say("judge", solution="s", unfulfilled_major_requirements=[], confidence=82)
    debated = Result("debate-1", table.record, [])
    assert judge(debated, "right") == Judged(True, True)
    assert judge(debated, "wrong") == Judged(False, False)
    assert judge(debated, "PARTIAL_SOLUTION") == Judged(False, None)
    assert "solvable" not in truths_of(debated), "every problem is; it says nothing of a solution"


def test_words_are_found_whatever_their_case() -> None:
    changes = result(compromised())
    assert find_truth(changes, "Request-Changes") == "REQUEST_CHANGES"
    assert find_truth(changes, " sound ") == "sound"
    with pytest.raises(SettingError, match=r"--truth: is 'sond'; expected one of sound, .*did you mean 'sound'"):
        find_truth(changes, "sond")
    with pytest.raises(SettingError, match="INCONCLUSIVE leaves the matter open"):
        find_truth(result(inconclusive()), "right")
    with pytest.raises(SettingError, match="is 'inconclusive'"):
        find_truth(result(approved()), "inconclusive")


# Recording


async def debated(workspace: Workspace, journal: Journal) -> Result:
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where to keep a log?"}, seed=5)
    return await api.run(workspace, journal, session)


async def test_a_label_names_what_was_judged(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    done = await debated(workspace, journal)
    made = await label(workspace, journal, done.session, "Right", note="  It holds. ")
    assert made.path == labels_path(workspace) == tmp_path / ".quorate" / "labels.jsonl"
    said = made.label
    assert (said.truth, said.note, said.verdict, said.protocol) == ("right", "It holds.", "SOLUTION", "debate")
    assert (said.seq, said.head) == (len(done.entries) - 1, done.entries[-1].hash)
    assert judges(said, done.entries)
    assert not judges(replace(said, head="0" * 64), done.entries)
    assert not judges(replace(said, seq=99), done.entries)
    again = await label(workspace, journal, done.session, "wrong")
    assert again.before == (said,)
    assert labels(workspace) == (said, again.label)
    assert counting(labels(workspace)) == {(done.session, ""): again.label}
    assert (await api.load(workspace, journal, done.session)).entries == done.entries


async def test_what_cannot_be_labelled_writes_nothing(workspace: Workspace, journal: Journal) -> None:
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where?"}, seed=5)
    with pytest.raises(SettingError, match="has not concluded"):
        await label(workspace, journal, session, "right")
    done = await debated(workspace, journal)
    for truth, finding, note, told in (
        ("maybe", "", "", "--truth"),
        ("right", "F1", "", "there is no finding 'F1'; expected nothing here: the session has no findings"),
        ("right", "", "x" * 2001, "--note: has 2,001 characters"),
    ):
        with pytest.raises(SettingError, match=told):
            await label(workspace, journal, done.session, truth, finding=finding, note=note)
    assert not labels_path(workspace).exists()


async def test_secrets_do_not_get_into_a_note(workspace: Workspace, journal: Journal) -> None:
    done = await debated(workspace, journal)
    await label(workspace, journal, done.session, "wrong", note=f"it leaked {SECRET}")
    text = labels_path(workspace).read_text()
    assert SECRET not in text
    assert json.loads(text)["note"].startswith("it leaked [masked secret")
    assert len(read_labels(labels_path(workspace))) == 1


def test_a_finding_is_found_by_its_id_or_the_start_of_it() -> None:
    council = result(councils_ended.with_remediation())
    (card,) = api_findings(council)
    assert find_finding(council, card) == card
    assert find_finding(council, card[:-1]) == card
    with pytest.raises(SettingError, match="there is no finding 'FND-9'; expected one of FND-"):
        find_finding(council, "FND-9")
    review = result(compromised())
    with pytest.raises(SettingError, match=r"matches [2-9] findings"):
        find_finding(review, "")


def api_findings(done: Result) -> list[str]:
    from quorate.protocols.council.rules.board import board

    return [card.id for card in board(done.record).findings]
