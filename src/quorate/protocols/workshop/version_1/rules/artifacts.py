"""The artifacts of a workshop with their texts and history, for documents, exports and views (W12-W19).

States, ids and agreement are read off the facts and states of the session's moves; words are taken from the replies.
Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from quorate.core.forms import Key, Prose
from quorate.core.record import Record
from quorate.core.session import Cause
from quorate.core.types import Seat
from quorate.protocols.workshop.version_1.rules.agreement import blocks
from quorate.protocols.workshop.version_1.rules.amendments import amend, revert
from quorate.protocols.workshop.version_1.rules.forms import Response, Ruling, RulingChoice, Votes
from quorate.protocols.workshop.version_1.rules.history import Happened, happened, state_of, topic_named
from quorate.protocols.workshop.version_1.rules.items import KINDS, Made
from quorate.protocols.workshop.version_1.rules.model import PERSON, Phase
from quorate.protocols.workshop.version_1.rules.plan import plan_in
from quorate.protocols.workshop.version_1.rules.strategies import DISNEY
from quorate.protocols.workshop.version_1.rules.synthesis import Becomes, Change, made
from quorate.protocols.workshop.version_1.rules.taxonomy import ArtifactType

Data = dict[str, Any]
_COMMON = {each.name for each in fields(Made)}
_AS_FIELDS = {"parties", "new_risk"}
"""Fields of the form that stand for something else."""
_OWN = {
    form: tuple(each.name for each in fields(form) if each.name not in _COMMON | _AS_FIELDS) for form in KINDS.values()
}
"""What each type of artifact has beside what all have."""


def artifacts(record: Record) -> list[Data]:
    """Return every artifact ever made, in order of creation, as plain data."""
    ledger = _Ledger(record)
    for each in happened(record):
        ledger.take(each)
    return ledger.finished()


def plain(value: Any) -> Any:
    """Return a part of a form as plain data."""
    if isinstance(value, Prose):
        return value.text
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if isinstance(value, Key):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    return value


class _Ledger:
    def __init__(self, record: Record) -> None:
        self.record = record
        self.plan = plan_in(record)
        self.seat_at = {self.plan.position(seat): seat for seat in self.plan.participants}
        self.by_id: dict[str, Data] = {}
        self.advice = ""
        """What the facilitator has recommended last."""
        self.spoken: Mapping[Seat, Response | Votes] = {}
        """Who has answered in the round under way."""

    def take(self, each: Happened) -> None:
        if each.move.cause is Cause.INTERRUPTED:  # what was said in a phase that was cut short made nothing
            return
        match each.move.phase:
            case Phase.RESPONSES:
                self.spoken = each.positions
                self._by_code(each)
            case Phase.SYNTHESIS:
                self._synthesised(each)
            case Phase.ESCALATION:
                self._ruled(each)
            case _:
                return

    def finished(self) -> list[Data]:
        """Return the artifacts with their current states, as kept by code."""
        for artifact in state_of(self.record).artifacts:
            data = self.by_id[artifact.id]
            data["status"] = artifact.status.value
            data["agreement"] = artifact.agreement.value
            data["topic_id"] = topic_named(self.record, artifact.topic)["id"]
            data["about"] = str(artifact.about or "")
        return list(self.by_id.values())

    # New ones

    def _issue(self, key: str, kind: str, round_: int, title: str, shown: Data) -> Data:
        self.by_id[key] = data = {
            "id": key,
            "type": kind,
            "title": title,
            "status": "",
            "agreement": "",
            "created_round": round_,
            "topic_id": "",
            "about": "",
            "proposed_by": "",
            "supported_by": [],
            "opposed_by": [],
            "contested_by": [],
            "fields": shown,
            "amendments": [],
            "superseded_by": "",
            "supersedes": [],
            "withdrawn_because": "",
            "resolution": "",
            "resolution_method": "",
            "resolved_round": None,
        }
        return data

    def _by_code(self, each: Happened) -> None:
        """Conflicts that participants have raised: contested artifacts and blocked drafts (W11, W31)."""
        for fact in each.facts("contested", "blocked"):
            key = fact["id"]
            if fact["fact"] == "contested":
                raised = [seat for seat, reply in self.spoken.items() if _contests(reply, key)]
                self.by_id[key]["contested_by"] += [
                    str(s) for s in raised if str(s) not in self.by_id[key]["contested_by"]
                ]
                self.by_id[key]["supported_by"] = [
                    seat for seat in self.by_id[key]["supported_by"] if seat not in self.by_id[key]["contested_by"]
                ]
                title = f"{key} is contested"
            else:
                raised = [seat for seat, reply in self.spoken.items() if _blocks(reply, key)]
                title = f"{key} is blocked"
            shown = {"description": f"{title}: {self.by_id[key]['title']}", "positions": self._positions(raised, key)}
            data = self._issue(fact["conflict"], ArtifactType.CONF.name, each.round, title, shown)
            data["proposed_by"] = str(raised[0]) if raised else ""
            data["supported_by"] = [str(seat) for seat in raised]

    def _positions(self, seats: Iterable[Seat], about: str = "") -> list[Data]:
        """What the parties to a conflict say, in their own words (W12)."""
        found: list[Data] = []
        for seat in seats:
            reply = self.spoken[seat]
            stance = reply.position.text
            if isinstance(reply, Votes) and (vote := reply.votes.get(Key(about))) is not None:
                reasons = [vote.reason.text, f"Least change: {vote.minimum_change.text}"]
            else:
                reasons = [each.text for each in reply.rationale] if isinstance(reply, Response) else []
            found.append({"participant": str(seat), "stance": stance, "rationale": "\n".join(reasons)})
        return found

    def _synthesised(self, each: Happened) -> None:
        synthesis = each.synthesis
        if synthesis is None:
            return
        if synthesis.advises:
            self.advice = synthesis.recommendation.text
        facts = list(
            each.facts("issued", "superseded", "refused", "amended", "reverted", "withdrawn", "resolved", "endorsed")
        )
        issued_risks: list[str] = []
        for kind, item in made(synthesis):
            fact = facts.pop(0)
            if fact["fact"] == "issued":
                data = self._issue(fact["id"], kind.name, each.round, item.title.text, self._fields(item, issued_risks))
                if kind is ArtifactType.IDEA:
                    data["fields"]["disney_phase"] = self._disney_phase(each)
                self._named(data, item)
                if kind is ArtifactType.RISK:
                    issued_risks.append(fact["id"])
                for _ in item.supersedes:
                    self._superseded(facts.pop(0), data)
        for change in synthesis.changes:
            fact = facts.pop(0)
            if fact["fact"] != "refused":
                self._changed(change, each.round)

    def _disney_phase(self, each: Happened) -> str:
        stage = self.plan.strategy.scenes[each.move.before.scene].stage
        return stage.value if stage in DISNEY.stages else ""

    def _fields(self, item: Made, issued_risks: list[str]) -> Data:
        shown = {name: plain(getattr(item, name)) for name in _OWN[type(item)]}
        if (parties := getattr(item, "parties", None)) is not None:
            shown["positions"] = self._positions(self._seats(parties))
        if (place := getattr(item, "new_risk", None)) is not None:
            named = shown.pop("risk")
            shown["risk"] = named[0] if named else issued_risks[place - 1] if 0 < place <= len(issued_risks) else ""
        return shown

    def _named(self, data: Data, said: Made | Change) -> None:
        data["proposed_by"] = next((str(seat) for seat in self._seats(said.proposed_by)), "")
        against = [str(seat) for seat in self._seats(said.opposed_by)]
        data["supported_by"] = [str(seat) for seat in self._seats(said.supported_by) if str(seat) not in against]
        if "opposed_by" in data:
            data["opposed_by"] = against

    def _seats(self, positions: Iterable[Key]) -> list[Seat]:
        """Whose positions these are, as far as they have answered (W12)."""
        named = {self.seat_at.get(key) for key in positions}
        return [seat for seat in self.spoken if seat in named]

    def _superseded(self, fact: Data, by: Data) -> None:
        if fact["fact"] == "superseded":
            self.by_id[fact["id"]]["superseded_by"] = by["id"]
            by["supersedes"].append(fact["id"])

    # What becomes of them

    def _changed(self, change: Change, round_: int) -> None:
        data = self.by_id[change.artifact]
        match change.becomes:
            case Becomes.AMEND:
                entry: Data = {"round": round_, "summary": change.summary.text}
                self._named(entry, change)
                amend(data, entry, change.edits)
            case Becomes.REVERT:
                revert(data)
            case Becomes.WITHDRAW:
                data["withdrawn_because"] = change.summary.text
            case Becomes.RESOLVE:
                _resolved(data, change.summary.text, change.method.value, round_)
            case Becomes.ENDORSE:
                more = [str(seat) for seat in self._seats(change.supported_by)]
                data["supported_by"] += [seat for seat in more if seat not in data["supported_by"]]

    def _ruled(self, each: Happened) -> None:
        for fact in each.facts("ruling"):
            ruling = next((said.reply for said in each.said if isinstance(said.reply, Ruling)), None)
            if ruling is None or fact["choice"] == RulingChoice.GO_ON.value:
                continue
            text = ruling.decision.text if fact["choice"] == RulingChoice.DECIDE.value else self.advice
            for key in filter(None, fact["conflicts"].split(", ")):
                _resolved(self.by_id[key], text, PERSON, each.round)


def _resolved(data: Data, text: str, method: str, round_: int) -> None:
    data["resolution"], data["resolution_method"], data["resolved_round"] = text, str(method), round_


def _contests(reply: Response | Votes, key: str) -> bool:
    return isinstance(reply, Response) and Key(key) in reply.contested


def _blocks(reply: Response | Votes, key: str) -> bool:
    vote = reply.votes.get(Key(key)) if isinstance(reply, Votes) else None
    return vote is not None and blocks(vote)
