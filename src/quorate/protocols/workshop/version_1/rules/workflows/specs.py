"""The agenda of a specification: who works how, what is required, by which rules, how well, and what is left out."""

from __future__ import annotations

from quorate.protocols.workshop.version_1.rules.workflows.topics import topic

TITLE = "Requirements"

TOPICS = (
    topic(
        "user-workflows",
        "Users and their workflows",
        "Who uses the product, what they set out to do, and how they get there.",
        critical=True,
        criteria=(
            "Every kind of user is named, with what that user wants to achieve",
            "For each main workflow it is said what starts it, which steps it has and how it ends",
            "At least one workflow says what the user sees when something goes wrong",
        ),
        minimum=2,
        counts=("REQ",),
        exploration="Follow one user from the first contact to the finished task. Look for the steps that nobody "
        "mentioned, for hand-overs between users, and for those who are affected without ever using the product.",
        questions=(
            "Who begins this workflow, and what has happened just before?",
            "How does the user know that it is done?",
            "What does the user do today, without the product?",
        ),
    ),
    topic(
        "functional-requirements",
        "Functional requirements",
        "What the product has to do, each requirement on its own and with a priority.",
        critical=True,
        criteria=(
            "Every workflow that was agreed upon has at least one requirement that makes it possible",
            "Each requirement states one behaviour and has a priority",
            "No requirement prescribes how it is to be built",
        ),
        minimum=3,
        counts=("REQ",),
        exploration="Ask for inputs, behaviour and results. Separate what is needed for the first release from what "
        "would be good to have, and let somebody argue for leaving each requirement out.",
        questions=(
            "What must the product do for this workflow to succeed?",
            "What would users miss first if it were not there?",
            "Which of these could wait, and who would object?",
        ),
    ),
    topic(
        "business-rules",
        "Business rules",
        "Rules of the field that hold whatever the product does: limits, permissions, calculations, duties.",
        criteria=(
            "Each rule says under which conditions it holds and what follows from it",
            "For each rule it is known who may change it, or that nobody may",
        ),
        minimum=1,
        counts=("BR",),
        exploration="Look for rules that people follow without having written them down, for rules that contradict "
        "each other, and for exceptions that somebody grants by hand.",
        questions=(
            "What is never allowed, whoever asks for it?",
            "Which figures are calculated, and by what rule?",
            "Where does the law or a contract leave no choice?",
        ),
    ),
    topic(
        "nfr-measurable",
        "Measurable qualities",
        "How well the product has to do what it does, in figures that can be measured.",
        criteria=(
            "Each quality has a target, the least that is acceptable, and a way to measure it",
            "Security and reliability were both considered, even where nothing is demanded of them",
        ),
        minimum=1,
        counts=("NFR",),
        exploration="Turn every adjective into a number with a unit. Ask what happens at ten times the load, when a "
        "dependency is down, and when somebody means harm.",
        questions=(
            "How fast is fast enough, for how many users at once?",
            "How much data may be lost, and how long may it be out of use?",
            "How would we measure it before the release?",
        ),
    ),
    topic(
        "acceptance-criteria",
        "Acceptance criteria",
        "How to tell that a requirement is met, so that two people who test it come to the same result.",
        criteria=(
            "Every requirement of priority must has at least one acceptance criterion",
            "Each criterion can be tested without asking its author",
            "At least one criterion covers a case that must fail",
        ),
        minimum=0,
        counts=("REQ",),
        exploration="Go through the requirements one by one and amend those that cannot be tested. Prefer examples "
        "with concrete values to general statements.",
        questions=(
            "What would a tester do first, and what would have to happen?",
            "Which input has to be refused, and with what message?",
        ),
    ),
    topic(
        "out-of-scope",
        "Out of scope",
        "What the product will not do, and why, so that nobody expects it.",
        criteria=(
            "What users are likely to expect and will not get is listed, each with its reason",
            "For each exclusion it is said whether it may come later",
        ),
        minimum=0,
        counts=("EX",),
        exploration="Collect what was asked for and not agreed upon, and what neighbouring products do. An exclusion "
        "is worth writing down where somebody would otherwise build it or wait for it.",
        questions=(
            "What will people ask for on the first day that we do not intend to do?",
            "What do we leave to another product or to a person?",
        ),
    ),
)
