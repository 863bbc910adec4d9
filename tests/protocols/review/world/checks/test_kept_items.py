"""Which open items keep their ground in an amended change, as the checks tell it (R39)."""

from __future__ import annotations

from pathlib import Path

from quorate.core.forms import Key
from quorate.protocols.review.rules.forms import Examination, Kept
from quorate.protocols.review.world.change.read import read_change
from quorate.protocols.review.world.change.source import Branch
from quorate.protocols.review.world.checks.examiner import examination
from quorate.protocols.review.world.checks.receipt import OpenItem, _kept
from quorate.protocols.review.world.checks.run import run_checks
from tests.protocols.review.world.change.repos import Repo

CHANGE = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+x = compute(1)\n"
PAY = '"""Payments."""\n\n\ndef pay(card: str) -> str:\n    """Pay."""\n    return charge(card, limit=None)\n'
FAULT = "return charge(card, limit=None)"


def examined(folder: Path, *items: OpenItem, **files: str) -> Examination:
    """What the checks report of a change that brings these files, with these items open."""
    repo = Repo(folder)
    repo.git("init", "--quiet", "--initial-branch=main")
    repo.commit({"README.md": "# Shop\n"})
    repo.git("checkout", "--quiet", "-b", "feature")
    repo.commit(dict(files))
    change = read_change(Branch(base="main"), repo.folder)
    return examination(change, run_checks(change), election={}, amended=True, items=items)


def test_an_item_goes_on_where_its_evidence_and_its_file_stand() -> None:
    items = (
        OpenItem(Key("I1"), "a.py", "x = compute(1)"),
        OpenItem(Key("I2"), "a.py", "y = gone(2)"),
        OpenItem(Key("I4"), "", "line 1: `x = compute(1)`"),
    )
    patches = ((1, "other.py", ""), (2, "a.py", CHANGE))
    assert list(_kept(items, patches, ())) == [Kept(Key("I1"), 2), Kept(Key("I4"), 0)]


def test_an_item_follows_the_code_that_an_amendment_moves_to_another_file(tmp_path: Path) -> None:
    report = examined(tmp_path, OpenItem(Key("I1"), "shop/pay.py", FAULT), **{"shop/a.py": "", "shop/till.py": PAY})
    (kept,) = report.kept
    assert kept == Kept(Key("I1"), 2)
    assert '"key":"F2","path":"shop/till.py"' in report.receipt.text


def test_an_item_stays_where_an_amendment_moves_its_code_to_where_the_committee_does_not_look(tmp_path: Path) -> None:
    items = OpenItem(Key("I1"), "shop/pay.py", FAULT), OpenItem(Key("I2"), "vendor/pay.py", FAULT)
    report = examined(tmp_path, *items, **{"vendor/pay.py": PAY, "shop/app.py": "NAME = 'shop'\n"})
    assert '"path":"vendor/pay.py","why":"generated"' in report.receipt.text
    assert report.kept == (Kept(Key("I1"), 0), Kept(Key("I2"), 0))


def test_an_item_ends_where_no_file_has_its_evidence(tmp_path: Path) -> None:
    mended = PAY.replace("limit=None", "limit=100")
    assert examined(tmp_path, OpenItem(Key("I1"), "shop/pay.py", FAULT), **{"shop/till.py": mended}).kept == ()
