"""Live words: no cut into pieces, and no way of writing it, shows a secret while somebody is speaking."""

from __future__ import annotations

import json
import random

import pytest

from quorate.safety.livewords import MOST_HELD, LiveWords
from quorate.safety.secrets import MASK

TOKEN = "ghp_" + "9hQ2xWv7LpTz4RkYc1NbMf8JsDg5aEu3oKiZ"
AWS = "AKIA" + "Q7ZJ4M2XK9WTBV5C"
PASSWORD = "tr0ub4dor" + "XyZ9"
NAMED = "rosebud" + "42"
BODY = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7" + "VJTUt9Us8cKjMz" * 1, "9aVwR7kQ" * 8, "Zk3=="]
PEM = "\n".join(["-----BEGIN PRIVATE KEY-----", *BODY, "-----END PRIVATE KEY-----"])
GIVEN = 'correct horse "battery" stap' + "le 77"
TEXTS = {
    "a token": (f"Use {TOKEN} for that.", TOKEN),
    "a token at the end": (f"Use {TOKEN}", TOKEN),
    "a token on a line of its own": (f"Use\n{TOKEN}\nfor that.", TOKEN),
    "an access key": (f"It is {AWS}, as ever.", AWS),
    "a password in an address": (f"See https://shop:{PASSWORD}@db.shop.io/x now.", PASSWORD),
    "a private key": (f"Here it is:\n{PEM}\nKeep it.", BODY[0]),
    "the end of a private key": ("As shown:\n" + PEM.partition("\n")[2] + "\nKeep it.", BODY[1]),
    "a private key that does not end": (f"Here it is:\n{PEM[:-30]}", BODY[0]),
    "a value that is named": (f"Set DB_PASSWORD={NAMED} first.", NAMED),
    "a value that is named, in quotes": (f"It is password = '{NAMED}' there, and {NAMED} opens it.", NAMED),
    "a value said again much later": (f"Set DB_PASSWORD={NAMED} first. {'So be it. ' * 80}Use {NAMED} then.", NAMED),
    "a secret of several words": (f"Say {GIVEN} to enter.", GIVEN),
}


def shown(text: str, size: int) -> tuple[str, int]:
    """Return what is shown of a text that comes in pieces, and in how many pieces it is shown."""
    said: list[str] = []
    words = LiveWords(said.append)
    for start in range(0, len(text), size):
        words.take(text[start : start + size])
    words.end()
    return "".join(said), len(said)


def parts_of(secret: str) -> set[str]:
    """What must not be shown of a secret: any 12 of its characters."""
    return {secret[start : start + 12] for start in range(max(1, len(secret) - 11))}


@pytest.mark.parametrize("written", ["as it is", "as a form", "with escapes"])
@pytest.mark.parametrize("name", TEXTS)
def test_no_piece_of_a_secret_is_shown_however_it_is_cut(
    name: str, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", GIVEN)
    text, secret = TEXTS[name]
    if written != "as it is":
        text = json.dumps({"says": text, "more": "and so on"})
    if written == "with escapes":  # a letter of every secret as JSON may write it
        text = text.replace(secret[3], f"\\u{ord(secret[3]):04x}")
    for size in (1, 2, 3, 7, 50, 10_000):
        found, _ = shown(text, size)
        assert not [part for part in parts_of(secret) if part in found], size
        assert MASK in found
        assert found.rstrip('"}').endswith(text.rstrip('"}')[-5:].replace("\\n", "\n")) or "end" in name, found


def test_words_that_are_no_secret_are_all_shown_while_they_are_said() -> None:
    draw = random.Random(7)
    words = [
        "responsibilities",
        "a",
        "queue;",
        "-----END",
        "of",
        "internationalisation",
        "é",
        "{",
        '"x":',
        "BEGIN",
        "x" * 60,
    ]
    text = " ".join(draw.choice(words) for _ in range(300))
    for size in (1, 4, 30):
        found, pieces = shown(text, size)
        assert found == text
        assert pieces > 50


def test_line_ends_and_letters_are_shown_as_they_are_meant_and_quotation_marks_stay_escaped() -> None:
    said = 'One "queue".\nTwo\ttabs, a back\\slash, \\n in a text, é and \U0001f642.'
    found, _ = shown(json.dumps({"says": said}), 3)
    assert found == '{"says": "One \\"queue\\".\nTwo\ttabs, a back\\\\slash, \\\\n in a text, é and \\ud83d\\ude42."}'


def test_a_call_that_never_ends_a_word_is_shown_no_more() -> None:
    said: list[str] = []
    words = LiveWords(said.append)
    for _ in range(MOST_HELD // 1000 + 2):
        words.take("x" * 1000)
    words.take(" and more ")
    words.end()
    assert said == [MASK]
