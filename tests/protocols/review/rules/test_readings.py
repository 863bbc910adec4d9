"""Large changes are read in parts, and what nobody has read is not approved (R43 to R47)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.core.forms import Prose
from quorate.core.record import Record
from quorate.core.types import Absent, AbsentReason, Replied, Ruled, Seat
from quorate.core.values import replace
from quorate.core.view import estimate_tokens
from quorate.kit.schedule import turns
from quorate.participants.check import Check
from quorate.participants.port import Answer
from quorate.protocols.review.rules.division import hunks_of
from quorate.protocols.review.rules.fates import fates
from quorate.protocols.review.rules.forms import Ballot, Examination, ReadPart
from quorate.protocols.review.rules.parts import MOST_FILES, Part, Span, files_in_no_part, has_gap, is_read, reader_of
from quorate.protocols.review.rules.receipt import UnderReview, patches_in, receipt
from quorate.protocols.review.rules.result import result, show
from quorate.protocols.review.rules.schedule import schedule
from quorate.protocols.review.rules.sensitive import by_path
from quorate.protocols.review.rules.sight import in_parts
from quorate.runtime.asks import request_of, usable
from quorate_verifier.review_coverage import Coverage
from tests.protocols.review.oracle import with_oracle
from tests.support.committee import CHANGE, FOUR, PATHS, Committee, ballot, fix, large, parts
from tests.support.examples import modest
from tests.support.filling import fill
from tests.support.moments import moments

HOLDER = Seat("operations-sre")
OTHERS = (Seat("engineering-architect"), Seat("business-driver"))


def patch(path: str, *hunks: int, width: int = 30) -> str:
    """A patch of a file with hunks of so many added lines."""
    text, at = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n", 1
    for lines in hunks:
        body = "".join(f"+{path} {number} {'x' * width}\n" for number in range(lines))
        text += f"@@ -{at},0 +{at},{lines} @@\n{body}"
        at += lines + 100
    return text


def planned(change: str, tokens: int) -> Examination:
    """What the checks report of a change of which one seat is shown so many tokens."""
    paths = [each.split(" b/")[1].split("\n")[0] for each in patches_in(change)]
    files = [
        {"key": f"F{n}", "path": p, "status": "modified", "added": 1, "removed": 0} for n, p in enumerate(paths, 1)
    ]
    told = Prose(json.dumps({"files": files}))
    empty = Examination(told, Prose(""), (), len(files), 0, True, (), (), False, 0, (), 0)
    return in_parts(empty, change, tokens)


def files_of(report: Examination) -> list[list[str]]:
    """The paths of every part."""
    paths = {file["key"]: str(file["path"]) for file in receipt(report)["files"]}
    return [[paths[key] for key in part.files] for part in report.parts]


# Division (R43)


def test_a_change_that_fits_into_one_view_is_one_part_and_has_no_readings_r43() -> None:
    report = planned(patch("a.py", 3) + patch("b.py", 3), 30_000)
    assert (report.divided, len(report.parts), report.hunks) == (False, 1, 2)
    committee = Committee(*FOUR).tabled()
    assert committee.asked() == [f"{seat} ballot" for seat in FOUR]


def test_every_file_has_its_own_patch_where_one_became_a_link_r43() -> None:
    gone = "diff --git a/a.py b/a.py\ndeleted file mode 100644\n--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a = 1\n"
    link = "diff --git a/a.py b/a.py\nnew file mode 120000\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+b.py\n"
    assert patches_in(gone + link + patch("b.py", 3)) == (gone + link, patch("b.py", 3))
    report = planned(gone + link + patch("b.py", 3), 30_000)
    assert (report.files, report.hunks, report.parts[0].spans) == (2, 3, (Span(1, 1, 2), Span(2, 3, 3)))


def test_files_of_a_folder_and_tests_with_their_code_stay_together_r43() -> None:
    names = ("src/a/one.py", "src/a/two.py", "src/b/one_more.py", "tests/test_two.py", "tests/test_one_more.py")
    report = planned("".join(patch(name, 20) for name in names), 2_000)
    together = files_of(report)
    assert {frozenset(part) for part in together} == {
        frozenset({"src/a/one.py", "src/a/two.py", "tests/test_two.py"}),
        frozenset({"src/b/one_more.py", "tests/test_one_more.py"}),
    }


def test_a_file_larger_than_a_part_is_divided_between_hunks_and_a_hunk_at_line_ends_r43() -> None:
    report = planned(patch("src/long.py", 10, 200, 10), 1_500)
    assert report.divided
    assert len(report.parts) > 2
    now = UnderReview(report, patches_in(patch("src/long.py", 10, 200, 10)))
    pieces = hunks_of(now, (), 1_125)
    assert all(piece.text.endswith("\n") for piece in pieces)
    assert len(pieces) == report.hunks > 3


@modest
@given(
    st.lists(
        st.tuples(st.sampled_from(["a/x.py", "a/y.py", "b/z.py", "tests/test_x.py"]), st.integers(0, 120)), max_size=8
    ),
    st.integers(1_000, 6_000),
)
def test_every_hunk_of_any_change_stands_in_exactly_one_part_that_is_shown_whole_r43_r45(
    files: Sequence[tuple[str, int]], tokens: int
) -> None:
    change = "".join(patch(f"{number}/{path}", lines, 1) for number, (path, lines) in enumerate(files))
    report = planned(change, tokens)
    assert report == planned(change, tokens)
    numbers = [n for part in report.parts for span in part.spans for n in range(span.first, span.last + 1)]
    assert sorted(numbers) == list(range(1, report.hunks + 1))
    assert not has_gap(report.parts, report.files, report.hunks)
    if report.divided:
        whole_in_view(change, report, tokens)


def whole_in_view(change: str, report: Examination, tokens: int) -> None:
    """Every part is shown whole, within the tokens of a view, and all lines of the change are shown."""
    committee = Committee("adjudicator", persona_tokens=tokens, readings=200, material={"change": change})
    committee.take(Replied(committee.ask("checks").id, report))
    shown = ""
    for ask in committee.open:
        view = committee.protocol.view(committee.record, ask)
        assert view.whole
        assert estimate_tokens(view.text()) <= tokens
        shown += "\n".join(section.text for section in view.sections if section.common)
    assert not [line for line in change.splitlines() if line not in shown]


# Who reads (R44)


@pytest.mark.parametrize(
    ("path", "sensitive"),
    [
        ("src/auth/login.py", True),
        ("lib/PasswordReset.java", True),
        ("pyproject.toml", True),
        ("requirements-dev.txt", True),
        (".github/workflows/test.yml", True),
        ("api/orders.proto", True),
        ("db/migrations/0004.sql", True),
        ("src/slug.py", False),
        ("docs/author.md", False),
        ("src/keyboard.py", False),
    ],
)
def test_what_vetoes_are_about_is_told_by_paths_r44(path: str, sensitive: bool) -> None:
    assert by_path(path) is sensitive


def test_parts_go_to_members_in_turn_and_those_about_vetoes_to_holders_r44() -> None:
    members = (OTHERS[0], HOLDER, OTHERS[1])
    plain = [Part(number, False, ()) for number in range(1, 5)]
    assert [reader_of(part, 0, members, (HOLDER,)) for part in plain] == [*members, members[0]]
    assert [reader_of(part, 1, members, (HOLDER,)) for part in plain[:2]] == [HOLDER, OTHERS[1]]
    about = replace(plain[0], sensitive=True)
    assert [reader_of(about, attempt, members, (HOLDER,)) for attempt in (0, 1)] == [HOLDER, HOLDER]
    assert reader_of(about, 0, OTHERS, ()) == OTHERS[0]


def test_nobody_reads_while_a_check_has_proven_a_veto_r44() -> None:
    committee = Committee(*FOUR).say("checks", large(found=["high security hole"]))
    assert committee.asked() == ["proposer amend"]
    assert all(each.became == "not put to anybody" for each in fates(committee.record) if each.what in ("file", "part"))


def test_readings_are_counted_over_the_whole_session_r44() -> None:
    committee = Committee("adjudicator", readings=3).say("checks", large())
    assert len(committee.open) == 2
    for ask in committee.open:
        committee.reply(ask, Absent(AbsentReason.FAILED))
    assert [ask.keys for ask in committee.open] == [("F0", "F1")]


# What counts as read (R45)


@pytest.mark.parametrize(
    ("sensitive", "shown", "read"),
    [
        (False, (), False),
        (False, OTHERS, True),
        (True, OTHERS, False),
        (True, (*OTHERS, HOLDER), True),
    ],
)
def test_a_part_is_read_by_those_who_were_shown_all_of_it_r45(
    sensitive: bool, shown: tuple[Seat, ...], read: bool
) -> None:
    assert is_read(Part(1, sensitive, ()), shown, (HOLDER,)) is read
    assert is_read(Part(1, sensitive, ()), shown, ()) is bool(shown)


@pytest.mark.parametrize(
    ("parts", "gap"),
    [
        ((Part(1, False, (Span(1, 1, 1), Span(2, 2, 2))),), False),
        ((Part(1, False, (Span(1, 1, 1),)), Part(2, False, (Span(2, 2, 2),))), False),
        ((Part(1, False, (Span(1, 1, 1),)),), True),
        ((Part(1, False, (Span(1, 1, 2),)),), True),
        ((), True),
    ],
)
def test_a_file_or_hunk_in_no_part_is_a_gap_r45(parts: tuple[Part, ...], gap: bool) -> None:
    assert has_gap(parts, 2, 2) is gap


SPANS = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 6), st.integers(0, 2)), max_size=5)


@modest
@given(SPANS, st.integers(0, 7))
def test_a_file_of_which_a_hunk_stands_in_no_part_is_unread_r45_r47(
    spans: list[tuple[int, int, int]], hunks: int
) -> None:
    files = 4
    parts = tuple(Part(n, False, (Span(file, at, at + more),)) for n, (file, at, more) in enumerate(spans, 1))
    lost = files_in_no_part(parts, files, hunks)
    assert bool(lost) is has_gap(parts, files, hunks)
    report = fill_report(parts, files, hunks)
    coverage = Coverage(["a"], [], 24)
    coverage.begin(report, proven=False)
    coverage.open = []
    told = {each["id"] for each in coverage.fates(ended=True, ruled=False) if each["became"] != "read"}
    assert told == lost


def fill_report(parts: tuple[Part, ...], files: int, hunks: int) -> dict[str, Any]:
    """A report of the checks as a bundle has it."""
    keys = [{"key": f"F{number}", "path": f"f{number}.py"} for number in range(1, files + 1)]
    spans = [[{"file": s.file, "first": s.first, "last": s.last} for s in part.spans] for part in parts]
    made = [{"number": n, "sensitive": False, "spans": each} for n, each in enumerate(spans, 1)]
    told = {"receipt": json.dumps({"files": keys}), "divided": False, "beyond": 0}
    return {**told, "parts": made, "files": files, "hunks": hunks}


def test_the_worst_case_knows_the_items_of_readings_r46() -> None:
    committee = Committee("adjudicator", rounds=1).say("checks", large())
    for ask in committee.open:
        committee.reply(ask, {"items": [fix("F0 tests high")] * 10})
    committee.say("chair")
    own, most = len(committee.ask("adjudicator").keys), turns_of(committee)
    committee.vote({"adjudicator": ballot("synthesis", *["F1 tests high"] * 10)})
    put = len(committee.ask("skeptic").keys)
    assert (own, put) == (23, 30)
    assert most["ballot"] >= own
    assert most["doubt"] >= put


def turns_of(committee: Committee) -> dict[str, int]:
    """The keys that each ask of the schedule may have at most, by brief."""
    found: dict[str, int] = {}
    for turn in turns(schedule(committee.protocol, committee.material)):
        found[turn.brief] = max(found.get(turn.brief, 0), turn.keys)
    return found


def test_members_who_read_what_a_veto_holder_has_to_read_are_told_r45() -> None:
    committee = Committee(*FOUR).tabled(parts=parts([1, 2], sensitive=[1]))
    committee.vote({str(seat): "synthesis" for seat in OTHERS}).finish()
    assert committee.verdict == "INCONCLUSIVE"
    (warning,) = [each for each in result(committee.record)["warnings"] if "veto holder" in each]
    assert warning.startswith("engineering-architect, business-driver read what vetoes are about")


def test_a_seat_whose_own_window_cut_the_change_has_not_read_it_r45() -> None:
    """Every member votes for the change, and none of them was shown all of it."""
    committee = Committee(*FOUR).tabled()
    for ask in committee.open:
        reply = committee.record.marked(ask, fill(ask, {"stance": "synthesis", "confidence": 90}), whole=False)
        assert isinstance(reply, Ballot)
        assert not reply.whole
        committee.take(Replied(ask.id, reply))
    committee.finish()
    assert committee.verdict == "INCONCLUSIVE"
    found = result(committee.record)
    assert found["receipt"]["unshown"] == {"count": 2, "paths": list(PATHS)}
    assert "Read by nobody: 2 files" in show(found)
    assert any("saw the change in part" in warning and "persona_tokens" in warning for warning in found["warnings"])


def test_the_runtime_tells_a_small_window_from_one_that_holds_the_change_r45() -> None:
    committee = Committee("adjudicator", material={"change": patch("a.py", 120)}).tabled(paths=["a.py"])
    ask = committee.ask("adjudicator")
    for window, whole in ((None, True), (100_000, True), (3000, False)):
        sitting = Check(lambda _: fill(ask), name="adjudicator", window=window)
        _, cuts = request_of(committee.record, ask, sitting, None)
        answer = usable(committee.record, ask, Answer(fill(ask, {"stance": "synthesis"})), lambda _, said: said, cuts)
        assert isinstance(answer.reply, Ballot)
        assert answer.reply.whole is whole


def test_what_a_view_cuts_is_no_reading_and_a_recorded_cut_stays_one_r45() -> None:
    committee = Committee("adjudicator", persona_tokens=1_000, material={"change": patch("a.py", 200)})
    committee.tabled(paths=["a.py"])
    ask = committee.ask("adjudicator")
    cast = committee.record.marked(ask, fill(ask, {"stance": "synthesis", "confidence": 90}))
    assert isinstance(cast, Ballot)
    assert not cast.whole
    small = Committee("adjudicator").tabled()
    cut = fill(small.ask("adjudicator"))
    assert isinstance(cut, Ballot)
    kept = replace(cut, whole=False)
    assert small.record.marked(small.ask("adjudicator"), kept) == kept


def test_files_that_are_left_out_by_a_rule_keep_no_approval_waiting_r45() -> None:
    left = [
        {"path": "logo.png", "why": "binary", "detail": ""},
        {"path": "dist/a.js", "why": "generated", "detail": ""},
    ]
    told = {"files": receipt_files(), "checks": [], "left_out": left}
    committee = Committee(*FOUR).tabled(receipt=json.dumps(told)).vote("synthesis").finish()
    assert committee.verdict == "APPROVED"
    assert [each["path"] for each in result(committee.record)["receipt"]["checks_only"]] == ["logo.png", "dist/a.js"]
    of_files = {each.said: each.became for each in fates(committee.record) if each.what == "file"}
    assert of_files == dict.fromkeys(PATHS, "read") | dict.fromkeys(("logo.png", "dist/a.js"), "seen by checks only")


def receipt_files() -> list[dict[str, object]]:
    return [
        {"key": f"F{n}", "path": path, "status": "modified", "added": 2, "removed": 1}
        for n, path in enumerate(PATHS, 1)
    ]


def test_there_is_a_limit_on_files_and_it_is_stated_r45() -> None:
    assert MOST_FILES == 1_000


# What readers found (R46)


def read_by_two(**settings: Any) -> Committee:
    """A change in two parts of which the first reader finds something."""
    committee = Committee("engineering-architect", "operations-sre", **settings).say("checks", large())
    item = {
        "path": "F1",
        "rule": "correctness",
        "severity": "high",
        "evidence": "return total * rate",
        "consequence": "A secret consequence.",
        "action": "Round.",
    }
    committee.say("engineering-architect", summary="A secret summary.", items=[item])
    return committee.say("operations-sre", summary="Nothing.", items=[]).say("chair")


def test_what_a_reader_found_is_shown_to_all_without_names_and_blocks_until_it_ends_r46() -> None:
    committee = read_by_two(confirm_items=False)
    text = committee.view("operations-sre").text()
    assert "A secret consequence." in text
    assert "engineering-architect" not in text
    committee.vote("synthesis").finish()
    assert committee.verdict == "REQUEST_CHANGES"
    assert [(each.id, each.by, each.became) for each in fates(committee.record) if each.what == "fix item"] == [
        ("I1", ("engineering-architect",), "blocks")
    ]


def test_a_reader_may_take_its_item_back_r46() -> None:
    committee = read_by_two(confirm_items=False)
    committee.vote(
        {"engineering-architect": {"stance": "synthesis", "taken_back": ["I1"]}, "operations-sre": "synthesis"}
    )
    committee.finish()
    assert committee.verdict == "APPROVED"


def test_with_channel_evidence_members_hear_no_words_of_readers_r46_r37() -> None:
    text = read_by_two(channel="evidence").view("operations-sre").text()
    assert "secret" not in text
    assert "shop/orders.py correctness, high: return total * rate" in text


def test_no_reader_is_shown_what_another_found_r31() -> None:
    committee = Committee("engineering-architect", "operations-sre").say("checks", large())
    first, second = committee.open
    committee.reply(first, {"summary": "Only the first knows this."})
    assert "Only the first" not in committee.protocol.view(committee.record, second).text()


# Fates (R47)


def test_every_file_and_part_has_one_fate_and_a_ruling_answers_for_what_nobody_read_r47() -> None:
    committee = Committee("engineering-architect", "operations-sre", readings=1).say("checks", large())
    committee.finish(ballot={"stance": "synthesis", "confidence": 90})
    assert committee.verdict == "INCONCLUSIVE"
    assert became(committee.record) == {"P1": "read", "P2": "read by nobody", "F1": "read", "F2": "read by nobody"}
    committee.take(Ruled("APPROVED", "Ann", "I have read it."))
    assert became(committee.record) == {"P1": "read", "P2": "ruled upon", "F1": "read", "F2": "ruled upon"}
    told = "APPROVED: Ann rules it, and answers for what nobody has read (R47): shop/prices.py"
    assert result(committee.record)["grounds"][-1] == told


def became(record: Record) -> dict[str, str]:
    found = [(each.id, each.became) for each in fates(record) if each.what in ("part", "file")]
    assert len(found) == len(dict(found))
    return dict(found)


# Any readers whatever

ANSWERS = st.sampled_from(["read", "in part", "absent", "item"])


@modest
@given(
    st.integers(1, 5).flatmap(lambda parts: st.tuples(st.just(parts), st.sets(st.integers(1, parts)))),
    st.lists(ANSWERS, min_size=40, max_size=40),
    st.integers(0, 8),
    st.sampled_from([("adjudicator",), ("engineering-architect", "operations-sre"), tuple(FOUR), OTHERS]),
)
def test_any_readings_hold_against_the_oracle_and_no_approval_leaves_something_unread(
    change: tuple[int, set[int]], answers: Sequence[str], readings: int, members: tuple[str, ...]
) -> None:
    """R43 to R45, driven with random replies and absences."""
    count, sensitive = change
    paths = [f"f{number}.py" for number in range(1, count + 1)]
    text = "".join(
        CHANGE.split("diff --git")[1].replace("shop/orders.py", path).join(("diff --git", "")) for path in paths
    )
    committee = Committee(*members, readings=readings, confirm_items=False, material={"change": text})
    groups = [[number] for number in range(1, count + 1)]
    committee.say("checks", large(*groups, sensitive=sensitive, paths=paths))
    answer = iter(answers)
    read: set[str] = set()
    while committee.conclusion is None:
        for ask in committee.open:
            if ask.form is not ReadPart:
                committee.reply(ask, {"stance": "synthesis", "confidence": 90} if ask.form is Ballot else None)
                continue
            said = next(answer)
            items = ["F0 tests low"] if said == "item" else []
            values = {"whole": said != "in part", "items": [item_of(each) for each in items]}
            committee.reply(ask, Absent(AbsentReason.FAILED) if said == "absent" else values)
            read |= set(ask.keys[1:]) if said in ("read", "item") else set()
    assert committee.verdict == ("APPROVED" if len(read) == count else "INCONCLUSIVE")
    invariants = with_oracle(committee.protocol).invariants
    for moment in moments(committee.record):
        assert [each.name for each in invariants if not each.holds(moment)] == []


def item_of(text: str) -> dict[str, str]:
    path, rule, severity = text.split()
    words = {"evidence": "return total * rate", "consequence": "none", "action": "none"}
    return {"path": path, "rule": rule, "severity": severity, **words}
