"""Fences mark untrusted text as data, so that a model judges it instead of obeying it. A person's words are no data.

A fence carries a random marker of the session, which the author of the data cannot know. Inside it, everything that
looks like a marker or a chat template's control token, or is invisible to people, is made visible. Letters are left as
they are: folding look-alikes would damage other languages.
"""

from __future__ import annotations

import re
import unicodedata

_ESCAPES = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_ZERO_WIDTH = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d"
    "\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
)
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e007f"
_HALVES = "\ud800-\udfff"
_HIDDEN = re.compile(f"[{_ESCAPES}{_ZERO_WIDTH}{_BIDI}{_SELECTORS}{_TAGS}{_HALVES}]+")
_SELECTOR = re.compile(f"[{_SELECTORS}]")
JOINERS = "\u200c\u200d"

# Each pattern looks ahead a bounded distance, so that hostile text costs no more time than other text.
_MARKER = re.compile(r"(?<![<＜])[<＜]{2,}+(?=\s{0,9}(?:data|person|end)\b[^<>＜＞\n]{0,200}[>＞]{2})", re.IGNORECASE)
# Chat templates are plain text to an embedded model: data that holds their tokens could open a turn of its own.
_CONTROL = re.compile(r"<(?=[|｜][^<>|｜\n]{1,60}[|｜]>|/?(?:start|end)_of_turn>)|\[(?=/?INST\])")
# Most texts hold none of what the patterns begin with, and one look tells.
_SUSPECT = re.compile(f"[{_ESCAPES}{_ZERO_WIDTH}{_BIDI}{_SELECTORS}{_TAGS}{_HALVES}<＜\\[]")


def neutralise(text: str) -> tuple[str, int]:
    """Return the text with hidden characters and possible markers made visible, and how many were changed.

    Idempotent: neutralising twice changes nothing more.
    """
    if not _SUSPECT.search(text):
        return text, 0
    shown, hidden = _HIDDEN.subn(_show, text)
    hidden -= len(_HIDDEN.findall(shown))  # what had a right to stay was matched, and not changed
    shown, markers = _MARKER.subn(lambda found: "(" * len(found[0]), shown)
    shown, tokens = _CONTROL.subn(lambda found: f"{found[0]} ", shown)
    return shown, hidden + markers + tokens


KINDS = {
    "control character": re.compile(f"[{_ESCAPES}]"),
    "zero-width character": re.compile(f"[{_ZERO_WIDTH}]"),
    "direction mark": re.compile(f"[{_BIDI}]"),
    "variation selector": re.compile(f"[{_SELECTORS}]"),
    "tag character": re.compile(f"[{_TAGS}]"),
    "half of a character": re.compile(f"[{_HALVES}]"),
}


def replaced(text: str) -> dict[str, int]:
    """Return how many of each kind `neutralise` replaces in a text; empty if it changes nothing."""
    shown, changes = neutralise(text)
    if not changes:
        return {}
    found = {kind: len(each.findall(text)) - len(each.findall(shown)) for kind, each in KINDS.items()}
    visible = _HIDDEN.sub(_show, text)
    found["forged marker"] = len(_MARKER.findall(visible))
    found["token of a chat template"] = len(_CONTROL.findall(visible))
    return {kind: count for kind, count in found.items() if count}


def _show(found: re.Match[str]) -> str:
    run = found[0]
    before = found.string[found.start() - 1] if found.start() else ""
    after = found.string[found.end()] if found.end() < len(found.string) else ""
    if _is_writing(run, before, after):
        return run
    more = f" and {len(run) - 1} more" if len(run) > 1 else ""
    return f"[hidden U+{ord(run[0]):04X}{more}]"


def _is_writing(run: str, before: str, after: str) -> bool:
    """Whether an invisible character is spelling: one joiner inside a word of many scripts, one variation selector."""
    if _SELECTOR.match(run):
        keycap = before in "0123456789#*" and before != ""
        return (len(run) == 1 or (len(run) == 2 and run[1] in JOINERS)) and (keycap or takes_joiners(before))
    return len(run) == 1 and run in JOINERS and takes_joiners(before) and takes_joiners(after)


def takes_joiners(char: str) -> bool:
    """Whether joiners and selectors belong next to it: letters beyond Latin, their marks, and emoji."""
    return char > "\u02ff" and unicodedata.category(char)[0] in "LMS"


def fence(title: str, text: str, nonce: str) -> str:
    """Return the text as data between markers of this session; the title must not be untrusted."""
    return fenced(one_line(title), neutralise(text)[0], nonce)


def fenced(title: str, text: str, nonce: str) -> str:
    """Return an already neutralised text as data between markers, under a one-line title."""
    return _between("data", title, text, nonce)


def spoken(title: str, text: str, nonce: str) -> str:
    """Return already neutralised words of a person between markers that no material can forge."""
    return _between("person", title, text, nonce)


def _between(kind: str, title: str, text: str, nonce: str) -> str:
    return f"<<{kind} {nonce} {title}>>\n{text.replace(nonce, '[marker]')}\n<<end {nonce}>>"


def one_line(title: str) -> str:
    """Return a title that can neither close a marker nor start a new line."""
    return " ".join(neutralise(title)[0].replace("<", "(").replace(">", ")").split())
