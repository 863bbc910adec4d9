"""Scripts of whole workshops: what facilitator and participants say, round by round, for an agenda and its strategy."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate.core.shapes import shape_of
from quorate.protocols.workshop.rules.items import KINDS
from quorate.protocols.workshop.rules.synthesis import LISTS, SYNTHESES
from quorate.protocols.workshop.rules.taxonomy import ArtifactType, Workflow
from quorate.protocols.workshop.rules.workflows import agenda
from tests.cli.shell import Ran, Shell

STAGES = {"specs": 3, "design": 3, "brainstorm": 1}
"""Rounds that a topic takes: the stages of the workflow's strategy; on the agenda of brainstorm each has its topic."""
FIELDS: dict[str, Any] = {
    "description": "What it is about.",
    "acceptance": ["It can be seen."],
    "priority": "must",
    "conditions": ["always"],
    "actions": ["it is done"],
    "target": "200 ms",
    "minimum": "500 ms",
    "measurement": "in the log",
    "category": "performance",
    "rationale": "It is simple.",
    "future_consideration": False,
    "blocking": False,
    "about": ["T1"],
    "parties": ["P1", "P2"],
    "context": "There is one server.",
    "options": [{"name": "one table", "pros": "simple", "cons": "grows"}],
    "decision": "One table.",
    "consequences": "It grows.",
    "responsibility": "It stores.",
    "provides": ["append"],
    "requires": [],
    "dependencies": [],
    "technology": "PostgreSQL",
    "endpoints": ["GET /log"],
    "kind": "REST",
    "implementation_notes": "",
    "builds_on": [],
    "potential_value": "high",
    "feasibility": "medium",
    "affected_ideas": [],
    "severity": "high",
    "likelihood": "low",
    "risk": [],
    "new_risk": 1,
    "effort": "low",
    "effectiveness": "high",
}


def item(type_: str, title: str = "", **changes: Any) -> dict[str, Any]:
    """A new artifact as the facilitator writes it, proposed by the first and supported by four positions."""
    common = {
        "title": title or f"A {type_} of round <occurrence>",
        "proposed_by": ["P1"],
        "supported_by": ["P1", "P2", "P3", "P4"],
        "opposed_by": [],
        "supersedes": [],
        "agreement": "consensus",
    }
    names = [name for name in KINDS[ArtifactType(type_)].__dataclass_fields__ if name not in common]
    return {**common, **{name: FIELDS[name] for name in names}, **changes}


def synthesis(workflow: str, *items: tuple[str, dict[str, Any]], covered: Sequence[str] = (), **more: Any) -> Any:
    """A synthesis that makes these artifacts, given with their types."""
    form = SYNTHESES[Workflow(workflow)]
    lists = {name: [each for kind, each in items if LISTS[name].value == kind] for name in LISTS}
    known = {each.name for each in shape_of(form).fields}
    kept = {name: each for name, each in lists.items() if name in known}
    words = {
        "synthesis": "They agree on most of it.",
        "changes": [],
        "covered": list(covered),
        "recommendation": "Keep ninety days.",
        "wish": "continue",
    }
    return {**words, **kept, **more}


def question(focus: str) -> dict[str, Any]:
    return {"rationale": "It is next.", "question": f"What about {focus}?", "exploration": "", "focus": focus}


RESPONSE: dict[str, Any] = {
    "position": "<seat> would keep it for ninety days (round <occurrence>).",
    "rationale": ["The law asks for it."],
    "trade_offs": {"optimizing_for": "safety", "accepting_as_cost": "space", "risks": []},
    "concerns": [],
    "suggestions": ["Write down who may read it."],
    "context_gaps": [],
    "contested": [],
    "applied": [],
    "confidence": 80,
}
SUPPORTED: dict[str, Any] = {
    "position": "<seat> can live with all of it.",
    "votes": {"*": {"reason": "It serves.", "minimum_change": "", "stance": "SUPPORT"}},
    "confidence": 85,
}


