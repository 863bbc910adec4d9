"""Seal checks: whether a session's journal is intact, and everything derived from it follows from it.

Two programs check a bundle: the engine, which folds the entries again under the same rules, and the independent
verifier, which shares no code with it and counts from the typed replies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate import catalog
from quorate.api.results import bundle, check
from quorate.api.sessions import Result
from quorate.codec.chain import Entry
from quorate.core.errors import InputError
from quorate.evidence.bundle import Problem, check_bundle
from quorate.evidence.derivation import became_in
from quorate.evidence.seal import check_chain
from quorate.evidence.text import MOST_CHARACTERS, from_text
from quorate.files.named_file import text_of
from quorate.worth.worth import maker
from quorate_verifier import Report, verify
from quorate_verifier.reading import Unreadable
from quorate_verifier.signature import read_key, signature_file

ENGINE = "the chain, and every ask, decision, tally, total and the verdict, folded again under the session's own rules"
"""What the engine looks at where the protocol is installed."""


@dataclass(frozen=True, slots=True)
class Looked:
    """Findings of both programs on one bundle."""

    engine: tuple[Problem, ...]
    verifier: Report
    worth_by: str = ""
    """The other version that has written what the session was worth, which is taken as it stands."""

    @property
    def holds(self) -> bool:
        """Whether neither program found a problem; rules unknown to the verifier are checked by the engine alone."""
        return not self.engine and not self.verifier.differences

    @property
    def problems(self) -> list[str]:
        """All problems without duplicates, the engine's first, each with the program that found it."""
        places = {each.place for each in self.verifier.differences}
        both = {each.place for each in self.engine} & places
        told = [f"{each} ({'both' if each.place in both else 'engine'})" for each in self.engine]
        told += [f"{each} (verifier)" for each in self.verifier.differences if each.place not in both]
        return told + [f"not verified: {each} (verifier)" for each in self.verifier.unverified if told]

    @property
    def note(self) -> str:
        """What the engine did not derive again, and why; empty if nothing."""
        return f"what it was worth, as {self.worth_by} tells it" if self.worth_by else ""

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "holds": self.holds,
            "problems": self.problems,
            "verdict": self.verifier.verdict,
            "engine": {
                "holds": not self.engine,
                "checked": ENGINE,
                "taken_as_recorded": [self.note] if self.note else [],
            },
            "verifier": {
                "holds": self.verifier.holds,
                "derived": self.verifier.derived,
                "taken_as_recorded": self.verifier.left_out,
                "not_verified": self.verifier.unverified,
            },
            "signers": self.verifier.signers,
        }


def look(path: Path, keys: Sequence[Path] = ()) -> Looked:
    """Check a bundle with the engine and the independent verifier; each of the public `keys` must have signed it."""
    problems = check(path)
    data = from_text(text_of(path, MOST_CHARACTERS, "a bundle in JSON or YAML"), str(path))
    beside = signature_file(path)
    told = from_text(text_of(beside, 1_000_000, "signatures"), str(beside)) if beside.exists() else None
    try:
        known = [read_key(each) for each in keys]
    except Unreadable as error:
        raise InputError(str(error)) from error
    return Looked(tuple(problems), verify(data, told, known), _other_version(data))


def _other_version(data: Any) -> str:
    """Return the version that computed the worth in a bundle, if it is not this one."""
    told = data.get("worth") if isinstance(data, dict) else None
    by = told.get("by") or "an earlier version" if isinstance(told, dict) else maker()
    return "" if by == maker() else str(by)[:100]


def seal(entries: list[Entry], result: Result | None) -> dict[str, Any]:
    """Check a journal and, given its result, derive everything again; a broken chain is reported, not raised."""
    checked = check_chain(entries)
    problems: list[Problem] = []
    if checked.broken is not None:
        found = checked.broken
        problems = [Problem(f"/entries/{found.seq}", f"{found.damage.value}: {found.found}", found.expected)]
    elif result is not None and result.damage is not None:
        problems = [Problem(f"/entries/{each.seq}", str(each), "an intact journal") for each in result.damage.flaws]
    elif result is not None:
        fates = became_in(catalog.definition_of(result.record.opening))
        problems = check_bundle(bundle(result), result.record.protocol, fates=fates)
    told = [{"place": each.place, "what": each.what, "expected": each.expected} for each in problems]
    return {"ok": not problems, "entries": checked.entries, "head": checked.head, "problems": told}
