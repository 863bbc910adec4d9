"""Estimate worst-case and expected cost of a session, in asks, tokens and money, before it runs.

The worst case is a bound: the protocol's schedule says what may be asked, forms and participants say how long prompts
and replies can be, and every repair is counted. The expected cost comes from simulated sessions and states its
assumptions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from quorate import catalog
from quorate.api import seats
from quorate.api.creation import own_briefs
from quorate.api.expected_cost import Assumed, Expected, Sum, expect
from quorate.api.opening import open_named
from quorate.api.order import checked_model, checked_panel
from quorate.api.roots import Roots
from quorate.api.seats import Seating
from quorate.api.sessions import load
from quorate.api.simulations import agents_of
from quorate.api.sizes import Sizes
from quorate.api.worst_case import Basis, CostBounds, asking, schedule_of, worst_of
from quorate.core.protocol import Protocol
from quorate.core.view import estimate_tokens
from quorate.kit.settings import plain, read_settings
from quorate.participants.relay import Confirmation, Relay
from quorate.participants.samples import Samples
from quorate.runtime.budget import MILLIONTHS, Budget
from quorate.store.memory import MemoryJournal
from quorate.workspace import Workspace

STAND_IN = "person"
"""Participant used for estimates: needs no key and is never asked."""
USUAL = Assumed()
FEW = 10
"""Keys of the form that a single call would be asked for."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimated cost of a session."""

    protocol: str
    settings: Mapping[str, Any]
    panel: Mapping[str, str]
    free: tuple[str, ...]
    """Seats whose replies cost no tokens: people's, and those that code holds."""
    relayed: tuple[str, ...]
    """Seats with two models, of which each ask goes to the one whose round it is."""
    several: tuple[str, ...]
    """Seats where an ask takes several calls: samples, or a draft and its confirmation. All of them are counted."""
    matter: int
    """Tokens of the material."""
    brought: bool
    """Whether that was measured; otherwise it is assumed."""
    basis: Basis
    worst: CostBounds
    unrepaired: CostBounds
    """The same where no reply is malformed, so that none is asked for again."""
    phases: Mapping[str, CostBounds]
    expected: Expected | None
    """None for a protocol that does not say how agents take part in it."""
    assumed: Assumed
    curtailed: bool
    """Whether votes are curtailed, and the protocol has votes that can be."""
    single: Sum | None
    """One call with the same material; None where no model sits at the table."""
    asked: str
    """Who would get that single call."""
    budget: Budget = field(default_factory=Budget)

    @property
    def fits(self) -> bool | None:
        """Whether the worst case fits the budget; None if there is no limit or a price is unknown."""
        limits, worst = self.budget, self.worst
        if limits.tokens is not None and worst.tokens_in + worst.tokens_out > limits.tokens:
            return False
        if limits.cents is not None and worst.money > limits.cents * MILLIONTHS:
            return False
        if limits.cents is not None and worst.unpriced:
            return None
        return None if limits.tokens is None and limits.cents is None else True


async def estimate(
    workspace: Workspace,
    name: str,
    inputs: Mapping[str, Any] | None = None,
    *,
    settings: Mapping[str, Any] | None = None,
    budget: Mapping[str, Any] | None = None,
    panel: Seating | None = None,
    model: str | None = None,
    assumed: Assumed = USUAL,
    roots: Roots | None = None,
    begins: Callable[[str], None] = lambda _: None,
) -> Estimate:
    """Estimate the cost of a session, opened with these inputs or with input of typical length.

    Nothing is asked and nothing is stored. `settings` and `budget` override those of the workspace; with `roots`
    nothing outside of them is read. Invalid input raises InputError with its key. `begins` is called before each part
    is computed.
    """
    begins("reading the input" if inputs else "the protocol")
    workspace = workspace.with_settings(name, settings, budget)
    if roots is not None:
        panel, model = checked_panel(panel, roots), checked_model(model, roots)
    protocol, material, run = await _opened(workspace, name, inputs, roots)
    table = seats.seat(protocol, panel or workspace.config.panel, run, model=model or workspace.config.model)
    matter = sum(map(estimate_tokens, material.values())) if inputs else assumed.matter
    begins("the worst case")
    schedule, basis = schedule_of(protocol, material)
    sizes = Sizes(protocol, table, schedule, matter, looks="context" in material)
    worst, phases = worst_of(sizes)
    unrepaired = worst_of(replace(sizes, repairs=0, worsts={}))[0]
    judging, expected = catalog.definition(name).judging, None
    curtail = run.get("curtail", True) and any(node.settle is not None for node in protocol.nodes.values())
    if judging is not None:
        begins("simulated sessions")
        expected = expect(
            sizes, judging.about(material), agents_of({"accuracy": assumed.accuracy}), assumed, curtail=curtail
        )
    single, asked = _single(sizes, assumed)
    return Estimate(
        protocol=name,
        settings=protocol.settings,
        panel=table.describe(),
        free=tuple(str(seat) for seat, each in table.items() if not each.most_tokens(1)),
        relayed=tuple(str(seat) for seat, each in table.items() if isinstance(each, Relay)),
        several=tuple(str(seat) for seat, each in table.items() if isinstance(each, Samples | Confirmation)),
        matter=matter,
        brought=bool(inputs),
        basis=basis,
        worst=worst,
        unrepaired=unrepaired,
        phases=phases,
        expected=expected,
        assumed=assumed,
        curtailed=curtail,
        single=single,
        asked=asked,
        budget=read_settings(Budget, run["budget"]),
    )


