"""Forks: the same past, and other settings, others at the table or another budget from an entry on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from quorate import api
from quorate.api.forks import fork
from quorate.api.session_end import finish
from quorate.api.sessions import AT_ONCE, Result
from quorate.core.errors import InputError, RuleViolation, SettingError
from quorate.core.record import Said
from quorate.core.types import Reason
from quorate.protocols.council.world.council import open_council
from quorate.protocols.council.world.gate_passage import Sources
from quorate.protocols.review.world.change.source import Branch
from quorate.protocols.review.world.review import open_review
from quorate.protocols.workshop.world.session_check import check_file
from quorate.protocols.workshop.world.workshop import open_workshop
from quorate.runtime.happenings import Calling, Happening
from quorate.store.journal import Journal, Listed, Status
from quorate.workspace import Workspace, find_workspace
from tests.cli.shell import CONFIG, Shell, script
from tests.cli.workshops import AGENDA, Workshops, question, synthesis
from tests.cli.workshops import item as artifact
from tests.cli.workshops import script as workshop_script
from tests.support.convened import Drafted, answers, raised, reviews, votes
from tests.support.convened import replies as council_replies
from tests.support.reviewing import Project, ballot, item, replies

TWO_ROUNDS = {**CONFIG, "debate": {"agents": ["architect", "security"], "rounds": 2}}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    Shell(tmp_path).write(script(), TWO_ROUNDS)
    return find_workspace(tmp_path, {}, store=f"sqlite:{tmp_path / 'quorate.db'}")


async def debated(workspace: Workspace, journal: Journal) -> Result:
    """A debate of two agents in two rounds that has come to its solution."""
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where to keep an audit log?"}, seed=5)
    return await api.run(workspace, journal, session)


async def listed(journal: Journal, session: str) -> Listed:
    return next(each for each in await journal.sessions() if each.id == session)


class Asked:
    """Notes every call that is made."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __call__(self, happening: Happening) -> None:
        if isinstance(happening, Calling):
            self.calls.append(f"{happening.ask.id} {happening.ask.seat}")


def problems_of(result: Result, folder: Path) -> list[Any]:
    """What a stranger finds wrong with the bundle."""
    bundle = folder / f"{result.session}.json"
    bundle.write_text(api.report(result, "json"))
    return list(api.check(bundle))


# The same past


