"""What people write around a quotation to say where it stands, and how it is taken away.

"F1 H3:", "In shop/rates.py, line 20:" and "1." in front of it; "(line 20)" and "in shop/rates.py:20" behind it.
"""

from __future__ import annotations

import re

_ENDINGS = (
    "c cc cfg cjs cpp cs css cts cxx go graphql gradle h hpp htm html ini java js json jsx kt less lock lua m md mjs "
    "mod mts php pl proto ps1 py pyi rb rs rst sass scala scss sh sql svelte swift tf toml ts tsx txt vue xml yaml yml"
)
_NUMBER = r"l?\d{1,7}(?:[-–]l?\d{1,7})?"
_KEY = r"[fh]\d{1,6}(?:[-–/:][fh]?\d{1,6}){0,2}"
_NAMES = (
    ".dockerignore .editorconfig .env .gitattributes .gitignore changelog changes codeowners dockerfile gemfile "
    "jenkinsfile license makefile procfile rakefile readme"
)
_FILE = (
    rf"[\w.@~/\\-]{{1,200}}\.(?:{_ENDINGS.replace(' ', '|')})"
    rf"|(?:[\w.@~-]{{1,100}}/){{0,30}}(?:{'|'.join(map(re.escape, _NAMES.split()))})"
)
_FOLDER = r"[\w.@~-]{1,100}(?:/[\w.@~-]{1,100}){1,30}"
_PLACE = re.compile(
    rf"(?:{_KEY}|l\d{{1,7}}(?:[-–]l?\d{{1,7}})?|(?:{_FILE})(?::{_NUMBER}){{0,2}}|{_FOLDER}:{_NUMBER})", re.IGNORECASE
)
_AT_HEAD = re.compile(rf"{_PLACE.pattern}|{_FOLDER}", re.IGNORECASE)
_NUMBERED = re.compile(_NUMBER, re.IGNORECASE)
_LINES = frozenset({"line", "lines", "row", "rows"})
_WORDS = frozenset({"at", "file", "from", "hunk", "hunks", "in", "of", "on", "see"})
_SIGNS = frozenset({"-", "–", "—", "|", "*", "•", "#", "//"})
_ROUND = "`\"'“”*()[]{},:;|–—-"
_POINT = re.compile(r"\s*(?:[*•]|\(?\d{1,3}[.)])\s+")
_TOKEN = re.compile(r"\S+")
MOST_TOKENS = 12
"""Of which a note of a place consists at most."""


def without_location(line: str) -> str:
    """Return a line without the sign of a list and the notes of a place that stand in front of it and behind it."""
    if point := _POINT.match(line):
        line = line[point.end() :]
    return _without_tail(_without_head(line))


def _without_head(line: str) -> str:
    tokens = list(_TOKEN.finditer(line))[: MOST_TOKENS + 1]
    at = count = 0
    while at < len(tokens) - 1:
        taken, names = _taken([each[0] for each in tokens[at : at + 2]], _AT_HEAD)
        if not taken:
            break
        at += taken
        if names or (at - count == 1 and tokens[count][0] in _SIGNS and count):
            count = at
    if not 0 < count < len(tokens):
        return line
    last, after = tokens[count - 1][0], tokens[count][0]
    parted = last[-1] in ":,)]|–—-" or last in _SIGNS or after[0] in "`\"'“+-"
    return line[tokens[count].start() :] if parted else line


def _without_tail(line: str) -> str:
    tokens = list(_TOKEN.finditer(line))
    for at in range(max(1, len(tokens) - MOST_TOKENS), len(tokens)):
        first = tokens[at][0]
        if (first[0] in "([" or first in _SIGNS or first.lower() in _WORDS) and _is_note([t[0] for t in tokens[at:]]):
            return line[: tokens[at].start()].rstrip(" ,")
    return line


def _is_note(tokens: list[str]) -> bool:
    """Return whether these tokens name a place and nothing else."""
    placed = False
    while tokens:
        taken, names = _taken(tokens[:2], _PLACE)
        if not taken:
            return False
        tokens, placed = tokens[taken:], placed or names
    return placed


def _taken(tokens: list[str], place: re.Pattern[str]) -> tuple[int, bool]:
    """Return how many of the tokens belong to a note of a place, and whether they name it."""
    first = tokens[0].strip(_ROUND).rstrip("." + _ROUND).lower()
    if first in _LINES and len(tokens) > 1 and _NUMBERED.fullmatch(tokens[1].strip(_ROUND + ".")):
        return 2, True
    if place.fullmatch(first):
        return 1, True
    return (1, False) if tokens[0] in _SIGNS or first in _WORDS else (0, False)
