"""Writes what was asked and answered, round by round, as the files `rounds/NNN-PP-actor.yaml` beside a session file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from quorate.protocols.workshop.audit.dump_checks import dump_name
from quorate.protocols.workshop.audit.moment import moment

QUESTION, RESPONSES, SYNTHESIS = 1, 2, 3
"""The parts of a round, as the names of the files count them."""


def dumps(
    result: Mapping[str, Any], session: Mapping[str, Any], asks: Iterable[Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return the dumps by their paths, in the order of the asks.

    An ask has `round`, `part` (1 question, 2 responses, 3 synthesis), `actor`, `started` and `completed` (a text, or
    milliseconds), `view`, `reply` (None where there was none) and `tokens`. Where somebody was asked again in the same
    part, the last answer counts and the dump keeps the earlier ones in `earlier`.
    """
    rounds = {each["round"]: each for each in result["rounds"]}
    made: dict[str, dict[str, Any]] = {}
    for ask in asks:
        name = dump_name(ask["round"], ask["part"], ask["actor"])
        dump = _dump(ask, rounds.get(ask["round"], {}), session)
        if name in made:
            before = made.pop(name)
            dump["earlier"] = [*before.pop("earlier", ()), before]
        made[name] = dump
    return made


def _dump(ask: Mapping[str, Any], of: Mapping[str, Any], session: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "session": session["id"],
        "round": ask["round"],
        "phase": ask["part"],
        "stage": of.get("stage") or None,
        "actor": ask["actor"],
        "started": _time(ask["started"]),
        "completed": _time(ask["completed"]),
        "input": ask["view"],
        "response": ask["reply"],
        "result": _result(ask, of),
        "tokens": ask["tokens"],
    }


def _time(value: Any) -> Any:
    return moment(value) if isinstance(value, int) else value


def _result(ask: Mapping[str, Any], of: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of an ask, for its dump."""
    if ask["reply"] is None or ask["actor"] in of.get("absent", ()):
        return {"status": "absent"}
    made: dict[str, Any] = {"status": "answered"}
    if not of or ask["actor"] != "facilitator":
        return made
    if ask["part"] == QUESTION:
        return made | {"topic_id": of["topic_id"], "focus": dict(of["focus"])}
    if ask["part"] == SYNTHESIS:
        lists = ("artifacts_created", "artifacts_amended", "artifacts_resolved", "refused")
        return made | {name: list(of[name]) for name in lists} | {"next_action": of["next_action"]}
    return made
