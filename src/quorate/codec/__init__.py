"""Conversion between typed forms and JSON.

`form_schema` says what a participant has to fill in and `parse_reply` reads it; `reply_to_data` and the entries'
functions are the journal's own JSON; `protocol_digest` pins a session to its rules, and `read_record` folds a journal.
"""

from __future__ import annotations

from quorate.codec.canonical import canonical, digest_text
from quorate.codec.entries import decode_entry, decode_opening, encode_entry, encode_opening
from quorate.codec.journal_reader import protocol_digest, read_record
from quorate.codec.parse import Malformed, parse_reply
from quorate.codec.replies import reply_from_data, reply_to_data
from quorate.codec.schema import form_schema

__all__ = [
    "Malformed",
    "canonical",
    "decode_entry",
    "decode_opening",
    "digest_text",
    "encode_entry",
    "encode_opening",
    "form_schema",
    "parse_reply",
    "protocol_digest",
    "read_record",
    "reply_from_data",
    "reply_to_data",
]
