"""URL of a store on a PostgreSQL server: parsed strictly, and displayed without its password."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from quorate.core.errors import SettingError

SCHEMES = ("postgresql", "postgres")
EXPECTED = "postgresql://USER@HOST:PORT/DATABASE"
SCHEMA = "quorate"
"""Default schema of the tables."""
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,49}")

_OPTION = re.compile(
    r"\?(?:schema|host|port|user|password|passfile|dbname|database|ssl\w*|target_session_attrs|service|krbsrvname|gsslib"
    r"|options|application_name|connect_timeout)="
)
"""Where the options of a URL begin."""


@dataclass(frozen=True, slots=True)
class Address:
    """Parsed address of a database, with its user."""

    url: str
    """For the driver: without user, password and our own options."""
    user: str | None
    password: str | None = field(repr=False)
    schema: str
    shown: str
    """For display: as given, without the password."""

    @property
    def channel(self) -> str:
        """Name of the NOTIFY channel that announces new entries."""
        return f"quorate:{self.schema}"


def read_address(url: str) -> Address:
    """Parse a URL such as `postgresql://user@host/database?schema=quorate`; SettingError if it is invalid."""
    scheme, user, password, rest = _split(url)
    parts = _parts(f"{scheme}://{rest}")
    user, password = unquote(user), unquote(password)
    query = _query(parts)
    names = [name for name, _ in query]
    for name, value in query:
        if names.count(name) > 1:
            raise _wrong(url, f"has {name} twice", "each option once")
        if name == "user":
            user = user or value
        elif name == "password":
            password = password or value
    schema = dict(query).get("schema", SCHEMA)
    if not _NAME.fullmatch(schema) or schema.startswith("pg_"):
        raise _wrong(url, f"has the schema {schema!r}", "small letters, digits and _, at most 50, and no pg_ in front")
    host, hosts = parts.netloc, [value for name, value in query if name == "host"]
    if not host and not hosts and not parts.path.strip("/"):
        raise _wrong(url, "names neither a host nor a database", EXPECTED)
    kept = [(name, value) for name, value in query if name not in ("schema", "user", "password")]
    plain = urlunsplit(("postgresql", host, parts.path, urlencode(kept), ""))
    # `urlunsplit` leaves the slashes out where there is no host, and the driver wants them.
    plain = plain if plain.startswith("postgresql://") else plain.replace("postgresql:", "postgresql://", 1)
    return Address(plain, user or None, password or None, schema, without_password(url))


def without_password(url: str) -> str:
    """Return a URL without its password, for display; never raises."""
    scheme, user, _, rest = _split(url)
    place, mark, options = rest.partition("?")
    kept = [each for each in options.split("&") if not each.lower().startswith(("password=", "sslpassword="))]
    query = mark + "&".join(kept) if any(kept) else ""
    return f"{scheme}://{f'{user}@' if user else ''}{place}{query}"


def _split(url: str) -> tuple[str, str, str, str]:
    """Split a URL into scheme, user, password and rest; a password may contain any character, ending at the last @."""
    scheme, _, rest = url.partition("://")
    options = _OPTION.search(rest)  # any other question mark may belong to a password
    before, at, _ = rest[: options.start() if options else len(rest)].rpartition("@")
    user, _, password = before.partition(":")
    return scheme, user, password, rest[len(before) + 1 :] if at else rest


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        if "," not in parts.netloc:
            _ = parts.port  # raises what is wrong with it
    except ValueError as error:
        what = f"is not an address of a PostgreSQL server: {error}"
        raise SettingError(what, key="store", expected=EXPECTED) from error
    return parts


def _query(parts: SplitResult) -> list[tuple[str, str]]:
    try:
        return parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError as error:
        raise SettingError("has options that cannot be read", key="store", expected="?schema=NAME") from error


def _wrong(url: str, what: str, expected: str) -> SettingError:
    return SettingError(f"{without_password(url)} {what}", key="store", expected=expected)
