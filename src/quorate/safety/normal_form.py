"""Normalises text against obfuscation: invisible characters removed, look-alikes folded, encodings decoded."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
_LOOK_ALIKE = {
    **dict(
        zip(
            "\u0430\u0441\u0501\u0435\u04bb\u0456\u0458\u04cf\u043e\u0440\u051b\u0455\u051d\u0445\u0443\u028f",
            "acdehijlopqswxyy",
            strict=True,
        )
    ),  # Cyrillic, small
    **dict(
        zip(
            "\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0425\u04ae\u04ba",
            "ABCEHIJKMOPSTXYH",
            strict=True,
        )
    ),  # Cyrillic, capitals
    **dict(
        zip(
            "\u03bf\u03b1\u03bd\u03b9\u03ba\u03c1\u03c4\u03c5\u03c7\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
            "oavikptuxABEZHIKMNOPTYX",
            strict=True,
        )
    ),  # Greek
    **dict(zip("\u0585\u057d\u0570\u0578\u0581\u0566\u0555\u054d", "ouhngqOU", strict=True)),  # Armenian
    **dict(
        zip("\u0251\u0261\u0131\u0269\u0280", "agiiR", strict=True)
    ),  # Latin that is not ASCII and is never told from it
}
LOOK_ALIKES = frozenset(_LOOK_ALIKE)
"""Letters of other scripts that cannot be told from ASCII ones; Greek letters of formulas are not among them."""
_FOLDED = str.maketrans(_LOOK_ALIKE)


def visible(text: str) -> str:
    """Return the text without its invisible characters."""
    return INVISIBLE.sub("", text)


def skeleton(text: str) -> str:
    """Return the text with look-alikes and styled letters replaced by the ASCII they resemble."""
    return text if text.isascii() else unicodedata.normalize("NFKC", visible(text)).translate(_FOLDED)


def smuggled(text: str) -> str:
    """Return the text that tag characters and variation selectors encode."""
    tags = "".join(chr(ord(char) - 0xE0000) for char in text if 0xE0020 <= ord(char) <= 0xE007E)
    numbers = [_selected(ord(char)) for char in text]
    selected = bytes(number for number in numbers if number is not None)
    return tags + (selected.decode(errors="replace") if len(selected) >= 4 else "")


def _selected(point: int) -> int | None:
    """Return the byte that a variation selector can encode."""
    if 0xFE00 <= point <= 0xFE0F:
        return point - 0xFE00
    return point - 0xE0100 + 16 if 0xE0100 <= point <= 0xE01EF else None


_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,4000}={0,2}")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{2}){12,2000}(?![0-9A-Za-z])")
_ESCAPES = re.compile(r"(?:\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}){6,2000}")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}[\w.,;:'-]{0,12}){4,500}")
_ENTITIES = re.compile(r"(?:&#x?[0-9a-fA-F]{2,6};){6,2000}")
_READABLE = re.compile(r"[A-Za-z]{2,}[ ,.:;'-]+[A-Za-z]{2,}")
MOST_DECODED = 20
"""Codes of one line that are decoded; a line has no honest use for more."""


def decoded(line: str) -> Iterator[str]:
    """Yield readable text encoded in a line as base64, hexadecimal, escapes, percent signs or entities."""
    if len(line) < 24:
        return
    left = MOST_DECODED
    for pattern, decode in (
        (_HEX, _from_hex),
        (_BASE64, _from_base64),
        (_ESCAPES, _from_escapes),
        (_PERCENT, unquote),
        (_ENTITIES, html.unescape),
    ):
        for found in pattern.finditer(line):
            if left <= 0:
                return
            text = decode(found[0])
            if _READABLE.search(text):
                left -= 1
                yield text


def _from_hex(code: str) -> str:
    return bytes.fromhex(code).decode(errors="ignore")


def _from_base64(code: str) -> str:
    plain = code.rstrip("=").translate(str.maketrans("-_", "+/"))
    plain = plain[: len(plain) - 1] if len(plain) % 4 == 1 else plain
    try:
        raw = base64.b64decode(plain + "=" * (-len(plain) % 4))
    except (binascii.Error, ValueError):
        return ""
    text = raw.decode(errors="ignore")
    return text if len(text) >= 0.9 * len(raw) and text.isprintable() else ""


def _from_escapes(code: str) -> str:
    return re.sub(r"\\[xu]([0-9a-fA-F]+)", lambda found: chr(int(found[1], 16)), code)
