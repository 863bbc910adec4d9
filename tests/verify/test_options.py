"""What an ask is answered with: the declared domain, or one derived from the form, and always the five absences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated

import pytest

from quorate.core.decisions import Decision
from quorate.core.forms import AtMost, Between, Key, Keyed, Prose, Reply, SealedProse, mark
from quorate.core.protocol import Node
from quorate.core.types import Absent, AbsentReason, Ask, AskId, Question, Replies, Seat
from quorate.verify import ProofStatus
from quorate.verify.combinations import count, every, few
from quorate.verify.options import Choices, derived
from tests.verify.toys import MEMBERS, Ballot, Poll, ask, decide, poll, proof


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Item:
    text: Prose
    sure: bool


@dataclass(frozen=True, slots=True)
class Rich(Reply):
    why: Prose
    colour: Colour
    share: Annotated[int, Between(0, 100)]
    blank: bool = mark(lambda reply: not reply.why.text)


@dataclass(frozen=True, slots=True)
class Listed(Reply):
    items: Annotated[tuple[Item, ...], AtMost(4)]
    by_key: Keyed[Item]
    one: Key


@dataclass(frozen=True, slots=True)
class Wide(Reply):
    a: Annotated[int, Between(0, 9)]
    b: Colour
    c: Colour
    d: Colour
    e: Colour
    f: Colour
    g: Colour


def question(form: type[Reply], *keys: str) -> Question:
    return Question(Seat("ann"), "say", form, tuple(Key(key) for key in keys))


def test_a_form_without_a_domain_is_tried_with_every_choice_truth_and_bound() -> None:
    found = {(r.colour, r.share, r.blank) for r in derived(question(Rich)) if isinstance(r, Rich)}
    assert found == {(colour, share, blank) for colour in Colour for share in (0, 100) for blank in (False, True)}


def test_lists_are_tried_empty_and_with_one_keys_with_none_and_all() -> None:
    replies = [reply for reply in derived(question(Listed, "x", "y", "z")) if isinstance(reply, Listed)]
    assert {len(reply.items) for reply in replies} == {0, 1}
    assert {tuple(reply.by_key) for reply in replies} == {(), ("x", "y", "z")}
    assert {reply.one for reply in replies} == {"x", "y"}
    assert derived(question(Listed)) == ()  # there is no key to name


def test_a_form_with_too_many_combinations_has_its_fields_varied_alone() -> None:
    replies = [reply for reply in derived(question(Wide)) if isinstance(reply, Wide)]
    assert len(replies) == 8
    assert {reply.a for reply in replies} == {0, 9}
    assert {reply.g for reply in replies} == set(Colour)


def test_a_derived_domain_makes_the_results_bounded_and_says_why() -> None:
    report = proof(poll(domains={}))
    assert report.ok
    assert report.results[2].status is ProofStatus.BOUNDED
    assert "Bounded by the domain of Ballot" in report.results[2].detail
    (domain,) = report.profiles["the poll"].domains
    assert (domain.form, domain.size, domain.exact) == ("Ballot", 2, False)
    assert "derived from the form" in domain.why


def test_options_are_sealed_and_end_in_the_five_absences() -> None:
    choices = Choices(poll())
    options = choices.of(Ask(AskId("1.0"), MEMBERS[0], "vote", Ballot, ()))
    assert options.present == 2
    assert [each.reason for each in options.said[2:] if isinstance(each, Absent)] == list(AbsentReason)
    first = options.sealed[0]
    assert isinstance(first, Ballot)
    with pytest.raises(SealedProse):
        _ = first.reason.text


def test_an_absence_notes_who_reads_its_reason() -> None:
    choices = Choices(poll())
    absent = choices.of(Ask(AskId("1.0"), MEMBERS[0], "vote", Ballot, ())).sealed[2]
    assert isinstance(absent, Absent)
    assert absent.reason is AbsentReason.FAILED
    assert not choices.watch.read  # nobody was watched
    choices.watch.on = True
    looks: tuple[Callable[[], bool], ...] = (
        lambda: absent == Absent(AbsentReason.FAILED),
        lambda: Absent(AbsentReason.FAILED) == absent,
        lambda: absent in {Absent(AbsentReason.FAILED)},
        lambda: absent.reason is AbsentReason.FAILED,
        lambda: bool(repr(absent)),
        lambda: _matches(absent),
    )
    for look in looks:
        choices.watch.read = False
        assert look()
        assert choices.watch.read


def _matches(absent: Absent) -> bool:
    match absent:
        case Absent(reason=AbsentReason.FAILED):
            return True
        case _:
            return False


def test_a_reason_that_nobody_reads_stands_for_all() -> None:
    plain = proof(poll()).profiles["the poll"]

    def reads(state: Poll, replies: Replies) -> Decision[Poll]:
        any(isinstance(reply, Absent) and reply.reason is AbsentReason.SILENT for _, reply in replies)
        return decide(state, replies)

    curious = proof(poll(Node(ask, reads)))
    assert curious.ok
    assert curious.profiles["the poll"].combinations > plain.combinations


@pytest.mark.parametrize(
    ("reasons", "found"),
    [
        ((AbsentReason.SILENT,), True),
        ((AbsentReason.REFUSED, AbsentReason.MALFORMED), True),
        ((AbsentReason.REFUSED, AbsentReason.MALFORMED, AbsentReason.TIMED_OUT), True),
    ],
)
def test_combinations_of_reasons_are_found(reasons: tuple[AbsentReason, ...], found: bool) -> None:
    def stumbles(state: Poll, replies: Replies) -> Decision[Poll]:
        given = [reply.reason for _, reply in replies if isinstance(reply, Absent)]
        if sorted(given, key=list(AbsentReason).index) == sorted(reasons, key=list(AbsentReason).index):
            raise ValueError
        return decide(state, replies)

    assert (not proof(poll(Node(ask, stumbles))).ok) is found


def test_combinations_are_counted_as_they_are_made() -> None:
    for sizes, twins in (([3, 3, 3], [[0, 1, 2]]), ([2, 4, 2], [[0, 2], [1]]), ([5], [[0]]), ([2, 2], [[0], [1]])):
        rows = list(every(sizes, twins))
        assert len(rows) == len(set(rows)) == count(sizes, twins)
    assert set(every([2, 2], [[0, 1]])) == {(0, 0), (0, 1), (1, 1)}


def test_where_there_are_too_many_at_most_two_differ_from_the_rest() -> None:
    rows = set(few([3, 3, 3, 3]))
    assert (0, 0, 0, 0) in rows
    assert (2, 0, 1, 0) in rows
    assert (0, 1, 2, 0) in rows
    assert all(max(row.count(value) for value in row) >= 2 for row in rows)
