"""What a session was worth, assembled: by the protocol's own rules, with prompts built again, and in bundles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from quorate import api
from quorate.api.folds import Folds, again
from quorate.api.history import UNREAD, told
from quorate.api.results import explain, reports, summary
from quorate.api.seals import look
from quorate.api.sessions import Result, load_alone
from quorate.api.worth import cacheable_share, prompts, worth, worth_again
from quorate.config import read_config
from quorate.core.errors import InputError
from quorate.core.record import Record
from quorate.evidence.bundle import check_bundle
from quorate.kit.positions import MATTER
from quorate.protocols.review.definition import DEFINITION
from quorate.store.journal import Journal
from quorate.workspace import Workspace
from quorate.worth.votes import MeasuredCorrelation
from quorate.worth.worth import NOTHING_LEARNT, Learnt, maker, worth_data
from quorate_verifier import verify
from tests.support import councils_ended as ended
from tests.support.played_debate import open_debate
from tests.support.reviewed import FOUR, Reviewed, approved, compromised, inconclusive, vetoed
from tests.verifier.played import PROTOCOLS, built, bundle_of, profiles

FATES = DEFINITION.fates
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A place without settings of its own."""
    return Workspace(tmp_path, read_config([], {}, ()), f"sqlite:{tmp_path / 'quorate.db'}")


def result_of(played: Any, **more: Any) -> Result:
    return Result(played.record.opening.session or "s", played.record, played.entries, **more)


def talked_round() -> Reviewed:
    """Two of four oppose in round 1, and nobody in round 2."""
    review = Reviewed(FOUR, veto_holders=[]).table()
    review.vote("engineering-architect", "oppose").vote("operations-sre", "oppose").rest()
    review.say("chair", positions="Two oppose.", questions="Why?")
    return review.rest().agree()


def test_the_rules_of_a_review_are_applied_to_its_first_round_alone() -> None:
    first = worth(result_of(compromised())).first
    assert first is not None
    assert first.ruled is not None
    # The checks, the chair, and of each member a ballot and its judgement of claims: 10 of 19 replies.
    assert (first.ruled.verdict, first.ruled.tokens, first.percent) == ("REQUEST_CHANGES", 10 * 120, 53)
    assert first.same is True


def test_a_deliberation_that_changed_the_verdict_says_so() -> None:
    review = talked_round()
    assert review.verdict == "APPROVED"
    found = worth(result_of(review))
    assert found.first is not None
    assert found.first.ruled is not None
    assert (found.first.ruled.verdict, found.first.same) == ("INCONCLUSIVE", False)
    assert "would have concluded INCONCLUSIVE" in found.sentences[0]
    assert "the deliberation changed that to APPROVED" in found.sentences[0]
    assert found.swayed is not None
    assert {each.seat for each in found.swayed} == {"engineering-architect", "operations-sre"}
    assert all(set(each.towards) == {"knowledge-manager", "business-driver"} for each in found.swayed)


def test_one_round_is_no_more_than_a_vote() -> None:
    assert worth(result_of(approved())).sentences[0].startswith("The session was no more than one round")
    ruled = inconclusive().rule("APPROVED", "Ann", "The risk is known.")
    assert worth(result_of(ruled)).sentences[0].startswith("The session was no more than one round"), "as it concluded"


def test_a_debate_is_no_vote_and_a_council_has_no_rounds_to_set() -> None:
    assert worth(result_of(open_debate().play())).first is None
    council = worth(result_of(ended.with_remediation())).first
    assert council is not None
    assert council.ruled is None


# Prompts


async def sample(workspace: Workspace, journal: Journal) -> Result:
    """The sample debate: the example's problem and panel, default settings, three rounds."""
    problem = (EXAMPLES / "problem.md").read_text(encoding="utf-8")
    panel = EXAMPLES / "scripted-panel.yaml"
    session = await api.open_session(workspace, journal, "debate", {"problem": problem}, panel=panel, seed=7)
    return await api.run(workspace, journal, session)


