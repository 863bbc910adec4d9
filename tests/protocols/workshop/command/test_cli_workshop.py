"""`quorate workshop` as a user runs it: whole workshops, documents and their merging, the session file, bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from quorate.protocols.workshop.rules.workflows import ROSTERS, agenda
from tests.cli.shell import Ran, lines, session_of
from tests.cli.workshops import (
    AGENDA,
    RESPONSE,
    TWO,
    Workshops,
    disputed,
    item,
    question,
    script,
    synthesis,
    whole,
)

pytestmark = pytest.mark.xdist_group("workshops-held")
DOCUMENTS = {"specs": "requirements.md", "design": "architecture.md", "brainstorm": "summary.md"}
ENDINGS = {"specs": (18, "REQ-001"), "design": (15, "ARCH-001"), "brainstorm": (3, "IDEA-001")}


@pytest.fixture
def workshops(tmp_path: Path) -> Workshops:
    return Workshops(tmp_path).says(agreed()).brings(AGENDA)


def agreed() -> dict[str, Any]:
    """A script for AGENDA in which the two agree at once."""
    made = ("REQ", item("REQ", "Entries are kept for ninety days", supported_by=["P1", "P2"]))
    return script(
        [question("T1"), question("T2"), question("T1")],
        [synthesis("specs", made, covered=["K1"]), synthesis("specs", covered=["K1"]), synthesis("specs")],
    )


def hold(workshops: Workshops, *words: str) -> Ran:
    """Hold the small workshop on AGENDA."""
    return workshops.hold("agenda.yaml", *TWO, *words)


def sessions(workshops: Workshops) -> list[Any]:
    listed: list[Any] = workshops.shell.call("list", "--json").json()
    return listed


# Whole workshops


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Workshops, Ran]]:
    """Whole workshops on the built-in agendas, held once each."""

    @cache
    def held(workflow: str) -> tuple[Workshops, Ran]:
        workshops = Workshops(tmp_path_factory.mktemp(workflow)).says(whole(workflow))
        return workshops, workshops.hold(workflow, "--documents", "docs", "--export", "sessions")

    return held


Finished = Callable[[str], tuple[Workshops, Ran]]


@pytest.mark.parametrize("workflow", list(DOCUMENTS))
def test_a_whole_workshop_ends_complete_and_leaves_documents_and_a_session_file_that_holds(
    finished: Finished, workflow: str
) -> None:
    """W21, W22, W26: every topic of the built-in agenda is closed, and `quorate check` finds nothing in the export."""
    workshops, ran = finished(workflow)
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[-1] == "Verdict: COMPLETE"
    rounds, made = ENDINGS[workflow]
    assert f"{rounds} rounds" in ran.out
    assert f"wrote docs/{DOCUMENTS[workflow]}" in ran.err.splitlines()
    text = workshops.read(f"docs/{DOCUMENTS[workflow]}")
    assert made in text
    assert session_of(ran) in text
    file = f"sessions/{session_of(ran)}.yaml"
    checked = workshops.shell.call("check", file, "--json")
    assert checked.code == 0, checked.out
    found = checked.json()
    assert (found["verdict"], found["problems"]) == ("pass", [])
    seats = len(ROSTERS[workflow])
    assert found["dumps"] == rounds * (seats + 2), "a question, everybody's answer and a synthesis for every round"


def test_a_design_leaves_a_record_of_each_decision(finished: Finished) -> None:
    workshops, ran = finished("design")
    made = sorted(path.name for path in (workshops.folder / "docs/decisions").iterdir())
    assert [name[:5] for name in made] == ["0001-", "0002-", "0003-"]
    assert all(lines(ran.err, [f"wrote docs/decisions/{name}"]) for name in made)


def test_a_vote_is_exported_with_its_stances_and_with_what_was_shown(finished: Finished) -> None:
    """W30: what was said at convergence stands in the file."""
    workshops, ran = finished("specs")
    name = session_of(ran)
    assert "stance: SUPPORT" in workshops.read(f"sessions/{name}.yaml")
    dumped = workshops.read(f"sessions/{name}/rounds/003-02-qa-lead.yaml")
    assert "stance: SUPPORT" in dumped
    assert "What about T1?" in dumped


def test_a_person_is_told_beforehand_what_is_held_how_and_by_whom(tmp_path: Path) -> None:
    workshops = Workshops(tmp_path).says(whole("design"))
    sides = ("--pro", "technical-lead", "--con", "devops-engineer,security-champion")
    ran = workshops.hold("design", *sides, "--set", "min_rounds=1", "--set", "max_rounds=2")
    assert lines(ran.err, ["workshop", "design"])
    assert lines(ran.err, ["strategy", "debate: the workflow design has it so"])
    assert lines(ran.err, ["opening, rebuttal, closing"])
    on = {"technical-lead": "pro", "devops-engineer": "con", "security-champion": "con"}
    for seat in ROSTERS["design"]:
        assert lines(ran.err, [f" {seat} ", on.get(seat, "observer")])
    for topic in agenda("design")["topics"]:
        (told,) = lines(ran.err.partition("rounds ")[0], [topic["name"]])
        assert ("required" in told) == topic["critical"]
    assert lines(ran.err, ["rounds", "1 to 2"])
    assert lines(ran.err, ["note", "5 topics of 3 rounds each take 15 rounds; max_rounds is 2"])


@pytest.mark.parametrize(
    ("words", "topic", "strategy", "why"),
    [
        ((), "Compare two stores", "debate", "the topic says 'compare'"),
        ((), "An audit log", "standard", "no word of the topic suggests another"),
        (("--strategy", "disney"), "Compare two stores", "disney", "as asked for"),
        (("--set", "strategy=six-hats"), "Compare two stores", "six-hats", "as the settings say"),
    ],
)
def test_the_strategy_of_an_own_agenda_is_given_set_or_suggested(
    workshops: Workshops, words: tuple[str, ...], topic: str, strategy: str, why: str
) -> None:
    """W32: the option, then the setting, then the words of the topic; and it is said which."""
    ran = workshops.hold("agenda.yaml", *TWO[:2], *words, topic=topic)
    assert lines(ran.err, ["strategy", f"{strategy}: {why}"])


def test_a_plus_adds_to_the_roster_and_names_alone_replace_it(tmp_path: Path) -> None:
    """W3."""
    workshops = Workshops(tmp_path).says(whole("brainstorm"))
    added = workshops.hold("brainstorm", "--participants", "+ux-researcher", "--json").json()
    assert added["result"]["participants"] == [*ROSTERS["brainstorm"], "ux-researcher"]
    named = workshops.hold("brainstorm", "--participants", "qa-lead, ux-researcher", "--json").json()
    assert named["result"]["participants"] == ["qa-lead", "ux-researcher"]


def test_another_agenda_for_a_built_in_kind_keeps_its_workflow_and_its_strategy(workshops: Workshops) -> None:
    other = {name: each for name, each in AGENDA.items() if name != "workflow"}
    workshops.brings(other, "other.yaml")
    ran = workshops.hold("specs", "--agenda", "other.yaml", "--json")
    assert lines(ran.err, ["strategy", "consensus-driven: the workflow specs has it so"])
    found = ran.json()["result"]
    assert found["workflow"] == "specs"
    assert [topic["topic_id"] for topic in found["agenda"]] == ["retention", "access"]
    assert found["agenda"][1]["counts"] == ["REQ", "BR", "NFR", "EX"], "what counts is what the workflow makes"


def test_max_rounds_with_something_open_is_incomplete(workshops: Workshops) -> None:
    """W22, W26."""
    ran = hold(workshops, "--set", "min_rounds=1", "--set", "max_rounds=1")
    assert lines(ran.err, ["note", "2 topics take 2 rounds; max_rounds is 1"])
    assert ran.code == 1
    assert ran.out.splitlines()[-1] == "Verdict: INCOMPLETE"


def test_json_is_the_whole_result_and_quiet_is_one_word(workshops: Workshops) -> None:
    found = hold(workshops, "--json").json()
    assert found["verdict"] == "COMPLETE"
    assert [each["id"] for each in found["result"]["artifacts"]] == ["REQ-001"]
    quiet = hold(workshops, "--quiet", "--documents", "docs")
    assert (quiet.code, quiet.out, quiet.err) == (0, "DONE\n", "")
    assert "REQ-001" in workshops.read("docs/requirements.md")


def test_the_format_of_the_requirements_can_be_chosen(workshops: Workshops) -> None:
    texts = {}
    for name in ("srs", "volere", "simple"):
        assert hold(workshops, "--format", name, "--documents", name).code == 0
        texts[name] = workshops.read(f"{name}/requirements.md")
    assert len({text.replace("-", "")[200:] for text in texts.values()}) == 3
    assert "## 4. Functional requirements" in texts["srs"]


def test_without_a_folder_of_their_own_documents_go_beside_the_report(workshops: Workshops) -> None:
    ran = hold(workshops, "--out", "result")
    assert ran.code == 0, ran.err
    assert {"report.md", "bundle.json", "requirements.md"} <= {
        each.name for each in (workshops.folder / "result").iterdir()
    }
    assert workshops.shell.call("check", "result/bundle.json").code == 0


def test_a_secret_in_the_topic_reaches_nobody(workshops: Workshops) -> None:
    secret = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    workshops.hold("agenda.yaml", *TWO, topic=f"Rotate {secret}")
    shown = workshops.shell.call("report", "latest", "--format", "json").out
    assert secret not in shown
    assert "[masked secret]" in shown


# Documents that are there already


def test_an_existing_document_is_refused_before_anybody_is_asked(workshops: Workshops) -> None:
    (workshops.folder / "docs").mkdir()
    (workshops.folder / "docs/requirements.md").write_text("# Mine\n\nREQ-004 stays.\n")
    ran = hold(workshops, "--documents", "docs")
    assert ran.code == 65
    assert "docs/requirements.md: already exists; nothing was overwritten" in ran.err
    assert "another folder, or --merge" in ran.err
    assert sessions(workshops) == []
    assert workshops.read("docs/requirements.md") == "# Mine\n\nREQ-004 stays.\n"


def test_merging_numbers_on_says_what_became_of_what_and_loses_nothing(workshops: Workshops) -> None:
    (workshops.folder / "docs").mkdir()
    mine = b"\xef\xbb\xbf# Mine\r\n\r\nREQ-004 stays.\r\n"
    (workshops.folder / "docs/requirements.md").write_bytes(mine)
    ran = hold(workshops, "--documents", "docs", "--merge")
    assert ran.code == 0, ran.err
    assert lines(ran.err, ["merged into docs/requirements.md"])
    assert lines(ran.err, ["REQ-001 is REQ-005 there"])
    merged = (workshops.folder / "docs/requirements.md").read_bytes()
    assert merged.startswith(mine)
    assert b"REQ-005: Entries are kept for ninety days" in merged
    again = workshops.shell.call("resume", "latest")
    assert lines(again.err, ["there already: docs/requirements.md"])
    assert (workshops.folder / "docs/requirements.md").read_bytes() == merged, "merging twice changes nothing"


def test_a_file_that_appears_meanwhile_is_not_overwritten_and_the_session_is_kept(workshops: Workshops) -> None:
    assert hold(workshops, "--documents", "docs").code == 0
    workshops.folder.joinpath("docs/requirements.md").write_text("somebody's")
    ran = workshops.shell.call("resume", "latest")
    assert ran.code == 65
    assert "not all files were written" in ran.err
    assert "when that is fixed" in ran.err
    assert workshops.read("docs/requirements.md") == "somebody's"
    workshops.folder.joinpath("docs/requirements.md").unlink()
    assert workshops.shell.call("resume", "latest").code == 0
    assert "REQ-001" in workshops.read("docs/requirements.md")


def test_a_document_that_was_edited_since_is_left_alone(workshops: Workshops) -> None:
    assert hold(workshops, "--documents", "docs").code == 0
    edited = workshops.read("docs/requirements.md") + "\nApproved by Ada.\n"
    (workshops.folder / "docs/requirements.md").write_text(edited)
    again = workshops.shell.call("resume", "latest")
    assert again.code == 0, again.err
    assert lines(again.err, ["there already: docs/requirements.md"])
    assert workshops.read("docs/requirements.md") == edited


def test_a_link_is_not_written_through(workshops: Workshops) -> None:
    (workshops.folder / "docs").mkdir()
    (workshops.folder / "elsewhere").write_text("private\n")
    (workshops.folder / "docs/requirements.md").symlink_to("../elsewhere")
    ran = hold(workshops, "--documents", "docs", "--merge")
    assert ran.code == 65
    assert "is a link" in ran.err
    assert workshops.read("elsewhere") == "private\n"


# The session file


def test_two_sessions_are_exported_side_by_side(workshops: Workshops) -> None:
    names = [session_of(hold(workshops, "--export", "sessions")) for _ in range(2)]
    for name in names:
        ran = workshops.shell.call("check", f"sessions/{name}.yaml")
        assert ran.code == 0, ran.out


def test_a_session_file_that_somebody_changed_fails(workshops: Workshops) -> None:
    """STR-003, STR-005: whoever wrote it, the checks say what is wrong with it."""
    name = session_of(hold(workshops, "--export", "sessions"))
    file = workshops.folder / f"sessions/{name}.yaml"
    file.write_text(file.read_text().replace("REQ-001:", "REQ-007:"))
    ran = workshops.shell.call("check", str(file))
    assert ran.code == 1
    assert "STR-003" in ran.out


def test_a_folder_to_read_is_listed_to_everybody(workshops: Workshops) -> None:
    (workshops.folder / "src").mkdir()
    (workshops.folder / "src/orders.py").write_text("def change(order): ...\n")
    name = session_of(hold(workshops, "--context", "src", "--export", "sessions"))
    assert "orders.py" in workshops.read(f"sessions/{name}/rounds/001-02-technical-lead.yaml")
    assert workshops.shell.call("check", f"sessions/{name}.yaml").code == 0


# Bad input


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("spec", "T"), 64, "did you mean 'specs'"),
        (("missing.yaml", "T"), 65, "missing.yaml: cannot be read"),
        (("specs", " "), 64, "The topic is empty"),
        (("specs", "T", "--participants", "qa-leed,ux-researcher"), 64, "unknown role 'qa-leed'"),
        (("specs", "T", "--participants", "qa-leed,ux-researcher"), 64, "did you mean 'qa-lead'"),
        (("specs", "T", "--participants", "qa-lead"), 64, "two to eleven"),
        (("specs", "T", "--participants", "qa-lead,qa-lead"), 64, "twice"),
        (("specs", "T", "--participants", "qa-lead,,ux-researcher"), 64, "empty name"),
        (("specs", "T", "--participants", "facilitator,qa-lead"), 64, "every workshop has this seat already"),
        (("specs", "T", "--strategy", "debat"), 64, "did you mean 'debate'"),
        (("specs", "T", "--pro", "qa-lead"), 64, "has no sides"),
        (("design", "T", "--pro", "qa-lead"), 64, "participants: software-architect"),
        (("specs", "T", "--set", "min_rounds=30"), 64, "above max_rounds"),
        (("agenda.yaml", "T", "--agenda", "agenda.yaml"), 64, "is itself an agenda"),
        (("design", "T", "--agenda", "agenda.yaml"), 65, "is 'specs', but the workshop is 'design'"),
        (("specs", "T", "--merge"), 64, "no documents to merge into"),
        (("specs", "T", "--quiet", "--json"), 64, "give one"),
        (("specs", "T", "--format", "pdf"), 64, "srs"),
        (("specs", "T", "--documents", "panel.yaml"), 64, "cannot be made"),
        (("specs",), 64, "TOPIC"),
    ],
)
def test_bad_input_is_told_plainly_and_opens_no_session(
    workshops: Workshops, words: tuple[str, ...], code: int, says: str
) -> None:
    ran = workshops.shell.call("workshop", *words)
    assert (ran.code, ran.out) == (code, "")
    assert says in ran.err
    assert sessions(workshops) == []


def test_nobody_speaks_by_default(workshops: Workshops) -> None:
    (workshops.folder / "quorate.yaml").unlink()
    ran = workshops.hold("specs")
    assert ran.code == 64
    assert "no model or panel is set for the seats of the workshop" in ran.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("title: [", "agenda.yaml:1"),
        ("- a\n", "agenda.yaml:1: is a list; expected a mapping"),
        ("title: T\ntopics: []\n", "agenda.yaml:2: topics: has no topics"),
        ("title: T\ntopic: []\n", "did you mean 'topics'"),
        (json.dumps(AGENDA).replace('"minimum": 1', '"minimum": -1'), "topics[0].done_when.minimum: is -1"),
        (json.dumps(AGENDA).replace('"access"', '"retention"'), "is given a second time"),
        (json.dumps(AGENDA).replace('["REQ"]', '["IDEA"]'), "IDEA does not count in this workflow"),
        ("\0", "binary"),
    ],
)
def test_a_corrupted_agenda_is_an_error_with_its_place(workshops: Workshops, text: str, says: str) -> None:
    """W2: and nothing is opened, asked or written."""
    (workshops.folder / "agenda.yaml").write_text(text)
    ran = hold(workshops, "--documents", "docs")
    assert ran.code == 65, ran.err
    assert says in ran.err
    assert sessions(workshops) == []
    assert not (workshops.folder / "docs").exists()


def test_types_that_another_workflow_makes_are_refused_for_a_built_in_kind(workshops: Workshops) -> None:
    other = (
        json.dumps({**AGENDA, "workflow": "open"}).replace('"workflow": "open", ', "").replace('["REQ"]', '["IDEA"]')
    )
    (workshops.folder / "other.yaml").write_text(other)
    ran = workshops.hold("specs", "--agenda", "other.yaml")
    assert ran.code == 65
    assert "IDEA does not count in this workflow" in ran.err


def test_a_panel_that_takes_the_clerks_seat_is_refused(workshops: Workshops) -> None:
    """W1: what code proves on this seat nobody may claim."""
    words = script(question("T1"), synthesis("specs"), clerk={"read": {"critical": []}})
    ran = hold(workshops.says(words))
    assert ran.code == 65
    assert "is reserved for built-in checks" in ran.err


# What may go wrong on the way


def test_who_does_not_answer_is_named_and_the_rest_goes_on(workshops: Workshops) -> None:
    """W10, W35."""
    words = agreed()
    words["seats"]["technical-lead"] = {"respond": [{"absent": "timed_out"}, RESPONSE, RESPONSE]}
    words["seats"]["facilitator"]["synthesise"][0]["requirements"][0]["supported_by"] = ["P1"]
    ran = hold(workshops.says(words))
    assert ran.code == 0, ran.err
    last = ran.out.splitlines()[-1]
    assert last == "Verdict: COMPLETE (degraded within settings; absent at times: technical-lead timed_out)"


def test_two_lost_rounds_abort_with_documents_of_what_there_is(workshops: Workshops) -> None:
    """W13, W26."""
    words = agreed()
    words["seats"]["facilitator"]["synthesise"] = words["seats"]["facilitator"]["synthesise"][:1]
    ran = hold(workshops.says(words), "--documents", "docs")
    assert ran.code == 3
    assert "Verdict: ABORTED" in ran.out.splitlines()[-1]
    assert "REQ-001" in workshops.read("docs/requirements.md")


def test_unsure_about_a_required_topic_waits_for_a_person_at_49_and_not_at_50(workshops: Workshops) -> None:
    """W23."""
    for confidence, code in ((49, 4), (50, 0)):
        ran = hold(workshops.says(agreed_slowly(confidence)), "--no-input")
        assert ran.code == code, ran.err


def agreed_slowly(confidence: int) -> dict[str, Any]:
    """Nothing is made before the third round, in which everybody is this sure."""
    made = ("REQ", item("REQ", "Entries are kept", supported_by=["P1", "P2"]))
    empty = synthesis("specs")
    return script(
        [question("T1")] * 3 + [question("T2")],
        [empty, empty, synthesis("specs", made, covered=["K1"]), synthesis("specs", covered=["K1"])],
        [RESPONSE, RESPONSE, {**RESPONSE, "confidence": confidence}, RESPONSE],
    )


def test_a_conflict_that_does_not_get_settled_waits_for_a_person(workshops: Workshops) -> None:
    """W23, W24: in its third round."""
    ran = hold(workshops.says(disputed()), "--no-input")
    assert (ran.code, ran.out) == (4, "")
    assert lines(ran.err, ["PROCESSING/3 ESCALATE -> ESCALATION"])
    assert lines(ran.err, ["waiting for person (escalate"])
