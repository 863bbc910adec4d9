"""Comparing ids as people read them: ignoring case and lookalike characters."""

from __future__ import annotations

import unicodedata

_LOOKS_LIKE = str.maketrans(
    {
        **dict(
            zip(
                "\u0430\u0432\u0441\u0501\u0435\u04bb\u0456\u0458\u04cf\u043a\u043c\u043d\u043e\u0440\u051b\u0455\u0442\u051d\u0445\u0443\u0491\u0433\u0493\u0492\u0475",
                "abcdehijlkmhopqstwxyrrffv",
                strict=True,
            )
        ),  # Cyrillic
        **dict(
            zip(
                "\u03b1\u03b2\u03b5\u03b6\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03f2\u03dd",
                "abezhikmnoptyxcf",
                strict=True,
            )
        ),  # Greek
        **dict(zip("\u0585\u057d\u0570\u0578\u0581\u0566", "ouhngq", strict=True)),  # Armenian
        **dict(
            zip("\u0251\u0261\u0131\u0269\u0280\ua730\u1d04\u1d0f\uab71\uabaf", "agiirfcorc", strict=True)
        ),  # Latin and Cherokee that is never told from ASCII
        **dict(zip("oil|", "0111", strict=True)),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe63\uff0d\u30fc\u02d7_", "-"),
    }
)
_UNSEEN = frozenset({"Cc", "Cf", "Mn", "Me", "Zs"})


def alike(one: str, other: str) -> bool:
    """Return whether two ids are equal or look the same."""
    return one == other or _folded(one) == _folded(other)


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", text).casefold())
    seen = "".join(_digit(each) for each in plain if unicodedata.category(each) not in _UNSEEN)
    # Twice, since what a letter of another script looks like may be a letter that looks like a digit.
    return seen.translate(_LOOKS_LIKE).translate(_LOOKS_LIKE)


def _digit(character: str) -> str:
    value = unicodedata.digit(character, None)
    return character if value is None else str(value)