async def test_nearly_four_fifths_of_the_prompts_are_cacheable_from_round_2_on_the_judge_included(
    workspace: Workspace, journal: Journal
) -> None:
    result = await sample(workspace, journal)
    caching = worth(result).caching
    assert caching is not None
    assert (caching.prompts, caching.of) == (22, 22), "three proposals, three rounds of six, and the judge"
    shares = (caching.later, caching.form_first_later, caching.voices)
    assert all(share.percent is not None and share.percent >= 79 for share in shares), shares
    assert caching.later.of > caching.voices.of, "the judge's closing call counts in the one and not in the other"
    judged = [each for each in prompts(result.record) if each.seat == "judge"]
    assert len(judged) == 1
    assert caching.later.of - caching.voices.of == pytest.approx(len(judged[0].text.encode()) / 3, abs=2)
    told = f"{caching.later.percent} % from round 2 on ({caching.voices.percent} % of those to voters)."
    assert told in worth(result).sentences[-1]


async def test_a_prompt_is_as_new_as_what_was_said_since_the_seat_was_asked_the_same(
    workspace: Workspace, journal: Journal
) -> None:
    found = list(prompts((await sample(workspace, journal)).record))
    asked = [each for each in found if each.seat == "architect" and "Now: criticise" in each.text]
    assert [each.round for each in asked] == [1, 2, 3]
    for before, after in pairwise(asked):
        assert before.form == after.form
        # Only what was said meanwhile is new: its own refinement and the two texts of the others.
        known = next(at for at, (one, other) in enumerate(zip(before.text, after.text, strict=False)) if one != other)
        assert after.text.count("<<end") - after.text[:known].count("<<end") == 3
        assert f"Your proposal of round {before.round}>>" in after.text[:known]


def test_people_and_code_read_no_prompts() -> None:
    review = approved()
    seats = {each.seat for each in prompts(review.record)}
    panel = {**review.record.opening.panel, "checks": "checks", "chair": "person"}
    opening = type(review.record.opening)(
        **{name: getattr(review.record.opening, name) for name in review.record.opening.__slots__} | {"panel": panel}
    )
    again = Record(review.protocol, opening, review.material)
    for event, envelope in review.record.events():
        again.take(event, envelope)
    assert seats - {each.seat for each in prompts(again)} == {"checks", "chair"}
    found = cacheable_share(again, ())
    assert found is not None
    assert found.of == 4


# Bundles


SILENT: dict[str, Any] = {
    **{"says": [], "votes": None, "voices": None, "changes": None, "truth": {}, "first_round": None},
    **{"findings": None, "prompts": None, "phases": {}, "all": {}, "by": maker()},
}


def with_worth(bundle: dict[str, Any], protocol: Any) -> dict[str, Any]:
    """The same bundle with what it was worth, from the record that checking folds."""
    told: list[dict[str, Any]] = []

    def derive(record: Record, said: Mapping[str, Any]) -> Mapping[str, Any]:
        told.append(worth_again(record, said))
        return said

    check_bundle({**bundle, "worth": SILENT}, protocol, worth=derive)
    return {**bundle, "worth": told[0]}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_bundle_says_what_it_was_worth_and_is_checked(protocol: str) -> None:
    for number, profile in enumerate(profiles(protocol)):
        plain, rules = bundle_of(protocol, profile, number), built(protocol, profile)
        problems = check_bundle(plain, rules)  # marks are drawn here, and need not fit the words
        assert check_bundle(plain, rules, worth=worth_again) == problems, "a bundle of before has no worth"
        bundle = json.loads(json.dumps(with_worth(plain, rules)))
        assert check_bundle(bundle, rules, worth=worth_again) == problems
        assert check_bundle(bundle, rules) == problems
        assert verify(bundle).differences == verify(plain).differences
        said = bundle["worth"]
        assert said["all"]["tokens"] == sum(each["tokens"] for each in said["phases"].values())
        if protocol in ("workshop", "roundtable"):
            assert (said["votes"], said["first_round"]) == (None, None)


