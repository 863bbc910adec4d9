"""The artifacts of a workshop with their texts and history, for documents, exports and views (W12-W19).

States, ids and agreement are read off the facts and states of the session's moves; words are taken from the replies.
Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from quorate.core.forms import Key
from quorate.core.record import Record
from quorate.core.session import Cause
from quorate.core.types import Seat
from quorate.protocols.workshop.rules.agreement import blocks
from quorate.protocols.workshop.rules.amendments import amend, revert
from quorate.protocols.workshop.rules.forms import Response, Ruling, RulingChoice, Votes
from quorate.protocols.workshop.rules.history import Happened, entry_facts, happened, plain, state_of, topic_named
from quorate.protocols.workshop.rules.items import KINDS, Made
from quorate.protocols.workshop.rules.model import FACILITATOR, PERSON, Phase
from quorate.protocols.workshop.rules.plan import plan_in
from quorate.protocols.workshop.rules.strategies import DISNEY
from quorate.protocols.workshop.rules.synthesis import Becomes, Change, Synthesis, made
from quorate.protocols.workshop.rules.taxonomy import ArtifactType

Data = dict[str, Any]
_COMMON = {each.name for each in fields(Made)}
_AS_FIELDS = {"parties", "new_risk", "about"}
"""Fields of the form that stand for something else."""
_REFERRING = {"builds_on", "affected_ideas", "risk"}
"""Fields that name other artifacts, those of the same synthesis included (W15)."""
_DONE = ("issued", "superseded", "refused", "amended", "reverted", "withdrawn", "resolved", "endorsed")
_SAID = ("decision", "reason")
"""The words of a ruling."""
_UNRESOLVED: Mapping[str, Any] = {"resolution": "", "resolution_method": "", "resolved_round": None}
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


class _Ledger:
    def __init__(self, record: Record) -> None:
        self.record = record
        self.plan = plan_in(record)
        self.seat_at = {self.plan.position(seat): seat for seat in self.plan.participants}
        self.by_id: dict[str, Data] = {}
        self.names: Mapping[str, str] = {}
        """What the ids mean that the synthesis under way names."""
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
                self._applied(each)
                self._by_code(each)
            case Phase.SYNTHESIS:
                self._synthesised(each)
            case Phase.ESCALATION | Phase.PAUSE:
                self._applied(each)
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
            data["about"] = list(map(str, artifact.about))
            data |= self._note(data["proposed_by"])
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
            "about": [],
            "proposed_by": "",
            "supported_by": [],
            "opposed_by": [],
            "contested_by": [],
            "fields": shown,
            "amendments": [],
            "superseded_by": "",
            "supersedes": [],
            "withdrawn_because": "",
            **_UNRESOLVED,
        }
        return data

    def _by_code(self, each: Happened) -> None:
        """Conflicts that participants have raised: contested artifacts and blocked drafts (W11, W31, W40)."""
        counted = {seat: reply for seat, reply in self.spoken.items() if self.plan.counts(seat)}
        for fact in each.facts("contested", "blocked"):
            key = fact["id"]
            if fact["fact"] == "contested":
                raised = [seat for seat, reply in counted.items() if _contests(reply, key)]
                self.by_id[key]["contested_by"] += [
                    str(s) for s in raised if str(s) not in self.by_id[key]["contested_by"]
                ]
                self.by_id[key]["supported_by"] = [
                    seat for seat in self.by_id[key]["supported_by"] if seat not in self.by_id[key]["contested_by"]
                ]
                title = f"{key} is contested"
            else:
                raised = [seat for seat, reply in counted.items() if _blocks(reply, key)]
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
            told = {"participant": str(seat), "stance": stance, "rationale": "\n".join(reasons)}
            found.append(told | self._note(seat))
        return found

    def _synthesised(self, each: Happened) -> None:
        synthesis = each.synthesis
        if synthesis is None:
            return
        if synthesis.advises:
            self.advice = synthesis.recommendation.text
        facts = list(each.facts(*_DONE))
        issued_risks: list[str] = []
        self.names = _names(self.by_id, synthesis, entry_facts(each))
        for kind, item in made(synthesis):
            fact = facts.pop(0)
            if fact["fact"] == "issued":
                has = self._fields(fact["id"], item, issued_risks)
                data = self._issue(fact["id"], kind.name, each.round, item.title.text, has)
                if kind is ArtifactType.IDEA:
                    data["fields"]["disney_phase"] = self._disney_phase(each)
                self._named(data, item)
                if kind is ArtifactType.RISK:
                    issued_risks.append(fact["id"])
                while facts and facts[0].get("move") == "dispute":
                    facts.pop(0)
                for _ in item.supersedes:
                    self._superseded(facts.pop(0), data)
        for change in synthesis.changes:
            fact = facts.pop(0)
            if fact["fact"] != "refused":
                self._changed(change, each.round)
        for fact in each.facts("waits anew"):
            data = self.by_id[fact["id"]]
            data |= {"fields": data["fields"] | {"applied": False}, **_UNRESOLVED}

    def _disney_phase(self, each: Happened) -> str:
        stage = self.plan.strategy.scenes[each.move.before.scene].stage
        return stage.value if stage in DISNEY.stages else ""

    def _fields(self, own: str, item: Made, issued_risks: list[str]) -> Data:
        """Return what an artifact has beside what all have; it does not refer to itself."""
        shown = {name: plain(getattr(item, name)) for name in _OWN[type(item)]}
        for name in _REFERRING & shown.keys():
            shown[name] = [self.names[key] for key in shown[name] if self.names.get(key, own) != own]
        if (parties := getattr(item, "parties", None)) is not None:
            shown["positions"] = self._positions(self._seats(parties))
        if (place := getattr(item, "new_risk", None)) is not None:
            named = shown.pop("risk")
            shown["risk"] = named[0] if named else issued_risks[place - 1] if 0 < place <= len(issued_risks) else ""
        return shown

    def _named(self, data: Data, said: Made | Change) -> None:
        data["proposed_by"] = next((str(seat) for seat in self._seats(said.proposed_by)), "")
        against = self._behind(said.opposed_by)
        data["supported_by"] = [seat for seat in self._behind(said.supported_by) if seat not in against]
        if "opposed_by" in data:
            data["opposed_by"] = against

    def _seats(self, positions: Iterable[Key]) -> list[Seat]:
        """Whose positions these are, as far as they have answered (W12)."""
        named = {self.seat_at.get(key) for key in positions}
        return [seat for seat in self.spoken if seat in named]

    def _note(self, seat: str) -> Data:
        """Mark what is a note, by whom it is from (W40)."""
        return {} if self.plan.counts(Seat(seat)) else {"note": True}

    def _behind(self, positions: Iterable[Key]) -> list[str]:
        """Return who supports or opposes something, of those whose word counts (W40, W41)."""
        counts = self.plan.counts
        return [str(seat) for seat in self._seats(positions) if counts(FACILITATOR) and counts(seat)]

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
                more = self._behind(change.supported_by)
                data["supported_by"] += [seat for seat in more if seat not in data["supported_by"]]

    def _ruled(self, each: Happened) -> None:
        """Take a person's ruling: its words are an artifact for each conflict that it resolves (W24)."""
        ruling = next((said.reply for said in each.said if isinstance(said.reply, Ruling)), None)
        choice = next((fact["choice"] for fact in each.facts("ruling")), RulingChoice.GO_ON.value)
        if ruling is None or choice not in (RulingChoice.ACCEPT.value, RulingChoice.DECIDE.value):
            return
        text = ruling.decision.text if choice == RulingChoice.DECIDE.value else self.advice
        before = {
            key: dict(data["fields"]) for key, data in self.by_id.items() if data["type"] == ArtifactType.RUL.name
        }
        for fact in each.facts("ruled"):
            conflict = self.by_id.get(fact["conflict"])
            if conflict is not None:
                _resolved(conflict, text, PERSON, each.round)
            title = conflict["title"] if conflict is not None else "what was put to a person"
            shown: Data = {"decision": text, "reason": ruling.reason.text, "applied": False}
            known = self.by_id.get(fact["id"])
            if known is not None:  # ruled again in its round: the later words stand after the earlier ones
                earlier = before.get(fact["id"], {})
                known |= {"fields": shown | {n: _after(earlier.get(n, ""), shown[n]) for n in _SAID}, **_UNRESOLVED}
                continue
            data = self._issue(fact["id"], ArtifactType.RUL.name, each.round, f"Ruling: {title}", shown)
            data["proposed_by"] = str(PERSON)

    def _applied(self, each: Happened) -> None:
        for fact in each.facts("applied"):
            data = self.by_id[fact["id"]]
            data["fields"] |= {"applied": True}
            _resolved(data, f"applied, says {fact['by']}", fact["by"], each.round)


def _names(known: Iterable[str], synthesis: Synthesis, entries: Iterable[Data]) -> Mapping[str, str]:
    """Return by the ids that a synthesis names what they mean: what was there, and what was made of its entries."""
    names = {key: key for key in known}
    for (kind, _), fact in zip(made(synthesis), entries, strict=False):
        number = sum(each.startswith(f"{kind.name}-") for each in names) + 1
        names[f"{kind.name}-{number:03}"] = fact["id"] if fact["fact"] == "issued" else ""
    return {key: own for key, own in names.items() if own}


def _after(earlier: str, later: str) -> str:
    """Return the later words of a ruling after its earlier ones (W24)."""
    return "\n\n".join(dict.fromkeys(filter(str.strip, (earlier, later))))


def _resolved(data: Data, text: str, method: str, round_: int) -> None:
    data["resolution"], data["resolution_method"], data["resolved_round"] = text, str(method), round_


def _contests(reply: Response | Votes, key: str) -> bool:
    return isinstance(reply, Response) and Key(key) in reply.contested


def _blocks(reply: Response | Votes, key: str) -> bool:
    vote = reply.votes.get(Key(key)) if isinstance(reply, Votes) else None
    return vote is not None and blocks(vote)
