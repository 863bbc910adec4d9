"""Tells ids apart as people do: two that differ only in case or in characters that look the same are alike."""

from __future__ import annotations

import unicodedata

_LOOKS_LIKE = str.maketrans(
    {
        **dict(zip("авсԁеһіјӏкмнорԛѕтԝхуґгғҒѵ", "abcdehijlkmhopqstwxyrrffv", strict=True)),  # Cyrillic
        **dict(zip("αβεζηικμνορτυχϲϝ", "abezhikmnoptyxcf", strict=True)),  # Greek
        **dict(zip("օսհոցզ", "ouhngq", strict=True)),  # Armenian
        **dict(zip("ɑɡıɩʀꜰᴄᴏꭱꮯ", "agiirfcorc", strict=True)),  # Latin and Cherokee that is never told from ASCII
        **dict(zip("oil|", "0111", strict=True)),
        **dict.fromkeys("‐‑‒–—―−⁃﹣－ー˗_", "-"),
    }
)
_UNSEEN = frozenset({"Cc", "Cf", "Mn", "Me", "Zs"})


def alike(one: str, other: str) -> bool:
    """Return whether two ids are the same, or look it."""
    return one == other or _folded(one) == _folded(other)


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", text).casefold())
    seen = "".join(_digit(each) for each in plain if unicodedata.category(each) not in _UNSEEN)
    # Twice, since what a letter of another script looks like may be a letter that looks like a digit.
    return seen.translate(_LOOKS_LIKE).translate(_LOOKS_LIKE)


def _digit(character: str) -> str:
    value = unicodedata.digit(character, None)
    return character if value is None else str(value)