def test_a_worth_that_does_not_follow_is_found() -> None:
    review = compromised()
    bundle = api.bundle(result_of(review))
    assert bundle["worth"] == worth_data(worth(result_of(review)))
    assert check_bundle(bundle, review.protocol, worth=worth_again, fates=FATES) == []
    changes: list[tuple[str, Any]] = [
        ("/worth/votes/nominal", lambda told: told["votes"].update(nominal=5)),
        ("/worth/first_round/same", lambda told: told["first_round"].update(same=False)),
        ("/worth/changes/0", lambda told: told["changes"].clear()),
        ("/worth/says/0", lambda told: told["says"].__setitem__(0, "It was worth every token.")),
        ("/worth/prompts/all/percent", lambda told: told["prompts"]["all"].update(percent=99)),
    ]
    for place, change in changes:
        forged = deepcopy(bundle)
        change(forged["worth"])
        assert place in [each.place for each in check_bundle(forged, review.protocol, worth=worth_again, fates=FATES)]
        assert check_bundle(forged, review.protocol, fates=FATES) == [], "it is derived, and sealed by nothing"


def test_what_another_version_says_of_its_worth_is_taken_as_it_stands_and_told(tmp_path: Path) -> None:
    review = compromised()
    bundle = api.bundle(result_of(review))
    told = {**bundle["worth"], "by": "quorate 0.0.1", "says": ["Worded otherwise then."]}
    file = tmp_path / "bundle.json"
    for worth_then, note in (
        (bundle["worth"], ""),
        (told, "quorate 0.0.1"),
        (without(told, "by"), "an earlier version"),
    ):
        file.write_text(json.dumps({**bundle, "worth": worth_then}), encoding="utf-8")
        looked = look(file)
        assert looked.holds
        assert note in looked.note
        assert looked.as_data()["engine"]["taken_as_recorded"] == ([looked.note] if note else [])


def without(told: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in told.items() if key != name}


def test_strange_worths_are_problems_and_no_errors() -> None:
    review = compromised()
    bundle = api.bundle(result_of(review))
    worths: list[Any] = [None, [], "much", {}]
    worths += [{**bundle["worth"], "truth": {"": "yes"}}, {**bundle["worth"], "votes": 3}]
    for strange in worths:
        assert check_bundle({**bundle, "worth": strange}, review.protocol, worth=worth_again, fates=FATES)
    for phi in ("1/0", "nan", "9.0000", "1e999", ""):
        forged = deepcopy(bundle)
        forged["worth"]["votes"]["measured"] = {"effective": None, "phi": phi, "items": 1, "says": ""}
        assert [each.place for each in check_bundle(forged, review.protocol, worth=worth_again, fates=FATES)] == [
            "/worth/votes/measured/phi"
        ]


def test_what_was_learnt_elsewhere_is_told_and_taken_as_given() -> None:
    learnt = Learnt(MeasuredCorrelation(Fraction(1, 3), 12, "12 labelled sessions of these seats"), {MATTER: False})
    result = result_of(compromised(), learnt=learnt)
    assert api.summary(result)["worth"]["votes"]["measured"]["phi"] == "0.3333"
    bundle = {**api.bundle(result), "worth": worth_data(worth(result))}  # as bundles were made before 16 November 2026
    assert check_bundle(bundle, result.record.protocol, worth=worth_again, fates=FATES) == []
    text = api.report(result, "md")
    assert "By what was measured they are worth about 2.0" in text, "4 / (1 + 3/3)"
    assert "(a helpful flip)" in explain(result)
    assert "helpful" not in explain(result_of(compromised()))


# Where it is shown


def test_reports_and_the_summary_tell_it() -> None:
    result = result_of(vetoed())
    left = reports(result)
    for name in ("review-report.md", "review-report.html"):
        assert "What it was worth" in left[name]
    assert json.loads(left["bundle.json"])["worth"] == summary(result)["worth"]
    assert summary(result_of(Reviewed().table()))["worth"] is None


