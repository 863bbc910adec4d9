"""The words of a text: the stems of those that tell something, and the names in it."""

from __future__ import annotations

import re


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP = _set(
    "a an the this that these those it its they their them there here i we you he she who whom whose which what when"
    " where why how and or but nor so as if then than because since while until unless of to in on at by for from with"
    " into onto about over under between within through during after before is are was were be been being am do does"
    " did done doing has have had having can could may might must shall should will would also just only very too such"
    " some any each every all both few more most other own same again once ever even still yet already much many one"
    " ones either however therefore thus hence eg ie etc per via up out off now get gets got gotten"
)
FILLER = _set(
    "carefully properly correctly appropriately accordingly thoroughly clearly explicitly fully really simply please"
    " ensure ensures ensuring sure make makes making necessary needed need needs important importantly proper correct"
    " appropriate relevant suitable various several robust robustly clear clean cleanly good well high quality best"
    " practice practices way ways manner regarding concerning respective respectively respect order able actually"
    " currently basically exactly precisely actual overall generally kind"
)
"""Words that make a sentence longer and say nothing that could be done or tested."""
_WORD = re.compile(r"[^\W_]+")
_ENDINGS = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ions", ""), ("ion", ""), ("ed", ""), ("es", ""), ("s", ""))


def stem(word: str) -> str:
    """Return the stem of a word, without a common ending."""
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "is")):
            word = word.removesuffix(ending) + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def said(text: str) -> frozenset[str]:
    """Return the stems of the significant words of a text, without stop words and filler."""
    return frozenset(stem(word) for word in _telling(text))


def _telling(text: str) -> list[str]:
    words = _WORD.findall(text.casefold().replace("’", "'").replace("n't", " not"))
    return [word for word in words if word not in STOP and word not in FILLER]


_NAMED = re.compile(
    r"`[^`\n]{1,200}`|\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”"  # what is marked as code, or quoted
    r"|[\w.*-]*/[\w./*-]*\w"  # a path
    r"|\b[A-Za-z]\w*\.[a-z]\w{1,4}\b"  # a file
    r"|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z]+[A-Z]\w*\b"  # snake_case, camelCase, CamelCase
    r"|(?<![\w-])--?[a-z][\w-]*"  # an option
)


def names_in(text: str) -> frozenset[str]:
    """Return the paths, identifiers and quoted names in a text, which tell two things of one kind apart."""
    return frozenset(name[0].strip('`"“”.').casefold() for name in _NAMED.finditer(text))
