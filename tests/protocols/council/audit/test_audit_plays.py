"""`audit` on councils played at random: whatever seats say, and whoever is lost or interrupts, the bundle is right."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from quorate.core.types import Ask
from quorate.protocols.council.audit import audit
from quorate.protocols.council.rules.forms import Applied
from quorate.protocols.council.rules.result.bundle import review_bundle
from quorate.protocols.council.rules.taxonomy import Gate
from tests.support.council_words import (
    DIFF,
    FIX,
    NO_FIX,
    QUOTED,
    answer,
    artifact,
    ballot,
    gate_runs,
    judgement,
    proven,
    raised,
    told,
)
from tests.support.councils import SEATS, Sitting

KINDS = ("INCOMPLETE_PLAN", "MISSING_VERIFICATION", "SCOPE_GAP", "COUSIN_VIOLATION", "SCOPE_OVERLAP", "SECRET_EXPOSURE")
ANSWERS = ("CONFIRM", "CONFIRM fix", "CONFIRM fix", "DISPUTE", "SEVERITY MAJOR fix", "ABSTAIN")
VOTES = ("SUPPORT", "SUPPORT", "SUPPORT", "OPPOSE", "ABSTAIN", "REFUTE")


class Play:
    """A council whose every choice a generator makes."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.sitting = Sitting(seed=self.rng.randrange(10**6), **self.settings())

    def likely(self, share: float) -> bool:
        return self.rng.random() < share

    def settings(self) -> dict[str, Any]:
        offered: dict[str, Any] = {
            "depth": "STANDARD",
            "quorum": 3,
            "gates": "nine",
            "fail_fast": True,
            "remediate": True,
            "most_majors": self.rng.randrange(3),
            "deadlock_min_severity": self.rng.choice(("MAJOR", "BLOCKER")),
            "max_episodes": None,
        }
        return {name: value for name, value in offered.items() if self.likely(0.2)}

    def run(self) -> Sitting:
        stop = self.rng.randrange(1, 60)
        for turn in range(1, 100):
            if not self.sitting.open:
                break
            if turn == stop:
                self.sitting.interrupt(self.rng.choice(list(self.sitting.record.protocol.interrupts)))
                continue
            ask = self.rng.choice(self.sitting.open)
            if self.likely(0.04 if ask.seat in SEATS else 0.02):
                self.sitting.absent(ask.seat)
            else:
                self.sitting.reply(ask.seat, self.reply(ask))
        return self.sitting

    def reply(self, ask: Ask) -> dict[str, Any]:
        """What a seat says; what is not said is filled in."""
        findings = [raised(each) for each in self.found()]
        match ask.brief:
            case "examine":
                given = [proven(each.rpartition(" ")[0]) for each in self.found()] if self.likely(0.3) else []
                nine = self.sitting.protocol.settings["gates"] == "nine"
                runs = gate_runs(given, nine=nine)
                return {"receipt": json.dumps(told()), "gates": runs, "findings": given, "tickets": 3}
            case "score" | "mock-run" | "assure":
                said = artifact(ask.seat, (), self.likely(0.9), [self.rng.randrange(4) for _ in range(2)])
                return {**said, "findings": findings}
            case "assess":
                gates = [judgement(Gate.ATOMICITY, self.likely(0.1))] if self.likely(0.9) else []
                confidence = self.rng.choice(("HIGH", "HIGH", "LOW"))
                return {"gates": gates, "findings": findings, "confidence": confidence}
            case "cover":
                return {"unshown": [] if self.likely(0.9) else ["T1", "R02"], "refused": int(self.likely(0.05))}
            case "match":
                kept, merged = self.rng.sample(ask.keys, 2)
                return {"pairs": [{"kept": kept, "merged": merged}]}
            case "patch":
                keys = [key for key in ask.keys if key.startswith("F")]
                return {"edits": [{"finding": key, "place": "T1", "find": QUOTED, "replacement": "."} for key in keys]}
            case "apply":
                return {"diff": DIFF, "results": {key: self.rng.choice(list(Applied)) for key in ask.keys}}
            case "respond":
                return {"answers": self.keyed(ask, lambda: self.answer(self.rng.choice(ask.keys)))}
            case "remediate":
                return {"proposals": self.keyed(ask, lambda: self.rng.choice((FIX, NO_FIX)))}
            case "vote":
                return {"votes": self.keyed(ask, lambda: ballot(self.rng.choice(VOTES)))}
            case _:
                return {}

    def answer(self, other: str) -> dict[str, Any]:
        same = f" same {other}" if self.likely(0.3) else ""
        return answer(self.rng.choice(ANSWERS) + same)

    def found(self) -> list[str]:
        rng = self.rng
        return [
            f"{rng.choice(KINDS)} {rng.choice(('T1', 'T2', 'RFC', 'R06'))} {rng.choice(('steps', 'whole'))}"
            f" {rng.choice(('BLOCKER', 'MAJOR', 'MINOR', 'INFO'))} L{rng.randrange(1, 6)}"
            for _ in range(rng.randrange(3))
        ]

    def keyed(self, ask: Ask, make: Callable[[], Any]) -> dict[str, Any]:
        return {key: make() for key in ask.keys if self.likely(0.95)}


def deviations(seed: int) -> tuple[object, ...]:
    bundle = review_bundle(Play(seed).run().record)
    assert bundle["verdict"] is not None
    return audit(bundle)


@pytest.mark.parametrize("seed", range(60))
def test_no_play_leads_to_a_deviation(seed: int) -> None:
    assert deviations(seed) == ()


@pytest.mark.slow
def test_no_play_of_a_thousand_leads_to_a_deviation() -> None:
    assert {seed: found for seed in range(60, 1_000) if (found := deviations(seed))} == {}


def test_the_plays_end_in_every_way() -> None:
    bundles = [review_bundle(Play(seed).run().record) for seed in range(60)]
    assert {each["terminal_state"] for each in bundles} == {"CONVERGED", "DEADLOCKED", "ABORTED"}
    assert {each["verdict"] for each in bundles} >= {"APPROVED", "REJECTED", "NEEDS_ADJUDICATION", "ABORTED"}
    assert any(each["merged_findings"] for each in bundles)
    assert any(each["degraded"] for each in bundles)
    assert any(each["remediation_patch"] for each in bundles)
