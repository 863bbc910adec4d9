"""The agenda of a design: the shape of the whole, its parts, how data flows, what it is built with, what it meets."""

from __future__ import annotations

from quorate.protocols.workshop.version_1.rules.workflows.topics import topic

TITLE = "Architecture"

TOPICS = (
    topic(
        "high-level-arch",
        "The shape of the whole",
        "The style of the architecture, and the few decisions that everything else follows from.",
        critical=True,
        criteria=(
            "One decision names the style of the architecture and at least two options that were weighed",
            "Each decision states what becomes harder because of it",
            "The qualities that the design has to serve are named and ranked",
        ),
        minimum=1,
        counts=("ARCH",),
        exploration="Begin with the quality that matters most and ask which shape serves it. Try the simplest design "
        "that could work and name what would break it first.",
        questions=(
            "Which property must this design never lose?",
            "What is the simplest shape that would do, and why is it not enough?",
            "Which decision would cost most to take back?",
        ),
    ),
    topic(
        "components",
        "Components",
        "The parts, each with one responsibility, what it offers and what it needs.",
        critical=True,
        criteria=(
            "Every component has one responsibility that fits a sentence",
            "For each component it is said what it provides, what it requires and what it depends on",
            "No two components depend on each other in a circle, or the circle is justified",
        ),
        minimum=1,
        counts=("COMP",),
        exploration="Draw the borders where reasons to change differ. Ask of each part who would notice if it were "
        "missing, and what it must not know.",
        questions=(
            "What is this component's one reason to exist?",
            "What could be taken away without a loss?",
            "Who owns its data?",
        ),
    ),
    topic(
        "data-flow",
        "Data flow",
        "Which data goes from where to where, in which form, and what happens when it does not arrive.",
        criteria=(
            "For the main workflow the path of the data is told from its entry to where it is kept",
            "For each hand-over it is said what happens when it fails or comes twice",
        ),
        minimum=1,
        counts=("ARCH", "INT"),
        exploration="Follow one item of data through the whole system. Stop wherever it is copied, changed or waits, "
        "and ask which copy is the true one.",
        questions=(
            "Where does this data enter, and who may see it on its way?",
            "Which copy is right when two disagree?",
            "What happens to data under way during an outage?",
        ),
    ),
    topic(
        "tech-choices",
        "Technology choices",
        "What it is built with, where the choice matters, and why.",
        criteria=(
            "Each choice names an alternative and the reason it was not taken",
            "For each choice it is known who will look after it in operation",
        ),
        minimum=1,
        counts=("ARCH",),
        exploration="Choose only what has to be chosen now. Prefer what the team can run at night, and ask what it "
        "takes to leave a technology again.",
        questions=(
            "What do we know well enough to repair it under pressure?",
            "What does this choice rule out later?",
            "Which costs rise with use?",
        ),
    ),
    topic(
        "integration",
        "Integration",
        "The interfaces to the outside and between the parts: their kind, their contract and how they change.",
        criteria=(
            "Every system that the design has to talk to is named, with the kind of its interface",
            "For each interface it is said how it may change without breaking those who use it",
        ),
        minimum=0,
        counts=("INT",),
        exploration="List the neighbours, who depends on whom, and what each promises. Look at errors, limits and "
        "versions before the good case.",
        questions=(
            "What do we do while the other side is slow or away?",
            "How do both sides learn that the contract has changed?",
        ),
    ),
)
