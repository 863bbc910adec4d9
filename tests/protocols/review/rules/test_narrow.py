"""Narrow reviews: one closed question about each hunk, and one about each hit (R50 to R54)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.codec import protocol_digest
from quorate.core.types import Absent, AbsentReason, Reason, Replied
from quorate.kit.schedule import turns
from quorate.protocols.review.rules.fates import fates
from quorate.protocols.review.rules.hits import WEIGHS, HitKind, Hits, Refutation
from quorate.protocols.review.rules.lines import MOST_LINES, hunk_by_hunk, pieces_of
from quorate.protocols.review.rules.parts import MOST_PARTS
from quorate.protocols.review.rules.receipt import UnderReview, patches_in
from quorate.protocols.review.rules.result import result, show
from quorate.protocols.review.rules.schedule import schedule
from quorate.protocols.review.rules.sight import in_parts
from tests.protocols.review.oracle import with_oracle
from tests.support.committee import CHANGE, PATHS, TWO, Committee, examination, review
from tests.support.examples import modest
from tests.support.filling import fill
from tests.support.moments import moments

FIRST, SECOND = TWO
HIT = {"line": "L2", "fails": "A rate of None raises TypeError.", "kind": "crash"}


def narrow(*found: str, members: Sequence[str] = TWO, change: str = CHANGE, **settings: Any) -> Committee:
    """A narrow review of the change, as far as its first questions."""
    committee = Committee(*members, style="narrow", material={"change": change}, **settings)
    ask = committee.ask("checks")
    paths = [each.split(" b/")[1].split("\n")[0] for each in patches_in(change)]
    report: Any = fill(ask, examination(*found, paths=paths))
    committee.take(Replied(ask.id, in_parts(report, change, 30_000, narrow=True)))
    return committee


def answer(committee: Committee, *hits: dict[str, str] | None) -> Committee:
    """Answer the open questions in order: with a hit, or that no line fails."""
    for ask, hit in zip(committee.open, hits, strict=True):
        committee.reply(ask, {"hits": [hit] if hit else []})
    return committee


def refute(committee: Committee, *answers: str | None) -> Committee:
    """Answer about the open hits in order; None is an absence."""
    for ask, said in zip(committee.open, answers, strict=True):
        committee.reply(ask, Absent(AbsentReason.FAILED) if said is None else {"reason": "So it is.", "answer": said})
    return committee


def became(committee: Committee) -> dict[str, str]:
    return {each.id: each.became for each in fates(committee.record) if each.what == "fix item"}


# The setting


def test_the_default_changes_neither_digest_nor_forms_r50() -> None:
    wide, asked = review(), review(style="wide")
    assert protocol_digest(wide) == protocol_digest(asked)
    assert not {Hits, Refutation} & set(wide.domains)
    assert not {"narrow", "refute"} & set(wide.briefs)
    assert {Hits, Refutation} < set(review(style="narrow").domains)
    assert "style" not in wide.settings


# Hunks and lines (R50)


def patch(path: str, *hunks: Sequence[str]) -> str:
    text, at = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n", 1
    for lines in hunks:
        text += f"@@ -{at},9 +{at},9 @@ def f():\n" + "".join(f"{line}\n" for line in lines)
        at += 100
    return text


def divided(change: str) -> UnderReview:
    paths = [each.split(" b/")[1].split("\n")[0] for each in patches_in(change)]
    ask = Committee("adjudicator").ask("checks")
    report: Any = fill(ask, examination(paths=paths))
    return UnderReview(in_parts(report, change, 30_000, narrow=True), patches_in(change))


def test_every_hunk_is_a_part_and_its_changed_lines_are_numbered_r50() -> None:
    now = divided(patch("a.py", [" x", "-y", "+z"], ["+w"]) + patch("b.py", ["-v"]))
    assert [piece.numbers for piece in pieces_of(now)] == [(1, 2), (3,), (4,)]
    assert pieces_of(now)[0].shown().splitlines() == [
        "       @@ -1,9 +1,9 @@ def f():",
        "        x",
        "L1     -y",
        "L2     +z",
    ]
    assert now.examination is not None
    assert (now.examination.divided, now.examination.hunks) == (True, 4)


def test_a_hunk_of_many_lines_is_divided_and_a_file_without_one_is_one_line_r50() -> None:
    long = patch("a.py", [f"+{number}" for number in range(2 * MOST_LINES + 5)])
    moved = "diff --git a/b.py b/c.py\nsimilarity index 100%\nrename from b.py\nrename to c.py\n"
    now = divided(long + moved)
    assert [len(piece.numbers) for piece in pieces_of(now)] == [MOST_LINES, MOST_LINES, 5, 1]
    assert "rename to c.py" in pieces_of(now)[-1].shown()


LINES = st.lists(st.tuples(st.sampled_from("+- "), st.text("abcdé #", max_size=30)), min_size=1, max_size=60)


@modest
@given(st.lists(st.tuples(st.sampled_from(["a.py", "b/c.js", "d.md"]), st.lists(LINES, max_size=3)), max_size=4))
def test_every_changed_line_of_any_change_stands_in_exactly_one_part_r45_r50(
    files: list[tuple[str, list[list[tuple[str, str]]]]],
) -> None:
    texts = [[[sign + text for sign, text in hunk] for hunk in hunks] for _, hunks in files]
    change = "".join(patch(f"{n}/{path}", *made) for n, ((path, _), made) in enumerate(zip(files, texts, strict=True)))
    now = divided(change)
    parts, count = hunk_by_hunk(now)
    numbers = [n for part in parts for span in part.spans for n in range(span.first, span.last + 1)]
    assert numbers == list(range(1, count + 1))
    assert now.examination is not None
    assert not now.examination.gap
    shown = [row.text for piece in pieces_of(now) for row in piece.rows if row.number]
    changed = [line for hunks in texts for hunk in hunks for line in hunk if line[0] in "+-"]
    assert [line for line in shown if not line.startswith("diff --git")] == changed


def test_what_stands_in_no_part_is_a_gap_r45_r50() -> None:
    now = divided(patch("a.py", *[[f"+{number}"] for number in range(MOST_PARTS + 1)]))
    assert now.examination is not None
    assert len(now.examination.parts) == MOST_PARTS
    assert now.examination.gap


# Questions (R51)


def test_each_hunk_is_put_to_one_member_and_nobody_tables_or_ballots_r50_r51_r53() -> None:
    committee = narrow()
    assert committee.asked() == [f"{FIRST} narrow", f"{SECOND} narrow"]
    assert [ask.keys for ask in committee.open] == [("L1", "L2", "L3"), ("L4", "L5", "L6")]
    view = committee.view(SECOND)
    assert view.role == ""
    assert [section.title for section in view.sections] == [f"F2 {PATHS[1]}"]
    answer(committee, None, None)
    assert (committee.verdict, committee.degradation) == ("APPROVED", "none")


@pytest.mark.parametrize("kind", list(HitKind))
def test_a_hit_is_an_item_of_its_line_r51(kind: HitKind) -> None:
    committee = answer(narrow(), {**HIT, "kind": kind.value}, None)
    (item,) = committee.state.items
    assert (item.path, item.seat, item.grounded, (item.rule, item.severity)) == ("F1", FIRST, True, WEIGHS[kind])


def test_a_blank_sentence_and_a_lesser_weight_are_notes_r22_r51() -> None:
    blank = answer(narrow(), {**HIT, "fails": " "}, None)
    assert (became(blank), blank.verdict) == ({"I1": "note"}, "APPROVED")
    light = answer(narrow(blocking_severity="high"), {**HIT, "kind": "leak"}, None)
    assert became(light) == {"I1": "note"}


# Refutations (R52)


def test_each_hit_is_put_to_the_skeptic_alone_r52() -> None:
    committee = answer(narrow(), HIT, {**HIT, "line": "L5"})
    assert committee.asked() == ["skeptic refute"] * 2
    assert [ask.keys for ask in committee.open] == [("I1",), ("I2",)]
    text = committee.view("skeptic").text()
    assert "L2 return total * rate" in text
    assert HIT["fails"] in text
    assert FIRST not in text
    assert PATHS[1] not in text, "only the hunk of this hit"


@pytest.mark.parametrize(
    ("said", "fate", "verdict", "degradation"),
    [
        ("holds", "blocks", "REQUEST_CHANGES", "none"),
        ("cannot tell", "blocks", "REQUEST_CHANGES", "none"),
        ("does not hold", "refuted", "APPROVED", "none"),
        (None, "blocks", "REQUEST_CHANGES", "within settings"),
    ],
)
def test_a_hit_that_nobody_refuted_blocks_r52_r53(said: str | None, fate: str, verdict: str, degradation: str) -> None:
    committee = refute(answer(narrow(), HIT, None), said)
    assert (became(committee), committee.verdict, committee.degradation) == ({"I1": fate}, verdict, degradation)


def test_without_the_skeptic_every_hit_blocks_r52() -> None:
    committee = answer(narrow(confirm_items=False), HIT, None)
    assert committee.verdict == "REQUEST_CHANGES"


# What it comes to (R53, R54)


def test_a_lost_reader_is_followed_by_another_r44_r54() -> None:
    committee = narrow().absent(FIRST)
    committee.reply(committee.ask(SECOND), {"hits": []})
    assert committee.asked() == [f"{SECOND} narrow"]
    assert committee.absent(SECOND).verdict == "INCONCLUSIVE"
    assert committee.degradation == "within settings"


def test_what_is_beyond_the_limit_is_asked_of_nobody_and_never_approved_r44_r53() -> None:
    committee = answer(narrow(readings=1), None)
    assert (committee.verdict, committee.degradation) == ("INCONCLUSIVE", "within settings")
    assert answer(narrow(readings=1, confirm_items=False), HIT).verdict == "REQUEST_CHANGES"


def test_where_nobody_answers_there_is_no_quorum_r53_r54() -> None:
    committee = narrow()
    for _ in range(2):
        for ask in committee.open:
            committee.reply(ask, Absent(AbsentReason.TIMED_OUT))
    assert (committee.verdict, committee.degradation) == ("INCONCLUSIVE", "below settings")
    assert "nobody whose word counts has answered" in show(result(committee.record))


def test_what_the_unqualified_say_counts_for_nothing_r48_r49() -> None:
    committee = narrow(unqualified_seats=[SECOND, "skeptic"])
    assert committee.asked() == [f"{FIRST} narrow"] * 2, "parts go to the member that counts"
    refute(answer(committee, HIT, None), "does not hold")
    assert (committee.verdict, became(committee)) == ("REQUEST_CHANGES", {"I1": "blocks"})
    nobody = narrow(unqualified_seats=TWO)
    while nobody.conclusion is None:
        answer(nobody, *[{**HIT, "line": ask.keys[0]} for ask in nobody.open])
    assert nobody.verdict == "INCONCLUSIVE"
    assert set(became(nobody).values()) == {"noted: whoever said it has not passed the exam"}


def test_what_checks_prove_spares_everybody_the_questions_r14_r53() -> None:
    assert narrow("high security hole").asked() == ["proposer amend"]


def test_claims_are_judged_as_ever_r24_r53() -> None:
    committee = Committee(*TWO, style="narrow")
    report: Any = fill(committee.ask("checks"), examination(claims=1))
    committee.take(Replied(committee.ask("checks").id, in_parts(report, CHANGE, 30_000, narrow=True)))
    answer(committee, None, None)
    assert committee.asked() == [f"{seat} judge" for seat in TWO]
    for ask in committee.open:
        committee.reply(ask, {"claims": {"C1": {"observed": "", "judgement": "fail"}}})
    assert committee.verdict == "REQUEST_CHANGES"


def test_a_step_that_is_cut_short_counts_for_nothing_r29_r41() -> None:
    committee = narrow()
    committee.reply(committee.ask(FIRST), {"hits": [HIT]})
    committee.interrupt(Reason.BUDGET)
    assert (committee.verdict, became(committee)) == ("INCONCLUSIVE", {"I1": "not counted"})


# The words


def test_the_result_says_what_was_asked_and_answered_r53() -> None:
    committee = refute(answer(narrow(), HIT, {**HIT, "line": "L5"}), "holds", "does not hold")
    told = result(committee.record)
    assert "2 of 2 hunks are answered for and 1 fix item remains" in show(told)
    assert told["agreement"]["text"] == "Hunks answered for: 2 of 2.\nHits: 1 blocks, 1 refuted."
    assert [each["standing"] for each in told["findings"]] == ["confirmed"]
    assert [part["hunks"] for part in told["receipt"]["parts"]] == ["L1-L3 of F1", "L4-L6 of F2"]
    (fix,) = told["fixes"]
    assert (fix["path"], fix["lines"]) == (PATHS[0], [2])


def test_the_schedule_bounds_what_is_asked_r44_r52() -> None:
    committee = narrow(readings=3)
    asks = {turn.brief: turn.asks for turn in turns(schedule(committee.protocol, committee.material))}
    assert (asks["narrow"], asks["refute"]) == (3, 6)
    assert not {"ballot", "table", "agree", "read", "doubt"} & set(asks)


def test_the_oracle_and_the_invariants_hold_of_whole_sessions_r50_r54() -> None:
    for said in ("holds", "does not hold", "cannot tell", None):
        committee = refute(answer(narrow(), HIT, {**HIT, "line": "L4", "kind": "leak"}), said, "does not hold")
        held = with_oracle(committee.protocol).invariants
        assert [each.name for each in held for moment in moments(committee.record) if not each.holds(moment)] == []
