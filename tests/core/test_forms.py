"""Forms: prose is sealed, marks are computed once, and nothing but closed vocabularies is a form."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Annotated, Any

import pytest

from quorate.core.errors import DefinitionError
from quorate.core.form_values import keys_in, repeated_key, seal, with_marks
from quorate.core.forms import SEALED, AtMost, Between, Key, Keyed, Prose, Reply, SealedProse, is_blank, mark
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Text, shape_of


class Grade(Enum):
    GOOD = "good"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Remark:
    text: Annotated[Prose, AtMost(50), "a remark"]
    about: Key
    blank: bool = mark(lambda item: is_blank(item.text))


def _blanks(reply: Everything) -> int:
    return sum(remark.blank for remark in reply.remarks)


@dataclass(frozen=True, slots=True)
class Everything(Reply):
    reason: Annotated[Prose, "why"]
    remarks: Annotated[tuple[Remark, ...], AtMost(3), "remarks"]
    notes: tuple[Prose, ...]
    grades: Annotated[Keyed[Grade], "a grade each"]
    comments: Keyed[Remark]
    sure: bool
    score: Annotated[int, Between(0, 10), "0 to 10"]
    grade: Grade
    best: Key
    blanks: Annotated[int, Between(0, 100)] = mark(_blanks)


RED, BLUE = Key("red"), Key("blue")


def everything() -> Everything:
    return Everything(
        reason=Prose("because"),
        remarks=(Remark(Prose("  "), RED), Remark(Prose("fine"), BLUE)),
        notes=(Prose("one"), Prose("two")),
        grades=Keyed({RED: Grade.GOOD}),
        comments=Keyed({BLUE: Remark(Prose("\n"), RED)}),
        sure=True,
        score=7,
        grade=Grade.BAD,
        best=BLUE,
    )


# Sealed prose

QUESTIONS: dict[str, Callable[[Prose], Any]] = {
    "its text": lambda prose: prose.text,
    "as a string": str,
    "in a template": lambda prose: f"{prose}",
    "whether there is any": bool,
    "its length": len,
    "equal to another prose": lambda prose: prose == Prose("yes"),
    "another prose equal to it": lambda prose: Prose("yes") == prose,
    "equal to itself": lambda prose: prose == prose,
    "unequal to another prose": lambda prose: prose != Prose("yes"),
    "equal to a string": lambda prose: prose == "yes",
    "a string equal to it": lambda prose: prose == "yes",
    "among strings": lambda prose: prose in ("yes", "no"),
    "its hash": hash,
    "as a key": lambda prose: {prose: 1},
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_sealed_prose_refuses_every_question(question: str) -> None:
    with pytest.raises(SealedProse, match="declare a mark"):
        QUESTIONS[question](SEALED)


@pytest.mark.parametrize(
    "question",
    [lambda p: "x" in p, lambda p: p + "x", lambda p: p < Prose("x"), iter, lambda p: p[0], int, lambda p: p.strip()],
)
def test_prose_has_no_other_questions(question: Callable[[Any], Any]) -> None:
    for prose in (SEALED, Prose("text")):
        with pytest.raises((TypeError, AttributeError)):
            question(prose)


def test_sealed_prose_can_be_printed_and_copied_and_stays_sealed() -> None:
    assert repr(SEALED) == "Prose(sealed)"
    with pytest.raises(SealedProse):
        _ = copy.deepcopy(SEALED).text


def test_open_prose_answers() -> None:
    prose = Prose("text")
    assert (prose.text, str(prose), f"{prose}", len(prose), bool(prose), bool(Prose(""))) == (
        "text",
        "text",
        "text",
        4,
        True,
        False,
    )
    assert prose == Prose("text")
    assert prose != Prose("other")
    assert prose != "text"
    assert hash(prose) == hash(Prose("text"))


def test_sealing_reaches_every_prose_and_nothing_else() -> None:
    sealed = seal(with_marks(everything()))
    assert sealed.reason is SEALED
    assert all(remark.text is SEALED for remark in sealed.remarks)
    assert all(note is SEALED for note in sealed.notes)
    assert sealed.comments[BLUE].text is SEALED
    assert (sealed.grades, sealed.sure, sealed.score, sealed.grade, sealed.best) == (
        Keyed({RED: Grade.GOOD}),
        True,
        7,
        Grade.BAD,
        BLUE,
    )
    assert [remark.about for remark in sealed.remarks] == [RED, BLUE]


def test_sealing_leaves_the_reply_itself_as_it_was() -> None:
    reply = everything()
    seal(reply)
    assert reply.reason.text == "because"


# Marks


def test_marks_are_computed_inside_out_and_survive_the_seal() -> None:
    marked = with_marks(everything())
    assert [remark.blank for remark in marked.remarks] == [True, False]
    assert marked.comments[BLUE].blank is True
    assert marked.blanks == 1
    sealed = seal(marked)
    assert (sealed.blanks, [remark.blank for remark in sealed.remarks]) == (1, [True, False])


def test_a_mark_given_by_a_participant_is_computed_again() -> None:
    lied = Remark(Prose("   "), RED, blank=False)
    assert with_marks(lied).blank is True


@pytest.mark.parametrize(
    ("text", "blank"),
    [("", True), (" \t\n", True), ("\u00a0\u2003", True), ("NA", False), (" x ", False), ("0", False)],
)
def test_blank_is_white_space_and_nothing_else(text: str, blank: bool) -> None:
    assert is_blank(Prose(text)) is blank


# Keys


def test_every_key_that_a_reply_names_is_found() -> None:
    assert keys_in(everything()) == (RED, BLUE, RED, BLUE, RED, BLUE)


def test_a_key_in_several_places_is_not_repeated() -> None:
    """Two fields may speak of the same item; one list may not answer for it twice."""
    assert repeated_key(everything()) is None


@pytest.mark.parametrize(
    ("remarks", "twice"),
    [
        ([RED, BLUE], None),
        ([RED, BLUE, RED], RED),
        ([BLUE, RED, BLUE], BLUE),
    ],
)
def test_a_key_twice_in_one_list_is_found(remarks: list[Key], twice: Key | None) -> None:
    reply = replace(everything(), remarks=tuple(Remark(Prose("x"), key) for key in remarks))
    assert repeated_key(reply) == twice


def test_keyed_is_a_value() -> None:
    """Equal ones iterate alike, in the order of their keys, so that a replay does."""
    one, other = Keyed({RED: 1, BLUE: 2}), Keyed({BLUE: 2, RED: 1})
    assert one == other
    assert (hash(one), list(one)) == (hash(other), list(other))
    assert (list(one), len(one), one[BLUE], RED in one, Key("green") in one) == ([BLUE, RED], 2, 2, True, False)
    assert one != Keyed({RED: 1})
    assert one != {RED: 1, BLUE: 2}


def test_keyed_keeps_its_own_copy() -> None:
    source = {RED: 1}
    keyed = Keyed(source)
    source[BLUE] = 2
    assert dict(keyed) == {RED: 1}


# Shapes


def test_the_shape_of_a_form() -> None:
    shape = shape_of(Everything)
    by_name = {each.name: each for each in shape.fields}
    assert by_name["reason"].shape == Text(8_000)
    remarks = by_name["remarks"].shape
    assert isinstance(remarks, Many)
    assert (remarks.most, type(remarks.item)) == (3, Group)
    assert by_name["notes"].shape == Many(Text(8_000), 100)
    assert by_name["grades"].shape == PerKey(Choice(Grade))
    assert (by_name["sure"].shape, by_name["score"].shape, by_name["best"].shape) == (Flag(), Number(0, 10), OneKey())
    assert (by_name["score"].says, by_name["sure"].says) == ("0 to 10", "")
    assert [each.name for each in shape.fields if each.mark is not None] == ["blanks"]
    assert list(by_name) == list(Everything.__dataclass_fields__)


def form_of(hint: Any, default: Any = None) -> type[Any]:
    """A form with one field of this type."""
    space: dict[str, Any] = {"__annotations__": {"odd": hint}}
    if default is not None:
        space["odd"] = default
    return dataclass(frozen=True)(type("Odd", (Reply,), space))


@pytest.mark.parametrize(
    "hint",
    [
        str,
        float,
        int,
        Any,
        object,
        dict[str, int],
        list[Prose],
        tuple[Prose, Prose],
        tuple[str, ...],
        Keyed[str],
        Prose | None,
        Grade | None,
        set[Key],
        bytes,
        Enum,
        Annotated[str, AtMost(5)],
    ],
    ids=str,
)
def test_open_text_and_unbounded_values_are_refused(hint: Any) -> None:
    with pytest.raises(DefinitionError, match="form Odd, field 'odd'"):
        shape_of(form_of(hint))


def test_a_form_is_a_dataclass() -> None:
    class Plain(Reply):
        text: Prose

    with pytest.raises(DefinitionError, match="Plain is not a dataclass"):
        shape_of(Plain)


@pytest.mark.parametrize("default", [True, field(default=True), field(default_factory=bool)])
def test_only_marks_have_defaults(default: Any) -> None:
    with pytest.raises(DefinitionError, match="only marks do"):
        shape_of(form_of(bool, default))


@dataclass(frozen=True)
class Endless(Reply):
    inner: tuple[Endless, ...]


def test_a_form_that_holds_itself_is_refused() -> None:
    with pytest.raises(DefinitionError, match="Endless"):
        shape_of(Endless)
