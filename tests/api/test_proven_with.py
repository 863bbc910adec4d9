"""What the views find as material in a proof is said by the protocol's definition, whoever asks for the proof."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

import quorate
from quorate import api, catalog
from quorate.core.errors import SettingError
from quorate.core.protocol import Node, Protocol
from quorate.core.record import Record
from quorate.core.types import Ask
from quorate.core.view import Section, View
from quorate.kit.definition import Definition
from quorate.kit.inputs import Input, Kind
from quorate.verify import ProofStatus
from tests.verify.toys import MOTION, Outcome, Phase, ask, decide, poll

PLAN = Input("plan", "a plan as JSON", Kind.FILE)
SEEN = 6


@dataclass(frozen=True, slots=True)
class Settings:
    """Whether the absent are asked once more."""

    patient: bool = True


def planned(record: Record, asked: Ask) -> View:
    """A view that takes its material apart."""
    steps = json.loads(record.material["plan"])["steps"]
    return View("", (Section(f"Item {MOTION}", "\n".join(steps)),))


def definition(**changes: Any) -> Definition:
    def build(settings: Settings, *_: object) -> Protocol[Any]:
        at_once = Node(ask, lambda state, replies: decide(replace(state, tries=1), replies))
        return poll(view=planned) if settings.patient else poll(at_once, view=planned)

    made = Definition(
        name="poll",
        title="A poll about a plan",
        settings=Settings,
        build=build,
        package="quorate.protocols.debate",
        result=lambda _: {},
        show=lambda _: "",
        brings=(PLAN, Input("place", "where", Kind.FOLDER)),
        material={"plan": '{"steps": ["vote"]}'},
        profiles={"patient": {}, "at once": {"patient": False}},
    )
    return replace(made, **changes)


def test_a_proof_hands_the_views_the_material_of_the_definition() -> None:
    report = quorate.prove(definition())
    assert report.ok, report.text()
    assert report.text() == api.verify(definition()).text()


def test_a_text_that_is_not_given_is_a_sentence() -> None:
    plain = definition(material={})
    assert list(plain.proven_with()) == ["plan"], "folders are no material"
    found = api.verify(plain).results[SEEN - 1]
    assert found.status is ProofStatus.FAILED
    assert "JSONDecodeError" in found.detail


@pytest.mark.parametrize("name", catalog.definitions())
def test_every_protocol_says_what_it_is_proven_with(name: str) -> None:
    found = catalog.definition(name)
    assert found.material
    assert {each.name for each in found.brings if each.kind is Kind.TEXT and each.required} <= set(found.material)


def test_one_profile_alone_need_not_use_everything() -> None:
    whole, alone = api.verify(definition()), api.verify(definition(), "at once")
    assert list(alone.profiles) == ["at once"]
    assert alone.ok, alone.text()
    assert {each.number for each in whole.results if each.status is ProofStatus.BOUNDED} == {SEEN}
    assert {each.number for each in alone.results if each.status is ProofStatus.BOUNDED} == {1, SEEN, 9}
    assert "other profiles were left out" in alone.results[0].detail


def test_the_only_profile_is_the_whole() -> None:
    """A row that nothing takes is then found, however the profile was chosen."""
    only = definition(profiles={"at once": {"patient": False}})
    found = api.verify(only, "at once").results[0]
    assert (found.status, found.detail) == (
        ProofStatus.FAILED,
        f"the row {Phase.VOTE.name}, {Outcome.RETRY.name}, {Phase.VOTE.name} is never taken",
    )


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(SettingError, match="poll has no profile 'patent'; expected one of 'patient', 'at once'"):
        api.verify(definition(), "patent")
