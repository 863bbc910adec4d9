"""Edits in the scratch copy: all or none, in what was read and nowhere else, with secrets kept hidden (C38)."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from quorate.core.forms import Key, Prose
from quorate.protocols.council.rules.forms import Edit
from quorate.protocols.council.world.gates.scratch import Refused, Scratch, Sources
from tests.protocols.council.world.gates import small_rfc
from tests.support.drawn_secrets import drawn

TOKEN = "ghp_" + drawn(36, seed=7)
SECOND = "ghp_" + drawn(36, seed=8)
EXPORTER = "tickets/TCK-00001.yaml"


def edit(place: str, find: str, replacement: str) -> Edit:
    return Edit(Key("F1"), Key(place), Prose(find), Prose(replacement))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_rfc.write(tmp_path / "RFC-0001")


@pytest.fixture
def scratch(folder: Path) -> Iterator[Scratch]:
    sources = Sources(folder)
    with Scratch(sources, sources.read()) as copy:
        yield copy


def made(scratch: Scratch, *edits: Edit) -> str:
    """Make edits, and return the difference."""
    scratch.write(scratch.edited(edits, scratch.read()))
    return scratch.diff(scratch.read())


def refused(scratch: Scratch, *edits: Edit) -> str:
    with pytest.raises(Refused) as caught:
        scratch.edited(edits, scratch.read())
    return str(caught.value)


def test_an_edit_replaces_what_stands_there_once(scratch: Scratch) -> None:
    diff = made(scratch, edit("T1", "details: It writes one JSON file for each project.", "details: It writes YAML."))
    assert scratch.read().tickets[0].steps[0] == "Write the exporter\nIt writes YAML."
    changed = [line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == [
        "-      details: It writes one JSON file for each project.",
        "+      details: It writes YAML.",
    ]


def test_the_difference_is_one_that_git_applies(folder: Path, scratch: Scratch) -> None:
    diff = made(
        scratch,
        edit("T1", "status: READY", "status: BLOCKED"),
        edit("T2", "notes: Nothing more.\n", "notes: no end"),
        edit("R00", "", "extra: true"),
    )
    run = subprocess.run(["git", "apply", "-"], cwd=folder, input=diff, text=True, capture_output=True, check=False)
    assert run.stderr == ""
    assert (folder / EXPORTER).read_text(encoding="utf-8") == scratch.text(EXPORTER)
    assert (folder / "tickets/TCK-00002.yaml").read_text(encoding="utf-8").endswith("notes: no end")
    assert (folder / "00_meta.yaml").read_text(encoding="utf-8").endswith("extra: true\n")


@pytest.mark.parametrize(
    ("place", "find", "replacement", "why"),
    [
        ("T1", "no such text", "x", "the text to find is not in T1"),
        ("T1", "pytest  tests/", "x", "the text to find is not in T1"),
        ("T1", "pytest", "x", "the text to find occurs more than once in T1"),
        ("T1", "aa", "aa", "T1 changes nothing"),
        ("T1", "", "", "T1 changes nothing"),
        ("T9", "status", "x", "T9 is not one of the files"),
        ("RFC", "status", "x", "RFC is not one of the files"),
        ("F1", "", "x", "F1 is not one of the files"),
        ("../../etc/passwd", "", "x", "is not one of the files"),
        ("T1", "status: READY", "status: [", "can no longer be read"),
        ("T1", "status: READY", "status: \x00", "can no longer be read"),
        ("T1", "status: READY", "status: \ud800", "cannot be written"),
        ("T1", "", "\t- x", "can no longer be read"),
        ("T1", "", "ticket: {}", "can no longer be read"),
    ],
)
def test_an_edit_that_does_not_apply_is_refused(
    scratch: Scratch, place: str, find: str, replacement: str, why: str
) -> None:
    assert why in refused(scratch, edit(place, find, replacement))


def test_overlapping_occurrences_count_as_several(folder: Path) -> None:
    path = folder / EXPORTER
    path.write_text(path.read_text(encoding="utf-8").replace("Nothing more.", "ababa"), encoding="utf-8")
    sources = Sources(folder)
    with Scratch(sources, sources.read()) as scratch:
        assert "more than once" in refused(scratch, edit("T1", "aba", "x"))


def test_edits_apply_all_or_none(scratch: Scratch) -> None:
    before = scratch.text(EXPORTER)
    refused(scratch, edit("T1", "status: READY", "status: DONE"), edit("T2", "no such text", "x"))
    assert scratch.text(EXPORTER) == before
    assert scratch.diff(scratch.read()) == ""


def test_later_edits_see_what_earlier_ones_made(scratch: Scratch) -> None:
    made(scratch, edit("T1", "status: READY", "status: DRAFT"), edit("T1", "status: DRAFT", "status: DONE"))
    assert scratch.read().tickets[0].status == "DONE"


def test_what_is_written_back_leaves_no_difference(scratch: Scratch) -> None:
    before = scratch.write(scratch.edited([edit("T1", "status: READY", "status: DONE")], scratch.read()))
    assert scratch.read().tickets[0].status == "DONE"
    scratch.write(before)
    assert scratch.read().tickets[0].status == "READY"
    assert scratch.diff(scratch.read()) == ""


def test_a_ticket_of_the_decomposition_is_edited_in_its_entry(scratch: Scratch) -> None:
    """`status: READY` stands in the file twice, and once in each ticket."""
    diff = made(
        scratch,
        edit("T4", "status: READY", "status: BLOCKED"),
        edit("T4", "- Read the limit from the settings", "- Take the limit from the settings"),
        edit("T3", "", "      ccp_component: COMP-CORE"),
    )
    third, fourth = scratch.read().tickets[2:]
    assert (third.status, third.component) == ("READY", "COMP-CORE")
    assert (fourth.status, fourth.steps[0], fourth.component) == ("BLOCKED", "Take the limit from the settings", "")
    assert diff.count("--- a/06_ticket_decomposition.yaml") == 1
    made(scratch, edit("T4", "status: BLOCKED", "status: DONE"))
    assert scratch.read().tickets[3].status == "DONE"


def test_keys_are_those_that_the_seats_were_shown(scratch: Scratch) -> None:
    """A ticket that is taken out shifts the keys of those behind it; the edits go on to name the keys as shown."""
    whole = scratch.text(EXPORTER)
    assert whole is not None
    diff = made(scratch, edit("T1", whole, ""))
    assert "+++ /dev/null\n" in diff
    assert [ticket.id for ticket in scratch.read().tickets] == ["TCK-00002", "TCK-00003", "TCK-00004"]
    made(scratch, edit("T4", "status: READY", "status: DONE"))
    assert [ticket.status for ticket in scratch.read().tickets] == ["READY", "READY", "DONE"]


def test_a_document_that_is_missing_can_be_added(folder: Path) -> None:
    (folder / "03_trust_boundaries.yaml").unlink()
    sources = Sources(folder)
    with Scratch(sources, sources.read()) as scratch:
        assert len(scratch.read().flaws) == 1
        assert "is not one of the files" in refused(scratch, edit("R03", "x", "y"))
        diff = made(scratch, edit("R03", "", "rfc_trust_boundaries:\n  boundaries: []\n"))
        assert scratch.read().flaws == ()
    assert diff.startswith("--- /dev/null\n+++ b/03_trust_boundaries.yaml\n")


def test_ends_of_lines_stay_what_they_are(folder: Path) -> None:
    path = folder / EXPORTER
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    sources = Sources(folder)
    with Scratch(sources, sources.read()) as scratch:
        made(scratch, edit("T1", "  status: READY\n  rfc_id: RFC-0001\n", "  status: DONE\n  rfc_id: RFC-0001\n"))
        text = scratch.text(EXPORTER)
    assert text is not None
    assert "status: DONE\r\n" in text
    assert text.count("\n") == text.count("\r\n") == path.read_bytes().count(b"\n")


# Secrets


@pytest.fixture
def with_secret(folder: Path) -> Iterator[Scratch]:
    for name, token in ((EXPORTER, TOKEN), ("tickets/TCK-00002.yaml", SECOND)):
        path = folder / name
        text = path.read_text(encoding="utf-8").replace("Nothing more.", f"use {token} for it")
        path.write_text(text, encoding="utf-8")
    sources = Sources(folder)
    with Scratch(sources, sources.read()) as copy:
        yield copy


def test_masked_text_is_found_and_the_secret_is_put_back(with_secret: Scratch) -> None:
    diff = made(with_secret, edit("T1", "use [masked secret 1] for it", "[masked secret 1] is for tests"))
    text = with_secret.text(EXPORTER)
    assert text is not None
    assert f"notes: {TOKEN} is for tests\n" in text.replace("'", "").replace('"', "")
    assert TOKEN not in diff
    assert "+notes: [masked secret 1] is for tests\n" in diff


def test_a_secret_can_be_taken_out(with_secret: Scratch) -> None:
    diff = made(with_secret, edit("T1", "use [masked secret 1] for it", "ask the vault"))
    assert TOKEN not in (with_secret.text(EXPORTER) or TOKEN)
    assert TOKEN not in diff
    assert SECOND not in diff


@pytest.mark.parametrize(
    ("find", "replacement"),
    [
        ("use [masked secret 1] for it", "use [masked secret 2] for it"),
        ("use [masked secret 1] for it", "[masked secret 1][masked secret 1]"),
        ("secret 1]", "secret 2]"),
        ("", "more: '[masked secret 1]'"),
        ("use [masked secret 1] for it", "use [masked secret 77] for it"),
        ("use [masked secret 1] for it", "use [masked token] for it"),
        ("use [masked secret 1] for it", "use [Masked] for it"),
        ("status: READY", "status: '[masked secret]'"),
    ],
)
def test_no_mask_is_introduced_that_was_not_there(with_secret: Scratch, find: str, replacement: str) -> None:
    assert "an edit may not add the mask" in refused(with_secret, edit("T1", find, replacement))


def test_a_secret_that_an_edit_brings_is_masked_in_the_difference(scratch: Scratch) -> None:
    diff = made(scratch, edit("T1", "Nothing more.", f"use {TOKEN}"))
    assert TOKEN not in diff
    assert "+notes: use [masked secret 1]\n" in diff


def test_text_that_reads_like_a_mask_is_left_alone(folder: Path) -> None:
    path = folder / EXPORTER
    path.write_text(path.read_text(encoding="utf-8").replace("Nothing more.", '"[masked secret 5]"'), encoding="utf-8")
    sources = Sources(folder)
    with Scratch(sources, sources.read()) as scratch:
        made(scratch, edit("T1", "status: READY", "status: DONE"))
        assert 'notes: "[masked secret 5]"\n' in (scratch.text(EXPORTER) or "")
