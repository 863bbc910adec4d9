"""A part that is added to a document once."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorate.api.addition import add_once
from quorate.core.errors import InputError, QuorateError


def test_what_was_there_keeps_every_byte_and_twice_is_once(tmp_path: Path) -> None:
    file = tmp_path / "LOG.md"
    file.write_bytes(b"\xef\xbb\xbf# Mine\r\nno line end")
    assert add_once(file, "session-1", "- first\n").how == "merged"
    assert file.read_bytes() == b"\xef\xbb\xbf# Mine\r\nno line end\n\n<!-- session-1 -->\n- first\n"
    assert add_once(file, "session-1", "- another word for it").how == "already there"
    assert add_once(file, "session-2", "- second").how == "merged"
    assert file.read_text(encoding="utf-8-sig").endswith("- first\n\n<!-- session-2 -->\n- second\n")


def test_a_document_that_is_not_there_begins_as_told(tmp_path: Path) -> None:
    file = tmp_path / "new" / "LOG.md"
    assert add_once(file, "session-1", "- first", begins="# Log\n").how == "written"
    assert file.read_text() == "# Log\n\n<!-- session-1 -->\n- first\n"


def test_what_cannot_be_added_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "kept.md").write_text("mine")
    (tmp_path / "kept.md").chmod(0o444)
    with pytest.raises(InputError, match=r"kept.md: is read-only"):
        add_once(tmp_path / "kept.md", "s", "text")
    (tmp_path / "link.md").symlink_to(tmp_path / "kept.md")
    with pytest.raises(InputError, match="is a link"):
        add_once(tmp_path / "link.md", "s", "text")
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(QuorateError, match=r"folder.md"):
        add_once(tmp_path / "folder.md", "s", "text")
    with pytest.raises(ValueError, match="a mark is one line without"):
        add_once(tmp_path / "log.md", "a --> b", "text")
    assert (tmp_path / "kept.md").read_text() == "mine"
