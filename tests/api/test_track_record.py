"""Calibrating: the labelled sessions of a store, gathered and measured; what cannot be counted is told."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from quorate import api
from quorate.api.calibration_data import calibration_data
from quorate.api.label_records import label, labels, labels_path
from quorate.api.track_record import calibration
from quorate.core.errors import SettingError
from quorate.kit.findings import Finding
from quorate.protocols.review.world.change.source import Branch
from quorate.protocols.review.world.review import open_review
from quorate.simulate.flips import Flips
from quorate.store.journal import Journal
from quorate.store.labels import Label, add_label
from quorate.workspace import Workspace, find_workspace
from quorate.worth.cases import Share
from tests.support.reviewing import Project, ballot, item, replies

MEMBERS = ("engineering-architect", "operations-sre")
SETS = (f"review.members=[{', '.join(MEMBERS)}]", "review.confirm_items=false", "review.rounds=2")


class Reviews:
    """A project whose change is reviewed again and again, with other ballots each time."""

    def __init__(self, folder: Path) -> None:
        self.project = Project(folder)
        self.project.change()
        self.workspace = find_workspace(self.project.folder, {}, store="memory:", sets=SETS)
        self.journal = self.workspace.open()

    async def hold(self, **seats: object) -> str:
        panel = self.project.panel(replies(**{seat: {"ballot": given} for seat, given in seats.items()}))
        opened = await open_review(
            self.workspace,
            self.journal,
            Branch("main"),
            folder=self.project.folder,
            panel=panel,
            seed=3,
            keep_ledger=False,
        )
        await api.run(self.workspace, self.journal, opened.session)
        return opened.session

    async def label(self, session: str, truth: str, **more: str) -> Label:
        return (await label(self.workspace, self.journal, session, truth, **more)).label


@pytest.fixture
async def reviews(tmp_path: Path) -> AsyncIterator[Reviews]:
    made = Reviews(tmp_path)
    yield made
    await made.journal.close()


BAD = ballot(items=[item("high")])


async def test_labelled_sessions_are_measured(reviews: Reviews) -> None:
    await reviews.label(await reviews.hold(), "sound")
    await reviews.label(await reviews.hold(operations_sre=BAD), "defective")
    wrong = await reviews.hold(engineering_architect=BAD)
    await reviews.label(wrong, "defective")
    await reviews.label(wrong, "sound")  # the last one counts
    await reviews.hold()  # nobody knows yet
    found = await calibration(reviews.workspace, reviews.journal)
    told = {each.verdict: each.share for each in found.found.verdicts}
    assert told == {"APPROVED": Share(1, 1), "REQUEST_CHANGES": Share(1, 2)}
    seats = {str(each.seat): each.matter for each in found.found.seats}
    assert seats == {"engineering-architect": Share(1, 3), "operations-sre": Share(3, 3)}
    (panel,) = found.found.panels
    assert (panel.voters, panel.items, panel.whole) == (MEMBERS, 3, 3)
    assert found.found.families[0].first == "script"
    assert [each.items for each in found.found.confidences] == [6]
    assert found.left_out == ()
    data = calibration_data(found)
    assert data["sessions"] == 3
    assert data["verdicts"][1]["share"] == 0.5
    assert json.loads(json.dumps(data)) == data


async def test_flips_tell_what_talk_did(reviews: Reviews) -> None:
    turns = [{"reply": ballot("oppose")}, {"reply": ballot()}]
    await reviews.label(await reviews.hold(operations_sre=turns), "sound")
    found = await calibration(reviews.workspace, reviews.journal)
    assert found.found.flips == {"review": Flips(stayed_right=1, harmful=0, helpful=1, stayed_wrong=0)}


async def test_findings_are_measured_by_who_held_them(reviews: Reviews) -> None:
    session = await reviews.hold(operations_sre=BAD)
    record = (await api.load(reviews.workspace, reviews.journal, session)).record
    finding = next(each for each in api_findings(record) if each.raised_by == ("operations-sre",))
    made = await reviews.label(session, "Wrong", finding=finding.key[:6], note="The caller checks it.")
    assert (made.finding, made.truth) == (finding.key, "wrong")
    found = await calibration(reviews.workspace, reviews.journal)
    assert (found.found.cases, found.findings) == (0, 1)
    assert [(str(each.seat), each.findings) for each in found.found.seats] == [("operations-sre", Share(0, 1))]
    with pytest.raises(SettingError, match="right or wrong, as this is about a finding"):
        await reviews.label(session, "sound", finding=finding.key)


def api_findings(record: object) -> tuple[Finding, ...]:
    from quorate.protocols.review.rules.result import findings

    return findings(record)  # type: ignore[arg-type]


async def test_a_label_on_something_else_is_left_out_and_told(reviews: Reviews) -> None:
    made = await reviews.label(await reviews.hold(), "sound")
    path = labels_path(reviews.workspace)
    add_label(path, replace(made, session="review-19990101-000000-abcd"))
    add_label(path, replace(made, session=await reviews.hold(), head="0" * 64))
    add_label(path, replace(made, session=await reviews.hold(), seq=9_999))
    other = await reviews.label(await reviews.hold(), "sound")
    add_label(path, replace(other, truth="marvellous"))
    found = await calibration(reviews.workspace, reviews.journal)
    assert found.found.cases == 1
    why = [each.why for each in found.left_out]
    assert "no session" in why[0]
    assert why[1].startswith("it judged another journal")
    assert why[2].startswith("it judged another journal")
    assert why[3] == "'marvellous' is nothing that a review knows"
    assert len(labels(reviews.workspace)) == 6, "all stay visible"


async def test_of_one_protocol_or_one_model(reviews: Reviews) -> None:
    await reviews.label(await reviews.hold(), "sound")
    assert (await calibration(reviews.workspace, reviews.journal, protocol="council")).found.cases == 0
    assert (await calibration(reviews.workspace, reviews.journal, protocol="review", model="script")).found.cases == 1
    with pytest.raises(SettingError, match=r"--model: no labelled session.*'gpt'.*expected one of script:replies"):
        await calibration(reviews.workspace, reviews.journal, model="gpt")
    with pytest.raises(SettingError, match=r"there is no protocol 'revue'.*did you mean 'review'"):
        await calibration(reviews.workspace, reviews.journal, protocol="revue")


async def test_nothing_labelled_is_nothing_measured(workspace: Workspace, journal: Journal) -> None:
    found = await calibration(workspace, journal)
    assert (found.found.cases, found.found.verdicts, found.left_out) == (0, (), ())
    assert found.advice[0].startswith("No advice on seats")
