"""Secrets in a change: added ones are findings, and all that it shows are collected for masking."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from typing import Any

from quorate.codec.canonical import clean
from quorate.files.places import counted, is_document, is_test
from quorate.kit.change import Change, ChangedFile
from quorate.kit.check_result import CheckResult
from quorate.kit.findings import Finding, Severity
from quorate.kit.quote import clip, result
from quorate.safety.credentials import hits_in, is_configuration, named_in, unfolded
from quorate.safety.environment import given_secrets
from quorate.safety.formats import Grade, Hit, has_plugins
from quorate.safety.masks import Masks
from quorate.safety.private_keys import keys_in

NAME = "secrets"
VETO = "hard-coded secret"
MASK = "[masked secret]"
ENVIRONMENT = "environment"
"""The rule of secrets that this process was given."""
PRIVATE_KEY = ("private-key", "a private key", Grade.PROVEN)
"""Rule, kind and grade of a private key."""
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret in a change and its location. Its repr does not show it."""

    value: str = field(repr=False)
    """Its lines, where it has several, are joined by line ends."""
    rule: str
    what: str
    grade: Grade
    path: str
    line: int
    """In the new text; 0 where the change does not bring it."""
    context: str = field(default="", repr=False)
    """The line it stands in."""


def secrets_in(change: Change) -> tuple[Secret, ...]:
    """Return all secrets shown in the change, in order, including removed and unchanged lines."""
    known: dict[tuple[str, str], tuple[Hit, ...]] = {}
    secrets: list[Secret] = []
    for file in change.files:
        secrets += _in_file(file, known)
    left_out = [text for each in change.left_out for text in (each.path, each.detail)]
    for text in (change.title, *(each.path for each in change.files), *left_out):
        secrets += secrets_in_text(text)
    # Last, since the others keep their numbers where a session goes on with another environment.
    return (*secrets, *_of_environment(change))


def _of_environment(change: Change) -> Iterator[Secret]:
    """Return environment secrets that the change shows: masked, but not findings."""
    if values := given_secrets():
        texts = [
            change.title,
            *(text for file in change.files for text in (file.patch, file.before, file.after) if text),
        ]
        for value in values:
            if any(value in text for text in texts):
                yield Secret(value, ENVIRONMENT, "a secret of this machine", Grade.WEAK, "", 0)


def secrets_in_text(text: str, path: str = "") -> tuple[Secret, ...]:
    """Return the secrets in any text, such as a message, a path or a document; `path` is the file it comes from."""
    lines = text.split("\n")
    found = [Secret("\n".join(key.lines), *PRIVATE_KEY, "", 0) for key in keys_in(lines)]
    path = path if is_configuration(path) else ""
    for line, after in pairwise((*lines, "")):
        hits = hits_in(unfolded(line, after), path)
        found += [Secret(hit.value, hit.rule, hit.what, hit.grade, "", 0) for hit in hits]
    return tuple(found)


def without_secrets(text: str, given: Sequence[str] | None = None, path: str = "") -> str:
    """Return a text with secrets masked, recognised by format, by name or from our environment.

    These masks have no number, so they do not collide with those of the material that a text may quote. A secret found
    in one line is masked in all. `given` are the secrets of our environment, the longest first, if the caller has them;
    `path` is the file that the text comes from.
    """
    for value in given_secrets() if given is None else given:
        text = text.replace(value, MASK)
    if "---" in text or "Private-" in text:
        text = _without_keys(text)
    found = secrets_in_text(text, path)
    return Masks.of(found).cover(text, MASK) if found else text


def without_secrets_in(data: Any) -> Any:
    """Return plain data with secrets masked; a key may name a value as secret, which is then masked everywhere."""
    masks = Masks(tuple(_named_in_data(data)))
    return each_text(data, lambda text: without_secrets(masks.cover(text, MASK)))


def _named_in_data(data: Any) -> Iterator[str]:
    if isinstance(data, Mapping):
        for name, each in data.items():
            if isinstance(each, str):
                yield from (hit.value for hit in named_in(f'"{name}": "{each}"', "") if hit.value == each)
            else:
                yield from _named_in_data(each)
    elif isinstance(data, list):
        for each in data:
            yield from _named_in_data(each)


def each_text(data: Any, change: Callable[[str], str]) -> Any:
    """Apply a function to every text in plain data, keys included."""
    if isinstance(data, str):
        return change(data)
    if isinstance(data, Mapping):
        return {change(name): each_text(each, change) for name, each in data.items()}
    return [each_text(each, change) for each in data] if isinstance(data, list) else data


def _without_keys(text: str) -> str:
    lines = text.split("\n")
    for key in keys_in(lines):
        body = list(key.lines)
        for at in range(key.start, min(key.end + 1, len(lines))):
            done, rest = "", lines[at]
            while body and body[0] in rest:
                shown, _, rest = rest.partition(body.pop(0))
                done += shown + MASK
            lines[at] = done + rest
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _PatchLine:
    """One line of a hunk: on the new side (context and added), on the old one (context and removed), or on both."""

    text: str
    number: int
    """In the new text; 0 for a removed line."""
    added: bool
    removed: bool


