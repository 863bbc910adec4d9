"""The strategies as values: their stages, what each may see, and what counts as agreement (W27, W29)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Sight(Enum):
    """What a stage sees of earlier rounds."""

    NOTHING = "nothing"
    SYNTHESES = "syntheses"
    EVERYTHING = "everything"


class ConsensusRule(Enum):
    WEIGHTED = "weighted majority"
    CONSENT = "consent"
    FACILITATOR = "facilitator's judgement"


class Stage(Enum):
    """The stages of all strategies; the second blue hat has a name of its own."""

    DISCUSSION = "discussion"
    DREAMER = "dreamer"
    REALIST = "realist"
    CRITIC = "critic"
    OPENING = "opening"
    REBUTTAL = "rebuttal"
    CLOSING = "closing"
    PROPOSAL = "proposal"
    REFINEMENT = "refinement"
    CONVERGENCE = "convergence"
    BLUE_OPEN = "blue-open"
    WHITE = "white"
    RED = "red"
    BLACK = "black"
    YELLOW = "yellow"
    GREEN = "green"
    BLUE_CLOSE = "blue-close"


@dataclass(frozen=True, slots=True)
class Scene:
    """One stage of a strategy: what is asked for in it, and what may be seen."""

    stage: Stage
    sees: Sight
    asks: str
    """What participants are asked to do, in words."""
    attempts: int = 1
    """Rounds that it takes at most."""
    shows_conflicts: bool = True


@dataclass(frozen=True, slots=True)
class Strategy:
    name: str
    scenes: tuple[Scene, ...]
    rule: ConsensusRule
    sided: bool = False
    """Participants argue for and against."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        return tuple(scene.stage for scene in self.scenes)


STANDARD = Strategy(
    "standard",
    (Scene(Stage.DISCUSSION, Sight.SYNTHESES, "Say what you would do, and why, from your field."),),
    ConsensusRule.WEIGHTED,
)
DISNEY = Strategy(
    "disney",
    (
        Scene(
            Stage.DREAMER,
            Sight.SYNTHESES,
            "Dream: what would be wonderful? Offer ideas. Do not criticise, and do not ask whether it can be done.",
            attempts=2,
            shows_conflicts=False,
        ),
        Scene(
            Stage.REALIST,
            Sight.EVERYTHING,
            "Be practical: how would each idea be done, with what, in which steps? Sketch it.",
            attempts=2,
        ),
        Scene(
            Stage.CRITIC,
            Sight.EVERYTHING,
            "Criticise constructively: what could go wrong, how bad would it be, and what would mitigate it?",
            attempts=2,
        ),
    ),
    ConsensusRule.WEIGHTED,
)
DEBATE = Strategy(
    "debate",
    (
        Scene(Stage.OPENING, Sight.NOTHING, "State your side's case, with the strongest reasons for it."),
        Scene(Stage.REBUTTAL, Sight.EVERYTHING, "Answer the other side's strongest argument, not its weakest."),
        Scene(Stage.CLOSING, Sight.EVERYTHING, "Close: what do you concede, what stands, and what decides it?"),
    ),
    ConsensusRule.FACILITATOR,
    sided=True,
)
CONSENSUS = Strategy(
    "consensus-driven",
    (
        Scene(Stage.PROPOSAL, Sight.SYNTHESES, "Propose what could be agreed upon, complete enough to be voted on."),
        Scene(
            Stage.REFINEMENT, Sight.EVERYTHING, "Refine the drafts: what has to change so that you can live with them?"
        ),
        Scene(Stage.CONVERGENCE, Sight.EVERYTHING, "Vote on each draft: support it, stand aside, or block it."),
    ),
    ConsensusRule.CONSENT,
)
HATS = Strategy(
    "six-hats",
    (
        Scene(Stage.BLUE_OPEN, Sight.EVERYTHING, "Blue hat: what is the question, and what would a good answer have?"),
        Scene(Stage.WHITE, Sight.SYNTHESES, "White hat: facts only. What is known, and what is missing?"),
        Scene(Stage.RED, Sight.SYNTHESES, "Red hat: what do you feel about it? No reasons are needed."),
        Scene(Stage.BLACK, Sight.EVERYTHING, "Black hat: what speaks against it, and what could fail?"),
        Scene(Stage.YELLOW, Sight.EVERYTHING, "Yellow hat: what speaks for it, and who gains?"),
        Scene(Stage.GREEN, Sight.EVERYTHING, "Green hat: what else could be done? Offer alternatives."),
        Scene(Stage.BLUE_CLOSE, Sight.EVERYTHING, "Blue hat: what follows from all of this?"),
    ),
    ConsensusRule.FACILITATOR,
)

BY_NAME = {each.name: each for each in (STANDARD, DISNEY, DEBATE, CONSENSUS, HATS)}
