"""Secrets for tests: drawn at run time, so that none stands in a file of the repository."""

from __future__ import annotations

import string
from random import Random

BASE62 = string.ascii_letters + string.digits
BASE64 = BASE62 + "+/"


def drawn(length: int, alphabet: str = BASE62, seed: int = 7) -> str:
    """Return text that looks drawn, the same for the same seed, with each kind of the alphabet in it."""
    random = Random(f"{seed}.{length}.{alphabet}")
    kinds = [[char for char in alphabet if test(char)] for test in (str.islower, str.isupper, str.isdigit)]
    chars = [random.choice(kind) for kind in kinds if kind for _ in range(min(2, length // 3))]
    chars += random.choices(alphabet, k=length - len(chars))
    random.shuffle(chars)
    return "".join(chars)


def pem(seed: int = 7, lines: int = 6, kind: str = "RSA ") -> str:
    """Return a private key as a file has it, with a short last line."""
    body = [drawn(64, BASE64, seed + number) for number in range(lines)] + [drawn(11, BASE64, seed) + "="]
    return "\n".join([f"-----BEGIN {kind}PRIVATE KEY-----", *body, f"-----END {kind}PRIVATE KEY-----"])
