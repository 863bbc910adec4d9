"""Access control: who may read, who may write, and which addresses a server may listen on.

A program sends a token as `Authorization: Bearer …`; a browser sends it once and gets a cookie (logins.py). Without a
token a server listens on this machine only and accepts only loopback `Host` names, which prevents DNS rebinding.
"""

from __future__ import annotations

import ipaddress
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from hmac import compare_digest
from pathlib import Path
from urllib.parse import urlsplit

from quorate.core.errors import InputError, SettingError
from quorate.http.logins import Logins

WRITE_VARIABLE, READ_VARIABLE = "QUORATE_TOKEN", "QUORATE_READ_TOKEN"
LEAST_CHARACTERS = 16
MOST_CHARACTERS = 512
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
HOW = f"a token of at least {LEAST_CHARACTERS} characters in {WRITE_VARIABLE}, or --token-file FILE"


class Scope(Enum):
    """Permission of a client; write includes read."""

    NONE = 0
    READ = 1
    WRITE = 2

    def allows(self, wanted: Scope) -> bool:
        return self.value >= wanted.value


@dataclass(frozen=True)
class Access:
    """The tokens of one server, and its browser logins."""

    token: str | None = field(default=None, repr=False)
    """May read and write."""
    read_token: str | None = field(default=None, repr=False)
    logins: Logins = field(default_factory=Logins, repr=False)

    def __post_init__(self) -> None:
        for token in (self.token, self.read_token):
            if token is not None:
                check_token(token)
        if self.token is not None and self.token == self.read_token:
            raise SettingError(
                "is the same as the token that may write",
                key=READ_VARIABLE,
                expected="another token, which may only read",
            )

    @property
    def asks(self) -> bool:
        """Whether clients must authenticate."""
        return self.token is not None or self.read_token is not None

    def of_token(self, given: str) -> Scope:
        """Return the scope of a token, compared in constant time."""
        told = given.encode("utf-8", "surrogatepass")
        found = Scope.NONE
        for token, scope in ((self.read_token, Scope.READ), (self.token, Scope.WRITE)):
            if token is not None and compare_digest(told, token.encode()):
                found = scope
        return found

    def of_request(self, authorization: str | None, cookie: str | None) -> Scope:
        """Return the scope of a request from its `Authorization` header, or else from its cookie."""
        if not self.asks:
            return Scope.WRITE
        if authorization is not None:
            scheme, _, given = authorization.partition(" ")
            return self.of_token(given.strip()) if scheme.lower() == "bearer" else Scope.NONE
        kept = self.logins.find(cookie) if cookie else None
        return Scope[kept] if kept is not None else Scope.NONE

    def check_address(self, host: str) -> None:
        """Raise SettingError if a server without a token would be reachable from other machines."""
        if not self.asks and not is_local(host):
            raise SettingError(
                f"{host} can be reached from other machines, and no token is set",
                key="--host",
                expected=f"{HOW}; or 127.0.0.1 for this machine alone",
            )

    def answers_to(self, host: str) -> bool:
        """Return whether this `Host` header is accepted: any with a token, only loopback names without."""
        name = host_name(host)
        return name is not None and (self.asks or is_local(name))


def check_token(token: str) -> None:
    """Raise SettingError for a token that is too short, too long, or invalid in a header. Never quotes the token."""
    if not LEAST_CHARACTERS <= len(token) <= MOST_CHARACTERS:
        raise SettingError(
            f"a token has {len(token)} characters",
            key=WRITE_VARIABLE,
            expected=f"{LEAST_CHARACTERS} to {MOST_CHARACTERS}; `openssl rand -hex 24` makes one",
        )
    if not all("!" <= char <= "~" for char in token):
        raise SettingError(
            "a token has a space or a character beyond ASCII",
            key=WRITE_VARIABLE,
            expected="ASCII letters, digits and signs",
        )


def read_access(environment: Mapping[str, str], token_file: Path | None) -> Access:
    """Read the tokens from the environment and a file; the file's token replaces the variable's."""
    token = environment.get(WRITE_VARIABLE) or None
    if token_file is not None:
        token = _from_file(token_file)
    return Access(token, environment.get(READ_VARIABLE) or None)


def _from_file(path: Path) -> str:
    """Read a token from the first line of a file, which only its owner may be able to read."""
    expected = "a file with one token in its first line"
    try:
        with path.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            data = stream.read(MOST_CHARACTERS * 4)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(path), expected=expected) from error
    if os.name == "posix" and mode & (stat.S_IRGRP | stat.S_IROTH):
        raise InputError("can be read by others", file=str(path), expected=f"chmod 600 {path}")
    lines = data.decode("utf-8", "replace").splitlines()
    if not lines or not lines[0].strip():
        raise InputError("has no token", file=str(path), expected=expected)
    return lines[0].strip()


def is_local(name: str) -> bool:
    """Return whether a host name or address is loopback."""
    if name.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def host_name(host: str) -> str | None:
    """Return the host name in a `Host` header without the port; None if it is malformed."""
    if not host or any(char in host for char in "/\\@?# \t,") or not host.isascii():
        return None
    try:
        parts = urlsplit(f"//{host}")
        port = parts.port
    except ValueError:
        return None
    return parts.hostname if port != 0 else None


def same_place(origin: str, host: str) -> bool:
    """Return whether an `Origin` and a `Host` header name the same host and port.

    The scheme is ignored: behind a TLS-terminating proxy our page has https while our server sees http.
    """
    try:
        there, here = urlsplit(origin), urlsplit(f"//{host}")
        if there.scheme not in ("http", "https") or there.path or there.query or there.username is not None:
            return False
        usual = 443 if there.scheme == "https" else 80
        return there.hostname == here.hostname and (there.port or usual) == (here.port or usual)
    except ValueError:
        return False
