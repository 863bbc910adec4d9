"""The finite domains of the debate's forms for `verify`, each with the argument why it is enough."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product

from quorate.core.forms import Keyed, Prose, Reply
from quorate.core.protocol import Domain
from quorate.core.types import Question
from quorate.protocols.debate.version_1.rules.model import (
    Answer,
    Answers,
    ClarifyingQuestion,
    Critique,
    Critiques,
    DebateSettings,
    Evaluation,
    Proposal,
    Questions,
    Refinement,
    Response,
    Stance,
    Summary,
    Synthesis,
    Weight,
)

TEXT = Prose("text")
MATERIAL: Mapping[str, str] = {"problem": "How does a small shop keep its audit log?", "context": "orders.py\n"}
SIZES = "sizes are only added up to the threshold and compared with it, so none and the whole threshold cover all sums"


def domains(settings: DebateSettings) -> Mapping[type[Reply], Domain]:
    """Return the domain of every form under these settings."""
    threshold, most = settings.summarization.threshold, settings.clarifications_max_per_agent
    sizes = (0, threshold) if settings.summarization.enabled else (0,)
    bar = settings.termination_condition.threshold

    def questions(_: Question) -> tuple[Questions, ...]:
        real, blank = ClarifyingQuestion(TEXT, False), ClarifyingQuestion(TEXT, True)
        lists = ((), (blank,), (real,), (real, blank), (real,) * (most + 1))
        return tuple(Questions(TEXT, each) for each in lists)

    few_questions = len(settings.agents) * most <= 2
    few_agents = len(settings.agents) <= 3

    def answers(question: Question) -> tuple[Answers, ...]:
        full, blank = Answer(TEXT, False), Answer(TEXT, True)
        keys = question.keys
        if few_questions:
            ways = product((full, blank, None), repeat=len(keys))
            given = [{key: answer for key, answer in zip(keys, way, strict=True) if answer} for way in ways]
        else:
            given = [dict.fromkeys(keys, full), dict.fromkeys(keys, blank), {}, dict.fromkeys(keys[:1], full)]
        return tuple(dict.fromkeys(Answers(Keyed(each)) for each in given))

    def critiques(question: Question) -> tuple[Critiques, ...]:
        one = Critique(TEXT, TEXT, TEXT, Weight.MAJOR)
        counts = range(1, len(question.keys) + 1) if few_agents else (len(question.keys),)
        covered = [Keyed(dict.fromkeys(some, one)) for n in counts for some in combinations(question.keys, n)]
        return (Critiques(Keyed(), 0), *(Critiques(each, size) for each in covered for size in sizes))

    def refinements(question: Question) -> tuple[Refinement, ...]:
        response = Response(TEXT, Stance.ACCEPTED)
        return tuple(Refinement(Keyed(dict.fromkeys(question.keys, response)), TEXT, size) for size in sizes)

    def summaries(_: Question) -> tuple[Summary, ...]:
        long = max(threshold, settings.summarization.max_length) + 1
        return (Summary(TEXT, 0), Summary(TEXT, long))

    def evaluations(_: Question) -> tuple[Evaluation, ...]:
        return tuple(Evaluation(TEXT, value) for value in (bar, bar - 1))

    def syntheses(_: Question) -> tuple[Synthesis, ...]:
        return tuple(
            Synthesis(TEXT, (), (), (TEXT,) if gaps else (), (), confidence, gaps)
            for gaps in (False, True)
            for confidence in (40, 41)
        )

    return {
        Questions: Domain(
            questions,
            "only the number of questions that are not blank counts, and whether it passes the limit",
            True,
        ),
        Answers: Domain(
            answers,
            "only which questions stay unanswered counts, by leaving out or blank: "
            + ("every choice of them" if few_questions else "none, all but one, all"),
            few_questions,
        ),
        Proposal: Domain(lambda _: tuple(Proposal(TEXT, TEXT, size) for size in sizes), SIZES, True),
        Critiques: Domain(
            critiques, SIZES + "; a critic covers " + ("any of the texts" if few_agents else "all or none"), few_agents
        ),
        Refinement: Domain(refinements, SIZES + "; stances on critiques are kept and lead nowhere", True),
        Summary: Domain(summaries, SIZES + ", and with the longest summary", True),
        Evaluation: Domain(evaluations, "confidence is only compared with the threshold", True),
        Synthesis: Domain(syntheses, "confidence is only compared with the cap, gaps are there or not", True),
    }
