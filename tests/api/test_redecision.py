"""Redeciding: recorded answers under other settings, with what was not recorded named."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quorate import api, catalog
from quorate.api.comparison import difference
from quorate.api.redecision import Redecided, decided_by, redecide, redecision_data
from quorate.api.sessions import Result
from quorate.core.errors import SettingError
from quorate.core.record import Said
from quorate.core.types import Reason
from quorate.exit_codes import NOT_RECORDED
from quorate.store.journal import Journal
from quorate.workspace import Workspace
from tests.support import councils_ended
from tests.support.council_words import rfc
from tests.support.councils import SESSION, Sitting
from tests.support.courses import course
from tests.support.reviewed import (
    FOUR,
    TWO,
    Reviewed,
    approved,
    compromised,
    inconclusive,
    item,
    vetoed,
)
from tests.support.reviewed import SESSION as REVIEW

COUNCILS = [
    each for name, each in vars(councils_ended).items() if callable(each) and each.__module__ == councils_ended.__name__
]


def again(course: Reviewed | Sitting, **settings: Any) -> Redecided:
    """Decide what was played under its settings with these over them."""
    record = course.record
    name = record.protocol.name
    built = catalog.build(name, {**record.opening.settings, **settings}, seed=record.opening.seed)
    return decided_by(Result(REVIEW if name == "review" else SESSION, record, course.entries), built)


def opposed(*against: str, rounds: int = 1) -> Reviewed:
    """A round in which these of four oppose, the others agree."""
    review = Reviewed(FOUR, rounds=rounds).table()
    for seat in against:
        review.vote(seat, "oppose")
    return review.rest()


# The same settings


@pytest.mark.parametrize("ended", [approved, compromised, vetoed, inconclusive], ids=lambda each: each.__name__)
def test_the_settings_that_a_review_had_change_nothing(ended: Callable[[], Reviewed]) -> None:
    found = again(ended())
    assert found.same
    assert (found.divergence, found.missing, found.changed) == (None, (), {})
    assert found.redecided.record.session == found.recorded.record.session
    assert found.shown_otherwise == ()
    assert found.reused == sum(isinstance(line, Said) for line in found.recorded.record.log)


@pytest.mark.parametrize("ended", COUNCILS, ids=lambda each: each.__name__)
def test_the_settings_that_a_council_had_change_nothing(ended: Callable[[], Sitting]) -> None:
    """However it ended: settled early, with absences, interrupted, by a person's ruling."""
    found = again(ended())
    assert found.divergence is None
    assert found.missing == ()
    assert found.redecided.record.session.conclusion == found.recorded.record.session.conclusion
    assert found.shown_otherwise == ()


@pytest.mark.parametrize("name", ["review", "council", "debate"])
@pytest.mark.parametrize("seed", range(10))
def test_whatever_was_said_the_same_settings_decide_the_same(name: str, seed: int) -> None:
    """Any replies, absences and interruptions, to the end or in the middle."""
    given: dict[str, dict[str, Any]] = {"review": {"members": list(FOUR), "rounds": 3}, "council": {"remediate": True}}
    settings = given.get(name, {})
    protocol = catalog.build(name, settings, seed=7)
    material = {
        "problem": "Why?",
        "change": "",
        "checks": "{}",
        "claims": "[]",
        "rfc": json.dumps(rfc()),
        "gates": "{}",
    }
    stages = course(protocol, material, Random(seed))
    record = list(islice(stages, 9 if seed % 3 == 0 else None))[-1]
    found = decided_by(Result("s", record, []), protocol)
    assert found.divergence is None
    assert found.redecided.record.session == record.session
    assert [each.seat for each in found.missing] == [str(ask.seat) for ask in record.session.open]
    assert found.shown_otherwise == ()
    assert difference(Result("a", record, []), Result("b", record, [])).parting is None


# Another outcome


def test_another_quorum_decides_otherwise_and_says_by_which_numbers() -> None:
    review = opposed("operations-sre").agree()
    assert review.verdict == "APPROVED"
    found = again(review, quorum="4/5")
    assert (found.recorded_verdict, found.verdict, found.exit_code) == ("APPROVED", "INCONCLUSIVE", 2)
    assert found.changed == {"quorum": ("2/3", "4/5")}
    assert found.divergence is not None
    was, now = found.divergence.recorded, found.divergence.redecided
    assert was is not None
    assert now is not None
    assert (was.phase, was.outcome, now.outcome) == ("DEBATE", "CONSENSUS", "ABSTENTION")
    assert [test.claim for test in now.tests if "4/5" in test.claim or "5 * 3" in test.claim], now.tests
    assert [(move.phase, move.outcome) for move in found.followed] == [("ABSTAIN", "NO_QUORUM")]
    assert not found.same


