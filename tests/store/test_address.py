"""Addresses of PostgreSQL servers: read with care, shown without a password."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.core.errors import SettingError
from quorate.store.address import read_address
from quorate.store.open import open_journal, shown_store, store_file, store_server

WORD = "p@ss:w/rd?" + "0123456789"


@pytest.mark.parametrize(
    ("url", "plain", "user", "password", "schema"),
    [
        ("postgresql://h/d", "postgresql://h/d", None, None, "quorate"),
        ("postgres://me@h:5433/d?schema=own", "postgresql://h:5433/d", "me", None, "own"),
        ("postgresql://me:pw@h/d?sslmode=require", "postgresql://h/d?sslmode=require", "me", "pw", "quorate"),
        ("postgresql://m%40e:p%2Fw@h/d", "postgresql://h/d", "m@e", "p/w", "quorate"),
        ("postgresql://me:p@ss/w@h/d", "postgresql://h/d", "me", "p@ss/w", "quorate"),
        ("postgresql://me:p?w@h/d", "postgresql://h/d", "me", "p?w", "quorate"),
        ("postgresql://me@/d?host=/tmp/a&schema=s", "postgresql:///d?host=%2Ftmp%2Fa", "me", None, "s"),
        ("postgresql://h/d?user=me&password=pw", "postgresql://h/d", "me", "pw", "quorate"),
        ("postgresql://a:1,b:2/d", "postgresql://a:1,b:2/d", None, None, "quorate"),
    ],
)
def test_an_address_is_read(url: str, plain: str, user: str | None, password: str | None, schema: str) -> None:
    found = read_address(url)
    assert (found.url, found.user, found.password, found.schema) == (plain, user, password, schema)
    assert found.password is None or found.password not in f"{found!r} {found.shown}"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        (f"postgresql://me:{WORD}@h:port/d", "is not an address of a PostgreSQL server"),
        (f"postgresql://me:{WORD}@h/d?schema=My-Own", "has the schema 'My-Own'; expected small letters"),
        (f"postgresql://me:{WORD}@h/d?schema=pg_own", "and no pg_ in front"),
        (f"postgresql://me:{WORD}@h/d?schema=a&schema=b", "has schema twice"),
        (f"postgresql://me:{WORD}@h/d?schema", "has options that cannot be read"),
        (f"postgresql://me:{WORD}@", "names neither a host nor a database"),
        (f"postgresq://me:{WORD}@h/d", "did you mean 'postgresql://'?"),
        ("postgresql:d", "store: is 'postgresql:'; expected postgresql://USER@HOST:PORT/DATABASE"),
    ],
)
def test_what_is_no_address_is_said_without_the_password(url: str, words: str) -> None:
    with pytest.raises(SettingError) as caught:
        open_journal(url)
    assert words in str(caught.value)
    assert "0123456789" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:pw@h:1/d?schema=s", "postgresql://me@h:1/d?schema=s"),
        ("postgresql://me:p@ss@h/d", "postgresql://me@h/d"),
        ("postgresql://h/d?password=pw&schema=s", "postgresql://h/d?schema=s"),
        ("postgresql://me@h/d?password=pw", "postgresql://me@h/d"),
        ("mysql://me:pw@h/d", "mysql://me@h/d"),
        ("sqlite:/a/b@c.db", "sqlite:/a/b@c.db"),
        ("/a/b@c.db", "/a/b@c.db"),
        ("memory:", "memory:"),
    ],
)
def test_what_is_shown(url: str, shown: str) -> None:
    assert shown_store(url) == shown


@given(st.text(min_size=6).filter(lambda text: "@" not in text))
def test_no_password_is_shown_whatever_it_is(password: str) -> None:
    word = f"<{password}>"
    assert word not in shown_store(f"postgresql://me:{word}@h/d")


@given(st.text())
def test_any_text_is_an_address_or_an_error(text: str) -> None:
    shown_store(text)
    try:
        found = read_address(f"postgresql://{text}")
    except SettingError:
        return
    assert found.schema


def test_a_store_lies_in_a_file_or_on_a_server() -> None:
    assert store_file("postgresql://h/d") is None
    assert store_server("sqlite:a.db") is None
    server = store_server("postgresql://me:pw@h/d?schema=s")
    assert server is not None
    assert server.shown == "postgresql://me@h/d?schema=s"
