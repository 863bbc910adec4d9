"""Sessions of any length and any words, told as the page gets them, without running anything."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from quorate.api.protocol_data import describe_protocol
from quorate.evidence.prose import tree
from quorate.web.page import single

SEATS = ("architect", "simplicity", "security", "performance", "testing")
STEPS = (("PROPOSAL", "PROPOSALS_COMPLETE", "CRITIQUE"), ("CRITIQUE", "CRITIQUES_COMPLETE", "REFINEMENT"))
TEXT = (
    "One append-only table in the shop's database, written in the same transaction.\n\n- who\n- what\n- when\n\n"
    "The newest hash is mailed to the owner `nightly`, so that a change can be seen by anybody who kept the mail."
)
ABSENCES = ("failed", "timed_out", "malformed", "refused", "silent")


def talk(
    count: int, text: str = TEXT, seats: tuple[str, ...] = SEATS, title: str = "A long talk"
) -> list[dict[str, Any]]:
    """Return `count` events of a debate that ends: an opening, replies by seat and round, absences among them."""
    shown = tree(text)
    events: list[dict[str, Any]] = []
    for seq in range(count):
        last, place = seq == count - 1, (seq - 1) // len(seats)
        phase, outcome, after = STEPS[place % len(STEPS)]
        round_ = place // len(STEPS) + 1
        moves = (
            [move(seq, round_, phase, outcome, "CONCLUDED" if last else after, text)] if seq % len(seats) == 0 else []
        )
        if last and not moves:
            moves = [move(seq, round_, phase, outcome, "CONCLUDED", text)]
        nearby = [f"{seq // len(seats) + 1}.{number}" for number in range(len(seats))]
        asked = (
            [ask(each, seats[number], phase, round_) for number, each in enumerate(nearby)] if moves or not seq else []
        )
        events.append(
            {
                "seq": seq,
                "at": 1_763_280_000_000 + seq * 4000,
                "hash": f"{seq:064x}",
                **(opened(seats, title) if seq == 0 else said(seq, seats, phase, round_, shown, text)),
                "moves": moves,
                "asked": [] if last else asked,
                "withdrawn": [],
                "conclusion": concluded() if last and seq else None,
                "after": after_of(
                    seq, seats, "CONCLUDED" if last else phase, round_, [] if last else nearby[seq % len(seats) :]
                ),
            }
        )
    return events


def opened(seats: tuple[str, ...], title: str) -> dict[str, Any]:
    opening = {
        "session": "debate-long", "protocol": "debate", "version": "1", "digest": "0" * 64, "title": title, "seed": 7,
        "settings": {"max_episodes": 20_000, "stall_after": 6}, "panel": dict.fromkeys(seats, "script:talk"),
        "material": {}, "fork": None,
    }  # fmt: skip
    return {"kind": "opened", "opening": opening}


def ask(name: str, seat: str, phase: str, round_: int) -> dict[str, Any]:
    asked = {"id": name, "seat": seat, "brief": phase.lower(), "form": "Proposal", "keys": [], "phase": phase}
    return {**asked, "round": round_, "person": False}


def said(seq: int, seats: tuple[str, ...], phase: str, round_: int, shown: list[Any], text: str) -> dict[str, Any]:
    number = (seq - 1) % len(seats)
    made: dict[str, Any] = {
        "ask": ask(f"{(seq - 1) // len(seats) + 1}.{number}", seats[number], phase, round_),
        "model": "script:talk", "tokens_in": 900 + seq % 70, "tokens_out": 120, "cost": 40, "elapsed": 1200,
        "attempts": 1 + seq % 3, "detail": "",
    }  # fmt: skip
    if seq % 23 == 5:
        return {**made, "kind": "absent", "absent": ABSENCES[seq // 23 % 5], "detail": f"the provider said no: {text}"}
    fields = [
        ["stance", "choice", "FOR" if seq % 4 else "AGAINST"],
        ["confidence", "number", 40 + (seq * 7) % 60],
        ["solution", "prose", shown],
        ["tradeoffs", "list", [["item", "prose", shown[:1]], ["item", "prose", shown[-1:]]]],
    ]
    return {**made, "kind": "replied", "said": fields}


def move(seq: int, round_: int, phase: str, outcome: str, to: str, text: str) -> dict[str, Any]:
    return {
        "phase_entry": seq, "round": round_, "phase": phase, "heard": [], "cause": "decided",
        "because": [
            {"rule": "D3", "claim": f"absent 0 == 0 {text[:300]}", "outcome": outcome, "held": True, "reached": True},
            {"rule": "D4", "claim": "too many are absent", "outcome": "FAILED", "held": False, "reached": True},
        ],
        "outcome": outcome, "to": to, "detail": "",
        "not_taken": [{"outcome": "FAILED", "to": "FAILURE", "why": "enough agents are left"}],
        "facts": [{"name": "heard", "values": {"agents": 5}}],
    }  # fmt: skip


def concluded() -> dict[str, Any]:
    ends = {"verdict": "SOLUTION", "phase": "CONCLUDED", "degradation": "within settings", "interrupted": None}
    return {**ends, "exit_code": 0}


def after_of(seq: int, seats: tuple[str, ...], phase: str, round_: int, open_: list[str]) -> dict[str, Any]:
    votes = seq % (len(seats) + 1)
    gauge = {
        "name": "ballot", "words": f"4 of {len(seats)} needed, {votes} so far", "of": len(seats),
        "parts": [["for", votes], ["open", len(seats) - votes]], "needed": 4, "missing": max(0, 4 - votes),
    }  # fmt: skip
    spent = {"episodes": seq, "idle": seq % 4, "tokens_in": seq * 900, "tokens_out": seq * 120, "cost": seq * 40}
    return {"phase": phase, "round": round_, "open": open_, "waiting": [], **spent, "gauges": [gauge]}


@functools.cache
def protocol() -> dict[str, Any]:
    return describe_protocol("debate")


def data(events: list[dict[str, Any]], **more: Any) -> Mapping[str, Any]:
    """Return what a single file carries of these events."""
    opening, last = events[0]["opening"], events[-1]
    end = last["conclusion"] or {}
    summary = {
        "session": opening["session"], "protocol": opening["protocol"], "title": opening["title"],
        "phase": last["after"]["phase"], "round": last["after"]["round"], "verdict": end.get("verdict"),
        "exit_code": end.get("exit_code"), "degradation": end.get("degradation"), "ruling": None, "waiting": [],
        "running": False, "failure": None, "last": last["seq"], "budget": {"tokens": 20_000_000}, "rulings": [],
    }  # fmt: skip
    return {"about": {"name": "Quorate"}, "summary": summary, "events": events, "protocol": protocol(), **more}


def page(events: list[dict[str, Any]], **more: Any) -> str:
    """Return the page of these events as one file."""
    return single(data(events, **more), "", title="a talk")