def test_a_setting_may_change_numbers_and_nothing_else() -> None:
    found = again(opposed("operations-sre").agree(), quorum="3/4")
    assert found.same
    assert found.changed == {"quorum": ("2/3", "3/4")}


def test_another_severity_lets_items_be_notes() -> None:
    review = Reviewed(TWO, confirm_items=False).table().vote("operations-sre", items=[item(severity="medium")])
    review.rest().agree()
    assert review.verdict == "REQUEST_CHANGES"
    found = again(review, blocking_severity="high")
    assert found.verdict == "APPROVED"
    assert found.divergence is not None, "the same rows lead to another state"
    (lighter,) = found.weighed_otherwise
    assert (lighter.rule, lighter.blocking) == ("security", False)
    assert found.shown_otherwise, "members are told what blocks"


@pytest.mark.parametrize(("taken_back", "verdict"), [([], "APPROVED"), (["I1"], None)])
def test_an_answer_about_more_answers_about_less_if_it_names_no_more(
    taken_back: list[str], verdict: str | None
) -> None:
    """With the other severity its member has no open item that it could take back in the second round."""
    review = Reviewed(TWO, confirm_items=False).table()
    review.vote("operations-sre", "oppose", items=[item(severity="medium")]).rest()
    review.say("chair", positions="For and against.", questions="Why?")
    review.vote("operations-sre", taken_back=taken_back).rest().agree()
    found = again(review, blocking_severity="high")
    assert found.verdict == verdict
    why = "it was asked about F0, F1, F2, I1, and would be asked about F0, F1, F2"
    assert [missing.why for missing in found.missing] == ([] if verdict else [why])


def test_a_council_of_which_all_three_have_to_agree() -> None:
    found = again(councils_ended.split(), quorum=3)
    assert found.verdict == found.recorded_verdict == "NEEDS_ADJUDICATION"
    sitting = Sitting().review({"SA-1": ["AMBIGUOUS_SCOPE T3"]})
    sitting.respond({"SA-1": "CONFIRM fix", "SA-2": "DISPUTE", "SA-3": "CONFIRM fix"})
    sitting.vote({"SA-1": "OPPOSE", "SA-2": "SUPPORT", "SA-3": "SUPPORT"}).finish()
    found = again(sitting, quorum=3)
    assert (found.recorded_verdict, found.verdict) == ("APPROVED_WITH_REMEDIATION", "NEEDS_ADJUDICATION")


def test_fewer_rounds_end_earlier_and_what_came_later_is_not_used() -> None:
    review = opposed("operations-sre", "business-driver", rounds=2)
    review.say("chair", positions="For and against.", questions="Why?")
    review.rest().agree()
    found = again(review, rounds=1)
    assert (found.recorded_verdict, found.verdict) == ("APPROVED", "INCONCLUSIVE")
    assert found.reused < sum(isinstance(line, Said) for line in review.record.log)


# What was not recorded


def test_an_ask_that_was_never_made_is_named() -> None:
    found = again(opposed("operations-sre", "business-driver"), rounds=2)
    assert found.exit_code == NOT_RECORDED == 6
    (missing,) = found.missing
    assert (missing.seat, missing.brief, missing.phase, missing.round) == ("chair", "mediate", "ABSTAIN", 1)
    assert str(missing).endswith("round 1: it was never asked this")
    assert found.verdict is None
    assert not found.same
    data = redecision_data(found)
    assert data["redecided"] is None
    assert data["not_recorded"][0]["why"] == "it was never asked this"
    assert json.loads(json.dumps(data)) == data


def test_a_vote_that_was_settled_early_was_not_recorded() -> None:
    sitting = Sitting().review({"SA-1": ["AMBIGUOUS_SCOPE T3"]})
    sitting.respond({"SA-1": "CONFIRM fix", "SA-2": "DISPUTE", "SA-3": "ABSTAIN"})
    sitting.vote({"SA-1": "SUPPORT", "SA-2": "SUPPORT", "SA-3": "OPPOSE"}).finish()
    found = again(sitting, quorum=3)
    (missing,) = found.missing
    assert (missing.seat, missing.brief) == ("SA-3", "vote")
    assert missing.why == "its ask was withdrawn before it answered"


