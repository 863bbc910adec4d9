"""Streams a participant's words with secrets masked, however the text is cut into pieces.

A word is passed on once it has ended, so that a secret is always seen whole; what may still become one (a private key,
a secret of several words) is held back as well. JSON escapes of line ends and letters are decoded, so that escaping
cannot hide a secret.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable

from quorate.safety.environment import given_secrets
from quorate.safety.private_keys import is_key_open
from quorate.safety.secrets import MASK, Secret, secrets_in_text, without_secrets

CONTEXT = 400
"""Characters already passed on that are kept as context for the next word."""
MOST_HELD = 50_000
"""Maximum of held characters; a call that needs more is no longer shown live."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_PARTIAL = re.compile(r"(?<!\\)(?:\\\\)*+(\\(?:u[0-9a-fA-F]{0,3})?)\Z")
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "/": "/"}
_MAY_BE = re.compile(
    r"[A-Za-z0-9+/_=-]{16}|://|---|Private-|(?i:pass|pwd|secret|token|credential|bearer|basic|authoriz|key|contrase)"
)
"""What every secret has that its format or its name tells."""
NAMED = 100
"""Characters before a word in which its name may stand."""
_WORD = re.compile(r"\S++")
_KEY_ENDS = re.compile(r"-----END[A-Z0-9 ]{0,60}\Z")
_OF_A_KEY, _LAST_OF_A_KEY = re.compile(r"[A-Za-z0-9+/=]{16,}+"), re.compile(r"[A-Za-z0-9+/=]++")
"""What may be lines of a private key whose beginning is not shown: its end would tell."""


class LiveWords:
    """Takes pieces of a text and passes on what is safe to show; call `end` to flush the rest."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._escape = ""
        """The beginning of an escape that the next piece ends."""
        self._held = ""
        self._context = ""
        self._silent = False
        forms = {form for value in given_secrets() for form in (value, json.dumps(value, ensure_ascii=False)[1:-1])}
        self._given = sorted(forms, key=len, reverse=True)
        """The secrets of the environment, how JSON writes them, and those that were told before."""
        self._of_words = [value for value in self._given if len(value.split()) > 1]

    def take(self, piece: str) -> None:
        """Take the next piece of the text."""
        if self._silent:
            return
        text = self._escape + piece
        partial = _PARTIAL.search(text)
        self._escape = partial[1] if partial else ""
        self._held += _ESCAPE.sub(_plain, text[: len(text) - len(self._escape)])
        self._pass_on(self._safe())
        if len(self._held) > MOST_HELD:
            self._silent = True
            self._say(MASK)

    def end(self) -> None:
        """Pass on what was held back, since nothing can follow it."""
        if not self._silent:
            self._held += self._escape
            self._escape = ""
            self._pass_on(len(self._held))

    def _safe(self) -> int:
        """Return the length of the held text that cannot become part of a secret."""
        if is_key_open(self._context + self._held):
            return 0
        words = [match.span() for match in _WORD.finditer(self._held)]
        cut = words.pop()[0] if words and words[-1][1] == len(self._held) else len(self._held)
        if ends := _KEY_ENDS.search(self._held, 0, cut):
            cut = ends.start()
        cut -= max((_begun(self._held[:cut], value) for value in self._of_words), default=0)
        words = [(start, min(end, cut)) for start, end in words if start < cut]
        if len(words) > 1 and _is(self._held, words[-1], _LAST_OF_A_KEY) and _is(self._held, words[-2], _OF_A_KEY):
            cut = words.pop()[0]
        while words and (_is(self._held, words[-1], _OF_A_KEY) or words[-1][1] == cut):
            cut = words.pop()[0]
        return cut

    def _pass_on(self, length: int) -> None:
        if not length:
            return
        new, self._held = self._held[:length], self._held[length:]
        if _MAY_BE.search(self._context[-NAMED:] + new):
            self._remember(secrets_in_text(self._context + new))
            before = without_secrets(self._context, self._given)
            both = without_secrets(self._context + new, self._given)
            self._say(both[len(before) :] if both.startswith(before) else MASK)
        else:  # most words are no secret, whatever stands before them
            for value in self._given:
                new = new.replace(value, MASK)
            self._say(new)
        self._context = (self._context + new)[-CONTEXT:]

    def _remember(self, secrets: Iterable[Secret]) -> None:
        """Remember secrets so that they are masked when repeated, except letters only, which may be a word."""
        values = {secret.value for secret in secrets if "\n" not in secret.value and not secret.value.isalpha()}
        if new := values - set(self._given):
            self._given = sorted((*self._given, *new), key=len, reverse=True)


def _is(text: str, span: tuple[int, int], expression: re.Pattern[str]) -> bool:
    return expression.fullmatch(text, *span) is not None


def _begun(text: str, value: str) -> int:
    """Return how many characters at the end of a text may be the start of a value."""
    return next((size for size in range(min(len(text), len(value) - 1), 0, -1) if text.endswith(value[:size])), 0)


def _plain(escape: re.Match[str]) -> str:
    code, letter = escape.groups()
    if code is None:
        return _LETTERS.get(letter, escape[0])
    char = chr(int(code, 16))
    return char if char.isprintable() and char not in '"\\' else escape[0]
