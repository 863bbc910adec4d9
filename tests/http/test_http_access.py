"""Tokens, names and addresses: who may come in, and where a server may listen."""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path

import pytest

from quorate.connections import client_of
from quorate.core.errors import InputError, SettingError
from quorate.http.access import Access, Scope, host_name, is_local, read_access, same_place
from quorate.http.limits import Buckets, Rate
from quorate.http.logins import LIFE_SECONDS, MOST_LOGINS, Logins, cookie_name, login_in
from quorate.http.server import BindAddress, url_of
from tests.http.served import READ_TOKEN, TOKEN

COOKIE = "quorate-8420"


def test_the_cookies_of_other_programs_do_not_matter() -> None:
    login = Logins().begin("READ")
    for other in ('prefs={"a":1}', 'a="', "b=\\", "=", "", "c", "quorate-8421=x", f"{COOKIE}=old", f"{COOKIE}", "d=é"):
        for header in (f"{other}; {COOKIE}={login}", f"{COOKIE}={login};{other}", f" {other} ;  {COOKIE}={login} "):
            assert login_in(header, COOKIE) == login, header


def test_only_what_could_be_a_login_is_looked_up() -> None:
    login = Logins().begin("READ")
    for value in ("", "x", f'"{login}"', f"{login}x", login[:-1], login[:-1] + "ä", login[:-1] + "\n", f"{login}="):
        assert login_in(f"{COOKIE}={value}", COOKIE) is None, value
    for name in ("quorate-842", "uorate-8420", "xquorate-8420", "QUORATE-8420", " "):
        assert login_in(f"{name}={login}", COOKIE) is None, name


def test_a_hostile_cookie_takes_no_more_steps_than_another() -> None:
    """The parser of the library looks through the rest of a header once for each backslash in it."""

    def steps(header: str) -> int:
        counted = 0

        def count(frame: object, event: str, argument: object) -> None:
            nonlocal counted
            counted += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            login_in(header, COOKIE)
        finally:
            sys.setprofile(None)
        return counted

    assert steps(f'{COOKIE}="' + "\\" * 31_000 + '"') < 50
    assert steps(f"{COOKIE}=x;" * 2_000) <= 2 * steps(f"{COOKIE}=x;" * 1_000)


async def test_whoever_waits_for_the_end_of_a_login_is_told() -> None:
    clock = Clock()
    logins = Logins(clock)
    ended, expired, pushed = (logins.begin("READ") for _ in range(3))
    waiting = [asyncio.create_task(logins.over(each)) for each in (ended, pushed)]
    await asyncio.sleep(0)
    logins.end(ended)
    async with asyncio.timeout(30):
        await waiting[0]
        assert not waiting[1].done()
        clock.now = LIFE_SECONDS - 0.01
        await logins.over(expired)
        clock.now = 0.0
        for _ in range(MOST_LOGINS + 1):
            logins.begin("READ")
        await waiting[1]
        await logins.over("nobody")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_without_a_token_everybody_may_write_and_with_one_nobody_without() -> None:
    assert Access().of_request(None, None) is Scope.WRITE
    access = Access(TOKEN, READ_TOKEN)
    assert access.of_request(None, None) is Scope.NONE
    assert access.of_request(f"Bearer {TOKEN}", None) is Scope.WRITE
    assert access.of_request(f"bearer  {READ_TOKEN} ", None) is Scope.READ
    for wrong in (TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}x", "Bearer ", "", f"Token {TOKEN}"):
        assert access.of_request(wrong, None) is Scope.NONE, wrong
    assert access.of_request(None, TOKEN) is Scope.NONE, "a cookie never holds the token"


def test_a_token_is_never_shown() -> None:
    assert TOKEN not in repr(Access(TOKEN, READ_TOKEN))
    with pytest.raises(SettingError) as raised:
        Access("short-" + "x" * 9)
    assert "short-" not in str(raised.value)
    assert "15 characters" in str(raised.value)


@pytest.mark.parametrize("token", ["x" * 15, "", "x" * 513, "with a space in it ok", "umläute-sind-nicht-gut"])
def test_bad_tokens_are_refused(token: str) -> None:
    with pytest.raises(SettingError):
        Access(token)


def test_the_two_tokens_differ() -> None:
    with pytest.raises(SettingError):
        Access(TOKEN, TOKEN)


def test_tokens_come_from_the_environment_or_a_file_that_nobody_else_reads(tmp_path: Path) -> None:
    access = read_access({"QUORATE_TOKEN": TOKEN, "QUORATE_READ_TOKEN": READ_TOKEN}, None)
    assert (access.token, access.read_token) == (TOKEN, READ_TOKEN)
    assert not read_access({"QUORATE_TOKEN": ""}, None).asks
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\nsecond line\n")
    file.chmod(0o600)
    assert read_access({"QUORATE_TOKEN": "y" * 20}, file).token == TOKEN
    file.chmod(0o644)
    with pytest.raises(InputError, match="can be read by others"):
        read_access({}, file)
    for text in ("", "\n"):
        other = tmp_path / "other"
        other.write_text(text)
        other.chmod(0o600)
        with pytest.raises(InputError, match="no token"):
            read_access({}, other)
    with pytest.raises(InputError, match="cannot be read"):
        read_access({}, tmp_path / "missing")


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.9.9.9", "::1", "[::1]"])
def test_names_of_this_machine(name: str) -> None:
    assert is_local(name)


