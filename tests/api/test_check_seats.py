"""A declared check seat is held by code under every protocol, also somebody else's: nobody may claim what is proven."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import pytest

from quorate import Quorate, catalog
from quorate import authoring as q

SCREEN, VOTER = q.Seat("screen"), q.Seat("voter")
Phase = Enum("Phase", "SCREENED VOTED PASSED FAILED")
SCREENED, VOTED, PASSED, FAILED = Phase
Outcome = Enum("Outcome", "YES NO")
YES, NO = Outcome


@dataclass(frozen=True, slots=True)
class Found(q.Reply):
    says: Annotated[q.Prose, "what was found"]
    clean: Annotated[bool, "whether nothing was"]


def asks(seat: q.Seat) -> Callable[[None], tuple[q.Question, ...]]:
    return lambda _: (q.Question(seat, "look", Found),)


def decides(_: None, replies: q.Replies) -> q.Decision[None]:
    clean = sum(isinstance(reply, Found) and reply.clean for _, reply in replies)
    return q.choose(None, (q.compare("S1", YES, ("clean", clean), ">=", 1), q.otherwise("S2", NO)))


def build(_: Any, __: Mapping[str, str], ___: int) -> q.Protocol[Any]:
    return q.draft(
        "screening",
        seats=(SCREEN, VOTER),
        forms=(Found,),
        briefs={"look": "# Look"},
        phases={SCREENED: q.Node(asks(SCREEN), decides), VOTED: q.Node(asks(VOTER), decides)},
        table={SCREENED: {YES: VOTED, NO: FAILED}, VOTED: {YES: PASSED, NO: FAILED}},
        ends={PASSED: 0, FAILED: 1},
        stopped=FAILED,
        start=None,
        checks={SCREEN},
    )


def screen(request: q.Request) -> dict[str, Any]:
    """A plain function: proven from what is recorded, and nothing else."""
    return {"says": "looked", "clean": "forbidden" not in request.view.text()}


def definition(world: q.World | None) -> q.Definition:
    return q.define("screening", "Code looks first", build, package="tests", world=world)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Callable[[q.World | None], None]:
    def install(world: q.World | None) -> None:
        known = {**catalog.definitions(), "screening": definition(world)}
        monkeypatch.setattr(catalog, "definitions", lambda: known)

    return install


HELD = q.World(holds=lambda _: q.Held({SCREEN: screen}))
CLEAN = {"look": {"says": "all clean, trust me", "clean": True}}


def test_it_is_proven_like_any() -> None:
    report = q.prove(definition(HELD))
    assert report.ok, report.text()


@pytest.mark.parametrize("world", [None, q.World(), q.World(holds=lambda _: q.Held(free={SCREEN: screen}))])
def test_a_check_seat_that_nobody_holds_is_the_authors_mistake(
    tmp_path: Path, installed: Callable[[q.World | None], None], world: q.World | None
) -> None:
    installed(world)
    says = (
        "protocol screening: no code holds its check seat 'screen'; name a participant for it in `holds` of its world"
    )
    with Quorate(tmp_path, store="memory:") as place, pytest.raises(q.DefinitionError, match=says):
        place.open("screening", "a text", panel={"seats": {"voter": screen}})


@pytest.mark.parametrize(("text", "verdict"), [("a text", "PASSED"), ("a forbidden text", "FAILED")])
def test_a_plain_function_holds_it(
    tmp_path: Path, installed: Callable[[q.World | None], None], text: str, verdict: str
) -> None:
    installed(HELD)
    with Quorate(tmp_path, store="memory:") as place:
        session = place.open("screening", text, panel={"seats": {"voter": lambda _: {"says": "fine", "clean": True}}})
        assert session.run() == verdict
        assert session.bundle()["panel"]["screen"]["participant"] == f"function:{__name__}.screen"


PANELS: dict[str, dict[str, Any]] = {
    "a script that names it": {"script": "names.yaml"},
    "a person": {"script": "every.yaml", "seats": {"screen": "person"}},
    "a model": {"script": "every.yaml", "seats": {"screen": "local:smollm2"}},
    "a script of its own": {"script": "every.yaml", "seats": {"screen": "script:names.yaml"}},
    "a function": {"script": "every.yaml", "seats": {"screen": lambda _: {"says": "all clean", "clean": True}}},
}


@pytest.mark.parametrize("panel", PANELS.values(), ids=PANELS)
def test_a_panel_that_names_the_seat_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    installed: Callable[[q.World | None], None],
    panel: dict[str, Any],
) -> None:
    installed(HELD)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "names.yaml").write_text(json.dumps({"seats": {"screen": CLEAN, "voter": CLEAN}}))
    (tmp_path / "every.yaml").write_text(json.dumps({"seats": {"*": CLEAN}}))
    with (
        Quorate(tmp_path, store="memory:") as place,
        pytest.raises(q.InputError, match=r"seat 'screen' is reserved.*a panel that does not name this seat"),
    ):
        place.open("screening", "a forbidden text", panel=panel)


@pytest.mark.parametrize(
    "held", ["person", lambda _: {"says": "all clean", "clean": True}], ids=["a person", "a function"]
)
def test_a_typo_is_not_told_to_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: Callable[[q.World | None], None], held: object
) -> None:
    installed(HELD)
    monkeypatch.chdir(tmp_path)
    with Quorate(tmp_path, store="memory:") as place, pytest.raises(q.InputError) as told:
        place.open("screening", "a text", panel={"seats": {"scren": held}})
    assert "unknown seat" in str(told.value)
    assert told.value.expected == "one of voter"


def test_a_panel_for_everybody_is_for_everybody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: Callable[[q.World | None], None]
) -> None:
    installed(HELD)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "every.yaml").write_text(json.dumps({"seats": {"*": CLEAN}}))
    with Quorate(tmp_path, store="memory:") as place:
        session = place.open("screening", "a forbidden text", panel={"script": "every.yaml"})
        assert session.run() == "FAILED", "the code has looked, and no script"
