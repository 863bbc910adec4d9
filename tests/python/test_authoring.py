"""`quorate.authoring`: every name that an author needs, in one place that does not move."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from quorate import authoring

PINNED = """
Absent AbsentReason Answer ArtifactCard Ask Asked AtMost BLIND Between Blindness Board Broken Check CheckedFile
Command CommandEntry Criterion Dated Decision Definition DefinitionError Degradation Denominator Domain Either
Envelope Fact Fate Finding FindingCard FunctionParticipant Gauge Guarantee Held Input InputError Interpretation
Interrupt Invariant Judging Key Keyed Kind Lab Later Limits Margin Masks Matter Mind Moment Moved NoSettings NoVote
Node Observed Offer OpenedSession Opening Opinion OrElse Order Participant Position Prose Protocol QUESTION Question
QuorateError Quotes Reason Record Refers Replies Reply Request Result RuleViolation Said Seat Section SettingError
Severity Shortcut Tally TallyResult Test Threshold TopicCard Truth Turn Utterance View Vote When Workspace World
Written add_once arrived came_to choose compare counter define draft every filled_in is_blank is_grounded mark
mark_in_material nearest numbered occurs_in open_session otherwise plain prove read_settings run_session secrets_in_text
session_options shown tally text_of title_of told without_secrets worded
"""
"""What outside packages import; a name that goes, or gets another meaning, breaks them."""
NAMES = PINNED.split()


def test_the_names_are_these() -> None:
    assert sorted(authoring.__all__) == NAMES
    assert set(NAMES) <= set(dir(authoring))


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_there_and_says_what_it_is(name: str) -> None:
    says = getattr(authoring, name).__doc__
    assert says, name
    assert not says.startswith(f"{name}("), "what a dataclass says by itself is nothing"


def test_a_type_checker_sees_the_same_names() -> None:
    body = ast.parse(Path(authoring.__file__).read_text(encoding="utf-8")).body
    typed = next(each for each in body if isinstance(each, ast.If))
    imports = [each for each in typed.body if isinstance(each, ast.ImportFrom)]
    assert sorted(alias.asname or alias.name for each in imports for alias in each.names) == NAMES


def test_a_name_that_is_not_there_is_an_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'quorate.authoring' has no attribute 'Protocal'"):
        _ = authoring.Protocal  # type: ignore[attr-defined]


def test_importing_it_costs_nothing() -> None:
    program = "import sys, quorate.authoring; print([name for name in sys.modules if name.startswith('quorate.')])"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['quorate.authoring']"
    program = "import sys; from quorate.authoring import draft, Prose; print('quorate.api' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
