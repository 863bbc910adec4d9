"""What a verdict tolerates, tried out: with f votes turned a session ends the same, with one more it does not."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest

from quorate.catalog import definition, definitions
from quorate.core.record import Envelope, Opening, Record, Said
from quorate.core.types import Replied
from quorate.evidence.explain import explain_text
from quorate.evidence.report import GENERIC, html, markdown
from quorate.worth.families import family
from quorate.worth.tolerance import Tolerance, as_data
from quorate.worth.tolerance import tolerance as derived
from tests.support import councils_ended as ended
from tests.support.councils import Sitting
from tests.support.reviewed import Reviewed, approved, compromised, inconclusive, vetoed
from tests.support.roundtables import Talk
from tests.support.toy import Voice, ballot, note, voting
from tests.support.workshops import Meeting


def tolerance(record: Record) -> Tolerance | None:
    """What the verdict tolerates, by what the installed protocol states; one that is not installed states nothing."""
    name = record.opening.protocol
    return derived(record, definition(name).tolerance if name in definitions() else None)


FIVE = ("engineering-architect", "knowledge-manager", "business-driver", "operations-sre", "product-manager")
COUNTS = [each for each in product(range(1, 6), range(3), range(2)) if sum(each) <= 5]


def review(stances: tuple[str, ...], quorum: str) -> Reviewed:
    """A review in one round, in which members vote so and have no items."""
    members = FIVE[: len(stances)]
    review = Reviewed(members, rounds=1, quorum=quorum, veto_holders=[]).table()
    for seat, stance in zip(members, stances, strict=True):
        review.vote(seat, stance)
    return review.agree() if review.open else review


@pytest.mark.parametrize("quorum", ["1/2", "2/3", "3/4", "1/1"])
@pytest.mark.parametrize(("ayes", "noes", "silent"), COUNTS)
def test_a_review_stands_with_f_votes_turned_and_not_with_one_more(
    quorum: str, ayes: int, noes: int, silent: int
) -> None:
    stances = ("synthesis",) * ayes + ("oppose",) * noes + ("abstain",) * silent
    record = review(stances, quorum).record
    found = tolerance(record)
    assert found is not None
    assert len(found.voters) == len(stances)
    if record.session.conclusion is None or record.session.conclusion.verdict.name != "APPROVED":
        assert found.tolerates is None
        assert "carried no approval" in found.sentences[0]
        return
    assert found.tolerates is not None
    for turned in (found.tolerates, found.tolerates + 1):
        for who in combinations(range(ayes), min(turned, ayes)):
            changed = tuple("oppose" if place in who else each for place, each in enumerate(stances))
            stands = review(changed, quorum).verdict == "APPROVED"
            assert stands is (turned == found.tolerates), changed


def test_a_council_tolerates_what_its_closest_vote_does() -> None:
    def sitting(third: str) -> Sitting:
        raised = {seat: ["MISSING_VERIFICATION T1 criteria"] for seat in ("SA-1", "SA-2")}
        begun = Sitting(quorum=2).review(raised).respond("CONFIRM fix")
        return begun.vote({"SA-1": "SUPPORT", "SA-2": third, "SA-3": "SUPPORT"}).finish()

    found = tolerance(sitting("OPPOSE").record)
    assert found is not None
    assert (found.voters, found.tolerates) == (("SA-1", "SA-2", "SA-3"), 0)
    assert "2 equal votes on each item (C22)" in found.sentences[0]
    assert sitting("OPPOSE").verdict == "APPROVED_WITH_REMEDIATION"


@pytest.mark.parametrize(
    ("record", "tolerates"),
    [(ended.refuted().record, 0), (ended.with_remediation().record, 0), (ended.split().record, None)],
    ids=["refuted", "remediation", "split"],
)
def test_a_council_whose_vote_is_settled_early_or_split(record: Record, tolerates: int | None) -> None:
    found = tolerance(record)
    assert found is not None
    assert found.tolerates == tolerates


@pytest.mark.parametrize(
    "record",
    [ended.clean().record, ended.standard().record, ended.failed_fast().record, ended.cancelled().record],
    ids=["clean", "standard", "failed fast", "cancelled"],
)
def test_where_nobody_voted_nothing_is_said(record: Record) -> None:
    assert tolerance(record) is None
    assert as_data(tolerance(record)) is None
    assert "dishonest" not in explain_text(record, tolerance=tolerance(record))


def ended_voting() -> Record:
    """A session of a protocol that is not built in."""
    protocol = voting(1, most=1)
    record = Record(protocol, Opening("voting", "1", "", "t", 1, {}, {}, {}), {})
    record.take(Replied(record.session.open[0].id, ballot(Voice.AYE)), Envelope(seq=1))
    if record.session.open:
        record.take(Replied(record.session.open[0].id, note()), Envelope(seq=2))
    return record


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (
            ended_voting(),
            "How many dishonest votes the verdict tolerates is not stated by this protocol (voting).",
        ),
        (
            Meeting(max_rounds=1).finish().record,
            "No vote carried the verdict, so no number of dishonest votes applies: a workshop concludes by its agenda, "
            "its rounds or a person (W22).",
        ),
        (
            Talk().choose("continue").record,
            "No vote carried the verdict, so no number of dishonest votes applies: a roundtable ends where its person "
            "goes on (T26).",
        ),
    ],
    ids=["another protocol", "workshop", "roundtable"],
)
def test_where_no_votes_are_stated_it_says_so(record: Record, says: str) -> None:
    found = tolerance(record)
    assert found is not None
    assert found.sentences == (says,)
    nothing: dict[str, Any] = {"voters": [], "threshold": "", "tolerates": None, "families": {}}
    assert as_data(tolerance(record)) == {**nothing, "says": [says]}
    assert says in explain_text(record, tolerance=tolerance(record))
    assert "dishonest votes" in markdown(record, GENERIC, "s", "0" * 64, tolerance=tolerance(record))


def test_before_the_end_nothing_is_said() -> None:
    assert tolerance(Reviewed().table().record) is None
    assert tolerance(Meeting().record) is None


def test_other_verdicts_of_a_review_say_who_voted_and_claim_nothing() -> None:
    for played in (compromised(), inconclusive(), vetoed()):
        found = tolerance(played.record)
        assert found is not None
        assert found.tolerates is None
        assert found.voters


def test_one_judge_tolerates_none(full: Any) -> None:
    found = tolerance(full.record)
    assert found is not None
    assert (found.voters, found.tolerates) == (("judge",), 0)
    assert found.sentences[0] == "One judge decided: the verdict tolerates no dishonest vote."
    assert "the judge is of one model family" in found.sentences[1]


def test_what_people_and_programs_read() -> None:
    record = approved().record
    found = tolerance(record)
    assert found is not None
    assert found.sentences[0] == (
        "4 seats voted (knowledge-manager, engineering-architect, business-driver, operations-sre); 2/3 of those not "
        "abstaining (3 of 4, R10) had to be reached. The verdict tolerates 1 dishonest vote: it would stand had any 1 "
        "of the votes for it been against it."
    )
    written = markdown(record, GENERIC, "s", "0" * 64, tolerance=tolerance(record))
    shown = html(written)
    for text in (explain_text(record, tolerance=tolerance(record)), written, shown):
        assert "The verdict tolerates 1 dishonest vote" in text
        assert "Faults that voters share are outside of any such number" in text
    data = as_data(tolerance(record))
    assert data is not None
    assert data["tolerates"] == 1
    assert data["says"] == list(found.sentences)


def test_families_are_counted_by_who_answered() -> None:
    found = tolerance(approved().record)
    assert found is not None
    assert found.families == dict.fromkeys(sorted(found.voters), 1), "models of these tests are named after their seats"
    assert "the voters are of 4 model families" in found.sentences[1]
    record = approved().record
    for place, line in enumerate(record.log):
        if isinstance(line, Said):
            model = "openai:gpt-5" if line.ask.seat == "operations-sre" else "anthropic:claude-opus-4"
            record.log[place] = replace(line, envelope=replace(line.envelope, model=model))
    mixed = tolerance(record)
    assert mixed is not None
    assert list(mixed.families.items()) == [("anthropic", 3), ("openai", 1)]
    assert mixed.sentences[1].endswith("; the voters are of 2 model families (anthropic 3, openai 1).")


@pytest.mark.parametrize(
    ("families", "says"),
    [
        ({"script": 4}, "all voters are scripts"),
        ({"person": 2}, "all voters are people"),
        ({"script": 1}, "the voter is a script"),
        ({"person": 1}, "the voter is a person"),
        ({"openai": 1}, "the voter is of one model family (openai)"),
        ({"openai": 3}, "all voters are of one model family (openai)"),
        ({"person": 2, "script": 1}, "the voters are 2 people and 1 script"),
        ({"openai": 2, "person": 1}, "the voters are of one model family (openai 2), and 1 person"),
        (
            {"anthropic": 2, "openai": 1, "script": 2},
            "the voters are of 2 model families (anthropic 2, openai 1), and 2 scripts",
        ),
    ],
)
def test_scripts_and_people_are_no_model_family(families: dict[str, int], says: str) -> None:
    voters = tuple(f"seat-{number}" for number in range(sum(families.values())))
    told = Tolerance(voters, "2/3", 1, families).sentences[1]
    assert told == f"Faults that voters share are outside of any such number; {says}."


@pytest.mark.parametrize(
    ("model", "is_of"),
    [
        ("anthropic:claude-opus-4-1", "anthropic"),
        ("openai:gpt-5-mini", "openai"),
        ("openai:o3", "openai"),
        ("openai-compatible:anthropic/claude-sonnet-4@https://gateway.example/v1", "anthropic"),
        ("google:gemini-2.5-pro", "google"),
        ("ollama:gemma3:4b", "google"),
        ("mistral:mistral-large-latest", "mistral"),
        ("mistral:something-new", "mistral"),
        ("groq:llama-3.3-70b-versatile", "llama"),
        ("openai-compatible:meta-llama/Llama-3-8B@http://localhost:8000/v1", "llama"),
        ("groq:openai/gpt-oss-120b", "openai"),
        ("ollama:gpt-j", "gpt-j"),
        ("local:smollm2", "smollm2"),
        ("local:/models/SmolLM2-135M-Instruct.Q4_1.gguf", "smollm2"),
        ("ollama:qwen3:8b", "qwen"),
        ("ollama:deepseek-r1:7b", "deepseek"),
        ("script", "script"),
        ("script:panel.yaml", "script"),
        ("person", "person"),
        ("openai-compatible:our-own-7b@http://localhost:8000/v1", "our-own-7b"),
        ("openai:our-own-7b@http://localhost:8000/v1", "our-own-7b"),
        ("novel-writer", "novel-writer"),
        ("", "unknown"),
    ],
)
def test_families(model: str, is_of: str) -> None:
    assert family(model) == is_of
