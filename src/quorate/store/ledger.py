"""The ledger file, which is committed: JSON, one block per finding, deterministic.

Blocks are sorted by key, so that two branches seldom change the same place. The file is replaced atomically, and
`update` keeps other processes out between reading and writing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from quorate.core.errors import InputError, StoreError
from quorate.files.lock import locked
from quorate.kit.ledger import Ledger, LedgerEntry
from quorate.store.ledgertext import MOST_BYTES, MOST_ENTRIES, VERSION, parse

LEDGER_NAME = "ledger.json"


def read_ledger(source: Path | str, file: str = LEDGER_NAME) -> Ledger:
    """Return the ledger of a file, empty if there is none, or of a text (`file` is its name in errors).

    Invalid content raises InputError with the line and what to do.
    """
    if isinstance(source, str):
        return parse(source, file)
    if not source.exists():
        return Ledger()
    if not source.is_file():
        raise InputError("is not a file", file=str(source), expected="a ledger")
    try:
        with source.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
        return parse(data.decode("utf-8"), str(source))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError("is not UTF-8 text", file=str(source), line=line, expected="a ledger") from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(source), expected="a ledger") from error


def ledger_text(ledger: Ledger) -> str:
    """Serialize a ledger; equal ledgers have equal texts."""
    if len(ledger.entries) > MOST_ENTRIES:
        raise InputError(
            f"would hold {len(ledger.entries):,} findings",
            file=LEDGER_NAME,
            expected=f"at most {MOST_ENTRIES:,}; remove old entries that are fixed",
        )
    blocks = [
        f"    {json.dumps(key)}: " + json.dumps(_to_data(entry), indent=2, ensure_ascii=False).replace("\n", "\n    ")
        for key, entry in sorted(ledger.entries.items())
    ]
    findings = "{\n" + ",\n\n".join(blocks) + "\n  }" if blocks else "{}"
    return f'{{\n  "version": {VERSION},\n  "findings": {findings}\n}}\n'


def write_ledger(path: Path, ledger: Ledger) -> bool:
    """Write the ledger atomically; False if the file already has this content."""
    if not ledger.entries and not path.exists():
        return False  # nothing has been found yet, and no file says so
    text = ledger_text(ledger)
    parse(text, str(path))  # what could not be read again is not written
    # Half a surrogate pair, as in the name of a file that is no UTF-8, becomes the escape that JSON reads as it.
    data = text.encode("utf-8", "backslashreplace")
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise StoreError(f"{path} cannot be written: {error.strerror or error}") from error
    return True


def update(path: Path, change: Callable[[Ledger], Ledger]) -> Ledger:
    """Read, change and write the ledger while locked; return what was written."""
    with locked(path.parent):
        before = read_ledger(path)
        after = change(before)
        if after != before:
            write_ledger(path, after)
    return after


def _to_data(entry: LedgerEntry) -> dict[str, Any]:
    """Return an entry as it is written to the file; empty fields are left out."""
    finding, dismissal = entry.finding, entry.dismissal
    told: dict[str, Any] = {
        "status": entry.status.value,
        "severity": finding.severity.value,
        "rule": finding.rule,
        "path": finding.path,
        "message": finding.message,
        "evidence": finding.evidence,
        "consequence": finding.consequence,
        "action": finding.action,
        "source": finding.source,
        "raised_by": list(finding.raised_by),
        "veto": finding.veto,
        "blocking": finding.blocking,
        "occurrence": finding.occurrence,
        "fingerprint": finding.fingerprint,
        "first_seen": entry.first_seen,
        "since": entry.since,
    }
    if dismissal is not None:
        told["dismissal"] = {
            "reason": dismissal.reason,
            "by": dismissal.by,
            "false_positive": dismissal.false_positive,
            "touches": dismissal.touches,
            "commit": dismissal.commit,
        }
    return {name: value for name, value in told.items() if value not in ("", [], 0) or name in ("path", "blocking")}
