"""Which briefs are roles."""

from __future__ import annotations

from quorate.kit.roles import is_role, roles_in, with_roles

BRIEFS = {"ballot": "Vote.", "roles/chair": "You chair.", "preamble": "Hello.", "roles/skeptic": "You doubt."}


def test_a_role_is_a_brief_of_that_folder_and_no_other() -> None:
    assert [name for name in BRIEFS if is_role(name)] == ["roles/chair", "roles/skeptic"]
    assert roles_in(BRIEFS) == ("chair", "skeptic")
    assert list(with_roles(BRIEFS, ["chair"])) == ["ballot", "roles/chair", "preamble"]
