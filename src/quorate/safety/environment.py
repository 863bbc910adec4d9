"""Secrets from this process's environment, which are masked whatever their format."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache

from quorate.safety.randomness import is_blank, is_written

SHORTEST = 8
"""Shorter values may be ordinary words, and are not masked."""
_NAMED = re.compile(
    r"^QUORATE_KEY_|(?:^|_)(?:API_?KEY|ACCESS_KEY|SECRET_?KEY|PRIVATE_KEY|SIGNING_KEY|SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE"
    r"|PAT|CREDENTIALS?)$|^PGPASSWORD$",
    re.IGNORECASE,
)
_PATH = re.compile(r"^[~./\\]|^[A-Za-z]:\\")


def given_secrets(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the values of variables named as keys, tokens or passwords, the longest first."""
    env = os.environ if environment is None else environment
    return _chosen(tuple(env[name] for name in env if _is_named(name)))


@lru_cache(maxsize=2_000)
def _is_named(name: str) -> bool:
    return bool(_NAMED.search(name))


@lru_cache(maxsize=50)
def _chosen(values: tuple[str, ...]) -> tuple[str, ...]:
    fit = {value for value in map(str.strip, values) if len(value) >= SHORTEST and not _PATH.match(value)}
    return tuple(sorted((value for value in fit if not is_blank(value) and not is_written(value)), key=len)[::-1])
