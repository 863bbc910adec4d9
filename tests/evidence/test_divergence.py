"""Where two sessions part: by what is typed, whatever the words and the order of arrival."""

from __future__ import annotations

from typing import Any

from quorate.evidence.divergence import Field, Parting, began, decisions_part, parting, shared_findings
from quorate.evidence.explain import explain
from quorate.kit.findings import Finding, Severity
from tests.support.reviewed import FOUR, TWO, Reviewed, item


def parted(one: Reviewed, two: Reviewed) -> Parting | None:
    return parting(one.record, two.record, (explain(one.record), explain(two.record)))


def review(**more: Any) -> Reviewed:
    return Reviewed(TWO, **more).table()


def test_other_words_and_another_order_are_no_difference() -> None:
    one = review().vote("engineering-architect").vote("operations-sre").agree()
    two = review().vote("operations-sre", opinion="Well.").vote("engineering-architect").agree(agreement="Yes.")
    assert parted(one, two) is None
    assert decisions_part(explain(one.record), explain(two.record)) is None


def test_the_first_reply_that_differs_is_named_with_its_fields() -> None:
    one = review().vote("engineering-architect").vote("operations-sre", items=[item(severity="low")])
    two = review().vote("operations-sre", items=[item(severity="high")], confidence=60).vote("engineering-architect")
    found = parted(one, two)
    assert found is not None
    assert (found.kind, found.phase, found.round) == ("reply", "DEBATE", 1)
    assert (found.seat, found.brief, found.ask, found.entry) == ("operations-sre", "ballot", "2.1", 4)
    assert found.fields == (Field("/confidence", 80, 60), Field("/items/0/severity", "low", "high"))


def test_an_absence_and_an_ask_that_waits_are_differences() -> None:
    said = review().vote("engineering-architect").vote("operations-sre")
    found = parted(said, review().vote("engineering-architect").absent("operations-sre"))
    assert found is not None
    assert Field("/absent", "nothing", "timed_out") in found.fields
    waiting = parted(review().vote("engineering-architect"), said)
    assert waiting is not None
    assert (waiting.seat, waiting.entry) == ("operations-sre", None)
    assert Field("/replied", False, "nothing") in waiting.fields


def test_another_ask_is_told_with_both_sides() -> None:
    found = parted(Reviewed(TWO).table(), Reviewed(FOUR).table())
    assert found is not None
    assert (found.kind, found.phase) == ("ask", "DEBATE")
    assert "the other knowledge-manager to ballot about F0, F1, F2" in found.what


def test_the_same_replies_may_be_decided_otherwise() -> None:
    one = Reviewed(FOUR, rounds=1).table().vote("operations-sre", "oppose").rest()
    two = Reviewed(FOUR, rounds=1, quorum="4/5").table().vote("operations-sre", "oppose").rest()
    found = parted(one, two)
    assert found is not None
    assert (found.kind, found.phase, found.seat) == ("decision", "DEBATE", "")
    assert found.what.startswith("the first decides CONSENSUS by R15")
    moves = decisions_part(explain(one.record), explain(two.record))
    assert moves is not None
    assert [move.outcome for move in moves if move is not None] == ["CONSENSUS", "ABSTENTION"]


def test_one_that_has_not_come_that_far() -> None:
    whole = review().rest().agree()
    found = parted(whole, review().rest())
    assert found is not None
    assert (found.kind, found.seat, found.brief) == ("reply", "chair", "agree")


def test_what_they_began_with() -> None:
    one, two = Reviewed(TWO), Reviewed(FOUR, quorum="3/4", change="diff --git a/x b/x\n")
    found = dict(began(one.record, two.record))
    assert found["settings.quorum"] == ("2/3", "3/4")
    assert "material change" in found
    assert "participant of knowledge-manager" in found
    assert dict(began(one.record, one.record)) == {}


def test_findings_are_the_same_by_key_or_by_rule_and_place() -> None:
    proven = Finding("lint", Severity.LOW, "a.py", 3, evidence="import os")
    moved = Finding("lint", Severity.LOW, "a.py", 9, evidence="import os")
    quoted = Finding("cycle", Severity.HIGH, "b.py", 5, evidence="import a")
    requoted = Finding("cycle", Severity.HIGH, "b.py", 5, evidence="import a, c")
    alone = Finding("secret", Severity.CRITICAL, "c.py", 1, evidence="x")
    found = shared_findings((proven, quoted, alone), (requoted, moved))
    assert found.same == ((proven, moved), (quoted, requoted))
    assert found.only_first == (alone,)
    assert found.only_other == ()
