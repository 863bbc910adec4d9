"""Acceptance claims: read with places, kept to their scope, and held as they were before the change."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorate.core.errors import InputError
from quorate.kit.change import LeftOut, Why
from quorate.protocols.review.rules.model import MOST_CLAIMS
from quorate.protocols.review.world.checks.claims import (
    MOST_IN_SCOPE,
    Claim,
    ClaimStatus,
    claims_for,
    claims_in_scope,
    load_claims,
)
from tests.support.changes import change_of


def claim(name: str, scope: str = "", status: str = "active", expected: str = "a slug") -> str:
    return (
        f"- id: {name}\n  status: {status}\n  scope: '{scope}'\n  claim: c\n  observable: o\n  expected: {expected}\n"
    )


def test_a_claim_is_read_whole() -> None:
    text = "- id: SLUG-1\n  claim: Slugs are safe.\n  observable: slug('a b')\n  expected: a-b\n  source: REQ-7\n"
    assert load_claims(text) == (
        Claim("SLUG-1", "Slugs are safe.", "slug('a b')", "a-b", "", ClaimStatus.ACTIVE, "REQ-7"),
    )
    assert load_claims("") == ()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("id: a\n", 1, "expected a list"),
        (claim("a").replace("observable", "obsrvable"), 5, "did you mean 'observable'?"),
        (claim("a").replace("  expected: a slug\n", ""), 1, "has no expected"),
        (claim("a", status="actve"), 2, "did you mean 'active'?"),
        (claim("a b"), 1, "letters, digits"),
        (claim("a") + claim("a"), 7, "used twice"),
        (claim("a").replace("claim: c", "claim: ''"), 4, "a text of 1 to"),
        (claim("a", expected="x" * 3000), 6, "a text of 1 to"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, line: int, said: str) -> None:
    with pytest.raises(InputError) as error:
        load_claims(text, "claims.yaml")
    assert (error.value.file, error.value.line) == ("claims.yaml", line)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("scope", "path", "concerned"),
    [
        ("", "a.py", True),
        ("src/a", "src/a/b.py", True),
        ("src/a/", "src/a/b.py", True),
        ("src/a", "src/ab.py", False),
        ("x.py", "x.py", True),
    ],
)
def test_the_scope_is_the_beginning_of_a_path(scope: str, path: str, concerned: bool) -> None:
    found = claims_in_scope(load_claims(claim("a", scope)), change_of({}, {path: "x\n"}))
    assert bool(found) is concerned


def test_files_that_moved_away_or_were_left_out_are_in_scope() -> None:
    claims = load_claims(claim("a", "old") + claim("b", "big"))
    moved = change_of({"old/a.py": "x\n"}, {"new/a.py": "x\n"}, moved={"new/a.py": "old/a.py"})
    assert [each.id for each in claims_in_scope(claims, moved)] == ["a"]
    left = change_of({}, {}, left_out=(LeftOut("big/x.bin", Why.BINARY),))
    assert [each.id for each in claims_in_scope(claims, left)] == ["b"]


def test_only_active_claims_are_judged_and_not_too_many() -> None:
    change = change_of({}, {"a.py": "x\n"})
    texts = claim("a") + claim("b", status="retired") + claim("c", status="superseded")
    assert [each.id for each in claims_in_scope(load_claims(texts), change)] == ["a"]
    assert MOST_IN_SCOPE == MOST_CLAIMS
    many = load_claims("".join(claim(f"c{n}") for n in range(MOST_IN_SCOPE + 1)))
    assert len(claims_in_scope(many[:-1], change)) == MOST_IN_SCOPE
    with pytest.raises(InputError, match="41 active claims"):
        claims_in_scope(many, change)


def test_a_change_cannot_retire_reword_or_drop_what_it_is_judged_by(tmp_path: Path) -> None:
    before = claim("kept") + claim("reworded") + claim("dropped") + claim("old", status="retired")
    after = claim("kept", status="retired") + claim("reworded", expected="anything") + claim("old") + claim("new")
    change = change_of({"c.yaml": before}, {"c.yaml": after, "a.py": "x\n"}, root=str(tmp_path))
    found = {each.id: each for each in claims_for(change, tmp_path / "c.yaml")}
    assert list(found) == ["kept", "reworded", "dropped", "old", "new"]
    assert found["reworded"].expected == "a slug"
    deleted = change_of({"c.yaml": before}, {"a.py": "x\n"}, root=str(tmp_path))
    assert [each.id for each in claims_for(deleted, tmp_path / "c.yaml")] == ["kept", "reworded", "dropped"]


def test_a_file_outside_of_the_repository_is_read_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(claim("mine"))
    inside = change_of({}, {"a.py": "x\n"}, root=str(tmp_path / "repo"))
    assert [each.id for each in claims_for(inside, file)] == ["mine"]
    assert [each.id for each in claims_for(change_of({}, {"a.py": "x\n"}), file)] == ["mine"]
