"""Tells random values from written ones: placeholders, words, hashes and random secrets."""

from __future__ import annotations

import math
import re
from base64 import b64decode
from collections import Counter
from itertools import pairwise

_BLANK = re.compile(
    r"example|sample|dummy|placeholder|change.?me|replace.?me|your[_\- ]|[_\-]here\b|insert[_\-]|redacted|masked"
    r"|x{4,}|\*{3,}|\.{3,}|…|0{6,}|1{6,}|not[_\-]?a[_\-]?(?:real|secret)|todo|fixme|<[^<>]{0,80}>",
    re.IGNORECASE,
)
"""What nobody's real key holds."""
_WRITTEN = re.compile(
    r"^(?:my|your|the|some|a|test|fake|mock|foo|bar|baz|dev|local|default|secret|password|passwd|pass|token|key|api"
    r"|user|admin|root|guest|hunter|value|string|none|null|true|false|undefined|unset|empty|required|optional"
    r"|enabled|disabled|[\W_\d]){1,9}$",
    re.IGNORECASE,
)
"""Words of fixtures and of forms; a value of nothing else says nothing."""
_REFERENCE = re.compile(
    r"\$\{|\$\(|\{\{|%\(|%[sd]\b|^\$\w|^%\w+%$|\{[\w.!:\[\]]{0,60}\}|^[A-Za-z_][\w.]{0,120}[(\[]|\benv(?:iron)?\b|^!|^@\w|^&\w"
    r"|^(?:[a-z_]\w*\.)+[A-Za-z_]\w*$|^[A-Z][A-Z_]{3,}(?:_[A-Z\d]+)+$|^(?:https?|file|vault|secret|ref|arn)://|^arn:",
)
"""What names a secret kept elsewhere: interpolation, a call, a dotted name, the name of a variable, an address."""
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+")
_DIGEST = re.compile(r"(?:sha(?:1|224|256|384|512)|md5|blake2?b?|h1)[-:$=]", re.IGNORECASE)
_PICTURE = re.compile(r"^(?:iVBOR|/9j/|R0lGOD|UklGR|PHN2Zy|AAABAA|d09GM?[gR]|T1RUTw|AAEAAAA|JVBER|UEsDB)")
_PREFIX = re.compile(r"^[A-Za-z]{2,8}[_-](?:[a-z]{3,4}[_-])?(?=.{8})")
"""What tells whose key it is, and is the same for all."""
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^A-Za-z\d]+")
_WORD = re.compile(r"(?<![A-Za-z\d])(?:[A-Z]?[a-z]{5,}|[a-z]{3,}(?:[A-Z][a-z]{3,})+)(?![A-Za-z\d])")
_LOOKED_AT = 400
"""Characters of a value that are looked at; no placeholder is longer."""
_VOWEL = re.compile(r"[aeiouyAEIOUY]")


def entropy(text: str) -> float:
    """Return the Shannon entropy of the characters, in bits per character."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)


def classes(text: str) -> int:
    """Return how many classes occur: lower case, upper case, digits, others."""
    tests = (str.islower, str.isupper, str.isdigit, lambda char: not char.isalnum())
    return sum(any(test(char) for char in text) for test in tests)


def is_blank(value: str) -> bool:
    """Whether a value is a placeholder, or a few characters repeated."""
    value = value[:_LOOKED_AT]
    return bool(_BLANK.search(value)) or _is_dull(value) or _is_dull(_PREFIX.sub("", value))


def _is_dull(value: str) -> bool:
    distinct = len(set(value))
    return len(value) >= 3 and (distinct <= 3 or (len(value) >= 16 and distinct <= 5) or is_sequence(value))


def is_sequence(value: str) -> bool:
    """Whether it counts up or down like `0123456789abcdef`, or repeats itself."""
    steps = [abs(ord(one) - ord(next_)) for one, next_ in pairwise(value)]
    if steps and sum(step <= 1 for step in steps) > 0.6 * len(steps):
        return True
    return any(len(value) >= 3 * size and value == (value[:size] * len(value))[: len(value)] for size in range(1, 11))


def is_written(value: str) -> bool:
    """Whether a value refers to a secret stored elsewhere, or consists of words used in fixtures."""
    return bool(_REFERENCE.search(value) or _WRITTEN.match(value))


def is_sample_password(user: str, password: str) -> bool:
    """Whether a password beside a user name is a sample: blank, a placeholder, a sample word, or the name again."""
    if not password or is_blank(password) or is_written(password):
        return True
    return password.casefold() in (user.casefold(), "open sesame")  # the sample of RFC 7617


def login_in(value: str) -> tuple[str, str] | None:
    """Return user and password of a `Basic` header's value; None if it is not one."""
    try:
        data = b64decode(value + "=" * (-len(value) % 4), validate=True)
    except ValueError:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    user, colon, password = text.partition(":")
    return (user, password) if colon and text.isprintable() else None


def is_wordy(value: str) -> bool:
    """Whether a value is made of words, like an identifier, a path or a sentence."""
    pieces = _PIECE.findall(value)
    letters = sum(len(piece) for piece in pieces if piece[0].isalpha())
    words = sum(len(piece) for piece in pieces if piece[0].isalpha() and len(piece) >= 3 and _VOWEL.search(piece))
    digits = sum(len(piece) for piece in pieces if piece[0].isdigit())
    return letters > 0 and words >= 0.7 * letters and digits <= 0.25 * len(value)


def is_digest(value: str) -> bool:
    """Whether it is a hash, a commit, a UUID or the start of an image, which are not secrets by themselves."""
    if _UUID.fullmatch(value) or _DIGEST.match(value) or _PICTURE.match(value):
        return True
    return bool(_HEX.fullmatch(value))


def is_strong(value: str) -> bool:
    """Whether a value named as a secret looks random or well chosen: long, mixed, not made of words."""
    if len(value) < 12 or is_wordy(value):
        return False
    if _HEX.fullmatch(value):
        return len(value) >= 16 and not value.isdigit() and entropy(value) >= 2.8
    if _UUID.fullmatch(value):
        return True
    mixed = classes(value)
    return (mixed >= 3 and entropy(value) >= 3.0) or (mixed == 2 and len(value) >= 20 and entropy(value) >= 3.6)


def is_drawn(value: str) -> bool:
    """Whether a value not named as a secret must be random: all classes of characters, no order."""
    words = value.rstrip("0123456789")  # an identifier may end in a date or a version
    if (
        is_digest(value)
        or is_wordy(value)
        or is_wordy(words)
        or _WORD.search(value)
        or sum(char.isdigit() for char in value) < 2
    ):
        return False
    kinds = all(any(test(char) for char in value) for test in (str.islower, str.isupper, str.isdigit))
    return kinds and entropy(value) >= min(4.0, 0.86 * math.log2(len(value)))
