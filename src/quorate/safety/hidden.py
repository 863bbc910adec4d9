"""Detects text that does not read as it looks: bidi controls, invisible or smuggled characters, look-alikes.

Legitimate spelling is not reported: a byte order mark, joiners within words and emoji, a selector after an emoji, and
direction marks beside right-to-left letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from quorate.files.places import counted, is_code, is_document
from quorate.kit.change import Change, ChangedFile
from quorate.kit.check_result import CheckResult
from quorate.kit.findings import Finding, Severity
from quorate.kit.quote import clip, result
from quorate.safety.fence import JOINERS, takes_joiners
from quorate.safety.normal_form import LOOK_ALIKES, skeleton, smuggled

NAME = "hidden text"
_OVERRIDES = "\u202a-\u202e"
_ISOLATES = "\u2066-\u2069"
_DIRECTIONS = "\u200e\u200f\u061c"
_ZERO_WIDTH = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
)
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e007f"
_CONTROLS = "\x00-\x08\x0b\x0e-\x1f\x7f-\x9f"
_KINDS = {
    "bidi": re.compile(f"[{_OVERRIDES}{_ISOLATES}{_DIRECTIONS}]"),
    "zero-width": re.compile(f"[{_ZERO_WIDTH}{JOINERS}]"),
    "soft-hyphen": re.compile("\u00ad"),
    "tags": re.compile(f"[{_TAGS}]"),
    "selectors": re.compile(f"[{_SELECTORS}]"),
    "control": re.compile(f"[{_CONTROLS}]|\r(?!$)"),
}
_ANY = re.compile("|".join(pattern.pattern for pattern in _KINDS.values()))
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f")
_MESSAGES = {
    "bidi": "characters that turn the direction of text: the line does not read as it runs",
    "zero-width": "invisible characters",
    "soft-hyphen": "soft hyphens, which most editors do not show",
    "tags": "invisible tag characters",
    "selectors": "variation selectors that select nothing",
    "control": "control characters, which can hide text in a terminal",
}

READS = "; they read: "
"""What stands before words that were smuggled in. They are for people: a fence has kept them from every seat."""


def check_hidden_text(change: Change) -> CheckResult:
    """Report added lines that do not read as they run; the evidence shows the code points."""
    findings: list[Finding] = []
    for file in change.files:
        lines = {at: text for at, text in file.added.items() if not text.isascii() or _ANY.search(text)}
        twins = _ascii_words(file) if lines and is_code(file.path) else frozenset()
        findings += [finding for at, text in lines.items() for finding in _in_line(file, at, text, twins)]
    lines_read = sum(len(file.added) for file in change.files)
    return result(NAME, counted(lines_read, "added line"), findings, read=lines_read)


def _in_line(file: ChangedFile, number: int, text: str, twins: frozenset[str]) -> Iterator[Finding]:
    text = text.removesuffix("\r")
    if number == 1:
        text = text.removeprefix("\ufeff")
    prose = is_document(file.path)
    bare = _FLAG.sub("", text)
    for kind, pattern in _KINDS.items():
        if any(not _is_spelling(kind, bare, found.start()) for found in pattern.finditer(bare)):
            message = _MESSAGES[kind]
            if kind in ("tags", "selectors") and len(hidden := smuggled(bare).strip()) > 3:
                message = f"{message}{READS}{clip(shown(hidden[:200]), 120)}"
            yield _finding(file, number, bare, kind, _severity(kind, bare, prose), message)
    yield from _names(file, number, text, twins)


def _severity(kind: str, text: str, prose: bool) -> Severity:
    if kind == "soft-hyphen":
        return Severity.LOW
    if kind == "bidi" and not re.search(f"[{_OVERRIDES}{_ISOLATES}]", text):
        return Severity.MEDIUM  # a mark of direction alone moves little
    return Severity.MEDIUM if kind == "zero-width" and prose else Severity.HIGH


def _is_spelling(kind: str, text: str, at: int) -> bool:
    """Whether an invisible character is part of how a word or an emoji is written."""
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    match kind:
        case "bidi":
            # An override turns even what runs as it should; the others belong to prose that runs both ways.
            return char not in "\u202d\u202e" and any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
        case "zero-width":
            joined = before in ("\ufe0e", "\ufe0f") or takes_joiners(before)
            return char in JOINERS and joined and takes_joiners(after)
        case "selectors":
            return (before in "0123456789#*©®‼⁉™" or takes_joiners(before)) and not _KINDS["selectors"].match(after)
        case _:
            return False


# Names that look like others

_WORD = re.compile(r"[^\W\d_]\w*")
_ASCII_WORD = re.compile(r"[A-Za-z_]\w+", re.ASCII)


def _ascii_words(file: ChangedFile) -> frozenset[str]:
    text = file.after if file.after is not None else "\n".join(file.added.values())
    return frozenset(_ASCII_WORD.findall(text))


def _names(file: ChangedFile, number: int, text: str, twins: frozenset[str]) -> Iterator[Finding]:
    if text.isascii():
        return
    for word in _WORD.findall(text):
        if word.isascii() or not (is_mixed(word) or _is_twin(word, twins)):
            continue
        points = " ".join(f"U+{ord(char):04X}" for char in word[:40] if not char.isascii())
        message = f"a word that looks like {skeleton(word[:40])!r} and is another: it holds {points}"
        severity = Severity.MEDIUM if is_document(file.path) else Severity.HIGH
        yield _finding(file, number, text, "look-alike", severity, clip(message, 300))
        return


def is_mixed(word: str) -> bool:
    """Whether a word mixes ASCII letters with look-alikes from another script or style."""
    latin = any(char.isascii() and char.isalpha() for char in word)
    styled = any(_is_styled(char) for char in word)
    return (
        (latin or styled)
        and any(char in LOOK_ALIKES or _is_styled(char) for char in word)
        and (skeleton(word).isascii())
    )


def _is_styled(char: str) -> bool:
    """Whether it is a fullwidth or mathematical letter, which some languages read as ASCII."""
    return "\uff21" <= char <= "\uff5a" or "\U0001d400" <= char <= "\U0001d7ff"


def _is_twin(word: str, twins: frozenset[str]) -> bool:
    """Whether a word made only of look-alikes has an ASCII twin in the same file; ordinary words do not."""
    alike = len(word) >= 3 and all(char in LOOK_ALIKES or char.isdigit() or char == "_" for char in word)
    return alike and skeleton(word) in twins


def shown(text: str) -> str:
    """Return the text with every invisible character replaced by its code point."""
    return "".join(f"<U+{ord(char):04X}>" if _is_unseen(char) else char for char in text)


def _is_unseen(char: str) -> bool:
    return bool(_ANY.match(char)) or char == "\r" or (not char.isascii() and (char in LOOK_ALIKES or _is_styled(char)))


def _finding(file: ChangedFile, line: int, text: str, kind: str, severity: Severity, message: str) -> Finding:
    first = next((at for at, char in enumerate(text) if _is_unseen(char)), 0)
    return Finding(
        rule=f"hidden-text/{kind}",
        severity=severity,
        path=file.path,
        line=line,
        message=message,
        evidence=clip(shown(text[max(0, first - 60) : first + 60])),
        consequence="What people review is not what runs, or what a model reads.",
        action="Remove the characters, or write them as escapes.",
    )
