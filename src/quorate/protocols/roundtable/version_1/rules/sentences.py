"""Splits a person's words into sentences of plain tokens, without quotations."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

MOST_READ = 16_000
"""Characters that are read; of a longer text the beginning and the end."""
QUOTED = "_"
"""Stands where somebody else's words stood."""
SIGNS = (",", ":", "'")
"""The signs that are kept: a pause (commas, dashes, brackets), a colon, and an apostrophe at the end of a word."""

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'"})
_QUOTES = re.compile(
    r"```.{0,2000}?```|`[^`\n]{1,400}`|\"[^\"\n]{0,600}\"|“[^”\n]{0,600}”|„[^“”\n]{0,600}[“”]|«[^»\n]{0,600}»"
    r"|(?<!\w)'[^'\n]{1,400}'(?!\w)",
    re.DOTALL,
)
_WHOLE = re.compile(r"""["'`“”„«‘’]([^"'`“”„«»‘’]{1,80})["'`“”»‘’][.!]?""")
_CITED = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_AFTER_STOP = ("", " ", "\t", "\n", "\r", ")", "]")
_TOKEN = re.compile(
    r"(?P<word>@?\w+(?:['-]\w+)*)|(?P<stop>[.!?…]+)|(?P<end>[;\n。？！])|(?P<pause>[,،、()\[\]—–]|-(?=\s))"
    r"|(?P<colon>:(?=\s|$))|(?P<apostrophe>'(?!\w))"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of a sentence in lower case, with the signs between them."""

    tokens: tuple[str, ...]
    asks: bool
    """It ends with a question mark."""

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(token for token in self.tokens if token not in SIGNS)

    @property
    def clauses(self) -> list[tuple[str, ...]]:
        """The words between pauses."""
        found: list[list[str]] = [[]]
        for token in self.tokens:
            if token in (",", ":"):
                found.append([])
            elif token not in SIGNS:
                found[-1].append(token)
        return [tuple(clause) for clause in found if clause]


def vocabulary(words: str) -> frozenset[str]:
    """Return the words of a list that is written with blanks between them."""
    return frozenset(words.split())


def phrases(*lines: str) -> frozenset[tuple[str, ...]]:
    """Return the phrases of lists that are written with commas between them."""
    return frozenset(tuple(phrase.split()) for line in lines for phrase in line.split(", "))


_WORDS = vocabulary(
    "abel ace amber an angel april archer are art ash august autumn baker basil bay beau bill bishop blaze bliss "
    "blue bob brook buck bud buddy can carol case cash chance charity chase chip christian chuck clay cliff colt "
    "cooper coral crystal daisy dale dash dawn dean destiny do don dot drew duke earl echo elder even faith fern "
    "flint forest frank gale gem gene ginger glen grace grant guy hall harmony harry hazel heath heather heaven "
    "herb holly honor hope how hunter in iris ivy jack jade jay jean jewel josh joy june justice king kit lance "
    "lane lee light lily link long major marina mark mason max may melody mercy merry mike miles min misty my "
    "nick no noble norm north nova oak olive opal page parker pat patience pearl peg penny pepper pierce poppy "
    "porter prince prudence queen rain ray read red reed reef rich river rob robin rock rocky rose royal ruby "
    "rusty sage sandy saw scout see sky so stan star sterling stone storm story sue summer sunny tanner taylor "
    "the tiger trace trinity trip true valentine van victor violet wade ward wave way west will winter woody wren "
    "yes young"
)
"""First names that are words as well, mostly of talk about software: Will that scale? Mark it. May I?"""


def is_word(name: str) -> bool:
    """Return whether a first name is a word as well, so that only a pause or an @ makes it a name."""
    return name in _WORDS


def folded(text: str) -> str:
    """Return a text as it is compared: one form of every character, no case, no accents, no invisible characters."""
    seen = "".join(
        each for each in unicodedata.normalize("NFKD", text) if unicodedata.category(each) not in ("Mn", "Cf")
    )
    return unicodedata.normalize("NFKC", seen).casefold().translate(_APOSTROPHES)


def says_something(text: str) -> bool:
    """Return whether a text has more than blanks and signs: a letter, a figure, an emoji or a question mark."""
    return any(each in "?？¿" or unicodedata.category(each)[0] not in "PZCM" for each in text)


def unquoted(text: str) -> str:
    """Return a text without the quotation marks around all of it: who types "done" has read that somewhere."""
    found = _WHOLE.fullmatch(text.strip())
    return found[1] if found else text


def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text, without what it quotes."""
    text = _both_ends(folded(_both_ends(text)))  # some characters stand for many
    text = _QUOTES.sub(f" {QUOTED} ", _CITED.sub(QUOTED, text))
    found: list[Sentence] = []
    tokens: list[str] = []
    for match in _TOKEN.finditer(text):
        match match.lastgroup:
            case "word":
                tokens.append(match[0])
            case "pause":
                tokens.append(",")
            case "colon":
                tokens.append(":")
            case "apostrophe":
                tokens.append("'")
            case _:
                # A full stop inside of a word, as in v1.2 or example.com, ends nothing.
                if match.lastgroup == "end" or "?" in match[0] or text[match.end() : match.end() + 1] in _AFTER_STOP:
                    _close(found, tokens, "?" in match[0] or match[0] == "？")
    _close(found, tokens, asks=False)
    return tuple(found)


def _both_ends(text: str) -> str:
    return text if len(text) <= MOST_READ else f"{text[: MOST_READ // 2]}\n{text[-MOST_READ // 2 :]}"


def _close(found: list[Sentence], tokens: list[str], asks: bool) -> None:
    if any(token not in SIGNS for token in tokens):
        found.append(Sentence(tuple(tokens), asks))
    tokens.clear()
