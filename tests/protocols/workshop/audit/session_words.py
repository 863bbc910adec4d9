"""Words for made-up workshops: roles, stages, what each workflow makes, and the fields of every type of artifact."""

from __future__ import annotations

from collections import Counter
from typing import Any

Data = dict[str, Any]
ROLES = (
    "product-manager",
    "business-analyst",
    "qa-lead",
    "ux-researcher",
    "software-architect",
    "technical-lead",
    "devops-engineer",
    "security-champion",
    "documentation-specialist",
    "coding-assistant-expert",
    "oss-community-manager",
)
STAGES = {
    "standard": ("discussion",),
    "disney": ("dreamer", "realist", "critic"),
    "debate": ("opening", "rebuttal", "closing"),
    "consensus-driven": ("proposal", "refinement", "convergence"),
    "six-hats": ("blue-open", "white", "red", "black", "yellow", "green", "blue-close"),
}
MAKES = {
    "specs": ("REQ", "BR", "NFR", "EX"),
    "design": ("ARCH", "COMP", "INT"),
    "brainstorm": ("IDEA", "RISK", "MIT"),
    "open": ("REQ", "ARCH", "IDEA", "RISK", "MIT"),
}
THINGS = ("guest checkout", "saved baskets", "refunds", "order search", "delivery slots", "gift cards", "invoices")
BEGAN = 1_767_268_800_000
"""2026-01-01 12:00:00 UTC."""
LEVELS = ("high", "medium", "low")


def settings_of(workflow: str, strategy: str, most: int) -> Data:
    return {
        "workflow": workflow,
        "strategy": strategy,
        "min_rounds": 3,
        "max_rounds": most,
        "conclude_on": "all",
        "escalation": True,
        "max_rounds_per_conflict": 3,
        "confidence_below": 50,
    }


def sides_of(people: list[str]) -> dict[str, str]:
    """Half pro, half con, and an odd one out observes (W3)."""
    half = len(people) // 2
    return {name: "pro" if at < half else "con" if at < 2 * half else "observer" for at, name in enumerate(people)}


def fields_of(kind: str, thing: str, level: str, ideas: list[str], risks: list[str]) -> Data:
    """The fields of a new artifact about a thing; ideas and risks are the ids that it may name."""
    text = {"description": f"A customer can use {thing} without an account."}
    made: dict[str, Data] = {
        "REQ": {**text, "priority": "must", "acceptance": [f"Three steps are enough for {thing}"]},
        "BR": {**text, "conditions": ["The basket is not empty"], "actions": ["Show the total"]},
        "NFR": {**text, "category": "performance", "target": "1 s", "minimum": "3 s", "measurement": "A load test"},
        "EX": {**text, "rationale": "Too rare.", "future_consideration": True},
        "ARCH": {
            "context": "Load varies.",
            "decision": "Use a queue.",
            "options": [{"name": "Queue", "pros": "Calm", "cons": "One more part"}],
            "rationale": "It is simple.",
            "consequences": "Orders may wait.",
        },
        "COMP": {
            "responsibility": "Takes orders.",
            "provides": ["orders"],
            "requires": ["payments"],
            "dependencies": [],
            "technology": "Python",
        },
        "INT": {"kind": "REST", **text, "endpoints": ["POST /orders"]},
        "IDEA": {
            **text,
            "potential_value": level,
            "feasibility": level,
            "implementation_notes": "",
            "builds_on": ideas[:1],
            "disney_phase": "dreamer",
        },
        "RISK": {**text, "severity": level, "likelihood": level, "affected_ideas": ideas[:2]},
        "MIT": {**text, "risk": (risks or [""])[0], "effort": level, "effectiveness": level},
    }
    return made[kind]


def new_topic(number: int, counts: tuple[str, ...]) -> Data:
    """A topic with two criteria; the first topic is required and needs an agreed artifact."""
    thing = THINGS[number % len(THINGS)]
    texts = [f"It is said who uses {thing}", f"It is said how {thing} fails"]
    return {
        "topic_id": f"topic-{number}",
        "name": thing.capitalize(),
        "critical": number == 1,
        "status": "open",
        "criteria": [{"text": text, "met": False, "round": None} for text in texts],
        "minimum": 1 if number == 1 else 0,
        "counts": list(counts),
        "counted": 0,
        "coverage": [],
    }


