"""Findings: typed claims about the reviewed material, with a key that is stable across lines and runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256


class Severity(Enum):
    """Severity of a finding, the worst first."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def rank(self) -> int:
        """The rank, 0 for the worst."""
        return _RANKS[self]

    def at_least(self, other: Severity) -> bool:
        return self.rank <= other.rank


MOST_ALIKE = 10
"""Findings of one rule in one file that a check lists, so that no file crowds out the others."""
MOST_QUOTED = 500
"""Characters of evidence, white space aside, that a finding is known by."""
_MASK = re.compile(r"\[masked secret \d+(?:\.\d+)?\]")

_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


def quotation(evidence: str) -> str:
    """Return the part of the evidence that identifies a finding: one line, masks without their numbers."""
    line = " ".join(_MASK.sub("[masked secret]", evidence).split())
    if len(line) <= MOST_QUOTED:
        return line
    room = MOST_QUOTED
    for index, character in enumerate(line):
        room -= character != " "
        if room < 0:
            return line[:index]
    return line


def stands_in(evidence: str, text: str) -> bool:
    """Whether a text contains a quotation, ignoring white space; a masked secret matches any characters."""
    parts = ["".join(part.split()) for part in _MASK.split(evidence)]
    if not any(parts):
        return False
    return re.search(".{1,500}?".join(map(re.escape, parts)), "".join(text.split())) is not None


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim: its rule, place, quoted evidence and author."""

    rule: str
    severity: Severity
    path: str
    """In the reviewed tree, with forward slashes; empty where it is about the change as a whole."""
    line: int = 0
    """From 1; 0 where it is about no line."""
    message: str = ""
    evidence: str = ""
    """Quoted from the material, secrets masked."""
    consequence: str = ""
    action: str = ""
    source: str = "check"
    """`check`, `committee` or `claim`."""
    raised_by: tuple[str, ...] = ()
    """The checks or seats that make it."""
    veto: str = ""
    """The class of veto that it proves, if it does."""
    blocking: bool = True
    """It has to be dealt with before approval; otherwise it is a note."""
    occurrence: int = 0
    """Which of several alike in one file, from 0."""
    fingerprint: str = ""
    """Tells apart what the quotation must not show: a few digits of a digest of the masked secret."""

    @property
    def key(self) -> str:
        """Return the key that identifies the finding across runs.

        A check's finding is identified by its rule, its path and the text it quotes, where neither white space nor the
        numbers of masked secrets matter; one of the committee by its rule and path alone, since models do not word
        anything twice alike.
        """
        quoted = "".join(quotation(self.evidence).split()) if self.source == "check" else ""
        parts = (self.source, self.rule, self.path, quoted, str(self.occurrence), self.fingerprint)
        return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
