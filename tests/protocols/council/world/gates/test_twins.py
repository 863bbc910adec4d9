"""What code joins by itself: texts that are alike beyond doubt, measured on labelled pairs of findings (C14).

`python tests/protocols/council/world/gates/test_twins.py` prints the error. The pairs were written without a look at
the matcher; each row has a label (same or different), the kind of likeness, a place and field, and two findings with
severity and text. Both are given one signature and one quotation, which is the worst case for code.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quorate.protocols.council.world.gates.twins import MOST_PAIRS, Text, twins

PAIRS = Path(__file__).with_name("finding_pairs.jsonl")
GROUP = ("INCOMPLETE_PLAN", "T1", "steps")


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines() if line.strip()]


def joined(row: dict[str, Any]) -> bool:
    texts = (Text(f"F{number}", GROUP, False, row[side]["text"], "step: 1") for number, side in enumerate("ab", 1))
    return bool(twins(texts))


def error() -> Iterator[str]:
    """Yield what was measured, in lines."""
    found = Counter((row["label"], joined(row)) for row in rows())
    for label in ("different", "same"):
        count = found[label, True] + found[label, False]
        yield f"{label}: {found[label, True]} of {count} joined by code"
    yield f"wrongly joined: {[row['id'] for row in rows() if row['label'] == 'different' and joined(row)]}"


def test_c14_there_are_enough_pairs_of_many_kinds() -> None:
    labels = Counter(row["label"] for row in rows())
    assert min(labels["same"], labels["different"]) >= 100
    assert sum(labels.values()) >= 200
    assert len({row["kind"] for row in rows()}) >= 30


def test_c14_code_joins_no_pair_that_is_different() -> None:
    assert [row["id"] for row in rows() if row["label"] == "different" and joined(row)] == []


TEXT = "The step stores the page, but no step reads it back."


@pytest.mark.parametrize(
    ("description", "evidence", "alike"),
    [
        (TEXT, "step: 1", True),
        (f"  {TEXT}\n", "step:   1", True),
        (TEXT.rstrip("."), "step: 1", True),
        (TEXT, "\n  step: 1\n\n", True),
        (f"{TEXT}..", "step: 1", False),
        (TEXT, "step: 1;", False),
        (TEXT, "step:\n1", False),
        (TEXT, "step: -1", False),
        (TEXT.lower(), "step: 1", False),
        (TEXT, "step: 2", False),
        (TEXT.replace("reads", "writes"), "step: 1", False),
        (f"{TEXT}?", "step: 1", False),
    ],
)
def test_c14_alike_beyond_doubt_is_the_same_text_and_the_same_quotation(
    description: str, evidence: str, alike: bool
) -> None:
    found = twins((Text("F1", GROUP, False, TEXT, "step: 1"), Text("F2", GROUP, False, description, evidence)))
    assert found == ((("F1", "F2"),) if alike else ())


@pytest.mark.parametrize("group", [("AMBIGUOUS_SCOPE", "T1", "steps"), ("INCOMPLETE_PLAN", "T2", "steps")])
def test_c14_another_kind_or_place_is_not_alike(group: tuple[str, str, str]) -> None:
    assert twins((Text("F1", GROUP, False, TEXT, ""), Text("F2", group, False, TEXT, ""))) == ()


def test_c14_what_a_gate_found_takes_others_in_and_is_never_joined_to_another() -> None:
    texts = [Text(f"F{number}", GROUP, number < 3, TEXT, "") for number in range(1, 5)]
    assert twins(texts) == (("F1", "F3"), ("F1", "F4"))


def test_c14_without_a_description_nothing_is_alike() -> None:
    assert twins((Text("F1", GROUP, False, " ", ""), Text("F2", GROUP, False, "", ""))) == ()


def test_c14_the_order_of_the_findings_changes_nothing_and_pairs_are_limited() -> None:
    texts = [Text(f"F{number}", GROUP, False, TEXT, "") for number in range(1, MOST_PAIRS + 10)]
    assert twins(reversed(texts)) == twins(texts)
    assert len(twins(texts)) == MOST_PAIRS


if __name__ == "__main__":
    print("\n".join(error()))
