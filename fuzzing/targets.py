"""The targets by name. Each takes bytes, returns nothing, and raises where something is wrong with us."""

from __future__ import annotations

from collections.abc import Callable

from fuzzing import ballots, readers

TARGETS: dict[str, Callable[[bytes], None]] = {
    "reply": readers.a_reply,
    "entry": readers.an_entry,
    "document": readers.a_document,
    "file": readers.a_users_file,
    "bundle": readers.a_bundle,
    "diff": readers.a_diff,
    "look": readers.a_look,
    "response": readers.a_response,
    "mask": readers.a_masked_text,
    "session": ballots.a_session,
}
