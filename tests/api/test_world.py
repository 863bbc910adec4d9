"""The door: everything that a definition names is there, and a seat for proofs is never left to a panel."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from quorate import catalog, plugins
from quorate.api import seats
from quorate.api.protocol_catalog import schema, schemas
from quorate.api.world import NOTHING, World, world_of
from quorate.cli.commands import click_command, commands
from quorate.core.errors import DefinitionError
from quorate.lab.lab import lab_of

PROTOCOLS = sorted(catalog.definitions())


@pytest.mark.parametrize("name", PROTOCOLS)
def test_everything_that_a_definition_names_is_there(name: str) -> None:
    found = catalog.definition(name)
    assert isinstance(world_of(found), World)
    assert lab_of(found) is not None
    assert not found.check_file or callable(plugins.load(found.check_file, name))
    for own in found.schemas:
        assert json.dumps(schema(own))
    for report in found.reports.values():
        assert catalog.package_text(found, report)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_check_seat_is_held_by_code(name: str) -> None:
    for protocol in catalog.profiles(name).values():
        held = world_of(catalog.definition(name)).holds({})
        assert protocol.checks <= held.fixed.keys()


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_command_that_a_protocol_brings_is_there(name: str) -> None:
    entry = commands()[name]
    assert click_command(name).get_short_help_str(limit=200) == entry.summary
    for place in filter(None, (entry.leads, entry.after_init)):
        assert callable(plugins.load(place, name))


def test_a_check_seat_that_nobody_holds_is_its_authors_mistake() -> None:
    """A script on such a seat could claim a proof."""
    debate = catalog.definition("debate")
    built: Any = catalog.build("debate")
    screened = replace(built, seats=(*built.seats, "screen"), checks=frozenset({"screen"}))
    with pytest.raises(DefinitionError, match="no code holds its check seat 'screen'"):
        seats.seat(screened, {"seats": {"screen": "person"}, "default": "person"}, {})
    assert world_of(debate) is NOTHING


def test_a_world_that_is_none_is_named() -> None:
    wrong = replace(catalog.definition("debate"), world="quorate.plugins:load")
    with pytest.raises(DefinitionError, match="its world is a function, not a World"):
        world_of(wrong)


def test_schemas_of_protocols_stand_beside_our_own() -> None:
    known = schemas()
    assert list(known)[:4] == ["settings", "panel", "script", "bundle"]
    assert {"rules", "rfc_review"} <= known.keys()
