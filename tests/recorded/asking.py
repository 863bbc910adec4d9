"""What is asked of recorded sessions with today's program: one list of commands for recorder and test."""

from __future__ import annotations

import lzma
import shutil
import sqlite3
import sys
from base64 import b64encode
from contextlib import closing
from pathlib import Path

from tests.recorded import transcript
from tests.recorded.pinned import environment
from tests.recorded.program import run

SESSIONS = Path(__file__).parent / "sessions"
"""What is kept of every version: a folder each, with a folder for every protocol."""
KEPT = SESSIONS / "version_2"
"""Sessions of the version that protocols have now. Those of earlier versions are read, and not held again."""
FINDINGS = ("review", "council")
KEY = b"-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n" % b64encode(
    bytes.fromhex("302e020100300506032b657004220420") + bytes(range(32))
)
"""A key of the numbers from 0 to 31, which signs nothing but test bundles."""
DAMAGES = {
    "altered": "UPDATE entry SET body = replace(body, '\"at\":', '\"at\": ') WHERE seq = 2 AND session = 1",
    "missing": "DELETE FROM entry WHERE seq = 2 AND session = 1",
}
TORN = 4 * 512


def about(protocol: str, session: str) -> list[str]:
    """Return the commands that are asked of one session."""
    formats = ["md", "html", "yaml", *(("sarif", "junit", "comment") if protocol in FINDINGS else ())]
    formats += ["rfc_review.yaml", "rfc_review.json"] if protocol == "council" else []
    return [
        *(f"quorate {name} {session}" for name in ("show", "explain", "check", "worth")),
        *(f"quorate {name} {session} --json" for name in ("show", "explain", "replay")),
        *(f"quorate report {session} --format {name}" for name in formats),
        f"quorate report {session} --format json",
        f"quorate report {session} -o bundle.json",
        "quorate check bundle.json -v",
        "python -m quorate_verifier bundle.json",
    ]


def about_all(protocol: str) -> list[str]:
    """Return the commands that are asked of a store, and of the protocol itself."""
    return [*about_listing(), f"quorate protocols {protocol} --json", f"quorate graph {protocol}"]


def about_listing() -> list[str]:
    """Return the commands that are asked of any store, whatever the version of its sessions."""
    return ["quorate list", "quorate list --json", "quorate list --waiting --json"]


def about_damaged(session: str) -> list[str]:
    """Return the commands that are asked of a session that was damaged; none may pretend that it is whole."""
    asked = [f"quorate {name} {session}" for name in ("show", "check", "resume", "cancel", "explain")]
    return ["quorate list", *asked, f"quorate report {session} --format json"]


def about_signed(session: str) -> list[str]:
    """Return the commands that sign a bundle and check it."""
    held = "quorate check bundle.json --key key.pub"
    signed = "python -m quorate_verifier bundle.json --key key.pub"
    return [f"quorate report {session} -o bundle.json", "quorate sign bundle.json --key key", held, signed]


def asked(lines: list[str], folder: Path, most: int = transcript.LONG) -> str:
    """Ask everything of the store in a folder, and return what was said."""
    variables = {**environment(folder), "QUORATE_STORE": "sqlite:store.db"}
    return "".join(transcript.told(line, run(line, folder, variables), most) for line in lines)


def unpack(protocol: str, folder: Path, kept: Path = KEPT) -> Path:
    """Put the recorded store of a protocol into a folder."""
    (folder / "store.db").write_bytes(lzma.decompress((kept / protocol / "store.db.xz").read_bytes()))
    return folder


def kept_sessions(folder: Path) -> list[tuple[str, Path]]:
    """Return the recorded sessions of a protocol, each with the file of what was said of it."""
    texts = [file.with_suffix(".txt") for file in sorted(folder.glob("*.jsonl"))]
    return [(text.read_text(encoding="utf-8").partition("\n")[0], text) for text in texts]


def journal(store: Path, session: str) -> str:
    """Return a session's entries as they stand in the store, one a line: hash and body."""
    with closing(sqlite3.connect(store)) as opened:
        rows = opened.execute("SELECT hash, body FROM journal WHERE session = ? ORDER BY seq", (session,)).fetchall()
    return "".join(f"{seal} {body}\n" for seal, body in rows)


def sessions(store: Path) -> list[str]:
    """Return the sessions of a store in the order of their numbers."""
    with closing(sqlite3.connect(store)) as opened:
        return [str(row[0]) for row in opened.execute("SELECT id FROM session ORDER BY number")]


def damaged(folder: Path, most: int = transcript.LONG) -> str:
    """Damage the store of a folder in every way, each in a copy, and return what is said of its first session."""
    session, told = sessions(folder / "store.db")[0], ""
    for name, statement in DAMAGES.items():
        copy = _copy(folder, name)
        with closing(sqlite3.connect(copy / "store.db")) as opened:
            assert opened.execute(statement).rowcount == 1, "the first session is too short to damage"
            opened.commit()
        told += f"## {name}\n{asked(about_damaged(session), copy, most)}"
    copy = _copy(folder, "torn")
    (copy / "store.db").write_bytes((folder / "store.db").read_bytes()[:-TORN])
    return f"{told}## torn\n{asked(about_damaged(session)[:3], copy, most)}"


def signed(folder: Path, most: int = transcript.LONG) -> str:
    """Sign the bundle of the first session, and return what is said, and the signature."""
    from cryptography.hazmat.primitives import serialization as form

    (folder / "key").write_bytes(KEY)
    (folder / "key").chmod(0o600)
    public = form.load_pem_private_key(KEY, None).public_key()
    (folder / "key.pub").write_bytes(public.public_bytes(form.Encoding.OpenSSH, form.PublicFormat.OpenSSH) + b" test\n")
    (folder / "bundle.json.sig").unlink(missing_ok=True)
    told = asked(about_signed(sessions(folder / "store.db")[0]), folder, most)
    return told + transcript.left(folder, [each.name for each in folder.glob("bundle.json.sig")], most)


def _copy(folder: Path, name: str) -> Path:
    copy = folder / name
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    shutil.copy(folder / "store.db", copy)
    return copy


if __name__ == "__main__":  # damaged stores are asked in a process of their own: see the test
    sys.stdout.write(damaged(Path(sys.argv[1])))
