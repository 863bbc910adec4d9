"""Conversion between typed forms and JSON.

`form_schema` says what a participant has to fill in, `parse_reply` reads it, and `parse_entries` takes what it can of a
last attempt; `reply_to_data` and the entries' functions are the journal's own JSON; `protocol_digest` pins a session to
its rules, and `read_record` folds a journal.
"""

from __future__ import annotations

from quorate.codec.canonical import canonical, digest_text
from quorate.codec.entries import decode_entry, decode_numbered, decode_opening, encode_entry, encode_opening
from quorate.codec.journal_reader import protocol_digest, read_record
from quorate.codec.parse import parse_entries, parse_reply
from quorate.codec.replies import reply_from_data, reply_to_data
from quorate.codec.reply_json import Malformed
from quorate.codec.schema import form_schema, shape_schema

__all__ = [
    "Malformed",
    "canonical",
    "decode_entry",
    "decode_numbered",
    "decode_opening",
    "digest_text",
    "encode_entry",
    "encode_opening",
    "form_schema",
    "parse_entries",
    "parse_reply",
    "protocol_digest",
    "read_record",
    "reply_from_data",
    "reply_to_data",
    "shape_schema",
]