def _in_file(file: ChangedFile, known: dict[tuple[str, str], tuple[Hit, ...]]) -> Iterator[Secret]:
    lines = list(_shown_lines(file))
    keys = _shown_keys(file, lines)
    ending = file.path.rpartition("/")[2]
    for index, line in enumerate(lines):
        yield from keys.get(index, ())
        after = lines[index + 1] if index + 1 < len(lines) else line
        text = unfolded(line.text, after.text) if after.number in (0, line.number + 1) else line.text
        if (text, ending) not in known:
            known[text, ending] = hits_in(text, file.path)
        for hit in known[text, ending]:
            number = line.number if line.added else 0
            yield Secret(hit.value, hit.rule, hit.what, hit.grade, file.path, number, line.text)
    yield from _whole_keys(file)


def _shown_lines(file: ChangedFile) -> Iterator[_PatchLine]:
    """Yield every line that the file's patch shows, in order; then lines of the change that its patch lacks."""
    seen: set[int] = set()
    number, inside = 0, False
    for raw in file.patch.split("\n"):
        if hunk := _HUNK.match(raw):
            number, inside = int(hunk[2]), True
        elif not inside or not raw or raw[0] not in "+- ":
            continue  # a header, or the note that the last line has no end
        elif raw[0] == "-":
            yield _PatchLine(raw[1:], 0, added=False, removed=True)
        else:
            if raw[0] == "+":
                seen.add(number)
            yield _PatchLine(raw[1:], number, added=raw[0] == "+", removed=False)
            number += 1
    yield from (_PatchLine(text, at, added=True, removed=False) for at, text in file.added.items() if at not in seen)
    if not inside:
        yield from (_PatchLine(text, 0, added=False, removed=True) for text in file.removed.values())


def _shown_keys(file: ChangedFile, lines: Sequence[_PatchLine]) -> dict[int, list[Secret]]:
    """Return private keys on both sides of the diff, by their first line."""
    found: dict[int, list[Secret]] = {}
    for skipped in ("removed", "added"):
        side = [(index, line) for index, line in enumerate(lines) if not getattr(line, skipped)]
        for key in keys_in([line.text for _, line in side]):
            new = [line for _, line in side[key.start : key.end + 1] if line.added and file.after is None]
            secret = _key(file, key.lines, new[0].number if new else 0, side[key.start][1].text)
            found.setdefault(side[key.start][0], []).append(secret)
    return found


def _whole_keys(file: ChangedFile) -> Iterator[Secret]:
    """Return private keys in the whole texts: a diff may show only the middle of one."""
    for text in (file.after, file.before):
        if text is not None and "---" in text:
            lines = text.split("\n")
            for key in keys_in(lines):
                new = (at for at in range(key.start + 1, key.end + 2) if at in file.added and text is file.after)
                yield _key(file, key.lines, next(new, 0), lines[key.start])


def _key(file: ChangedFile, lines: tuple[str, ...], number: int, context: str) -> Secret:
    return Secret("\n".join(lines), *PRIVATE_KEY, file.path, number, context)


def check_secrets(change: Change) -> CheckResult:
    """Report every secret that the change brings; what is quoted is masked."""
    secrets = secrets_in(change)
    return report(change, secrets, Masks.of(secrets))


def report(change: Change, secrets: Sequence[Secret], masks: Masks) -> CheckResult:
    """Report secrets that were already found."""
    findings: dict[tuple[str, int, str], Finding] = {}
    quoted: dict[str, str] = {}
    for secret in secrets:
        if secret.line and (secret.path, secret.line, secret.value) not in findings:
            if secret.context not in quoted:
                quoted[secret.context] = clip(clean(masks.mask(secret.context)))
            path = clean(masks.mask(secret.path))
            findings[secret.path, secret.line, secret.value] = _finding(secret, path, quoted[secret.context])
    lines = sum(len(file.added) for file in change.files)
    by = (
        "the formats of detect-secrets and own rules"
        if has_plugins()
        else "own rules alone: detect-secrets is not here"
    )
    reason = f"{counted(lines, 'added line')} of {counted(len(change.files), 'file')}, by {by}"
    return result(NAME, reason, findings.values(), read=len(change.files))


def _finding(secret: Secret, path: str, evidence: str) -> Finding:
    proven = secret.grade is Grade.PROVEN
    match secret.grade:
        case Grade.PROVEN:
            severity = Severity.CRITICAL
        case Grade.WEAK:
            # Tests are full of values that are named passwords and open nothing, documents of sample headers (R14).
            sample = is_test(secret.path) or (secret.rule == "authorization" and is_document(secret.path))
            severity = Severity.LOW if sample else Severity.HIGH
        case Grade.TEST:
            severity = Severity.MEDIUM
    sure = "is" if proven else "may be"
    return Finding(
        rule=f"secrets/{secret.rule}",
        severity=severity,
        path=path,
        line=secret.line,
        message=f"{secret.what} {sure} hard-coded",
        evidence=evidence,
        consequence="Everybody who can read the repository, now or later, can use it.",
        action="Take it out, revoke it where it is real, and read it from the environment or a vault.",
        raised_by=(NAME,),
        veto=VETO if proven else "",
        fingerprint=_fingerprint(secret.value),
    )


def _fingerprint(value: str) -> str:
    """Return a few hash digits that tell secrets apart without revealing them; fewer for short ones."""
    return sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[: 4 if len(value) >= 16 else 2]