def whole(workflow: str) -> dict[str, Any]:
    """A script in which everybody agrees: every topic of the built-in agenda gets what it needs, and closes."""
    questions: list[Any] = []
    syntheses: list[Any] = []
    for number, topic in enumerate(agenda(workflow)["topics"], start=1):
        needs = topic["done_when"]
        made = [(needs["counts"][0], item(needs["counts"][0], f"{topic['name']} {n}")) for n in range(needs["minimum"])]
        covered = [f"K{n}" for n in range(1, len(needs["criteria"]) + 1)]
        stages = STAGES[workflow]
        for stage in range(stages):
            questions.append(question(f"T{number}"))
            last = stage == stages - 1
            now = made if stage == (0 if workflow != "design" else stages - 1) else []
            syntheses.append(synthesis(workflow, *now, covered=covered if last else ()))
    return script(questions, syntheses)


def script(
    questions: Any, syntheses: Any, respond: Any = RESPONSE, vote: Any = SUPPORTED, **seats: Any
) -> dict[str, Any]:
    """A script of a facilitator, of everybody alike, and of seats with words of their own."""
    named = {name.replace("_", "-"): briefs for name, briefs in seats.items()}
    facilitator = {"question": questions, "synthesise": syntheses}
    everybody = {"respond": respond, "vote": vote}
    return {"seats": {"facilitator": facilitator, "*": everybody, **named}}


AGENDA: dict[str, Any] = {
    "workflow": "specs",
    "title": "The audit log",
    "topics": [
        {
            "id": "retention",
            "name": "How long entries are kept",
            "critical": True,
            "done_when": {"criteria": ["A period is named"], "minimum": 1, "counts": ["REQ"]},
        },
        {"id": "access", "name": "Who reads it", "done_when": {"criteria": ["Roles are named"], "minimum": 0}},
    ],
}
ARCHITECT = "Thirty days are enough: the table must stay small, and backups hold the rest."
LEAD = "Ninety days at least: support answers complaints that are two months old."
CONFLICT = item("CONF", "Thirty or ninety days", supported_by=[], parties=["P1", "P2"])
KEPT = item("REQ", "Entries are kept", supported_by=["P1", "P2"])


def disputed() -> dict[str, Any]:
    """A script for AGENDA with two participants, who do not agree on its first topic: round 3 is escalated (W23).

    In round 4 the lead says that the ruling is applied.
    """
    lead = {**RESPONSE, "position": LEAD}
    return script(
        [*[question("T1")] * 4, question("T2")],
        [
            synthesis("specs", ("REQ", KEPT), ("CONF", CONFLICT), covered=["K1"]),
            synthesis("specs"),
            synthesis("specs", wish="escalate"),
            synthesis("specs"),
            synthesis("specs", covered=["K1"], wish="conclude"),
        ],
        software_architect={"respond": {**RESPONSE, "position": ARCHITECT}},
        technical_lead={"respond": [*[lead] * 3, {**lead, "applied": ["RUL-001"]}, lead]},
    )


TWO = ("--participants", "software-architect,technical-lead", "--strategy", "standard")


@dataclass(frozen=True)
class Workshops:
    """A project folder in which workshops are held, with a scripted panel."""

    folder: Path

    def says(self, words: Mapping[str, Any]) -> Workshops:
        (self.folder / "panel.yaml").write_text(json.dumps({"script": "script.yaml"}))
        (self.folder / "script.yaml").write_text(json.dumps(words))
        (self.folder / "quorate.yaml").write_text(json.dumps({"panel": "panel.yaml"}))
        return self

    def brings(self, agenda: Mapping[str, Any], name: str = "agenda.yaml") -> Workshops:
        (self.folder / name).write_text(json.dumps(agenda))
        return self

    @property
    def shell(self) -> Shell:
        return Shell(self.folder)

    def hold(self, kind: str, *words: str, topic: str = "An audit log") -> Ran:
        """Run `quorate workshop` in this process."""
        return self.shell.call("workshop", kind, topic, *words)

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")
