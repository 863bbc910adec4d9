"""Small generated RFCs, sound or with one planted defect, drawn from the council's sample.

A defect replaces words of one file; its line is looked up in the finished file. The gates of the council find nothing
in the sound one.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from quorate.lab.bench.task import Fault, FaultKind
from quorate.protocols.council.rules.sample import SAMPLE


@dataclass(frozen=True, slots=True)
class Slip:
    """A planted defect: the file, the original words, their replacement, and the kind of defect."""

    path: str
    sound: str
    faulty: str
    kind: FaultKind


SLIPS = (
    Slip(
        "03_trust_boundaries.yaml",
        'mitigation: "The page is limited to the pages of the book."',
        'mitigation: "None; the passwords of readers are kept in clear text in the same file."',
        FaultKind.SECURITY,
    ),
    Slip(
        "tickets/TCK-00001.yaml",
        'action: "Write to bookmarks.json.new, then os.replace() it; errors of the disk are logged, not raised."',
        'action: "Open bookmarks.json for writing, which empties it, and write; errors of the disk are logged."',
        FaultKind.DATA_LOSS,
    ),
    Slip(
        "tickets/TCK-00002.yaml",
        'action: "In open_book(): page = min(bookmarks.page(book) or 1, book.pages)."',
        'action: "In open_book(): page = bookmarks.page(book) or 1."',
        FaultKind.CORRECTNESS,
    ),
    Slip(
        "02_design_decisions.yaml",
        'decision: "reader/store/settings.py knows the folder; bookmarks.json lies in it, written by rename."',
        'decision: "Pages are kept in SQLite; bookmarks.json is not used."',
        FaultKind.CONTRADICTION,
    ),
    Slip(
        "tickets/TCK-00003.yaml",
        'action: "forget(None) deletes all entries; forget(book) the one of that book."',
        'action: "forget(book) deletes the entry of that book."',
        FaultKind.GAP,
    ),
    Slip(
        "tickets/TCK-00002.yaml",
        'verification: "pytest reader/test_window.py -k too_far"',
        'verification: "somebody looks at it"',
        FaultKind.VERIFICATION,
    ),
)
TEAMS = ("Reader team", "Shelf team", "Library team", "Paper team")


def rfc(draw: Random, faulty: bool) -> tuple[dict[str, str], Fault | None]:
    """Return the files of a drawn RFC by path, and its defect if `faulty`."""
    files = dict(SAMPLE)
    pages, far = draw.randint(8, 40), draw.randint(60, 900)
    ticket = "tickets/TCK-00002.yaml"
    files[ticket] = files[ticket].replace("of 10 pages", f"of {pages} pages").replace("at page 10", f"at page {pages}")
    files[ticket] = files[ticket].replace("page 99", f"page {far}")
    gates = "09_governance_and_gates.yaml"
    files[gates] = files[gates].replace("Reader team", draw.choice(TEAMS))
    if not faulty:
        return files, None
    slip = draw.choice(SLIPS)
    before, found, after = files[slip.path].partition(slip.sound)
    assert found, f"{slip.path} has lost the words that a defect replaces"
    files[slip.path] = before + slip.faulty + after
    return files, Fault(slip.path, before.count("\n") + 1, slip.kind)
