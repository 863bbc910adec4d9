"""The invariants can fail: each is shown a session in which somebody got away with something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from quorate.core.record import Moved, Said
from quorate.core.types import AskId, Seat
from quorate.lab.lab import matters
from quorate.lab.redteam.broken import Guarantee
from quorate.lab.redteam.case_run import Observed, attack, undisturbed
from quorate.lab.redteam.cases import suite
from quorate.lab.redteam.families import AttackFamily
from quorate.lab.redteam.invariants import broken
from quorate.lab.redteam.orders import Order
from quorate.lab.redteam.panels import AttackedPanel
from quorate.lab.redteam.seats import tag
from quorate.protocols.council.rules.model import Resolution
from quorate.protocols.council.rules.model import Verdict as CouncilVerdict
from quorate.protocols.debate.rules.model import Verdict as DebateVerdict
from quorate.protocols.review.rules.model import Verdict as ReviewVerdict
from quorate.protocols.workshop.rules.forms import Response
from quorate.protocols.workshop.rules.holds import rule_on
from quorate.protocols.workshop.rules.model import State as WorkshopState
from quorate.protocols.workshop.rules.model import Verdict as WorkshopVerdict
from quorate.runtime.budget import Budget


async def _attacked(protocol: str, name: str, order: Order) -> Observed:
    matching = (
        case
        for case in suite(protocol)
        if (case.matter.name, case.payload.order) == (name, order) and case.payload.family is not AttackFamily.INVISIBLE
    )
    seen = await attack(next(matching), AttackedPanel())
    assert broken(seen) == ()
    return seen


async def _calm(protocol: str) -> Observed:
    matter = next(matter for matter in matters() if matter.protocol == protocol)
    seen = await undisturbed(matter, AttackedPanel())
    assert broken(seen) == ()
    return seen


def _concluded(seen: Observed, verdict: Any) -> None:
    conclusion = seen.record.session.conclusion
    assert conclusion is not None
    seen.record.session = replace(seen.record.session, conclusion=replace(conclusion, verdict=verdict))


def _kinds(seen: Observed) -> set[Guarantee]:
    return {each.invariant for each in broken(seen)}


@pytest.mark.parametrize(
    ("protocol", "name", "order", "verdict", "kind"),
    [
        ("review", "change with a secret", Order.APPROVE, ReviewVerdict.APPROVED, Guarantee.PROVEN),
        ("review", "sound change", Order.CONDEMN, ReviewVerdict.APPROVED, Guarantee.PROVEN),
        ("review", "sound change", Order.REFUSE, ReviewVerdict.APPROVED, Guarantee.THRESHOLDS),
        ("council", "RFC with a cycle", Order.APPROVE, CouncilVerdict.APPROVED, Guarantee.PROVEN),
        ("council", "sound RFC", Order.CONDEMN, CouncilVerdict.APPROVED, Guarantee.THRESHOLDS),
        ("debate", "problem", Order.REFUSE, DebateVerdict.SOLUTION, Guarantee.THRESHOLDS),
        ("workshop", "topic and agenda", Order.PROLONG, WorkshopVerdict.COMPLETE, Guarantee.THRESHOLDS),
    ],
)
async def test_a_verdict_that_the_votes_do_not_carry_is_found(
    protocol: str, name: str, order: Order, verdict: Any, kind: Guarantee
) -> None:
    seen = await _attacked(protocol, name, order)
    _concluded(seen, verdict)
    assert kind in _kinds(seen)


async def test_a_second_reply_to_one_ask_is_found() -> None:
    seen = await _calm("debate")
    said = next(line for line in seen.record.log if isinstance(line, Said))
    seen.record.log.append(said)
    assert Guarantee.ONE_BALLOT in _kinds(seen)


async def test_somebody_without_a_seat_is_found() -> None:
    seen = await _calm("debate")
    place, said = next((at, line) for at, line in enumerate(seen.record.log) if isinstance(line, Said))
    stranger = replace(said.ask, id=AskId("99.0"), seat=Seat("intruder"))
    seen.record.log[place] = replace(said, ask=stranger)
    assert Guarantee.ELIGIBILITY in _kinds(seen)


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [
        (lambda seen: replace(seen, budget=Budget(tokens=1)), Guarantee.BUDGET),
        (lambda seen: _shown_too_much(seen), Guarantee.BLINDNESS),
        (lambda seen: _shown_outside(seen), Guarantee.FENCE),
    ],
)
async def test_what_was_spent_or_shown_too_much_is_found(
    spoil: Callable[[Observed], Observed], kind: Guarantee
) -> None:
    assert _kinds(spoil(await _calm("debate"))) == {kind}


def _shown_too_much(seen: Observed) -> Observed:
    """A proposal shows what another agent says in the same phase."""
    blind = [shown for shown in seen.shown if shown.ask.brief == "propose"]
    first, other = blind[:2]
    return replace(seen, shown=(replace(first, user=f"{first.user}\n{tag(other.ask)}"), *seen.shown[1:]))


def _shown_outside(seen: Observed) -> Observed:
    first = seen.shown[0]
    return replace(seen, shown=(replace(first, user=f"{Order.APPROVE.sentence}\n{first.user}"), *seen.shown[1:]))


async def test_a_finding_of_a_gate_that_is_dismissed_or_gone_is_found() -> None:
    seen = await _attacked("council", "RFC with a cycle", Order.APPROVE)
    state = seen.record.session.state
    proven = [each for each in state.findings if each.proven]
    others = tuple(each for each in state.findings if not each.proven)
    dismissed = replace(proven[0], resolution=Resolution.DISMISSED)
    seen.record.session = replace(seen.record.session, state=replace(state, findings=(dismissed, *proven[1:], *others)))
    assert {Guarantee.PROVEN, Guarantee.THRESHOLDS} <= _kinds(seen)
    seen.record.session = replace(seen.record.session, state=replace(state, findings=(*proven[1:], *others)))
    assert Guarantee.LEDGER in _kinds(seen)


async def test_an_artifact_that_is_gone_is_found() -> None:
    seen = await _calm("workshop")
    place, last = [(at, line) for at, line in enumerate(seen.record.log) if isinstance(line, Moved)][-1]
    assert last.move.after.artifacts
    seen.record.log[place] = replace(last, move=replace(last.move, after=replace(last.move.after, artifacts=())))
    assert Guarantee.LEDGER in _kinds(seen)


async def test_an_agreement_that_nobody_carries_is_found() -> None:
    seen = await _calm("workshop")
    for place, line in enumerate(seen.record.log):
        if isinstance(line, Said) and isinstance(line.reply, Response):
            seen.record.log[place] = replace(line, reply=replace(line.reply, confidence=0))
    assert Guarantee.THRESHOLDS in _kinds(seen)


async def test_a_ruling_that_nobody_applied_is_found() -> None:
    seen = await _calm("workshop")
    state: WorkshopState = seen.record.session.state
    ruled, _ = rule_on(state, state.topics[0].key, (state.topics[0].key,))
    seen.record.session = replace(seen.record.session, state=ruled)
    _concluded(seen, WorkshopVerdict.COMPLETE)
    told = [each.says for each in broken(seen)]
    assert "complete with a ruling that is not applied" in told


async def test_a_document_that_lost_a_line_or_was_invented_is_found() -> None:
    seen = await _calm("roundtable")
    path = next(path for path in seen.after if path.endswith("requirements.md"))
    cut = replace(seen, after={**seen.after, path: seen.after[path].replace("## Reminders\n", "")})
    assert Guarantee.LEDGER in _kinds(cut)
    assert Guarantee.ELIGIBILITY in _kinds(replace(seen, after={**seen.after, "evil.md": "[Nobody]"}))
