"""Lines of a change have names, and code puts in the text of those that a seat names (R32, R33, R40, R41)."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.forms import Key, Prose
from quorate.core.types import Replied
from quorate.core.view import Cut, estimate_tokens
from quorate.kit.line_keys import names_in, numbered_patch
from quorate.kit.named_lines import lines_of
from quorate.participants.formwords import form_in_words, short_form
from quorate.participants.port import Answer
from quorate.protocols.review.rules.forms import Ballot, ClaimJudgements, Doubts, ReadPart
from quorate.protocols.review.rules.result import findings
from quorate.runtime.asks import usable
from tests.protocols.review.rules.test_readings import patch, planned
from tests.support.committee import PATHS, QUOTED, TWO, Committee, ballot, briefs, doubt, fix, large
from tests.support.filling import fill

ARCHITECT, SRE = TWO
REMOVED = "-    return total"


def said(committee: Committee, seat: str, values: Any, cuts: tuple[Cut, ...] = ()) -> Answer:
    """What is kept of a reply, as the program keeps it."""
    ask = committee.ask(seat)
    return usable(committee.record, ask, Answer(fill(ask, values)), lambda _, reply: reply, cuts)


def balloted(evidence: str, stance: str = "synthesis", **more: Any) -> tuple[Ballot, Answer]:
    answer = said(Committee(*TWO).tabled(), SRE, ballot(stance, fix("F1 tests high", evidence=evidence), **more))
    assert isinstance(answer.reply, Ballot)
    return answer.reply, answer


def test_changed_lines_are_shown_with_their_numbers_and_proposers_get_none() -> None:
    """R32."""
    committee = Committee(*TWO).tabled()
    shown = {section.title: section for section in committee.view(SRE).sections}
    file = shown[f"F1 {PATHS[0]}"]
    assert f"\n-2 {REMOVED}\n2 +    {QUOTED}\n3 +    # " in file.text
    assert f"\n+    {QUOTED}\n" in file.quotable
    assert f"2 +    {QUOTED}" not in file.quotable
    assert list(lines_of(committee.view(SRE))) == ["F1", "F2"]
    committee.vote({SRE: "veto security hole", ARCHITECT: "synthesis"})
    assert committee.asked() == ["proposer amend"]
    assert f"2 +    {QUOTED}" not in committee.view("proposer").text()
    assert f"\n+    {QUOTED}\n" in committee.view("proposer").text()
    assert lines_of(committee.view("proposer")) == {}


def test_numbers_count_in_what_a_view_may_have_and_in_the_parts_of_a_change() -> None:
    """R33, R43."""
    change = patch("shop/a.py", 60, width=1)
    numbers = estimate_tokens(numbered_patch(change)) - estimate_tokens(change)
    assert numbers > 50
    whole = next(tokens for tokens in range(100, 3_000, 20) if not planned(change, tokens).divided)
    assert whole - whole // 4 > estimate_tokens(change) + numbers


@pytest.mark.parametrize("evidence", ["F1:2", "2", "line 2", f"2 +    {QUOTED}"])
def test_a_line_that_is_named_is_what_is_kept(evidence: str) -> None:
    """R40: with its key, or as a line of the file that the item names."""
    reply, answer = balloted(evidence)
    assert reply.items[0].evidence == Prose(f"+    {QUOTED}")
    assert reply.items[0].quoted
    assert answer.unfit == ()


@pytest.mark.parametrize("form", [Ballot, ReadPart, ClaimJudgements, Doubts])
def test_no_prompt_names_a_line_that_could_be_repeated(form: Any) -> None:
    """R40: a small model repeats what a form says of evidence, which must not be ground."""
    told = (*briefs().values(), form_in_words(form, (Key("F1"),)), short_form(form, (Key("F1"),)))
    assert not [str(name) for text in told for name in names_in(text, "F1")]
    assert "F1:N-M" in told[-2]


def test_a_removed_line_and_one_of_context_can_be_named() -> None:
    """R32, R40."""
    assert balloted("F1:-2")[0].items[0].evidence == Prose(REMOVED)
    assert balloted("F1:1")[0].items[0].evidence == Prose(" def price(total, rate):")


def test_a_line_that_was_not_shown_is_left_and_told() -> None:
    """R40, R41: such a name is no ground."""
    reply, answer = balloted("F1:99 lets anybody in")
    assert reply.items[0].evidence == Prose("F1:99 lets anybody in")
    assert not reply.items[0].quoted
    (left,) = answer.unfit
    assert (left.at, left.became) == ("items[0].evidence", "left as typed")
    assert left.why == "F1:99: no such line was shown"


def test_of_what_a_window_cut_no_line_can_be_named() -> None:
    """R40: the name of a line is good for who was shown it."""
    committee = Committee(*TWO).tabled()
    text = next(each.text for each in committee.view(SRE).sections if each.title == f"F1 {PATHS[0]}")
    seen = text.index("3 +")
    for number, quoted in ((2, True), (3, False)):
        given = ballot("synthesis", fix("F1 tests high", evidence=f"F1:{number}"))
        answer = said(committee, SRE, given, (Cut(f"F1 {PATHS[0]}", seen, len(text)),))
        assert isinstance(answer.reply, Ballot)
        assert answer.reply.items[0].quoted is quoted
        assert bool(answer.unfit) is not quoted


def test_a_veto_is_grounded_by_the_lines_that_it_names() -> None:
    """R8, R40: a veto names no file, so a number has to be of one."""
    reply, _ = balloted("F2:2", "veto security hole", veto_evidence="F2:2 lets anybody in")
    assert reply.veto_evidence.text.split("\n")[1:3] == [f"+    {QUOTED}", "```"]
    assert not reply.groundless
    assert balloted("F2:2", "veto security hole", veto_evidence="line 2")[0].groundless


def test_a_refutation_names_lines_of_its_file() -> None:
    """R23, R40."""
    committee = Committee(*TWO, confirm_items=True).tabled()
    committee.vote({SRE: ballot("synthesis", "F1 tests high"), ARCHITECT: "synthesis"})
    (key,) = committee.ask("skeptic").keys
    answer = said(committee, "skeptic", {"doubts": {key: doubt(quotation="F1:2-3")}})
    assert isinstance(answer.reply, Doubts)
    assert answer.reply.doubts[key].quotation == Prose(f"+    {QUOTED}\n+    # {PATHS[0]}")
    assert answer.reply.refutes(key)
    left = said(committee, "skeptic", {"doubts": {key: doubt(quotation="F1:7")}})
    assert isinstance(left.reply, Doubts)
    assert not left.reply.refutes(key)


def test_what_is_observed_of_a_claim_has_its_lines() -> None:
    """R24, R40."""
    committee = Committee(*TWO).tabled(claims=2)
    ask = next(ask for ask in committee.open if ask.brief == "judge")
    values = {"claims": {key: {"observed": "F2:2", "judgement": "pass"} for key in ask.keys}}
    answer = usable(committee.record, ask, Answer(fill(ask, values)), lambda _, reply: reply)
    assert isinstance(answer.reply, ClaimJudgements)
    assert {each.observed for each in answer.reply.claims.values()} == {Prose(f"+    {QUOTED}")}


def test_who_reads_a_part_names_lines_of_that_part_alone() -> None:
    """R40, R43."""
    committee = Committee(*TWO).say("checks", large([1], [2]))
    ask = committee.open[0]
    found = list(lines_of(committee.protocol.view(committee.record, ask)))
    assert found == ["F1"]
    answer = usable(
        committee.record,
        ask,
        Answer(fill(ask, {"items": [fix(evidence="F1:2"), fix(evidence="F2:2")]})),
        lambda _, r: r,
    )
    assert isinstance(answer.reply, ReadPart)
    assert [each.quoted for each in answer.reply.items] == [True, False]
    assert [each.at for each in answer.unfit] == ["items[1].evidence"]


def test_the_report_and_the_place_are_those_of_the_real_lines() -> None:
    """R40: lines of both sides of a patch have a place too."""
    for evidence, quoted in (("F1:3", f"+    # {PATHS[0]}"), ("F1:-2, F1:2-3", f"{REMOVED}\n+    {QUOTED}")):
        committee = Committee(*TWO).tabled()
        answer = said(committee, SRE, ballot("synthesis", fix("F1 tests high", evidence=evidence)))
        assert isinstance(answer.reply, Ballot)
        committee.take(Replied(committee.ask(SRE).id, answer.reply))
        committee.reply(committee.ask(ARCHITECT), ballot("synthesis"))
        (found,) = findings(committee.finish().record)
        assert found.evidence.startswith(quoted)
        assert (found.path, found.line > 0) == (PATHS[0], True)
