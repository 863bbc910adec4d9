"""Errors of a PostgreSQL server, translated into messages that say what to do."""

from __future__ import annotations

from quorate.core.errors import StoreError
from quorate.store.address import Address
from quorate.store.sqlite_errors import Damaged


class Lost(StoreError):
    """The server cannot be reached, or the connection was lost; whether the last statement ran is unknown."""

    comes_back = False
    """Whether the server itself has said that it is only starting, stopping or full."""


class Away(Lost):
    """The server is there, but refuses to answer now."""

    comes_back = True


_AWAY = ("57P01", "57P02", "57P03", "53300", "40001", "40P01", "55P03", "57014")
"""Shutting down, crashed, starting, too many connections, serialisation, deadlock, lock not available, cancelled."""
_WORDS = {
    "28P01": "refuses the password; give it as PGPASSWORD, in ~/.pgpass, or in the URL",
    "28000": "does not let this user in; see its pg_hba.conf",
    "3D000": "has no such database; make it with: createdb NAME",
    "42501": "does not allow this user to do that; grant CREATE on the database once, or usage of the schema",
    "25006": "is read-only: it is a standby, or set to read only; name the primary server",
    "53100": "cannot grow: the disk is full; what was kept is safe, so make room and resume the session",
    "22021": "cannot keep a text that has a NUL character; remove it",
    "22P05": "cannot keep a text that has a NUL character; remove it",
    "3F000": "has no such schema; create it, or name another with ?schema=NAME",
    "42704": "does not know an option of the URL; remove it",
}


def in_words(error: Exception, address: Address) -> StoreError:
    """Translate an error of the driver or the system."""
    state = str(getattr(error, "sqlstate", "") or "")
    said = _masked(" ".join(str(error).split()) or type(error).__name__, address)
    if state in _AWAY:
        return Away(f"{address.shown} does not answer now: {said}")
    if state.startswith("XX00") and state != "XX000":
        return Damaged(f"{address.shown} is damaged: {said}")
    if state in _WORDS:
        return StoreError(f"{address.shown} {_WORDS[state]} ({said})")
    if state and not state.startswith("08"):
        return StoreError(f"{address.shown}: {said}")
    if isinstance(error, UnicodeError) or _is_of_data(error):
        return StoreError(f"{address.shown}: cannot keep a text that has half of a surrogate pair; remove it")
    if isinstance(error, OSError | TimeoutError | ConnectionError) or state or _is_of_connection(error):
        return Lost(
            f"{address.shown} cannot be reached ({said}); what was kept is safe, so see to the server and try again"
        )
    return StoreError(f"{address.shown}: {said}")


def _is_of_data(error: Exception) -> bool:
    """Whether the driver itself rejected a value before sending it."""
    return any(each.__name__ == "DataError" for each in type(error).__mro__)


def _is_of_connection(error: Exception) -> bool:
    """Whether the connection is closed, or closing."""
    names = {each.__name__ for each in type(error).__mro__}
    return "InternalClientError" in names or ("InterfaceError" in names and "ClientConfigurationError" not in names)


def _masked(said: str, address: Address) -> str:
    return said.replace(address.password, "***") if address.password else said
