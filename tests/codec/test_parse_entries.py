"""The last attempt at a reply is taken entry by entry: what fits stays, and what was refused is told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any

import pytest

from quorate.codec import Malformed, parse_entries, parse_reply
from quorate.codec.parse import MOST_UNFIT
from quorate.core.form_values import Unfit
from quorate.core.forms import AtMost, Key, Keyed, OrElse, Prose, Refers, Reply
from quorate.core.types import Ask, AskId, Seat

KEYS = (Key("F0"), Key("F1"), Key("F2"))


class Stance(Enum):
    YES = "yes"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Finding:
    place: Annotated[Key, Refers(), OrElse("F0"), "where"]
    text: Annotated[Prose, AtMost(20), "what"]


@dataclass(frozen=True, slots=True)
class Change:
    of: Annotated[Key, "the artifact"]
    backed_by: Annotated[tuple[Annotated[Key, Refers()], ...], AtMost(5), "who backs it"]


@dataclass(frozen=True, slots=True)
class Said(Reply):
    findings: Annotated[tuple[Finding, ...], AtMost(5), "findings"]
    changes: Annotated[tuple[Change, ...], AtMost(5), "changes"]
    votes: Annotated[Keyed[Stance], "a vote on each"]


ASK = Ask(AskId("1.0"), Seat("reviewer"), "brief", Said, KEYS)
GOOD: dict[str, Any] = {
    "findings": [{"place": "F1", "text": "a leak"}],
    "changes": [{"of": "F2", "backed_by": ["F1"]}],
    "votes": {"F1": "yes"},
}


def test_what_fits_is_read_as_ever() -> None:
    assert parse_entries(ASK, GOOD) == (parse_reply(ASK, GOOD), ())


def test_an_entry_with_an_unknown_key_is_refused_alone() -> None:
    reply, refused = parse_entries(ASK, {**GOOD, "changes": [{"of": "REQ-777", "backed_by": []}, *GOOD["changes"]]})
    assert reply == parse_reply(ASK, GOOD)
    why = "of: is 'REQ-777'; expected one of F0, F1, F2"
    assert refused == (Unfit("changes[0]", "refused", why, "of: REQ-777"),)


def test_an_unknown_reference_inside_an_entry_is_refused_alone() -> None:
    reply, refused = parse_entries(ASK, {**GOOD, "changes": [{"of": "F2", "backed_by": ["P9", "F1"]}]})
    assert reply == parse_reply(ASK, GOOD)
    assert refused == (Unfit("changes[0].backed_by[0]", "refused", "is 'P9'; expected one of F0, F1, F2", "P9"),)


def test_a_finding_at_an_unknown_place_is_kept_where_the_form_says() -> None:
    reply, refused = parse_entries(ASK, {**GOOD, "findings": [{"place": "F9", "text": "a leak"}]})
    assert isinstance(reply, Said)
    assert [(each.place, each.text.text) for each in reply.findings] == [("F0", "a leak")]
    why = "is 'F9'; expected one of F0, F1, F2"
    assert refused == (Unfit("findings[0].place", "kept at F0", why, "text: a leak, place: F9"),)
    with pytest.raises(Malformed, match=r"findings\[0\].place"):
        parse_reply(ASK, {**GOOD, "findings": [{"place": "F9", "text": "a leak"}]})


def test_prose_that_is_too_long_is_cut() -> None:
    reply, refused = parse_entries(ASK, {**GOOD, "findings": [{"place": "F1", "text": "x" * 21}]})
    assert isinstance(reply, Said)
    assert reply.findings[0].text.text == "x" * 20
    assert refused == (Unfit("findings[0].text", "cut to 20 characters", "has 21 characters", "x" * 21),)
    reply, again = parse_entries(ASK, {**GOOD, "findings": [{"place": "F1", "text": "x" * 21}]}, cut=False)
    assert isinstance(reply, Said)
    why = "text: has 21 characters; expected at most 20"
    assert (reply.findings, again) == ((), (Unfit("findings[0]", "refused", why, f"place: F1, text: {'x' * 21}"),))


@pytest.mark.parametrize(
    "wrong", [{"votes": {"F9": "yes"}}, {"votes": {"F1": "maybe"}}, {"findings": None}, {"more": 1}], ids=str
)
def test_everything_else_is_strict(wrong: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        parse_entries(ASK, {**GOOD, **wrong})


def test_one_entry_too_many_loses_that_entry_alone() -> None:
    found = [{"place": "F1", "text": f"leak {number}"} for number in range(7)]
    reply, unfit = parse_entries(ASK, {**GOOD, "findings": found})
    assert isinstance(reply, Said)
    assert [each.text.text for each in reply.findings] == [f"leak {number}" for number in range(5)]
    why = "the list has at most 5 entries"
    assert unfit == tuple(Unfit(f"findings[{n}]", "refused", why, f"text: leak {n}, place: F1") for n in (5, 6))
    with pytest.raises(Malformed, match="has 7 entries; expected at most 5"):
        parse_reply(ASK, {**GOOD, "findings": found})


def test_what_does_not_fit_takes_no_place_in_a_list() -> None:
    found = [{"place": "F1", "text": f"leak {number}"} for number in range(5)]
    reply, unfit = parse_entries(ASK, {**GOOD, "findings": ["a leak", {"place": "F1"}, *found]})
    assert isinstance(reply, Said)
    assert len(reply.findings) == 5
    assert [(each.at, each.became) for each in unfit] == [("findings[0]", "refused"), ("findings[1]", "refused")]


def test_of_two_entries_that_answer_for_one_key_the_first_stands() -> None:
    twice = [{"of": "F2", "backed_by": ["F1"]}, {"of": "F2", "backed_by": []}]
    reply, unfit = parse_entries(ASK, {**GOOD, "changes": twice})
    assert reply == parse_reply(ASK, GOOD)
    assert unfit == (Unfit("changes[1]", "refused", "the key 'F2' is answered for more than once", "of: F2"),)
    with pytest.raises(Malformed, match="more than once"):
        parse_reply(ASK, {**GOOD, "changes": twice})


def test_a_key_that_is_only_referred_to_may_be_named_often() -> None:
    reply, unfit = parse_entries(ASK, {**GOOD, "changes": [{"of": "F2", "backed_by": ["F1"] * 9}]})
    assert (reply, unfit) == (parse_reply(ASK, GOOD), ())


def test_what_does_not_fit_is_bounded_and_counted() -> None:
    _, unfit = parse_entries(ASK, {**GOOD, "changes": ["no change"] * 5_000})
    assert len(unfit) == MOST_UNFIT + 1
    assert str(unfit[-1]) == f"{5_000 - MOST_UNFIT} more: refused: so many are not told one by one"
