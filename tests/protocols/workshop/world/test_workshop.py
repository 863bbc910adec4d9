"""Workshops as a use case: what is opened and pinned, what is written into folders, and what is refused."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from quorate import api
from quorate.api.sessions import Result
from quorate.api.user_folders import FileConflict, write
from quorate.core.errors import InputError, SettingError
from quorate.core.types import Reason
from quorate.protocols.workshop.rules.model import Verdict
from quorate.protocols.workshop.rules.workflows import ROSTERS
from quorate.protocols.workshop.world.documents import check_folders, export_session_file, leave, write_documents
from quorate.protocols.workshop.world.session_check import check_file
from quorate.protocols.workshop.world.workshop import OpenedWorkshop, open_workshop
from quorate.store.journal import Journal
from quorate.workspace import Workspace, find_workspace
from tests.cli.workshops import AGENDA, Workshops, disputed, item, question, script, synthesis, whole

TWO = "software-architect,technical-lead"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = ("REQ", item("REQ", "Entries are kept", supported_by=["P1", "P2"]))
    words = script(
        [question("T1"), question("T2"), question("T1")],
        [synthesis("specs", made, covered=["K1"]), synthesis("specs", covered=["K1"]), synthesis("specs")],
    )
    Workshops(tmp_path).says(words).brings(AGENDA)
    return find_workspace(tmp_path, {}, store="memory:")


async def opened(workspace: Workspace, journal: Journal, **given: Any) -> OpenedWorkshop:
    """Open the small workshop on AGENDA."""
    assert workspace.root is not None
    kind = str(workspace.root / "agenda.yaml")
    words = {"participants": TWO, "strategy": "standard"} | given
    return await open_workshop(workspace, journal, kind, words.pop("topic", "An audit log"), **words)


async def held(workspace: Workspace, journal: Journal, **given: Any) -> Result:
    session = (await opened(workspace, journal, **given)).session
    return await api.run(workspace, journal, session)


# Opening


async def test_what_was_chosen_is_pinned_with_the_session(
    tmp_path: Path, workspace: Workspace, journal: Journal
) -> None:
    """W3, W32: so that a later change of settings or rosters changes nothing."""
    Workshops(tmp_path).says(whole("design"))
    found = await open_workshop(workspace, journal, "design", "How orders are stored", pro=["technical-lead"])
    settings = (await api.load(workspace, journal, found.session)).record.opening.settings
    assert settings["workflow"] == "design"
    assert settings["strategy"] == "debate"
    assert settings["participants"] == list(ROSTERS["design"])
    assert settings["pro"] == ["technical-lead"]
    assert settings["con"] == [seat for seat in ROSTERS["design"] if seat != "technical-lead"]
    sides = {each.seat: each.side for each in found.participants}
    assert sides.pop("technical-lead") == "pro"
    assert set(sides.values()) == {"con"}, "the rest is on the other side"
    assert (found.min_rounds, found.max_rounds) == (3, 20)


async def test_the_material_is_the_topic_and_the_canonical_agenda(workspace: Workspace, journal: Journal) -> None:
    found = await opened(workspace, journal)
    material = (await api.load(workspace, journal, found.session)).record.material
    assert set(material) == {"topic", "agenda"}
    read = json.loads(material["agenda"])
    assert material["agenda"] == json.dumps(read, sort_keys=True, separators=(",", ":"))
    assert [topic["id"] for topic in read["topics"]] == ["retention", "access"]
    assert read["topics"][1]["done_when"]["counts"] == ["REQ", "BR", "NFR", "EX"], "every key is filled in"


async def test_an_agenda_bound_to_stages_suggests_their_strategy(workspace: Workspace, journal: Journal) -> None:
    """W6, W32: and another one is possible, and warned of."""
    assert workspace.root is not None
    stages = ("dreamer", "realist", "critic")
    topics = [{**AGENDA["topics"][1], "id": stage, "name": stage, "stage": stage} for stage in stages]
    (workspace.root / "bound.yaml").write_text(json.dumps({**AGENDA, "topics": topics}))
    kind = str(workspace.root / "bound.yaml")
    found = await open_workshop(workspace, journal, kind, "Compare two stores", participants=TWO)
    assert (found.strategy, found.warnings) == ("disney", ())
    other = await open_workshop(workspace, journal, kind, "T", participants=TWO, strategy="debate")
    assert any("stages that the strategy debate does not have" in warning for warning in other.warnings)


async def test_a_setting_is_added_to_and_an_unknown_role_in_it_is_named(tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "quorate.yaml").write_text("panel: panel.yaml\nworkshop: {participants: [qa-lead, ux-researcher]}\n")
    again = find_workspace(tmp_path, {}, store="memory:")
    journal = again.open()
    found = await opened(again, journal, participants="+product-manager")
    assert [each.seat for each in found.participants] == ["qa-lead", "ux-researcher", "product-manager"]
    (tmp_path / "quorate.yaml").write_text("panel: panel.yaml\nworkshop: {participants: [qa-lead, ux-researchr]}\n")
    wrong = find_workspace(tmp_path, {}, store="memory:")
    with pytest.raises(SettingError, match=r"workshop.participants.*did you mean 'ux-researcher'"):
        await opened(wrong, journal, participants=None)
    await journal.close()


async def test_a_role_of_ones_own_takes_part(tmp_path: Path, workspace: Workspace, journal: Journal) -> None:
    (tmp_path / ".quorate/briefs/roles").mkdir(parents=True)
    (tmp_path / ".quorate/briefs/roles/lawyer.md").write_text("You are a lawyer.")
    found = await opened(workspace, journal, participants="lawyer,qa-lead")
    assert [each.seat for each in found.participants] == ["lawyer", "qa-lead"]


async def test_what_is_refused_leaves_no_session(workspace: Workspace, journal: Journal) -> None:
    for given in ({"topic": " "}, {"participants": "nobody,qa-lead"}, {"pro": TWO}, {"format_": "pdf"}):
        with pytest.raises(InputError):
            await opened(workspace, journal, **given)
    roles = ",".join(f"+role-{number}" for number in range(12))
    with pytest.raises(SettingError):
        await opened(workspace, journal, participants=roles)
    assert await api.list_sessions(journal) == []


# Documents


async def test_documents_are_written_once_and_the_same_again_changes_nothing(
    tmp_path: Path, workspace: Workspace, journal: Journal
) -> None:
    result = await held(workspace, journal)
    (first,) = write_documents(result, tmp_path / "docs", merge=False)
    assert (first.path, first.how) == (tmp_path / "docs/requirements.md", "written")
    text = first.path.read_text()
    (again,) = write_documents(result, tmp_path / "docs", merge=False)
    assert again.how == "already there"
    assert first.path.read_text() == text
    assert [each.name for each in (tmp_path / "docs").iterdir()] == ["requirements.md"], "no draft is left"


async def test_another_session_is_refused_or_merged_with_new_ids(
    tmp_path: Path, workspace: Workspace, journal: Journal
) -> None:
    (first,) = write_documents(await held(workspace, journal), tmp_path / "docs", merge=False)
    before = first.path.read_bytes()
    result = await held(workspace, journal)
    with pytest.raises(InputError, match="another folder, or --merge"):
        write_documents(result, tmp_path / "docs", merge=False)
    assert first.path.read_bytes() == before
    (merged,) = write_documents(result, tmp_path / "docs", merge=True)
    assert (merged.how, dict(merged.ids)) == ("merged", {"REQ-001": "REQ-002"})
    assert merged.path.read_bytes().startswith(before)
    (once_more,) = write_documents(result, tmp_path / "docs", merge=True)
    assert once_more.how == "already there"


async def test_decision_records_number_on_beside_those_that_are_there(
    tmp_path: Path, workspace: Workspace, journal: Journal
) -> None:
    Workshops(tmp_path).says(whole("design"))
    (tmp_path / "docs/decisions").mkdir(parents=True)
    own = tmp_path / "docs/decisions/0007-ours.md"
    own.write_text("# ARCH-004: Ours\n")
    with pytest.raises(InputError, match=r"0007-ours\.md: already exists"):
        check_folders("design", tmp_path / "docs", None, merge=False)
    session = (await open_workshop(workspace, journal, "design", "Orders")).session
    result = await api.run(workspace, journal, session)
    written = write_documents(result, tmp_path / "docs", merge=True)
    names = sorted(each.path.name[:4] for each in written if each.path.parent.name == "decisions")
    assert names == ["0008", "0009", "0010"]
    assert written[0].ids["ARCH-001"] == "ARCH-005"
    assert own.read_text() == "# ARCH-004: Ours\n"


@pytest.mark.parametrize("kind", ["folder", "binary", "link"])
async def test_what_is_no_document_is_left_alone(
    tmp_path: Path, workspace: Workspace, journal: Journal, kind: str
) -> None:
    result = await held(workspace, journal)
    place = tmp_path / "docs/requirements.md"
    place.parent.mkdir()
    if kind == "folder":
        place.mkdir()
    elif kind == "binary":
        place.write_bytes(b"\0\1")
    else:
        place.symlink_to(tmp_path / "nowhere.md")
    for merge in (False, True):
        with pytest.raises(InputError):
            write_documents(result, tmp_path / "docs", merge=merge)
    assert not (tmp_path / "nowhere.md").exists()


async def test_a_merge_keeps_the_rights_of_the_file(tmp_path: Path, workspace: Workspace, journal: Journal) -> None:
    """W36: no byte and no right of what was there changes."""
    place = tmp_path / "docs/requirements.md"
    place.parent.mkdir()
    place.write_bytes(b"\xef\xbb\xbf# Ours\r\n\r\nREQ-007\r\n")
    place.chmod(0o600)
    before = place.read_bytes()
    (merged,) = write_documents(await held(workspace, journal), tmp_path / "docs", merge=True)
    assert dict(merged.ids) == {"REQ-001": "REQ-008"}
    assert place.read_bytes().startswith(before)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert [each.name for each in place.parent.iterdir()] == ["requirements.md"], "no draft is left"


@pytest.mark.parametrize("before", ["as it was read\n", None])
def test_what_somebody_wrote_since_it_was_read_is_not_overwritten(tmp_path: Path, before: str | None) -> None:
    place = tmp_path / "requirements.md"
    place.write_text("as somebody else wrote it\n")
    with pytest.raises(FileConflict):
        write(place, "ours\n", before)
    assert place.read_text() == "as somebody else wrote it\n"
    assert list(tmp_path.iterdir()) == [place]
    write(place, "ours\n", "as somebody else wrote it\n")
    assert place.read_text() == "ours\n"


@pytest.mark.parametrize(
    ("kind", "match"),
    [
        ("folder", "is a folder"),
        ("binary", "is a binary file"),
        ("latin", "is not UTF-8"),
        ("link", "is a link"),
        ("read-only", "is read-only"),
        ("full", "has REQ-999999, so there are not enough numbers"),
    ],
)
async def test_what_cannot_be_merged_into_is_said_before_the_session_begins(
    tmp_path: Path, workspace: Workspace, journal: Journal, kind: str, match: str
) -> None:
    place = tmp_path / "docs/requirements.md"
    place.parent.mkdir()
    match kind:
        case "folder":
            place.mkdir()
        case "link":
            place.symlink_to(tmp_path / "nowhere.md")
        case _:
            texts = {"binary": b"\0\1", "latin": b"caf\xe9", "read-only": b"# Ours\n", "full": b"REQ-999999\n"}
            place.write_bytes(texts[kind])
            place.chmod(0o444 if kind == "read-only" else 0o644)
    with pytest.raises(InputError, match=match):
        await opened(workspace, journal, documents=tmp_path / "docs", merge=True)
    assert await api.list_sessions(journal) == []


def test_decision_records_that_cannot_be_merged_beside_are_said_beforehand(tmp_path: Path) -> None:
    (tmp_path / "decisions").write_text("no folder")
    with pytest.raises(InputError, match="is not a writable folder"):
        check_folders("design", tmp_path, None, merge=True)
    (tmp_path / "decisions").unlink()
    (tmp_path / "decisions").mkdir()
    (tmp_path / "decisions/999999-last.md").write_text("# Ours\n")
    with pytest.raises(InputError, match="has the number 999999, so there are not enough numbers"):
        check_folders("design", tmp_path, None, merge=True)
    (tmp_path / "decisions/999999-last.md").rename(tmp_path / "decisions/0001-first.md")
    check_folders("design", tmp_path, None, merge=True)


async def test_no_number_left_is_said_when_documents_are_merged(
    tmp_path: Path, workspace: Workspace, journal: Journal
) -> None:
    place = tmp_path / "docs/requirements.md"
    place.parent.mkdir()
    place.write_text("REQ-999999\n")
    with pytest.raises(InputError, match="REQ-999999 is taken, so no number is left for REQ-001"):
        write_documents(await held(workspace, journal), tmp_path / "docs", merge=True)
    assert place.read_text() == "REQ-999999\n"


async def test_the_session_file_is_left_whatever_is_in_the_way_of_the_documents(
    tmp_path: Path, workspace: Workspace, journal: Journal
) -> None:
    """W26: what hinders is said all the same."""
    places = {"documents": tmp_path / "docs", "export": tmp_path / "sessions"}
    result = await held(workspace, journal, **places)
    (tmp_path / "docs/requirements.md").write_text("# Somebody was quicker\n")
    with pytest.raises(InputError, match="already exists"):
        leave(result)
    assert check_file(tmp_path / f"sessions/{result.session}.yaml").verdict == "pass"
    assert (tmp_path / "docs/requirements.md").read_text() == "# Somebody was quicker\n"


async def test_a_folder_that_cannot_be_written_to_is_said_before_anything_begins(
    tmp_path: Path, workspace: Workspace, journal: Journal
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError, match="cannot be made"):
        await opened(workspace, journal, documents=tmp_path / "file/docs")
    with pytest.raises(SettingError, match="no documents to merge into"):
        await opened(workspace, journal, merge=True)
    assert await api.list_sessions(journal) == []


async def test_nothing_is_left_before_the_end_and_everything_after_it(
    tmp_path: Path, workspace: Workspace, journal: Journal
) -> None:
    """W26: in whichever process it ends, and however."""
    Workshops(tmp_path).says(disputed())
    places = {"documents": tmp_path / "docs", "export": tmp_path / "sessions"}
    result = await held(workspace, journal, **places)
    assert result.waiting
    assert leave(result) == []
    assert list((tmp_path / "docs").iterdir()) == []
    ended = await api.interrupt(workspace, journal, result.session, Reason.CANCELLED, "no time")
    assert ended.record.session.conclusion is not None
    assert ended.record.session.conclusion.verdict is Verdict.ABORTED
    written = leave(await api.load(workspace, journal, result.session))
    assert written[0].path.name == "requirements.md"
    assert "REQ-001" in written[0].path.read_text()
    assert written[1].path == tmp_path / f"sessions/{result.session}.yaml"


# The session file


async def test_an_exported_session_passes_all_checks_with_its_dumps(
    tmp_path: Path, workspace: Workspace, journal: Journal
) -> None:
    result = await held(workspace, journal)
    main, *dumps = export_session_file(result, tmp_path / "sessions")
    found = check_file(main)
    assert (found.verdict, found.problems) == ("pass", ())
    assert found.dumps == len(dumps) == 3 * 4
    assert "DIAG-002" in found.ran


async def test_a_session_that_waits_is_exported_as_it_stands_and_again_when_it_ends(
    tmp_path: Path, workspace: Workspace, journal: Journal
) -> None:
    Workshops(tmp_path).says(disputed())
    result = await held(workspace, journal)
    main, *_ = export_session_file(result, tmp_path / "sessions")
    assert check_file(main).verdict == "pass"
    assert "status: active" in main.read_text()
    (ask,) = result.waiting
    ruled = {"choice": "decide", "decision": "Sixty days.", "reason": "A middle way."}
    assert await api.answer(workspace, journal, result.session, str(ask.id), ruled)
    ended = await api.run(workspace, journal, result.session)
    main, *dumps = export_session_file(ended, tmp_path / "sessions")
    found = check_file(main)
    assert (found.verdict, found.problems) == ("pass", ())
    text = main.read_text()
    assert "status: closed" in text
    assert "Sixty days." in text
    assert len(dumps) == 4 * 5


async def test_what_is_dumped_is_what_was_shown_then(tmp_path: Path, workspace: Workspace, journal: Journal) -> None:
    """W9: a participant's dump has nobody's answer of the same round, and the facilitator's has all of them."""
    Workshops(tmp_path).says(disputed())
    result = await held(workspace, journal)
    export_session_file(result, tmp_path)
    folder = tmp_path / result.session / "rounds"
    mine = (folder / "001-02-technical-lead.yaml").read_text()
    shown = mine.partition("\nresponse:")[0]
    assert "What about T1?" in shown
    assert "Thirty days" not in shown
    assert "Thirty days" in (folder / "001-03-facilitator.yaml").read_text().partition("\nresponse:")[0]