# What history teaches


def test_a_bundle_follows_from_its_journal_alone() -> None:
    learnt = Learnt(MeasuredCorrelation(Fraction(1, 3), 12, "12 labelled sessions of these seats"), {MATTER: False})
    plain, known = result_of(compromised()), result_of(compromised(), learnt=learnt)
    for format_ in ("json", "yaml"):
        assert api.report(plain, format_) == api.report(known, format_), "or a signature would not hold any more"
    assert reports(plain)["bundle.json"] == reports(known)["bundle.json"]
    assert reports(plain)["review-report.md"] != reports(known)["review-report.md"]
    assert worth(plain) == worth(result_of(compromised())), "what history taught is not kept for others"
    assert (worth(known).first, worth(known).caching) == (worth(plain).first, worth(plain).caching)


async def test_without_labels_nothing_is_learnt(workspace: Workspace, journal: Journal) -> None:
    result = await sample(workspace, journal)
    assert (await told(workspace, journal, result)).learnt == NOTHING_LEARNT


async def test_a_label_tells_the_truth_of_its_session(workspace: Workspace, journal: Journal) -> None:
    result = await sample(workspace, journal)
    await api.label(workspace, journal, result.session, "right")
    known = await told(workspace, journal, result)
    assert known.learnt.truth == {MATTER: True}, "the judge found no gap, and that was right"
    assert known.learnt.measured is None, "nobody but the judge takes a position"
    assert worth(known).truth == {MATTER: True}
    await api.label(workspace, journal, result.session, "wrong")
    again = await api.load(workspace, journal, result.session)
    assert again.learnt.truth == {MATTER: False}, "whoever loads it has the last label"
    assert (await load_alone(workspace, journal, result.session)).learnt == NOTHING_LEARNT


async def test_only_so_many_labelled_sessions_are_read_for_it(workspace: Workspace, journal: Journal) -> None:
    for truth in ("right", "wrong", "right"):
        await api.label(workspace, journal, (await sample(workspace, journal)).session, truth)
    assert (await api.calibration(workspace, journal)).found.cases == 3
    last = (await api.calibration(workspace, journal, protocol="debate", last=2)).found.verdicts
    assert [(each.share.right, each.share.items) for each in last] == [(1, 2)]


async def test_a_server_that_holds_it_tells_a_label_at_once(workspace: Workspace, journal: Journal) -> None:
    result = await sample(workspace, journal)
    folds = Folds(workspace, journal)
    assert (await folds.get(result.session)).result.learnt == NOTHING_LEARNT
    await api.label(workspace, journal, result.session, "wrong")
    fold = await folds.get(result.session)
    assert fold.result.learnt.truth == again(fold)().learnt.truth == {MATTER: False}


async def test_before_its_end_nothing_is_learnt_of_a_session(workspace: Workspace, journal: Journal) -> None:
    result = await sample(workspace, journal)
    await api.label(workspace, journal, result.session, "right")
    begun = await api.fork(workspace, journal, result.session, at=1)
    assert (await api.load(workspace, journal, begun)).learnt == NOTHING_LEARNT


async def test_labels_that_cannot_be_read_are_told_and_stop_nobody(workspace: Workspace, journal: Journal) -> None:
    result = await sample(workspace, journal)
    made = await api.label(workspace, journal, result.session, "right")
    made.path.write_text("{}\n")
    found = await api.load(workspace, journal, result.session)
    assert UNREAD in worth(found).sentences
    assert UNREAD in api.report(found, "md")
    assert UNREAD not in api.report(found, "json")
    with pytest.raises(InputError, match=r"labels\.jsonl:1"):
        await api.calibration(workspace, journal)
    made.path.unlink()
    assert (await api.load(workspace, journal, result.session)).learnt == NOTHING_LEARNT
