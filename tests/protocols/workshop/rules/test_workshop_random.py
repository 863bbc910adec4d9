"""Random larger workshops: four participants, real agendas, several artifacts a synthesis, detours and absences."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.core.types import Ask, Reason
from quorate.protocols.workshop.rules.strategies import BY_NAME
from quorate.protocols.workshop.rules.workflows import ROSTERS, WORKFLOWS, agenda
from tests.support.workshops import Meeting, ballot, broken

MOST_ROUNDS = 8
LISTS = {
    "specs": ("requirements", "business_rules", "qualities", "exclusions"),
    "design": ("decisions", "components", "interfaces"),
    "brainstorm": ("ideas", "risks", "mitigations"),
}
MOVES = ("amend", "revert", "withdraw", "resolve", "resolve", "endorse")


class Player:
    """Answers whatever is asked, as chance wills."""

    def __init__(self, data: st.DataObject, workflow: str) -> None:
        self.data, self.workflow = data, workflow

    def often(self, share: int = 8) -> bool:
        return self.data.draw(st.integers(0, 9)) < share

    def some(self, keys: list[str], most: int) -> list[str]:
        return self.data.draw(st.lists(st.sampled_from(keys), max_size=most, unique=True)) if keys else []

    def answer(self, meeting: Meeting, ask: Ask) -> dict[str, Any] | str:
        if not self.often(9):
            return "absent"
        match ask.brief:
            case "respond":
                known = [str(key) for key in ask.keys]
                contested = self.some(known, 2) if not self.often() else []
                return {"confidence": self.data.draw(st.sampled_from([0, 30, 49, 50, 80, 100])), "contested": contested}
            case "vote":
                stances = st.sampled_from(["SUPPORT", "SUPPORT", "STAND_ASIDE", "BLOCK", "BARE"])
                cast = {key: ballot(self.data.draw(stances)) for key in ask.keys if self.often(9)}
                return {"votes": cast, "confidence": 80}
            case "synthesise":
                return self.synthesis(ask)
            case "read":
                return {"critical": self.some([str(key) for key in ask.keys], 4)}
            case "escalate":
                return {
                    "choice": self.data.draw(st.sampled_from(["accept", "decide", "go_on"])),
                    "decision": "So be it.",
                }
            case "pause":
                return {"choice": self.data.draw(st.sampled_from(["go_on", "go_on", "escalate"])), "remark": ""}
            case _:
                return {"focus": self.data.draw(st.sampled_from(list(ask.keys)))}

    def synthesis(self, ask: Ask) -> dict[str, Any]:
        keys = [str(key) for key in ask.keys]
        positions = [key for key in keys if key[0] == "P"]
        known = [key for key in keys if "-" in key]
        said: dict[str, Any] = {"covered": [key for key in keys if key[0] == "K" and "-" not in key and self.often(5)]}
        for name in LISTS[self.workflow]:
            said[name] = [self.item(positions, known) for _ in range(self.data.draw(st.integers(0, 2)))]
        said["questions"] = [{"blocking": True}] if not self.often(9) else []
        said["conflicts"] = [{"parties": positions}] if not self.often(9) else []
        said["changes"] = [self.change(key, positions) for key in self.some(known, 3)]
        return said

    def item(self, positions: list[str], known: list[str]) -> dict[str, Any]:
        return {
            "supported_by": positions if self.often(6) else self.some(positions, 4),
            "opposed_by": [] if self.often() else self.some(positions, 2),
            "supersedes": [] if self.often() else self.some(known, 1),
            "agreement": self.data.draw(st.sampled_from(["consensus", "draft"])),
        }

    def change(self, key: str, positions: list[str]) -> dict[str, Any]:
        return {
            "artifact": key,
            "becomes": self.data.draw(st.sampled_from(MOVES)),
            "edits": [{"field": "title", "text": "New", "kind": "changed"}],
            "supported_by": positions if self.often(6) else self.some(positions, 4),
            "method": self.data.draw(st.sampled_from(["consensus", "majority", "facilitator_decision"])),
        }


@settings(max_examples=40, deadline=None)
@given(data=st.data(), workflow=st.sampled_from(WORKFLOWS), strategy=st.sampled_from(sorted(BY_NAME)))
def test_every_promise_holds_at_every_move_and_it_ends(data: st.DataObject, workflow: str, strategy: str) -> None:
    """W34, and all the others"""
    meeting = Meeting(
        agenda(workflow),
        workflow=workflow,
        strategy=strategy,
        participants=list(ROSTERS[workflow]),
        min_rounds=2,
        max_rounds=MOST_ROUNDS,
        max_rounds_per_conflict=2,
        interactive=data.draw(st.booleans()),
    )
    player = Player(data, workflow)
    meeting.reach("question")
    while meeting.open:
        if not player.often(9):
            meeting.interrupt(Reason.ESCALATION)
        ask = meeting.open[0]
        meeting.reply(ask.seat, player.answer(meeting, ask))
    assert meeting.state.round <= MOST_ROUNDS
    assert broken(meeting) == []
    data_ = meeting.result
    assert len(data_["artifacts"]) == len(meeting.state.artifacts)
    assert len(data_["rounds"]) == meeting.state.round
