"""Records the sessions anew: `python -m tests.recorded.record`; with `--check` nothing is written and differences told.

`--read` keeps the sessions of all versions, and writes what is said of them now. `--whole DIR` writes all texts in full
to another folder, so that those of two commits can be compared with `diff -r`.
"""

from __future__ import annotations

import argparse
import lzma
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from tests.recorded.pinned import FOLDER, Pins

PINS = Pins()
PINS.put()

from tests.recorded import asking, transcript  # noqa: E402  the clock is pinned before the program is imported
from tests.recorded.digests import digests  # noqa: E402
from tests.recorded.holding import PROTOCOLS, hold, scenes  # noqa: E402


def record(to: Path, most: int = transcript.LONG) -> None:
    """Hold every scene, and write what is kept of it."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for protocol in PROTOCOLS:
        kept, work = to / protocol, FOLDER / protocol / "all"
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        work.mkdir(parents=True)
        counting: dict[str, str] = {}
        for hour, scene in enumerate(scenes(protocol)):
            held = hold(PINS, protocol, scene, hour, most)
            copied = held.run(f"quorate copy --all --to sqlite:{work / 'store.db'}")
            assert copied.code == 0, copied.err
            counting[scene.name] = held.session
            (kept / f"{scene.name}.held.txt").write_text(held.story, encoding="utf-8")
        _settle(work / "store.db")
        (kept / "store.db.xz").write_bytes(lzma.compress((work / "store.db").read_bytes()))
        for name, session in counting.items():
            (kept / f"{name}.jsonl").write_text(asking.journal(work / "store.db", session), encoding="utf-8")
            said = asking.asked(asking.about(protocol, session), work, most)
            (kept / f"{name}.txt").write_text(f"{session}\n{said}", encoding="utf-8")
        for name, said in _of_all(protocol, work, most).items():
            (kept / f"{name}.txt").write_text(said, encoding="utf-8")
    (to / "digests.json").write_text(digests(), encoding="utf-8")
    shutil.rmtree(FOLDER)


def read_again() -> None:
    """Ask of the sessions that are kept, of every version, what is asked of them, and write what is said now."""
    for kept in sorted(asking.SESSIONS.iterdir()):
        for protocol in PROTOCOLS:
            with tempfile.TemporaryDirectory() as work:
                folder = asking.unpack(protocol, Path(work), kept)
                for session, text in asking.kept_sessions(kept / protocol):
                    said = asking.asked(asking.about(protocol, session), folder)
                    text.write_text(f"{session}\n{said}", encoding="utf-8")
                for name, said in _of_all(protocol, folder, transcript.LONG, now=kept == asking.KEPT).items():
                    (kept / protocol / f"{name}.txt").write_text(said, encoding="utf-8")


def _of_all(protocol: str, work: Path, most: int, *, now: bool = True) -> dict[str, str]:
    if not now:
        return {"_all": asking.asked(asking.about_listing(), work, most)}
    told = asking.asked(asking.about_all(protocol), work, most)
    signed = asking.signed(work, most)
    return {"_all": told, "_signed": signed, "_damaged": asking.damaged(work, most)}


def _settle(store: Path) -> None:
    """Write the file anew without a log beside it, so that the same rows are the same bytes."""
    with closing(sqlite3.connect(store)) as opened:
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        opened.execute("VACUUM")


def differences(recorded: Path, now: Path) -> list[str]:
    """Return the files that differ; a store is compared by its journals, for SQLite versions differ in its bytes."""
    names = sorted({path.relative_to(folder) for folder in (recorded, now) for path in folder.rglob("*.[jt]*")})
    return [str(name) for name in names if _bytes(recorded / name) != _bytes(now / name)]


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def main() -> int:
    """Record, compare, or write everything in full."""
    parser = argparse.ArgumentParser(prog="python -m tests.recorded.record", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with what is recorded, and write nothing")
    parser.add_argument("--read", action="store_true", help="keep the sessions, and write what is said of them now")
    parser.add_argument("--whole", type=Path, metavar="DIR", help="write all texts in full to DIR")
    given = parser.parse_args()
    if given.whole:
        record(given.whole, sys.maxsize)
        return 0
    if given.read:
        read_again()
        return 0
    if not given.check:
        record(asking.KEPT)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        record(Path(folder))
        found = differences(asking.KEPT, Path(folder))
    print("\n".join(found) or "no difference")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