def new_round(number: int, topic: Data, stage: str, began: int) -> Data:
    return {
        "round": number,
        "topic_id": topic["topic_id"],
        "focus": {"type": "agenda", "id": topic["topic_id"]},
        "stage": stage,
        "facilitator_question": f"Round {number}: what has to be true of {topic['name']}, and how would we notice?",
        "exploration": "Look at what customers do today.",
        "fallback_question": False,
        "synthesis_summary": f"Round {number} came to a few things about {topic['name']}.",
        "positions": [],
        "absent": [],
        "artifacts_created": [],
        "artifacts_amended": [],
        "artifacts_resolved": [],
        "key_decisions": [],
        "consensus_reached": False,
        "refused": [],
        "facilitator_wished": "continue",
        "next_action": "",
        "because": "",
        "escalation": None,
        "started_at_ms": began,
        "ended_at_ms": began + 90_000,
        "tokens": 0,
    }


def new_position(name: str, number: int, thing: str, confidence: int) -> Data:
    return {
        "participant": name,
        "position": f"As {name} I would begin round {number} with {thing}, since people ask for it most.",
        "rationale": [f"Half of the complaints are about {thing}."],
        "concerns": ["It may take longer than one release."],
        "suggestions": [f"Write down who owns {thing}."],
        "confidence": confidence,
    }


def new_artifact(key: str, kind: str, title: str, fields: Data) -> Data:
    return {
        "id": key,
        "type": kind,
        "title": title,
        "status": "open" if kind in ("OQ", "CONF") else "active",
        "agreement": "draft",
        "created_round": 0,
        "topic_id": "",
        "proposed_by": "",
        "supported_by": [],
        "opposed_by": [],
        "contested_by": [],
        "fields": fields,
        "amendments": [],
        "superseded_by": "",
        "supersedes": [],
        "withdrawn_because": "",
        "resolution": "",
        "resolution_method": "",
        "resolved_round": None,
    }


def asks_of(round_: Data, before: list[Data]) -> list[Data]:
    """What a record would have asked in a round, with what everybody was shown."""
    said = {each["participant"]: each["position"] for each in round_["positions"]}
    earlier = "\n".join(each["synthesis_summary"] for each in before)
    question = round_["facilitator_question"]
    answers = "\n\n".join(f"{name}:\n{text}" for name, text in said.items())
    views: list[tuple[int, str, str, Data]] = [
        (1, "facilitator", f"What has been said so far:\n\n{earlier}", {"question": question})
    ]
    views += [(2, name, f"{question}\n\n{earlier}", {"position": text}) for name, text in said.items()]
    views.append((3, "facilitator", answers, {"synthesis": round_["synthesis_summary"]}))
    times = {"started": round_["started_at_ms"], "completed": round_["ended_at_ms"], "tokens": 700}
    return [
        {"round": round_["round"], "part": part, "actor": actor, "view": view, "reply": reply, **times}
        for part, actor, view, reply in views
    ]


def metrics_of(artifacts: list[Data], agenda: list[Data], rounds: list[Data]) -> Data:
    """The figures of a session, counted here a second time."""
    live = [each for each in artifacts if each["status"] in ("active", "amended")]
    agreed = sum(each["agreement"] == "consensus" for each in live)
    tokens = [each["tokens"] for each in rounds]
    return {
        "rounds_completed": len(rounds),
        "artifacts": {
            "total": len(artifacts),
            "by_type": dict(Counter(each["type"] for each in artifacts)),
            "by_status": dict(Counter(each["status"] for each in artifacts)),
        },
        "topics": {"total": len(agenda), "closed": sum(each["status"] == "closed" for each in agenda)},
        "consensus_rate": 100 * agreed // len(live) if live else 0,
        "tokens": {"total": sum(tokens), "by_round": tokens},
    }


def iso(milliseconds: int) -> str:
    """A time of 2026-01-01, which is the day that everything is on."""
    seconds = (milliseconds - BEGAN) // 1000 + 12 * 3600
    return f"2026-01-01T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z"
