"""Check of the seal: the digest of everything but the seal, recomputed (C43)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from quorate.kit.untrusted_value import shown
from quorate.protocols.council.audit.deviation import Deviation, broken, missing
from quorate.protocols.council.audit.read import Bundle


def digest_of(data: Mapping[str, Any]) -> str | None:
    """Return the digest of a bundle without its seal, or None if it cannot be serialised as JSON."""
    rest = {name: each for name, each in data.items() if name != "seal"}
    try:
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return sha256(text.encode()).hexdigest()
    except (ValueError, TypeError, RecursionError):
        return None


def check_seal(bundle: Bundle) -> Iterator[Deviation]:
    """A sealed bundle was not changed since it was sealed."""
    at = bundle.at["seal"]
    if not at.given:
        yield missing(at, "C43", "the bundle is not sealed, so a change would not show", "a SHA-256 digest")
        return
    algorithm, digest = at["algorithm"], at["digest"]
    if algorithm.text != "sha256":
        yield broken(algorithm, "C43", f"{algorithm} is not the algorithm of the seal", "sha256")
        return
    right = digest_of(bundle.at.value) if isinstance(bundle.at.value, dict) else None
    if right is None or digest.text != right:
        yield broken(digest, "C43", f"{digest} is not the digest of this bundle: it was changed", shown(right))