@pytest.mark.parametrize("at", [0, 1, 5, 8])
async def test_a_fork_has_the_same_past_and_repeats_no_call(
    at: int, workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    source = await debated(workspace, journal)
    session = await fork(workspace, journal, source.session, at=at)
    before = await api.load(workspace, journal, session)
    assert [each.body for each in before.entries[1:]] == [each.body for each in source.entries[1 : at + 1]]
    calls = Asked()
    result = await api.run(workspace, journal, session, watch=calls)
    said = [f"{line.ask.id} {line.ask.seat}" for line in source.record.log if isinstance(line, Said)]
    assert sorted(calls.calls) == sorted(said[at:]), "what was said is reused, all else is asked"
    assert result.record.session.conclusion == source.record.session.conclusion
    assert problems_of(result, tmp_path) == []


async def test_a_fork_says_of_what_it_is_one(workspace: Workspace, journal: Journal) -> None:
    source = await debated(workspace, journal)
    session = await fork(workspace, journal, source.session, at=3)
    opening = (await api.load(workspace, journal, session)).record.opening
    assert opening.run["fork"] == {"of": source.session, "at": 3, "head": source.entries[3].hash}
    assert (opening.session, opening.title, opening.seed) == (session, source.record.opening.title, 5)
    assert (opening.material, opening.briefs) == (source.record.opening.material, source.record.opening.briefs)
    assert (await api.load(workspace, journal, source.session)).entries == source.entries, "the other one is as it was"
    assert source.record.opening.run.get("fork") is None


@pytest.mark.parametrize("at", [0, 1, 4, 9])
async def test_a_list_shows_where_a_fork_stands(at: int, workspace: Workspace, journal: Journal) -> None:
    source = await debated(workspace, journal)
    session = await fork(workspace, journal, source.session, at=at, title="Another way")
    record = (await api.load(workspace, journal, session)).record
    found = await listed(journal, session)
    assert (found.last, found.title, found.protocol) == (at, "Another way", "debate")
    assert found.status.phase == record.session.phase.name
    assert found.status.round == record.protocol.round(record.session.state)
    assert found.status.waiting == ""


async def test_a_fork_in_the_middle_of_a_phase_asks_what_is_open_again(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    """One of two proposals is there; the other is asked for, of whoever sits there now."""
    source = await debated(workspace, journal)
    words = script(every={"propose": {"reasoning": "It is new.", "text": "Use a tree."}})
    (tmp_path / "other.yaml").write_text(json.dumps(words))
    (tmp_path / "other.json").write_text(json.dumps({"script": "other.yaml"}))
    session = await fork(workspace, journal, source.session, at=1, panel=tmp_path / "other.json")
    result = await api.run(workspace, journal, session)
    proposals = [line for line in result.record.log if isinstance(line, Said) and line.ask.brief == "propose"][:2]
    assert [line.envelope.model for line in proposals] == ["script:script.yaml", "script:other.yaml"]
    assert "Use a tree." in repr(proposals[1].reply)
    assert set(result.record.opening.panel.values()) == {"script:other.yaml", "person"}
    assert problems_of(result, tmp_path) == []


async def test_a_fork_of_a_fork(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    source = await debated(workspace, journal)
    first = await fork(workspace, journal, source.session, at=6)
    await api.run(workspace, journal, first)
    second = await fork(workspace, journal, first, at=4, settings={"rounds": 1})
    result = await api.run(workspace, journal, second)
    assert result.record.opening.run["fork"]["of"] == first
    assert [each.body for each in result.entries[1:5]] == [each.body for each in source.entries[1:5]]
    assert result.record.opening.settings["rounds"] == 1
    assert problems_of(result, tmp_path) == []


async def test_a_person_takes_a_seat_in_a_fork(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    source = await debated(workspace, journal)
    panel = tmp_path / "with-me.yaml"
    panel.write_text(json.dumps({"script": "script.yaml", "seats": {"judge": "person"}}))
    last = len(source.entries) - 2
    session = await fork(workspace, journal, source.session, at=last, panel=panel)
    assert (await listed(journal, session)).status.waiting == "judge"
    result = await api.run(workspace, journal, session)
    assert [ask.seat for ask in result.waiting] == ["judge"]


async def test_the_past_of_a_session_under_way_can_be_forked_and_an_interruption_too(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    source = await debated(workspace, journal)
    session = await fork(workspace, journal, source.session, at=2)
    stopped = await api.interrupt(workspace, journal, session, Reason.CANCELLED, "enough")
    again = await fork(workspace, journal, session, at=len(stopped.entries) - 1)
    result = await api.load(workspace, journal, again)
    assert result.record.session.conclusion == stopped.record.session.conclusion
    assert (await listed(journal, again)).status.verdict == "ABORTED"
    assert problems_of(result, tmp_path) == []
    goes_on = await fork(workspace, journal, session, at=2)
    assert (await api.run(workspace, journal, goes_on)).exit_code == 0


# Other settings


async def test_fewer_rounds_from_an_entry_on(workspace: Workspace, journal: Journal) -> None:
    source = await debated(workspace, journal)
    session = await fork(workspace, journal, source.session, at=6, settings={"rounds": 1})
    calls = Asked()
    result = await api.run(workspace, journal, session, watch=calls)
    assert [call.split()[1] for call in calls.calls] == ["judge"], "after one round the judge is asked"
    assert result.record.opening.settings == {**source.record.opening.settings, "rounds": 1}


async def test_settings_of_a_group_are_changed_one_by_one(workspace: Workspace, journal: Journal) -> None:
    source = await debated(workspace, journal)
    given = {"termination_condition": {"threshold": 70}}
    session = await fork(workspace, journal, source.session, at=0, settings=given)
    found = (await api.load(workspace, journal, session)).record.opening.settings["termination_condition"]
    assert found == {**source.record.opening.settings["termination_condition"], "threshold": 70}


async def test_where_settings_make_the_past_impossible_the_entry_is_named(
    workspace: Workspace, journal: Journal
) -> None:
    """In one round the judge is asked after entry 6, where the debate went on with summaries and critiques."""
    source = await debated(workspace, journal)
    count = len(await journal.sessions())
    with pytest.raises(RuleViolation) as refused:
        await fork(workspace, journal, source.session, at=8, settings={"rounds": 1})
    assert str(refused.value).startswith(f"entry 7 of {source.session} does not fit these settings: ")
    assert str(refused.value).endswith("; fork at entry 6 or earlier")
    assert len(await journal.sessions()) == count, "nothing was opened"
    await fork(workspace, journal, source.session, at=6, settings={"rounds": 1})


async def test_a_reply_is_no_answer_of_another_seat(workspace: Workspace, journal: Journal) -> None:
    source = await debated(workspace, journal)
    given = {"agents": ["security", "architect"]}
    with pytest.raises(RuleViolation, match=r"entry 1 .*: ask \d+\.\d was for (\w+), and would be for (?!\1)\w+; "):
        await fork(workspace, journal, source.session, at=1, settings=given)
    await fork(workspace, journal, source.session, at=0, settings=given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"settings": {"rouns": 1}}, "settings.rouns: unknown setting; expected .*; did you mean 'rounds'"),
        ({"settings": {"rounds": 0}}, "settings.rounds: is 0; expected a whole number from 1 to 100"),
        ({"settings": {"termination_condition": {"type": "x"}}}, "settings.termination_condition.type: "),
        ({"settings": []}, "settings: "),
        ({"budget": {"tokens": -1}}, "budget.tokens: is -1"),
        ({"budget": {"token": 1}}, "budget.token: unknown setting"),
        ({"settings": {"agents": ["architect", "nobody-known"]}}, "nobody-known"),
    ],
)
async def test_bad_settings_are_named(
    given: Mapping[str, Any], words: str, workspace: Workspace, journal: Journal
) -> None:
    source = await debated(workspace, journal)
    with pytest.raises(SettingError, match=words):
        await fork(workspace, journal, source.session, at=0, **given)
    assert len(await journal.sessions()) == 1


@pytest.mark.parametrize("at", [-1, 10_000, True])
async def test_an_entry_that_is_not_there(at: int, workspace: Workspace, journal: Journal) -> None:
    source = await debated(workspace, journal)
    with pytest.raises(InputError, match=rf"at: session .* has no entry .*; expected 0 to {len(source.entries) - 1}"):
        await fork(workspace, journal, source.session, at=at)


async def test_what_the_past_cost_counts_against_the_budget(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    source = await debated(workspace, journal)
    spent = sum(each.tokens_in + each.tokens_out for each in source.record.envelopes[:4])
    poor = await fork(workspace, journal, source.session, at=4, budget={"tokens": spent + 1})
    result = await api.run(workspace, journal, poor)
    assert result.record.opening.run["budget"]["tokens"] == spent + 1
    conclusion = result.record.session.conclusion
    assert conclusion is not None
    assert conclusion.interrupted is Reason.BUDGET
    rich = await fork(workspace, journal, poor, at=4, budget={"tokens": 10**9})
    result = await api.run(workspace, journal, rich)
    assert result.record.session.conclusion == source.record.session.conclusion
    kept = await fork(workspace, journal, rich, at=4, budget={"seconds": 100})
    opening = (await api.load(workspace, journal, kept)).record.opening
    assert opening.run["budget"] == {"tokens": 10**9, "cents": None, "seconds": 100}, "one by one"


# Protocols with seats that code holds


async def test_a_review_is_decided_anew_without_a_call(tmp_path: Path) -> None:
    """A finding of medium severity blocks, or is a note where only high ones block."""
    project = Project(tmp_path)
    project.change()
    panel = project.panel(replies(operations_sre={"ballot": ballot(items=[item("medium")])}))
    workspace = find_workspace(project.folder, {}, store="memory:", sets=("review.confirm_items=false",))
    journal = workspace.open()
    opened = await open_review(workspace, journal, Branch("main"), folder=project.folder, panel=panel, seed=3)
    source = await api.run(workspace, journal, opened.session)
    assert source.exit_code == 1
    last = len(source.entries) - 1
    session = await fork(workspace, journal, source.session, at=last, settings={"blocking_severity": "high"})
    calls = Asked()
    result = await api.run(workspace, journal, session, watch=calls)
    assert calls.calls == []
    assert (await listed(journal, session)).status.verdict == "APPROVED"
    assert result.exit_code == 0
    assert len(result.entries) == len(source.entries)
    assert problems_of(result, tmp_path) == []


async def test_the_checks_of_a_review_work_in_a_fork_and_the_ledger_is_left_alone(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.change()
    panel = project.panel(replies(operations_sre={"ballot": ballot(items=[item("high")])}))
    workspace = find_workspace(project.folder, {}, store="memory:")
    journal = workspace.open()
    opened = await open_review(workspace, journal, Branch("main"), folder=project.folder, panel=panel, seed=3)
    source = await api.run(workspace, journal, opened.session)
    session = await fork(workspace, journal, source.session, at=0)
    result = await api.run(workspace, journal, session)
    assert result.record.opening.panel["checks"] == source.record.opening.panel["checks"]
    first = result.record.log[0:4]
    assert any(isinstance(line, Said) and line.ask.seat == "checks" for line in first), "they have examined it again"
    assert result.record.session.conclusion == source.record.session.conclusion
    assert finish(workspace, result).changes is None
    assert finish(workspace, source).changes is not None, "the review itself is settled"


async def test_the_gates_of_a_council_work_in_a_fork(tmp_path: Path) -> None:
    draft = Drafted(tmp_path)
    (tmp_path / "quorate.yaml").write_text("panel: panel.yaml\n")
    workspace = find_workspace(tmp_path, {}, store="memory:")
    journal = workspace.open()
    convened = await open_council(workspace, journal, Sources(draft.rfc), depth="COUNCIL", seed="42")
    source = await api.run(workspace, journal, convened.session)
    assert source.record.session.conclusion is not None
    session = await fork(workspace, journal, source.session, at=0)
    result = await api.run(workspace, journal, session)
    assert result.record.session.conclusion == source.record.session.conclusion
    assert [line.reply for line in result.record.log if isinstance(line, Said) and line.ask.seat == "gates"] == [
        line.reply for line in source.record.log if isinstance(line, Said) and line.ask.seat == "gates"
    ]
    assert problems_of(result, tmp_path) == []


async def test_a_ruling_is_a_part_of_the_past_or_is_not(tmp_path: Path) -> None:
    """A lone BLOCKER that nobody refutes waits for a person; before the ruling the fork waits for one again."""
    draft = Drafted(tmp_path)
    draft.panel(council_replies(every={**answers("DISPUTE"), **votes("OPPOSE")}, SA_1={**reviews(raised("BLOCKER"))}))
    (tmp_path / "quorate.yaml").write_text("panel: panel.yaml\n")
    workspace = find_workspace(tmp_path, {}, store="memory:")
    journal = workspace.open()
    convened = await open_council(workspace, journal, Sources(draft.rfc), depth="COUNCIL", seed="42")
    await api.run(workspace, journal, convened.session)
    ruled = await api.adjudicate(workspace, journal, convened.session, "rejected", "Ada", "It stands.")
    last = len(ruled.entries) - 1
    after = await listed(journal, await fork(workspace, journal, ruled.session, at=last))
    before = await listed(journal, await fork(workspace, journal, ruled.session, at=last - 1))
    assert after.status == Status("DEADLOCKED", after.status.round, "NEEDS_ADJUDICATION", "", "REJECTED")
    assert (before.status.verdict, before.status.waiting) == ("NEEDS_ADJUDICATION", "a ruling")
    assert after.status == (await listed(journal, ruled.session)).status
    assert problems_of(await api.load(workspace, journal, after.id), tmp_path) == []


async def test_a_fork_of_a_workshop_leaves_its_documents_to_the_other_session(tmp_path: Path) -> None:
    made = ("REQ", artifact("REQ", "Entries are kept", supported_by=["P1", "P2"]))
    words = workshop_script(
        [question("T1"), question("T2"), question("T1")],
        [synthesis("specs", made, covered=["K1"]), synthesis("specs", covered=["K1"]), synthesis("specs")],
    )
    Workshops(tmp_path).says(words).brings(AGENDA)
    workspace = find_workspace(tmp_path, {}, store="memory:")
    journal = workspace.open()
    held = await open_workshop(
        workspace,
        journal,
        str(tmp_path / "agenda.yaml"),
        "An audit log",
        participants="software-architect,technical-lead",
        strategy="standard",
        documents=tmp_path / "documents",
        export=tmp_path / "sessions",
    )
    source = await api.run(workspace, journal, held.session)
    left = finish(workspace, source)
    assert left.problems == ()
    assert any(each.path.parent == tmp_path / "documents" for each in left.written)
    before = {path: path.read_text() for path in (tmp_path / "documents").rglob("*") if path.is_file()}
    session = await fork(workspace, journal, source.session, at=4)
    result = await api.run(workspace, journal, session)
    assert result.record.session.conclusion is not None
    left = finish(workspace, result)
    assert left.problems == ()
    assert {path: path.read_text() for path in (tmp_path / "documents").rglob("*") if path.is_file()} == before
    exported = tmp_path / "sessions" / f"{session}.yaml"
    assert exported in {each.path for each in left.written}
    assert check_file(exported).holds, [str(each) for each in check_file(exported).problems]


# Who was not at the table


async def test_a_fork_may_seat_whom_the_other_session_did_not_have(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    """The role's brief is the package's, or the project's own; what both sessions need is as the first one had it."""
    source = await debated(workspace, journal)
    own = tmp_path / ".quorate" / "briefs" / "roles"
    own.mkdir(parents=True)
    (own / "gardener.md").write_text("# Gardener\n\nYou prune.")
    (own / "security.md").write_text("# Security\n\nAnother text.")
    (own.parent / "preamble.md").write_text("Another preamble.")
    agents = ["architect", "security", "performance", "gardener"]
    session = await fork(workspace, journal, source.session, at=0, settings={"agents": agents})
    result = await api.run(workspace, journal, session)
    before, after = source.record.opening.briefs, result.record.opening.briefs
    assert after.keys() - before.keys() == {"roles/performance", "roles/gardener"}
    assert {name: after[name] for name in before} == before
    assert "You prune." in result.record.protocol.briefs["roles/gardener"]
    assert result.record.session.conclusion is not None
    assert problems_of(result, tmp_path) == []


@pytest.mark.parametrize("at", ["1", 1.0, None, True, -1, 10_000])
async def test_an_entry_that_is_none(at: Any, workspace: Workspace, journal: Journal) -> None:
    source = await debated(workspace, journal)
    with pytest.raises(InputError, match="has no entry") as error:
        await fork(workspace, journal, source.session, at=at)
    assert error.value.key == "at"


async def test_a_long_past_holds_nobody_up(tmp_path: Path) -> None:
    """Others in this process have their turn while it is folded, for the fork and for whoever loads it."""
    Shell(tmp_path).write(
        script(), {**CONFIG, "debate": {"agents": ["architect", "security", "performance"], "rounds": 20}}
    )
    workspace = find_workspace(tmp_path, {}, store="memory:")
    journal = workspace.open()
    source = await debated(workspace, journal)
    last, turns = len(source.entries) - 1, 0
    assert last > AT_ONCE

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    others = asyncio.create_task(other())
    await asyncio.sleep(0)
    seen = turns
    await api.load(workspace, journal, source.session)
    assert turns > seen + 3
    seen = turns
    made = await fork(workspace, journal, source.session, at=last)
    assert turns > seen + 6
    others.cancel()
    assert len(await journal.entries(made)) == last + 1