def test_other_keys_are_another_question() -> None:
    """The skeptic was asked about one item, and would be asked about two."""
    review = Reviewed(TWO).table()
    review.vote("operations-sre", items=[item(), item("F2", "style", "low")]).rest()
    review.say("skeptic", doubts={"I1": {"reason": "r", "quotation": "", "standing": "confirmed"}}).agree()
    (missing,) = again(review, blocking_severity="low").missing
    assert missing.seat == "skeptic"
    assert missing.why == "it was asked about I1, and would be asked about I1, I2"


def test_a_seat_that_did_not_sit_there_was_not_heard() -> None:
    found = again(Reviewed(TWO).table().rest().agree(), members=[*TWO, "business-driver"])
    assert [(each.seat, each.why) for each in found.missing] == [("business-driver", "nobody sat there")]
    assert found.divergence is None, "it ended there, and decided nothing otherwise"
    assert not found.same


def test_fewer_members_are_answered_by_what_they_said() -> None:
    found = again(opposed("operations-sre", "business-driver"), members=["engineering-architect", "knowledge-manager"])
    assert [(each.seat, each.brief) for each in found.missing] == [("chair", "agree")]


def test_the_second_time_is_another_than_the_first() -> None:
    review = opposed("operations-sre", "business-driver", rounds=2)
    review.say("chair", positions="For and against.", questions="Why?")
    for seat in ("operations-sre", "business-driver"):
        review.vote(seat, "oppose")
    review.rest()
    assert review.verdict == "INCONCLUSIVE"
    (missing,) = again(review, rounds=3).missing
    assert (missing.seat, missing.round) == ("chair", 2)
    assert missing.why == "it was asked this once, and this would be time 2"


# Interruptions and rulings


def test_an_interruption_comes_when_it_came() -> None:
    review = opposed("operations-sre", "business-driver", rounds=2).interrupt(Reason.CANCELLED, "enough")
    found = again(review, quorum="3/4")
    assert found.interruptions == (f"cancelled (entry {len(review.entries) - 1})",)
    assert found.verdict == "ABORTED"
    met = again(review, quorum="1/2")
    assert [(each.seat, each.brief) for each in met.missing] == [("chair", "agree")], "it was met before"


def test_an_interruption_does_not_end_what_waits_for_an_answer_that_nobody_has() -> None:
    review = opposed("operations-sre", "business-driver", rounds=2).interrupt(Reason.CANCELLED, "enough")
    found = again(review, members=[*FOUR, "product-manager"])
    assert found.interruptions == ()
    assert [(each.seat, each.brief) for each in found.missing] == [("product-manager", "ballot")]


def test_a_ruling_was_on_the_recorded_verdict() -> None:
    found = again(inconclusive().rule("APPROVED", "Ann", "The risk is known."))
    assert found.verdict == "INCONCLUSIVE"
    assert found.redecided.record.rulings == ()
    assert (found.recorded.exit_code, found.exit_code) == (0, 2)


# Of a store


async def test_nothing_is_written_and_nobody_is_asked(workspace: Workspace, journal: Journal) -> None:
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where to keep a log?"}, seed=5)
    source = await api.run(workspace, journal, session)
    found = await redecide(workspace, journal, session, {"judge_required": False})
    assert found.same
    assert found.changed == {"judge_required": (True, False)}
    assert [each.id for each in await journal.sessions()] == [session]
    assert (await api.load(workspace, journal, session)).entries == source.entries


async def test_a_wrong_setting_gets_the_usual_error(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where to keep a log?"}, seed=5)
    await api.run(workspace, journal, session)
    for settings, told in (({"rouns": 2}, "did you mean 'rounds'"), ({"rounds": 0}, "settings.rounds: is 0")):
        with pytest.raises(SettingError, match=told):
            await redecide(workspace, journal, session, settings)


async def test_a_nested_setting_is_named_by_its_path(workspace: Workspace, journal: Journal) -> None:
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where to keep a log?"}, seed=5)
    await api.run(workspace, journal, session)
    found = await redecide(workspace, journal, session, {"summarization": {"threshold": 1}})
    assert found.changed == {"summarization.threshold": (5000, 1)}
    assert [(each.seat, each.brief) for each in found.missing] == [("judge", "summarize-debate")]
