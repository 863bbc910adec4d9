"""Acceptance claims: what a project requires to hold, each with an observable and its expected value.

The file is a YAML list. Members judge every active claim whose scope a change touches. A claim that was active before
the change is judged as it was worded then, whatever the change does to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from quorate.core.errors import InputError
from quorate.files.located_values import Located
from quorate.files.places import disputed, place_of
from quorate.files.yaml import load
from quorate.kit.change import Change

KEYS = ("id", "status", "scope", "claim", "observable", "expected", "source")
MOST_IN_FILE = 1_000
MOST_IN_SCOPE = 40
"""Claims that one review judges."""
MOST_TEXT = 2_000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")


class ClaimStatus(Enum):
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Claim:
    id: str
    claim: str
    observable: str
    """What is to be looked at."""
    expected: str
    """What is to be seen there."""
    scope: str = ""
    """The beginning of the paths it is about; empty for all."""
    status: ClaimStatus = ClaimStatus.ACTIVE
    source: str = ""
    """Where it comes from, such as a requirement."""

    def concerns(self, path: str) -> bool:
        """Return whether a path is in scope: `src/a` covers `src/a` and `src/a/b.py`, not `src/ab.py`."""
        bare = self.scope.strip("/")
        return not bare or path == bare or path.startswith(f"{bare}/")


def load_claims(source: Path | str, name: str | None = None) -> tuple[Claim, ...]:
    """Read claims from a file (Path) or a text (str, called `name` in errors); raises InputError on a mistake."""
    root = load(source, name)
    if root.value is None:
        return ()
    listed = root.items()
    if len(listed) > MOST_IN_FILE:
        raise root.error(f"has {len(listed)} claims", f"at most {MOST_IN_FILE}")
    claims: dict[str, Claim] = {}
    for each in listed:
        claim = _claim(each)
        if claim.id in claims:
            raise each.error(f"the id {claim.id!r} is used twice", "a different id for each claim")
        claims[claim.id] = claim
    return tuple(claims.values())


def _claim(entry: Located) -> Claim:
    fields = entry.mapping(KEYS)
    for key in ("id", "claim", "observable", "expected"):
        if key not in fields:
            raise entry.error(f"has no {key}", "a claim with id, claim, observable and expected")
    if not _ID.fullmatch(fields["id"].text()):
        raise fields["id"].wrong("an id of letters, digits, dots, hyphens and underscores, at most 60 characters")
    statuses = [each.value for each in ClaimStatus]
    status = fields["status"].choice(statuses, "status") if "status" in fields else ClaimStatus.ACTIVE.value
    return Claim(
        id=fields["id"].text(),
        claim=_text(fields["claim"]),
        observable=_text(fields["observable"]),
        expected=_text(fields["expected"]),
        scope=_text(fields["scope"], empty=True) if "scope" in fields else "",
        status=ClaimStatus(status),
        source=_text(fields["source"], empty=True) if "source" in fields else "",
    )


def _text(entry: Located, *, empty: bool = False) -> str:
    text = entry.text().strip()
    if len(text) > MOST_TEXT or not (text or empty):
        raise entry.wrong(f"a text of {'at most' if empty else '1 to'} {MOST_TEXT} characters")
    return text


def claims_in_scope(claims: Iterable[Claim], change: Change) -> tuple[Claim, ...]:
    """Return the active claims that apply to a change; raises InputError if there are too many."""
    paths = {path for file in change.files for path in (file.path, file.old_path) if path}
    paths |= {left.path for left in change.left_out}
    active = [each for each in claims if each.status is ClaimStatus.ACTIVE]
    found = tuple(each for each in active if any(each.concerns(path) for path in paths))
    if len(found) > MOST_IN_SCOPE:
        what = f"{len(found)} active claims are in the scope of this change"
        raise InputError(what, expected=f"at most {MOST_IN_SCOPE}: narrow their scopes, or retire some")
    return found


def claims_for(change: Change, path: Path) -> tuple[Claim, ...]:
    """Return the active claims in scope: those of the base as worded there, and those that the change adds."""
    inside = place_of(change, path)
    if inside is not None and inside in change.disputed:
        raise disputed(inside)
    judged = change.judged_by
    before = judged.read(inside) if inside is not None and judged is not None else None
    after = change.after.read(inside) if inside is not None and change.after is not None else None
    if before is None and after is None:
        return claims_in_scope(load_claims(path), change)
    held = load_claims(before, f"{inside} before the change") if before is not None else ()
    active = {claim.id: claim for claim in held if claim.status is ClaimStatus.ACTIVE}
    brought = load_claims(after, inside) if after is not None else ()
    return claims_in_scope([*active.values(), *(claim for claim in brought if claim.id not in active)], change)
