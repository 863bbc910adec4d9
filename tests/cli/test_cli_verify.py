"""`quorate verify` as people run it: the command itself proves every protocol, and each profile of it alone."""

from __future__ import annotations

import re

import pytest

from quorate import catalog
from tests.cli.shell import Ran, Shell

PROTOCOLS = tuple(catalog.definitions())
PROFILES = [(name, profile) for name in PROTOCOLS for profile in catalog.definition(name).profiles]
FIRST = [next(each for each in PROFILES if each[0] == name) for name in PROTOCOLS]
"""One profile of each protocol; the long suite proves all alone, and all are proven together in the slow one."""
CLAIM = "two members and a claim, one round"
RESULT = re.compile(r"(\d)\. .*: (proven|bounded|failed)")
BY_NATURE = 6
"""Views are looked at on typical sessions: that result is bounded wherever it holds."""
BOUNDED = {name: {BY_NATURE} for name in ("debate", "review", "roundtable")}
"""What else is bounded, for those protocols of which everything is walked."""


def proved(shell: Shell, *words: str) -> Ran:
    """Run `quorate verify` in a process of its own, however long that takes."""
    program = shell.start("verify", *words)
    out, err = program.communicate()
    return Ran(program.returncode, out, err)


def results(ran: Ran) -> dict[int, str]:
    found = (RESULT.fullmatch(line) for line in ran.out.splitlines())
    return {int(each[1]): each[2] for each in found if each is not None}


def profiles(ran: Ran) -> list[str]:
    return re.findall(r"^Profile '(.*)': \d+ states", ran.out, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_is_proven(shell: Shell, protocol: str) -> None:
    ran = proved(shell, protocol)
    assert ran.code == 0, ran.out
    assert ran.out.splitlines()[0] == f"{protocol}: all nine results hold"
    assert list(results(ran)) == list(range(1, 10))
    bounded = {number for number, status in results(ran).items() if status == "bounded"}
    assert bounded == BOUNDED.get(protocol, bounded)
    assert profiles(ran) == list(catalog.definition(protocol).profiles)


@pytest.mark.parametrize(
    ("protocol", "profile"),
    [pytest.param(*each, marks=pytest.mark.slow if each in FIRST else pytest.mark.long) for each in PROFILES],
)
def test_every_profile_is_proven_alone(shell: Shell, protocol: str, profile: str) -> None:
    ran = proved(shell, protocol, "--profile", profile)
    assert ran.code == 0, ran.out
    assert ran.out.splitlines()[0] == f"{protocol}: all nine results hold"
    assert profiles(ran) == [profile]
    longest = re.search(r"^   longest session: .* asks (\d+)$", ran.out, re.MULTILINE)
    assert longest is not None
    assert int(longest[1]) > 0


@pytest.mark.slow
def test_a_view_finds_the_claims_that_it_has_to_show(shell: Shell) -> None:
    """The view of `judge` takes the claims apart: the command hands it some, as a session does."""
    ran = shell.call("verify", "review", "--profile", CLAIM)
    assert ran.code == 0, ran.out
    assert "judge 2" in ran.out
    assert {number: status for number, status in results(ran).items() if status == "bounded"} == dict.fromkeys(
        (1, BY_NATURE, 9), "bounded"
    )
    assert "other profiles were left out" in ran.out


def test_an_unknown_profile_is_told_with_those_that_there_are(shell: Shell) -> None:
    ran = shell.call("verify", "review", "--profile", "two member")
    assert (ran.code, ran.out) == (64, "")
    assert "review has no profile 'two member'" in ran.err
    assert all(repr(each) in ran.err for each in catalog.definition("review").profiles)
    assert "did you mean 'two members'?" in ran.err


def test_a_profile_without_its_protocol_is_refused(shell: Shell) -> None:
    ran = shell.call("verify", "--profile", CLAIM)
    assert ran.code == 64
    assert "--profile needs a PROTOCOL" in ran.err


def test_the_cost_of_one_profile_is_that_of_this_profile(shell: Shell) -> None:
    profile = "two agents, episode and stall limits"
    ran = shell.call("verify", "debate", "--profile", profile, "--model", "test")
    assert ran.code == 0, ran.err
    assert [line.rpartition(": ")[2] for line in ran.out.splitlines() if line.startswith("at most")] == [profile]
