"""The clerk's documents: they grow, once, and whatever hinders is told and harms nothing (T23, T25)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quorate.files.lock import locked
from quorate.protocols.roundtable.rules.forms import Appended, Kept, Written
from quorate.protocols.roundtable.world.elaboration.files import MOST_BYTES
from tests.protocols.roundtable.world.seats.elaborated import (
    AT,
    META,
    REQUIREMENTS,
    SESSION,
    additions,
    append,
    contents,
    document,
    keep,
    record,
    write,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "docs")


def results(reply: Appended) -> list[tuple[str, Written, int]]:
    return [(str(each.document), each.result, each.lines) for each in reply.documents]


# Documents


async def test_a_synthesis_is_added_to_its_section(folder: Path) -> None:
    reply = await append(folder, additions())
    assert results(reply) == [("D1", Written.ADDED, 9)]
    assert reply.documents[0].section.text == "Order export"
    text = (folder / "requirements.md").read_text()
    assert text.startswith(REQUIREMENTS)
    assert f"<!-- quorate roundtable 01-03 {AT} {SESSION}.1 -->" in text
    assert "- Exports of a year are large. [Maya/Alex]\n" in text
    assert sorted(contents(folder)) == ["meta.json", "requirements.md"], "no draft is left"


async def test_asked_twice_it_adds_once_and_says_the_same(folder: Path) -> None:
    first = await append(folder, additions())
    before = contents(folder)
    assert await append(folder, additions()) == first
    assert contents(folder) == before


async def test_later_elaborations_stack(folder: Path) -> None:
    for number in (1, 2, 3):
        reply = await append(folder, additions(elaboration=number))
        assert reply.documents[0].section.text == "Order export"
    text = (folder / "requirements.md").read_text()
    places = [text.index(f"{SESSION}.{number} -->") for number in (1, 2, 3)]
    assert places == sorted(places)
    assert text.startswith(REQUIREMENTS)


async def test_a_document_that_was_changed_since_is_added_to_as_it_is_now(folder: Path) -> None:
    changed = b"\xef\xbb\xbf# Mine\r\n\r\nOther words,\r\nno end"
    (folder / "requirements.md").write_bytes(changed)
    assert results(await append(folder, additions()))[0][1] is Written.ADDED
    now = (folder / "requirements.md").read_bytes()
    assert now.startswith(changed + b"\r\n\r\n<!-- quorate")
    assert now.count(b"\n") == now.count(b"\r\n")


async def test_rights_stay_as_they_were(folder: Path) -> None:
    for mode in (0o600, 0o664, 0o640):
        (folder / "requirements.md").chmod(mode)
        (folder / "meta.json").chmod(mode)
        await append(folder, additions(elaboration=mode))
        await keep(folder, record(elaboration=mode))
        assert (folder / "requirements.md").stat().st_mode & 0o7777 == mode
        assert (folder / "meta.json").stat().st_mode & 0o7777 == mode


async def test_one_document_that_fails_does_not_keep_the_others_from_growing(folder: Path) -> None:
    (folder / "binary.md").write_bytes(b"\0")
    (folder / "b.txt").write_text("Plain.\n")
    job = additions(document(), document("D2", "gone.md"), document("D3", "binary.md"), document("D4", "b.txt"))
    reply = await append(folder, job)
    assert [each[1] for each in results(reply)] == [Written.ADDED, Written.MISSING, Written.FAILED, Written.ADDED]
    assert reply.documents[1].section.text == "gone.md does not exist; nothing was added"
    assert (folder / "b.txt").read_text().startswith("Plain.\n\n<!-- quorate")


def _remove(path: Path) -> None:
    path.unlink()


def _as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _as_link_out(path: Path) -> None:
    other = path.parent.parent / "outside.md"
    other.write_text("outside")
    path.unlink()
    path.symlink_to(other)


def _as_link_to_nowhere(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere.md")


def _as_link_to_meta(path: Path) -> None:
    path.unlink()
    path.symlink_to("meta.json")


def _as_meta(path: Path) -> None:
    path.unlink()
    path.hardlink_to(path.parent / "meta.json")


def _as_link_to_another(path: Path) -> None:
    (path.parent / "package.json").write_text("{}")
    path.unlink()
    path.symlink_to("package.json")


def _nested(path: Path) -> None:
    path.write_text("\n".join("  " * depth + "- a" for depth in range(150)))


def _as_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _not_utf8(path: Path) -> None:
    path.write_bytes(b"caf\xe9")


def _too_large(path: Path) -> None:
    path.write_bytes(b"x" * (MOST_BYTES + 1))


def _almost_too_large(path: Path) -> None:
    path.write_bytes(b"x" * MOST_BYTES)


def _read_only(path: Path) -> None:
    path.chmod(0o444)


HINDRANCES = {
    "deleted": (_remove, Written.MISSING, "does not exist"),
    "a folder": (_as_folder, Written.FAILED, "is a folder"),
    "a link out": (_as_link_out, Written.FAILED, "leads out of the folder"),
    "a link to nowhere": (_as_link_to_nowhere, Written.FAILED, "is a broken link"),
    "a link to meta.json": (_as_link_to_meta, Written.FAILED, "is the same file as meta.json"),
    "meta.json by another name": (_as_meta, Written.FAILED, "is the same file as meta.json"),
    "a link to another file": (_as_link_to_another, Written.FAILED, "is a link to a file that is not a document"),
    "nested": (_nested, Written.FAILED, "would swallow the addition"),
    "a pipe": (_as_pipe, Written.FAILED, "is not a regular file"),
    "not UTF-8": (_not_utf8, Written.FAILED, "is not UTF-8 in line 1"),
    "too large": (_too_large, Written.FAILED, "has more than 262,144 bytes"),
    "almost too large": (_almost_too_large, Written.FAILED, "would have more than 262,144 bytes"),
    "read-only": (_read_only, Written.FAILED, "it is read-only"),
}


@pytest.mark.parametrize("name", HINDRANCES)
async def test_what_hinders_is_told_and_nothing_is_touched(folder: Path, name: str) -> None:
    hinder, result, says = HINDRANCES[name]
    hinder(folder / "requirements.md")
    before = contents(folder)
    reply = await append(folder, additions())
    assert results(reply) == [("D1", result, 0)]
    assert says in reply.documents[0].section.text
    assert contents(folder) == before
    assert [path.read_text() for path in folder.parent.glob("outside.md")] in ([], ["outside"])


async def test_a_link_inside_of_the_folder_is_followed_and_stays(folder: Path) -> None:
    (folder / "requirements.md").rename(folder / "real.md")
    (folder / "requirements.md").symlink_to("real.md")
    assert results(await append(folder, additions()))[0][1] is Written.ADDED
    assert (folder / "requirements.md").is_symlink()
    assert (folder / "real.md").read_text().startswith(REQUIREMENTS)


async def test_no_secret_of_a_heading_or_a_name_is_told(folder: Path) -> None:
    secret = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    (folder / "requirements.md").write_text(f"# Shop\n\n## Export with {secret}\n")
    job = additions(document(), document("D2", f"{secret}.md"))
    for _ in range(2):  # and when it is asked again
        reply = await append(folder, job)
        assert [each.result for each in reply.documents] == [Written.ADDED, Written.MISSING]
        assert reply.documents[0].section.text == "Export with [masked secret]"
        assert secret not in reply.documents[1].section.text
    assert f"## Export with {secret}\n" in (folder / "requirements.md").read_text()


async def test_elaborations_on_different_topics_never_tear_each_other(folder: Path) -> None:
    for number, topic in enumerate(("Order export", "Limits", "Colours", "Export of an order", "The limit"), start=1):
        job = additions(elaboration=number, step="", topic=topic)
        assert results(await append(folder, job))[0][1] is Written.ADDED
    lines = (folder / "requirements.md").read_text().splitlines()
    markers = [at for at, line in enumerate(lines) if line.startswith("<!-- quorate")]
    assert len(markers) == 5
    for at in markers:
        subject = lines[at].removeprefix("<!-- quorate roundtable ").partition(" 2026-")[0]
        assert lines[at + 2].lstrip("#") == f" Roundtable: {subject}"
        assert lines[at + 4].startswith("Participants: ")


@pytest.mark.parametrize("path", ["../outside.md", "/etc/hosts.md", "meta.json", "../docs/../outside.md", "a\0.md", ""])
async def test_no_path_leads_out_of_the_folder(folder: Path, path: str) -> None:
    outside = folder.parent / "outside.md"
    outside.write_text("outside")
    reply = await append(folder, additions(document(path=path)))
    assert results(reply)[0][1] in (Written.FAILED, Written.MISSING)
    assert outside.read_text() == "outside"
    assert (folder / "meta.json").read_text() == META


async def test_a_folder_that_is_gone_is_told_and_not_made_again(folder: Path) -> None:
    gone = folder.rename(folder.with_name("moved"))
    reply = await append(folder, additions())
    assert results(reply) == [("D1", Written.MISSING, 0)]
    kept = await keep(folder, record())
    assert kept.result is Kept.FAILED
    assert "no longer exists" in kept.detail.text
    assert not folder.exists()
    assert (gone / "requirements.md").read_text() == REQUIREMENTS


async def test_a_lock_that_stays_taken_is_told(folder: Path) -> None:
    before = contents(folder)
    with locked(folder):
        reply = await append(folder, additions(), patience=0.05)
        kept = await keep(folder, record(), patience=0.05)
    assert "being written by another process" in reply.documents[0].section.text
    assert (reply.documents[0].result, kept.result) == (Written.FAILED, Kept.FAILED)
    assert contents(folder) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
async def test_a_folder_that_may_not_be_written_is_told(folder: Path) -> None:
    folder.chmod(0o555)
    reply = await append(folder, additions())
    kept = await keep(folder, record())
    folder.chmod(0o755)
    assert (reply.documents[0].result, kept.result) == (Written.FAILED, Kept.FAILED)


async def test_a_draft_in_the_way_is_no_trap(folder: Path) -> None:
    """One that a dead process left is taken away; a link in its place is not followed."""
    victim = folder.parent / "victim"
    victim.write_text("precious")
    (folder / ".requirements.md.quorate-draft").symlink_to(victim)
    (folder / ".meta.json.quorate-draft").write_text("half a rec")
    assert results(await append(folder, additions()))[0][1] is Written.ADDED
    assert (await keep(folder, record())).result is Kept.WRITTEN
    assert victim.read_text() == "precious"
    assert sorted(contents(folder)) == ["meta.json", "requirements.md"]


async def test_markup_in_a_synthesis_forges_nothing(folder: Path) -> None:
    text = f"x -->\n<!-- quorate roundtable 01-03 {AT} {SESSION}.2 -->\n\n## Limits\n\nAll lifted."
    job = additions(document(insights=[{"text": text, "by": "[Maya]"}]), topic=text)
    assert results(await append(folder, job))[0][1] is Written.ADDED
    again = await append(folder, additions(elaboration=2))
    assert again.documents[0].result is Written.ADDED
    now = (folder / "requirements.md").read_text()
    assert now.count(f"\n<!-- quorate roundtable 01-03 {AT} {SESSION}.2 -->\n") == 1
    assert now.count("\n## Limits\n") == 1
