"""All checks of a session file, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from quorate.protocols.workshop.audit.consent import check_blocks, check_consent
from quorate.protocols.workshop.audit.disputes import check_quoted, check_settlements
from quorate.protocols.workshop.audit.dump_checks import check_context, check_dumps, check_stages
from quorate.protocols.workshop.audit.histories import (
    check_artifact_lives,
    check_listed_histories,
    check_session_life,
    check_topic_lives,
)
from quorate.protocols.workshop.audit.ids import check_ids, check_makers
from quorate.protocols.workshop.audit.metrics import check_metrics
from quorate.protocols.workshop.audit.phases import check_debate_phases, check_disney, check_hats, check_sides
from quorate.protocols.workshop.audit.problem import Finding, NotChecked, Problem
from quorate.protocols.workshop.audit.read import SessionFile
from quorate.protocols.workshop.audit.references import (
    check_artifact_references,
    check_people,
    check_round_numbers,
    check_topics,
)
from quorate.protocols.workshop.audit.required_fields import check_required
from quorate.protocols.workshop.audit.rule import check_rule
from quorate.protocols.workshop.audit.sequence import check_everybody, check_sequence
from quorate.protocols.workshop.audit.support import check_support
from quorate.protocols.workshop.audit.verdict_check import check_verdict
from quorate.protocols.workshop.audit.vocabulary import check_words

MOST_OF_A_CHECK = 40
"""What one function lists at most, so that one mistake made a thousand times hides nothing else."""


@dataclass(frozen=True, slots=True)
class Validation:
    """One check: its name, description, strategy (if it is for one), and its functions."""

    name: str
    says: str
    functions: tuple[Callable[[SessionFile], Iterator[Finding]], ...]
    strategy: str = ""


CHECKS: tuple[Validation, ...] = (
    Validation("STR-001", "required fields are there", (check_required,)),
    Validation("STR-002", "states and other words are legal", (check_words,)),
    Validation(
        "STR-003",
        "ids are in order, whatever is named exists, and whoever is quoted said it",
        (
            check_ids,
            check_makers,
            check_artifact_references,
            check_topics,
            check_people,
            check_round_numbers,
            check_quoted,
        ),
    ),
    Validation("STR-004", "rounds are 1 to n, and counted", (check_sequence,)),
    Validation("STR-005", "metrics match what they count", (check_metrics,)),
    Validation("STR-006", "every participant takes part in every round", (check_everybody,)),
    Validation(
        "STR-007",
        "histories are paths of the life cycles, and what was agreed or settled had whom it needs",
        (
            check_artifact_lives,
            check_listed_histories,
            check_topic_lives,
            check_session_life,
            check_settlements,
            check_support,
        ),
    ),
    Validation(
        "STR-008", "next actions follow the ordered rule, and the verdict from the end", (check_rule, check_verdict)
    ),
    Validation("STRAT-D1", "the phases of a debate are in order", (check_debate_phases,), "debate"),
    Validation("STRAT-D2", "a debate has two sides", (check_sides,), "debate"),
    Validation(
        "STRAT-C1", "consent is given in order, and never against a BLOCK", (check_consent,), "consensus-driven"
    ),
    Validation("STRAT-C2", "a BLOCK names its minimum change", (check_blocks,), "consensus-driven"),
    Validation("STRAT-S1", "dreamer, realist and critic are in order", (check_disney,), "disney"),
    Validation("STRAT-S2", "the hats are in order", (check_hats,), "six-hats"),
    Validation("DIAG-001", "the dumps of the rounds are complete", (check_dumps,)),
    Validation("DIAG-002", "everybody was shown what is theirs to see", (check_context,)),
    Validation("DIAG-003", "the dumps agree on the phase", (check_stages,)),
)


@dataclass(frozen=True, slots=True)
class Examination:
    """What the checks found, and which could not run because the file lacks their data."""

    problems: tuple[Problem, ...]
    not_checked: tuple[NotChecked, ...]
    ran: tuple[str, ...]
    """The checks that apply to the file's strategy."""


def examine(data: Any, dumps: Mapping[str, Any] | None = None) -> Examination:
    """Run all applicable checks on plain data and its dumps by path; never raises."""
    file = SessionFile.of(data, dumps)
    strategy = file.at["strategy"].text
    checks = [check for check in CHECKS if check.strategy in ("", strategy)]
    if not file.at.is_mapping:
        checks = checks[:1]
    problems: list[Problem] = []
    missing: list[NotChecked] = []
    for check in checks:
        for function in check.functions:
            found = function(file)
            listed = [each for each in islice(found, MOST_OF_A_CHECK)]
            problems += (each for each in listed if isinstance(each, Problem))
            missing += (each for each in listed if isinstance(each, NotChecked))
            if (more := next(found, None)) is not None and isinstance(more, Problem):
                problems.append(Problem(check.name, more.severity, more.path, "and more like this follow", at=more.at))
    return Examination(tuple(problems), tuple(missing), tuple(check.name for check in checks))


def check_session(data: Any, dumps: Mapping[str, Any] | None = None) -> tuple[Problem, ...]:
    """Return the problems of a session file; empty if all checks with data pass."""
    return examine(data, dumps).problems
