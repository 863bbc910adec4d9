"""Finds secrets in one line: formats of providers, values named as secrets, and values that look random."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from quorate.files.places import is_code
from quorate.safety.formats import Grade, Hit, formats_in
from quorate.safety.randomness import (
    is_blank,
    is_drawn,
    is_sample_password,
    is_strong,
    is_written,
    login_in,
)

# Values that are named as secrets

_KEYWORD = re.compile(
    r"(?P<pass>passw(?:or)?d|passphrase|(?<![a-z])pwd|contrase[nñ]a)|(?:api|access|auth|account|service|client|private|priv"
    r"|encryption|signing|secret|master|db|database)[_-]?key|secret|token|credential|bearer|authorization"
    r"|(?-i:(?<=[A-Z\d]_)PASS(?![A-Za-z]))|(?<=[a-z\d]_)(?P<some>key)(?![a-z])",
    re.IGNORECASE,
)
_NO_SECRET_KEY = re.compile(
    r"(?:public|pub|cache|sort|primary|foreign|partition|composite|candidate|unique|index|row|hash|lookup|dict|map)_$",
    re.IGNORECASE,
)
"""What stands before `key` where that is none of a lock."""
_ASSIGNED = re.compile(
    r"(?P<suffix>[\w-]{0,40})(?:\\{0,3}[\"'`\])]){0,3}\s{0,8}"
    r"(?P<sign>:\s{0,4}[A-Za-z_][\w\[\], .|?]{0,40}?\s{0,4}=(?!=)|:=|=>|={1,3}|!==?|:|,|\()\s{0,8}"
    r"(?:[bBfFrRuU@]{0,2}(?P<escape>\\{0,3})(?P<quote>[\"'`])"
    r"(?:Bearer |token |(?P<basic>Basic ))?(?P<quoted>[^\"'`\n]{4,300})(?P=quote)?"
    r"|(?:Bearer |(?P<basic_plain>Basic ))?(?P<plain>[^\s\"'`,;#<>()\[\]{}]{6,300}))"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_HEADER = re.compile(r"\b(?P<scheme>(?i:Bearer|Basic))\s{1,4}(?P<value>[A-Za-z0-9._~+/=-]{8,300})")
_NOT_THE_VALUE = re.compile(
    r"(?:^|[_-])(?:name|field|label|env|var|path|file|dir|url|uri|id|ids|type|header|prefix|suffix|length|len|size|expir\w*|ttl|count"
    r"|limit|error|message|msg|help|hint|placeholder|policy|scope|regex|pattern|format|version|title|text|hash\w*|digest"
    r"|checksum|commit|sha\d*|revision|fingerprint|ref|arn|selector|input|form|page|required|invalid|reset|mismatch|rule|class|kind|status)$",
    re.IGNORECASE,
)
_CONFIGURATION = (
    ".env",
    ".ini",
    ".cfg",
    ".conf",
    ".cnf",
    ".properties",
    ".toml",
    ".yaml",
    ".yml",
    ".sh",
    ".tfvars",
    ".netrc",
    ".npmrc",
)


def is_configuration(path: str) -> bool:
    """Whether the file is configuration, where values need no quotes."""
    name = path.lower().rpartition("/")[2]
    return name.endswith(_CONFIGURATION) or name.startswith((".env", "dockerfile", ".netrc", ".npmrc", ".pypirc"))


def named_in(line: str, path: str) -> Iterator[Hit]:
    """Yield values assigned to a name that suggests a secret: proven if they look random, weak otherwise.

    Unquoted values in a document are weak: they may be samples.
    """
    loose = is_configuration(path)
    for keyword in _KEYWORD.finditer(line):
        match = _ASSIGNED.match(line, keyword.end())
        if not match or match["basic"] or match["basic_plain"]:
            continue
        plain = loose or (not is_code(path) and _stands_alone(line, keyword, match))
        value = match["quoted"] or (match["plain"] if plain else None)
        if value and match["escape"]:  # JSON within a text that is quoted itself
            value = value.rstrip("\\")
        if value is None or " " in value or "\t" in value or is_blank(value) or is_written(value):
            continue
        if _NOT_THE_VALUE.search(_CAMEL.sub("_", match["suffix"])) or keyword[0].casefold() == value.casefold():
            continue
        what = f"a value named {keyword[0].lower()}"
        if keyword["some"]:  # a name that ends in `_key` may be a secret's, and proves nothing
            if is_strong(value) and not _NO_SECRET_KEY.search(line, max(0, keyword.start() - 12), keyword.start()):
                yield Hit(value, "keyword", Grade.WEAK, what)
        elif is_strong(value):
            sure = loose or not path or match["quoted"]
            yield Hit(value, "keyword", Grade.PROVEN if sure else Grade.WEAK, what)
        elif match["sign"] not in (",", "(") and match["suffix"] != "s" and _is_guess(value, keyword["pass"]):
            yield Hit(value, "keyword", Grade.WEAK, what)
    yield from _in_headers(line)


def _stands_alone(line: str, keyword: re.Match[str], match: re.Match[str]) -> bool:
    """Whether an unquoted value outside of a file counts as one.

    That is `NAME=value` in capitals, `name=value` with letters and digits in the value, or a random value after a name;
    not prose (`password: the word of the user`), nor calls (`TOKEN=make(…)`).
    """
    value = match["plain"]
    if value is None or match["sign"] not in ("=", ":") or line[match.end() : match.end() + 1] in ("(", "[", "{"):
        return False
    shell = match["sign"] == "=" and " " not in line[keyword.end() : match.start("plain")]
    named = keyword[0].isupper() or (shell and not match["suffix"])
    return is_strong(value) or (named and _is_guess(value, None)) or (shell and keyword[0].isupper())


def _in_headers(line: str) -> Iterator[Hit]:
    """Yield the values of authorization headers. `Basic` is no proof: what it decodes to decides (R14)."""
    for match in _HEADER.finditer(line):
        value = match["value"]
        drawn = is_strong(value) and not is_blank(value)
        if match["scheme"].lower() == "bearer":
            if drawn and len(value) >= 16:
                yield Hit(value, "authorization", Grade.PROVEN, "the value of an authorization header")
        elif (login := login_in(value)) is None:
            if drawn:
                yield Hit(value, "authorization", Grade.WEAK, "the value of a Basic header")
        elif not is_sample_password(*login):
            yield Hit(value, "authorization", Grade.WEAK, "a password in a Basic header")


def _is_guess(value: str, password: str | None) -> bool:
    """Whether a value may be a secret: any word if named a password; a key or token needs a digit and a letter."""
    if len(value) < 6 or not value.isascii() or not any(char.isalnum() for char in value):
        return False
    return password is not None or (any(char.isdigit() for char in value) and any(char.isalpha() for char in value))


# Values that nothing names

_QUOTED = re.compile(r"([\"'`])([A-Za-z0-9+/_=.~-]{24,200})\\{0,3}\1")
_PLAIN = re.compile(r"^\s*(?:export\s+|-\s+)?[\w.-]{1,80}\s*[=:]\s*([A-Za-z0-9+/_=.~-]{24,200})\s*$")
_OF_NO_SECRET = re.compile(
    r"sha\d|md5|integrity|checksum|digest|hash|fingerprint|data:|base64,|nonce|commit|revision|etag|public|pubkey|ssh-",
    re.IGNORECASE,
)
_LOCKS = re.compile(
    r"(?:^|/)(?:[\w.-]*\.lock|[\w.-]*-lock\.\w+|go\.sum|npm-shrinkwrap\.json|[\w.-]*\.(?:svg|ipynb|map))$"
)


def drawn_in(line: str, path: str) -> Iterator[Hit]:
    """Yield values that look random, although nothing names them as secrets."""
    values = [match[2] for match in _QUOTED.finditer(line)] + _PLAIN.findall(line)
    if not values or _OF_NO_SECRET.search(line) or _LOCKS.search(path):
        return
    for value in values:
        if not is_blank(value) and not is_written(value) and is_drawn(value):
            yield Hit(value, "entropy", Grade.WEAK, "a value that looks drawn")


_ENDS_NAMED = re.compile(r"[:=]\s{0,8}\Z")
_BEGINS_QUOTED = re.compile(r"\s{0,200}(\\{0,3}[\"'`][^\"'`\s]{4,300}[\"'`])\s{0,8}(?![:\s])")


def unfolded(line: str, after: str) -> str:
    """Return a line joined with the quoted value at the start of the next, if it ends in the name of a secret.

    Wrapped JSON breaks between a name and its value.
    """
    if not _ENDS_NAMED.search(line[-12:]) or not (value := _BEGINS_QUOTED.match(after)):
        return line
    name = line[-80:].rstrip(" \t:=").rpartition(" ")[2]
    return f"{line.rstrip()} {value[1]}" if _KEYWORD.search(name) else line


_MOST_COMPARED = 200
"""Secrets of one line that are compared with each other."""


def hits_in(line: str, path: str) -> tuple[Hit, ...]:
    """Return the secrets in a line, each with its surest reading; one inside another is part of it."""
    hits = [*formats_in(line), *named_in(line, path), *drawn_in(line, path)]
    if not hits or len(hits) > _MOST_COMPARED:
        return tuple({hit.value: hit for hit in reversed(hits)}.values())
    order = {grade: rank for rank, grade in enumerate((Grade.TEST, Grade.PROVEN, Grade.WEAK))}
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: (-len(hit.value), order[hit.grade], hit.rule == "keyword")):
        at = next((index for index, other in enumerate(kept) if hit.value in other.value), None)
        if at is None:
            kept.append(hit)
        elif hit.grade is Grade.PROVEN and kept[at].grade is Grade.WEAK:
            kept[at] = replace(hit, value=kept[at].value)
    return tuple(sorted(kept, key=lambda hit: line.find(hit.value)))
