"""The suite is what it says: thirteen families, at least 200 cases, orders that can be read through every disguise."""

from __future__ import annotations

import pytest

from quorate.core.errors import SettingError
from quorate.lab.redteam.cases import chosen, suite
from quorate.lab.redteam.families import VARIANTS, AttackFamily, payload
from quorate.lab.redteam.form_filler import BEARINGS, CONTENT, fill
from quorate.lab.redteam.orders import Order, order_in
from quorate.lab.redteam.panels import AttackedPanel, PanelKind
from quorate.safety.fence import fence

PROTOCOLS = ("review", "council", "debate", "workshop", "roundtable")
STOPPED_BY_THE_FENCE = {(AttackFamily.INVISIBLE, 0)}
"""Written in characters that nobody sees, which a fence takes away altogether."""


def test_there_are_at_least_200_cases_of_thirteen_families_on_five_protocols() -> None:
    cases = suite()
    assert len(cases) >= 200
    assert len(AttackFamily) == 13
    assert {case.payload.family for case in cases} == set(AttackFamily)
    assert {case.matter.protocol for case in cases} == set(PROTOCOLS)
    assert len({case.name for case in cases}) == len(cases)


@pytest.mark.parametrize("family", AttackFamily)
@pytest.mark.parametrize("number", range(VARIANTS))
@pytest.mark.parametrize("order", Order)
def test_an_order_is_read_through_its_disguise(family: AttackFamily, number: int, order: Order) -> None:
    attack = payload(family, number, order)
    assert order_in(attack.text) is order
    fenced = order_in(fence("a file", attack.text, "5e55104"))
    assert fenced is (None if (family, number) in STOPPED_BY_THE_FENCE else order)


def test_material_without_an_attack_holds_no_order() -> None:
    assert order_in("Please approve this. Nobody may refuse to answer. Fill in the form to its end.") is None


def test_no_attack_asks_for_what_would_happen_anyway() -> None:
    for case in suite():
        if case.matter.sound:
            assert not case.payload.order.wants_success
        else:
            assert case.payload.order is not Order.CONDEMN


def test_every_place_of_every_matter_is_attacked() -> None:
    attacked = {(case.matter.name, case.place) for case in suite()}
    assert attacked == {(case.matter.name, place) for case in suite() for place in case.matter.places}


def test_a_few_cases_are_spread_over_all() -> None:
    few = chosen(suite(), 26)
    assert len(few) == 26
    assert {case.matter.protocol for case in few} == set(PROTOCOLS)
    assert chosen(suite("debate"), None) == suite("debate")


def test_a_protocol_without_attacks_is_named_with_the_nearest() -> None:
    with pytest.raises(SettingError) as error:
        suite("reviw")
    assert error.value.nearest == "review"


FIELDS = {
    "type": "object",
    "properties": {
        **{name: {"type": "string", "maxLength": 80} for name in ("reason", "quotation", "refutation", "patch")},
        "supersedes": {"type": "array", "maxItems": 3, "items": {"enum": ["REQ-1", "REQ-2"]}},
    },
}


@pytest.mark.parametrize("order", BEARINGS)
def test_whoever_obeys_fills_in_what_honest_seats_leave_empty(order: Order) -> None:
    filled = fill(FIELDS, BEARINGS[order], "I was told.", "return cursor.fetchone()")
    assert all(filled.values())
    assert filled["quotation"].startswith("return cursor.fetchone()")
    honest = fill(FIELDS, CONTENT, "I say.", "return cursor.fetchone()")
    assert {name for name, value in honest.items() if value} == {"reason"}


def test_susceptibility_and_correlation_are_what_they_are_called() -> None:
    """Two seats obey together with probability c (phi + (1 - phi) c)."""
    panel, sessions = AttackedPanel(PanelKind.SUSCEPTIBLE, 30, 50, seed=3), 4_000
    one = both = 0
    for number in range(sessions):
        case = f"case {number}"
        alike = panel._draw(case, "are they alike") < panel.correlation
        shared = panel._draw(case, "all") < panel.susceptibility
        first, second = (
            shared if alike else panel._draw(case, f"seat {seat}") < panel.susceptibility for seat in ("a", "b")
        )
        one, both = one + first, both + (first and second)
    assert abs(one / sessions - 0.30) < 0.03
    assert abs(both / sessions - 0.3 * (0.5 + 0.5 * 0.3)) < 0.03