async def _opened(
    workspace: Workspace, name: str, inputs: Mapping[str, Any] | None, roots: Roots | None
) -> tuple[Protocol[Any], Mapping[str, str], Mapping[str, Any]]:
    """Open a session in memory so that inputs are read as usual; without input only build the protocol."""
    if not inputs:
        with workspace.config.placing(name):
            built = catalog.build(name, workspace.config.protocol(name), own=own_briefs(workspace))
        return built, {}, {"budget": plain(_budget(workspace, name)), "curtail": workspace.config.curtail}
    journal = MemoryJournal()
    free = replace(workspace, config=replace(workspace.config, panel=None, model=None))
    opened = await open_named(free, journal, name, inputs, model=STAND_IN, seed=0, roots=roots)
    record = (await load(free, journal, opened.session)).record
    return record.protocol, record.material, record.opening.run


def _budget(workspace: Workspace, name: str) -> Budget:
    """Return the budget of the session: from the settings, else the protocol's own limit on tokens."""
    budget: Budget = workspace.config.budget
    return budget if budget.tokens is not None else replace(budget, tokens=catalog.definition(name).tokens)


def _single(sizes: Sizes, assumed: Assumed) -> tuple[Sum | None, str]:
    """Return the cost of asking only the first model, once."""
    for turn in asking(sizes):
        for seat in turn.seats:
            call = sizes.single(replace(turn, keys=min(turn.keys, FEW)), seat, assumed.reply)
            if call.tokens_in:
                found = Sum()
                found.add(call, person=False)
                return found, sizes.speaker(seat, 1).name
    return None, ""


def estimate_data(found: Estimate) -> dict[str, Any]:
    """Return an estimate as plain data for programs; money is in US dollars."""
    expected = found.expected
    return {
        "protocol": found.protocol,
        "panel": dict(found.panel),
        "relayed": list(found.relayed),
        "several_calls": list(found.several),
        "material": {"tokens": found.matter, "measured": found.brought},
        "worst": {"basis": found.basis.value, **_worst_data(found.worst)},
        "worst_without_repairs": _worst_data(found.unrepaired),
        "expected": None
        if expected is None
        else {
            "basis": "simulated",
            "truth": expected.truth,
            **_sum_data(expected.total),
            "standard_error_tokens": expected.error,
            "rounds": expected.rounds,
            "cacheable": expected.cacheable,
            "curtailed": found.curtailed,
            "asks_spared": expected.spared,
        },
        "assumed": asdict(found.assumed),
        "phases": {
            name: {
                "worst": _worst_data(worst),
                "expected": _sum_data(expected.phases.get(name, Sum())) if expected is not None else None,
            }
            for name, worst in found.phases.items()
        },
        "single_call": None if found.single is None else {"model": found.asked, **_sum_data(found.single)},
        "budget": {"tokens": found.budget.tokens, "cents": found.budget.cents, "fits": found.fits},
    }


def _worst_data(worst: CostBounds) -> dict[str, Any]:
    unknown = bool(worst.unpriced) and not worst.money
    return {
        **asdict(worst),
        "money": None if unknown else worst.money / 1_000_000,
        "unpriced": list(worst.unpriced),
    }


def _sum_data(found: Sum) -> dict[str, Any]:
    """Return a sum as data; money is null where no price is known, never zero."""
    unknown = found.unpriced > 0 and not found.money
    return {**asdict(found), "money": None if unknown else found.money / 1_000_000}
