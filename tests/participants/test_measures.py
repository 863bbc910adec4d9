"""Measured fields of a reply: the rule of participants/measures.py, and what the protocols declare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import pytest

from quorate import catalog
from quorate.api.exams import papers
from quorate.core.errors import DefinitionError, InputError
from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.participants.measures import LEAST_SEEN, MOST_ASKINGS, Measure, Measures, measured, read_measures
from quorate.participants.token_odds import Asking, Odds, Wording
from tests.support.embedded import Opinion, Stance

WORDINGS = (Wording("Is it good? Answer {options}.", ("yes", "no")), Wording("{options}?", ("pass", "fail")))
ACCEPTED = Measure("Opinion", "stance", (("accept",), ("reject",)), WORDINGS, confidence="confidence")
SURE = Opinion(Prose("It is fine."), Stance.ACCEPT, 90)


@dataclass(frozen=True, slots=True)
class Opinions(Reply):
    opinions: Annotated[Keyed[Opinion], "one of each"]


def odds(*shares: int, seen: int = 900) -> Odds:
    return Odds(shares, seen, 4, measured=True)


def answers(found: Odds | None, asked: list[Sequence[Asking]] | None = None) -> Any:
    def ask(how: Sequence[Asking]) -> Odds | None:
        if asked is not None:
            asked.append(how)
        return found

    return ask


def test_a_reply_says_the_most_probable_value_with_the_share_as_its_confidence() -> None:
    reply, (found,) = measured(SURE, (ACCEPTED,), answers(odds(386, 614)))
    assert isinstance(reply, Opinion)
    assert (reply.stance, reply.confidence) == (Stance.REJECT, 61)
    assert (found.said, found.value, found.stated, found.confidence) == ("accept", "reject", 90, 61)
    assert found.shares == (("accept", 386), ("reject", 614))
    assert str(found) == (
        "stance reject, measured: accept 386, reject 614 of 1,000; it had filled in accept; "
        "confidence 61, measured; it said 90"
    )


def test_every_wording_is_asked_in_both_orders() -> None:
    asked: list[Sequence[Asking]] = []
    measured(SURE, (ACCEPTED,), answers(odds(700, 300), asked))
    assert [(each.wording, each.turned) for each in asked[0]] == [
        (wording, turned) for wording in WORDINGS for turned in (False, True)
    ]


def test_a_tie_and_little_probability_leave_what_was_filled_in() -> None:
    reply, (found,) = measured(replace(SURE, stance=Stance.REJECT), (ACCEPTED,), answers(odds(500, 500)))
    assert (reply, found.value) == (Opinion(SURE.reason, Stance.REJECT, 50), "reject")
    assert measured(SURE, (ACCEPTED,), answers(odds(1, 999, seen=LEAST_SEEN - 1))) == (SURE, ())
    assert measured(SURE, (ACCEPTED,), answers(None)) == (SURE, ())


def test_a_kept_value_stands_with_a_low_confidence() -> None:
    reply, (found,) = measured(SURE, (replace(ACCEPTED, kept=("accept",)),), answers(odds(120, 880)))
    assert reply == Opinion(SURE.reason, Stance.ACCEPT, 12)
    assert found.value == found.said == "accept"


def test_values_of_one_answer_are_not_told_apart_and_a_value_of_none_is_not_measured() -> None:
    both = replace(ACCEPTED, answers=(("accept", "reject"), ("other",)))
    reply, (found,) = measured(replace(SURE, stance=Stance.REJECT), (both,), answers(odds(800, 200)))
    assert reply == Opinion(SURE.reason, Stance.REJECT, 80)
    assert found.shares[0] == ("accept or reject", 800)
    unasked = replace(ACCEPTED, answers=(("x",), ("reject",)))
    assert measured(SURE, (unasked,), answers(odds(1, 999))) == (SURE, ())


def test_entries_by_key_are_measured_one_by_one_each_asked_about_by_its_key() -> None:
    asked: list[Sequence[Asking]] = []
    reply = Opinions(Keyed({Key("K2"): SURE, Key("K1"): SURE}))
    by_key = replace(
        ACCEPTED, form="Opinions", each="opinions", wordings=(Wording("Is {key} good? {options}", ("yes", "no")),)
    )
    found, places = measured(reply, (by_key,), answers(odds(300, 700), asked))
    assert isinstance(found, Opinions)
    assert {each.stance for each in found.opinions.values()} == {Stance.REJECT}
    assert [each.at for each in places] == ["opinions.K1.stance", "opinions.K2.stance"]
    assert [how[0].text for how in asked] == ["Is K1 good? yes or no", "Is K2 good? yes or no"]


@pytest.mark.parametrize("keys", [1, 10, 16, 40])
def test_many_keys_are_asked_about_in_fewer_wordings(keys: int) -> None:
    asked: list[Sequence[Asking]] = []
    reply = Opinions(Keyed({Key(f"K{number:02}"): SURE for number in range(keys)}))
    measured(reply, (replace(ACCEPTED, each="opinions"),), answers(odds(300, 700), asked))
    assert sum(map(len, asked)) <= MOST_ASKINGS
    assert {len(how) for how in asked} == {4 if keys == 1 else 2}


# What is declared


def declared() -> dict[str, Measures]:
    found = {name: each for name, each in catalog.definitions().items() if each.measures}
    return {
        name: read_measures(Path(str(resources.files(each.package))) / each.measures) for name, each in found.items()
    }


def test_what_protocols_declare_fits_their_forms() -> None:
    assert set(declared()) == {"review", "council"}
    for name, measures in declared().items():
        forms = {form.__name__: form for form in catalog.build(name).domains}
        for form, each in measures.items():
            for measure in each:
                measure.check(forms[form])


def test_wordings_are_those_that_the_exam_has_chosen() -> None:
    for name, measures in declared().items():
        chosen = [(each.ask, each.words) for each in papers()[name].wordings]
        for measure in (each for found in measures.values() for each in found):
            asked = [(each.ask.replace("finding {key}", "finding"), each.words) for each in measure.wordings]
            assert [words for _, words in asked] == [words for _, words in chosen]
            if not measure.each:
                assert asked == chosen


@pytest.mark.parametrize(
    "change",
    [{"field": "mood"}, {"field": "reason"}, {"confidence": "stance"}, {"each": "stance"}, {"kept": ("maybe",)}],
)
def test_what_a_form_does_not_have_is_refused(change: dict[str, Any]) -> None:
    ACCEPTED.check(Opinion)
    with pytest.raises(DefinitionError, match="measures of Opinion"):
        replace(ACCEPTED, **change).check(Opinion)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("- {form: Ballot, field: stance}", "has no answers"),
        (
            "- {form: B, field: s, answers: [[a], [b]], wordings: [{ask: 'x {options}', words: [y]}]}",
            "does not fit its",
        ),
        ("- {form: B, field: s, answers: [[a], [b]], mood: 1, wordings: []}", "unknown key 'mood'"),
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_refused(text: str, what: str, tmp_path: Path) -> None:
    file = tmp_path / "measures.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=what):
        read_measures(file)
