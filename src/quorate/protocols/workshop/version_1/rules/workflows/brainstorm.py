"""The agenda of a brainstorm: dream, then plan, then criticise; each topic is bound to its stage (W6)."""

from __future__ import annotations

from quorate.protocols.workshop.version_1.rules.workflows.topics import topic

TITLE = "Ideas"

TOPICS = (
    topic(
        "dreamer",
        "Ideas",
        "What would be wonderful, whether or not it can be done.",
        critical=True,
        stage="dreamer",
        criteria=(
            "There are ideas that differ in kind, and not three variants of one",
            "At least one idea sounds too bold to be done",
        ),
        minimum=3,
        counts=("IDEA",),
        exploration="No criticism and no feasibility yet. Build on what others said, turn the problem round, and ask "
        "what it would be like with no limit of money or time.",
        questions=(
            "What would make people tell their friends about it?",
            "What would you do if nothing could fail?",
            "Which idea of somebody else can you make bigger?",
        ),
    ),
    topic(
        "realist",
        "Sketches",
        "How the ideas worth keeping could be carried out.",
        critical=True,
        stage="realist",
        criteria=(
            "Every idea that is kept says how it would be carried out, in steps",
            "Each idea that is kept has an estimate of its value and of its feasibility",
        ),
        minimum=0,
        counts=("IDEA",),
        exploration="Take each idea as decided and plan it: first step, people, means, time. Amend the ideas with the "
        "sketch; withdraw an idea only where nobody would try it.",
        questions=(
            "What would be the first thing to do on Monday?",
            "What do we have already that this could begin with?",
            "What is the smallest version that shows whether it works?",
        ),
    ),
    topic(
        "critic",
        "Risks and what helps",
        "What could go wrong with the ideas that are left, and what would prevent it or make it bearable.",
        critical=True,
        stage="critic",
        criteria=(
            "Each idea that is kept was examined for what could make it fail",
            "Every risk of high severity has a mitigation, or it is said that there is none",
        ),
        minimum=2,
        counts=("RISK", "MIT"),
        exploration="Criticise the plan and not the dreamer. Ask what would have to be true for it to work, and what "
        "the first sign of failure would be.",
        questions=(
            "Suppose that it failed within a year: why?",
            "Who would be harmed, and who would fight it?",
            "What would it cost to try and be wrong?",
        ),
    ),
)