@pytest.mark.parametrize(
    "name", ["0.0.0.0", "::", "10.0.0.1", "evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "", "1"]
)
def test_names_of_others(name: str) -> None:
    assert not is_local(name)
    with pytest.raises(SettingError, match="QUORATE_TOKEN"):
        Access().check_address(name)
    Access(TOKEN).check_address(name)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "evil.example:8420",
        "a@localhost",
        "localhost/x",
        "localhost:0",
        "localhost:x",
        "[::1",
        "ä.de",
    ],
)
def test_a_server_without_a_token_answers_to_its_own_names_alone(host: str) -> None:
    assert not Access().answers_to(host)
    for own in ("localhost", "localhost:8420", "127.0.0.1:1", "[::1]:8420"):
        assert Access().answers_to(own)


def test_host_names_are_read_without_their_port() -> None:
    assert host_name("Example.org:80") == "example.org"
    assert host_name("[::1]:80") == "::1"
    assert host_name("a b") is None


def test_an_origin_is_ours_with_its_port() -> None:
    assert same_place("http://localhost:8420", "localhost:8420")
    assert same_place("https://quorate.example", "quorate.example"), "behind a proxy that ends TLS"
    assert same_place("http://localhost", "localhost:80")
    for origin in (
        "http://localhost:3000",
        "http://localhost",
        "null",
        "",
        "http://localhost:8420.evil.example",
        "http://evil.example:8420",
        "file://localhost:8420",
        "http://localhost:8420/path",
        "http://a@localhost:8420",
        "http://localhost:99999",
    ):
        assert not same_place(origin, "localhost:8420"), origin


def test_logins_end_are_bounded_and_hold_no_token() -> None:
    clock = Clock()
    logins = Logins(clock)
    first = logins.begin("WRITE")
    assert len(first) >= 40
    assert logins.find(first) == "WRITE"
    assert logins.find(first[:-1]) is None
    others = [logins.begin("READ") for _ in range(MOST_LOGINS)]
    assert logins.find(first) is None, "the oldest has to log in again"
    assert logins.find(others[-1]) == "READ"
    logins.end(others[-1])
    assert logins.find(others[-1]) is None
    clock.now = LIFE_SECONDS
    assert logins.find(others[-2]) is None


def test_two_servers_of_one_machine_have_cookies_of_their_own() -> None:
    assert cookie_name("localhost:8420") != cookie_name("localhost:8421")
    assert cookie_name("quorate.example") == "quorate"


def test_a_bucket_is_emptied_and_fills_again() -> None:
    clock = Clock()
    buckets = Buckets(Rate(3, 0.5), clock)
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 2]
    assert buckets.take("b") == 0, "everybody has their own"
    clock.now = 2.0
    assert [buckets.take("a") for _ in range(2)] == [0, 2]
    clock.now = 1_000.0
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 2], "never more than fits"


def test_clients_are_counted_by_subscriber() -> None:
    assert client_of(("10.0.0.1", 5)) == client_of(("10.0.0.1", 6)) == "10.0.0.1"
    assert client_of(("2001:db8::1", 5)) == client_of(("2001:db8::ffff", 5))
    assert client_of(("2001:db8:0:1::1", 5)) != client_of(("2001:db8::1", 5))
    assert client_of(None) == "unknown"


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    taken = BindAddress("127.0.0.1", 0).bind(Access())
    taken.listen()
    with pytest.raises(SettingError, match="already"):
        BindAddress("127.0.0.1", taken.getsockname()[1]).bind(Access())
    taken.close()
    with pytest.raises(SettingError, match="is not a host name or address"):
        BindAddress("no-such-name.invalid", 0).bind(Access(TOKEN))
    with pytest.raises(SettingError, match="not an address of this machine"):
        BindAddress("203.0.113.7", 0).bind(Access(TOKEN))


def test_the_address_that_is_told_is_one_that_a_browser_takes() -> None:
    for host, told in (("127.0.0.1", "http://127.0.0.1:"), ("0.0.0.0", "http://127.0.0.1:")):
        bound = BindAddress(host, 0).bind(Access(TOKEN))
        assert url_of(bound).startswith(told)
        bound.close()
    if socket.has_ipv6:
        try:
            bound = BindAddress("::1", 0).bind(Access())
        except SettingError:
            return  # no IPv6 on this machine
        assert url_of(bound).startswith("http://[::1]:")
        bound.close()
