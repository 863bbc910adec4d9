"""Types of the debate: phases, outcomes, verdicts, settings, state and forms."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import Annotated

from quorate.core.errors import SettingError
from quorate.core.forms import AtMost, Between, Key, Keyed, Prose, Reply, is_blank, mark
from quorate.core.types import Seat
from quorate.core.values import value
from quorate.kit.interpretation import Interpretation
from quorate.kit.qualification import Unqualified
from quorate.kit.settings import Later
from quorate.protocols.debate.rules.sameness import MOST_SAMENESS, sameness

JUDGE = Seat("judge")
PERSON = Seat("person")
ROLES = ("architect", "performance", "security", "testing", "simplicity", "generalist", "data-modelling")
LONGEST = 1_000_000
"""Sizes are counted up to here; far above every threshold."""


class Phase(Enum):
    INITIALIZATION = "initialization"
    CLARIFICATION = "clarification"
    CLARIFICATION_INPUT = "clarification_input"
    ROUND_MANAGER = "round_manager"
    SUMMARIZATION = "summarization"
    PROPOSAL = "proposal"
    CRITIQUE = "critique"
    REFINEMENT = "refinement"
    EVALUATION = "evaluation"
    SYNTHESIS = "synthesis"
    CONCLUDED = "concluded"
    FAILURE = "failure"
    ABORTED = "aborted"


class Outcome(Enum):
    START = "start"
    QUESTIONS_PENDING = "questions_pending"
    ANSWERS_SUBMITTED = "answers_submitted"
    ALL_CLEAR = "all_clear"
    BEGIN_ROUND = "begin_round"
    CONTEXTS_READY = "contexts_ready"
    PROPOSALS_COMPLETE = "proposals_complete"
    CRITIQUES_COMPLETE = "critiques_complete"
    REFINEMENTS_COMPLETE = "refinements_complete"
    CONTINUE = "continue"
    CONSENSUS_REACHED = "consensus_reached"
    MAX_ROUNDS_REACHED = "max_rounds_reached"
    COMPLETE = "complete"
    FAILED = "failed"
    RETRY = "retry"
    FALLBACK = "fallback"


class Verdict(Enum):
    SOLUTION = "solution"
    PARTIAL_SOLUTION = "partial_solution"
    UNJUDGED = "unjudged"
    FAILED = "failed"
    ABORTED = "aborted"


# Settings


class Termination(Enum):
    FIXED = "fixed"
    CONVERGENCE = "convergence"
    QUALITY = "quality"


@value(frozen=True, slots=True)
class TerminationCondition:
    type: Annotated[Termination, "stop after all rounds, when the texts agree, or when they are good enough"] = (
        Termination.FIXED
    )
    threshold: Annotated[int, Between(1, 100), "the judge's confidence that ends the debate"] = 80


@value(frozen=True, slots=True)
class Summarization:
    enabled: Annotated[bool, "summarise long histories"] = True
    threshold: Annotated[int, Between(1, LONGEST), "characters from which a history is summarised"] = 5_000
    max_length: Annotated[int, Between(100, 20_000), "characters of a summary"] = 2_500


@value(frozen=True, slots=True)
class DebateSettings:
    """What a user may change about a debate."""

    agents: Annotated[
        tuple[str, ...], AtMost(8), "who debates: role names; a role that sits twice is written architect:2"
    ] = ("architect", "performance", "simplicity")
    rounds: Annotated[int, Between(1, 100), "the most rounds"] = 3
    termination_condition: TerminationCondition = field(default_factory=TerminationCondition)
    interactive_clarifications: Annotated[bool, "agents may ask a person questions before round 1"] = False
    clarifications_max_iterations: Annotated[int, Between(1, 10), "how often they may ask"] = 3
    clarifications_max_per_agent: Annotated[int, Between(1, 20), "questions of one agent that count each time"] = 5
    summarization: Summarization = field(default_factory=Summarization)
    anonymous: Annotated[bool, "critics see labels instead of names"] = True
    retries: Annotated[int, Between(0, 5), "how often a phase asks absent seats again"] = 1
    required_agents: Annotated[
        int, Between(2, 8), "fewer agents left at the end count as degraded below the settings"
    ] = 2
    judge_required: Annotated[bool, "a missing judge counts as degraded below the settings"] = True
    max_episodes: Annotated[int | None, Between(1, 100_000), "the most replies from models; then the debate ends"] = (
        None
    )
    stall_after: Annotated[
        int | None, Between(1, 1_000), "model replies in a row without progress that end the debate"
    ] = None
    reading: Annotated[Interpretation, Later(), "a debate has no vote, so both readings are the same (D35)"] = (
        Interpretation.RULES
    )
    unqualified_seats: Unqualified = ()

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            raise SettingError(f"has {len(self.agents)} agent(s)", key="agents", expected="two to eight agents")
        if twice := {agent for agent in self.agents if self.agents.count(agent) > 1}:
            name = min(twice)
            raise SettingError(f"names {name!r} twice", key="agents", expected="each seat once", nearest=f"{name}:2")
        if taken := {JUDGE, PERSON} & set(self.agents):
            raise SettingError(
                f"names {min(taken)!r}", key="agents", expected="names of agents; every debate has this seat already"
            )
        if self.required_agents > len(self.agents):
            expected = f"at most the {len(self.agents)} agents"
            raise SettingError(f"is {self.required_agents}", key="required_agents", expected=expected)


def role_of(seat: str) -> str:
    """Return the role that a seat plays: `architect:2` plays `architect`."""
    return seat.partition(":")[0]


# State


@value(frozen=True, slots=True)
class Agent:
    """What decisions need to know about one agent."""

    seat: Seat
    left: bool = False
    """It was absent too often and is not asked again (D22)."""
    done: bool = False
    """It has replied in the phase under way (D21)."""
    history: int = 0
    """Characters of its own texts since its last summary, and of that summary, up to the threshold (D11)."""
    critics: tuple[Seat, ...] = ()
    """Who criticised its text in this round (D14)."""


@value(frozen=True, slots=True)
class State:
    agents: tuple[Agent, ...]
    round: int = 0
    tries: int = 0
    """How often the phase under way has been entered again."""
    iteration: int = 0
    issued: int = 0
    questions: tuple[Key, ...] = ()
    """Questions without an answer."""
    asked: tuple[tuple[int, Key], ...] = ()
    """The sameness of every question that was issued, and its id (D32)."""
    texts: int = 0
    """Characters of the texts that stand, up to the threshold (D18)."""
    critiques: int = 0
    """Characters of all critiques, up to the threshold (D18)."""
    summarised: bool = False
    """The judge has summarised, or failed to (D18, D25)."""
    judged: bool = False
    unjudged: bool = False
    """The judge was missing at SYNTHESIS (D25)."""
    gaps: bool = False
    """A major requirement is unfulfilled (D19)."""
    confidence: int = 0

    @property
    def active(self) -> tuple[Agent, ...]:
        return tuple([agent for agent in self.agents if not agent.left])


# Forms: reasons first, decisions last


def _size_of_text(reply: Proposal | Refinement | Summary) -> int:
    return min(LONGEST, len(reply.text.text))


@value(frozen=True, slots=True)
class ClarifyingQuestion:
    text: Annotated[Prose, AtMost(600), "one question, whose answer would change your proposal"]
    blank: bool = mark(lambda item: is_blank(item.text))
    same: Annotated[int, Between(0, MOST_SAMENESS)] = mark(lambda item: sameness(item.text))


@value(frozen=True, slots=True)
class Questions(Reply):
    reason: Annotated[Prose, AtMost(600), "what is unclear, or why nothing is"]
    questions: Annotated[tuple[ClarifyingQuestion, ...], AtMost(20), "an empty list if everything is clear"]


@value(frozen=True, slots=True)
class Answer:
    text: Annotated[Prose, AtMost(4_000), "the answer; NA if there is none"]
    blank: bool = mark(lambda item: is_blank(item.text))


@value(frozen=True, slots=True)
class Answers(Reply):
    answers: Annotated[Keyed[Answer], "an answer to each question, by its id"]


@value(frozen=True, slots=True)
class Summary(Reply):
    text: Annotated[Prose, AtMost(20_000), "the summary"]
    size: Annotated[int, Between(0, LONGEST)] = mark(_size_of_text)
    blank: bool = mark(lambda reply: is_blank(reply.text))


@value(frozen=True, slots=True)
class Proposal(Reply):
    reasoning: Annotated[Prose, AtMost(4_000), "how you arrive at it, in your role"]
    text: Annotated[Prose, AtMost(20_000), "the proposal, with a last part on which requirements it covers"]
    size: Annotated[int, Between(0, LONGEST)] = mark(_size_of_text)
    blank: bool = mark(lambda reply: is_blank(reply.text))


class Weight(Enum):
    MINOR = "minor"
    MAJOR = "major"


@value(frozen=True, slots=True)
class Critique:
    strengths: Annotated[Prose, AtMost(1_500), "what holds"]
    weaknesses: Annotated[Prose, AtMost(4_000), "what does not hold, with the consequence"]
    suggestion: Annotated[Prose, AtMost(2_000), "what would mend it"]
    weight: Annotated[Weight, "how much is at stake"]


def _size_of_critiques(reply: Critiques) -> int:
    texts = (t for c in reply.critiques.values() for t in (c.strengths, c.weaknesses, c.suggestion))
    return min(LONGEST, sum(len(prose.text) for prose in texts))


@value(frozen=True, slots=True)
class Critiques(Reply):
    critiques: Annotated[Keyed[Critique], "a critique of each proposal, by its label"]
    size: Annotated[int, Between(0, LONGEST)] = mark(_size_of_critiques)


class Stance(Enum):
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@value(frozen=True, slots=True)
class Response:
    reason: Annotated[Prose, AtMost(1_000), "why"]
    stance: Annotated[Stance, "whether the refined text follows the critique"]


@value(frozen=True, slots=True)
class Refinement(Reply):
    responses: Annotated[Keyed[Response], "your answer to each critique, by its label"]
    text: Annotated[Prose, AtMost(20_000), "the whole refined proposal, not a list of changes"]
    size: Annotated[int, Between(0, LONGEST)] = mark(_size_of_text)
    blank: bool = mark(lambda reply: is_blank(reply.text))


@value(frozen=True, slots=True)
class Evaluation(Reply):
    reason: Annotated[Prose, AtMost(2_000), "what speaks for and against"]
    confidence: Annotated[int, Between(0, 100), "0 to 100"]


@value(frozen=True, slots=True)
class Synthesis(Reply):
    solution: Annotated[Prose, AtMost(30_000), "the solution, complete and on its own"]
    tradeoffs: Annotated[tuple[Prose, ...], AtMost(12), "what is given up for what"]
    recommendations: Annotated[tuple[Prose, ...], AtMost(12), "what to do next"]
    unfulfilled_major_requirements: Annotated[
        tuple[Prose, ...],
        AtMost(12),
        "each must, shall or required of the problem that the solution does not meet",
    ]
    open_questions: Annotated[tuple[Prose, ...], AtMost(12), "what remains to be found out"]
    confidence: Annotated[int, Between(0, 100), "0 to 100, that the solution meets the requirements"]
    gaps: bool = mark(lambda reply: any(not is_blank(each) for each in reply.unfulfilled_major_requirements))
    blank: bool = mark(lambda reply: is_blank(reply.solution))
