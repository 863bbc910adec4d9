"""Councils at hand: the real protocol, driven step by step with short texts, and what its journal would hold.

    Sitting().gates("SCOPE_GAP R01").review({"SA-1": ["INCOMPLETE_PLAN T2 steps"]}).respond("CONFIRM fix").finish()

Every step first answers quietly whatever is asked before it (no findings, all lenses bound, twins matched, every
finding confirmed without a proposal, every vote SUPPORT), so that a test names only what it is about. `finish`
answers quietly to the end. A finding is `SUBCATEGORY` and then, in any order and each only if it matters, a place
(`T1`), a field (`steps`), a severity (`MINOR`) and a lens (`L4`). By seat `absent` is an absence; who is not named
is quiet.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from quorate import catalog
from quorate.codec import digest_text, encode_entry, encode_opening, protocol_digest
from quorate.codec.chain import GENESIS, Entry, chain
from quorate.core.protocol import Protocol
from quorate.core.record import Envelope, Opening, Record
from quorate.core.types import Absent, AbsentReason, Ask, Event, Interrupted, Reason, Replied, Ruled
from quorate.core.view import View
from quorate.kit.settings import plain, read_settings
from quorate.protocols.council import DEFINITION, build
from quorate.protocols.council.rules.excerpts import described
from quorate.protocols.council.rules.forms import Applied
from quorate.protocols.council.rules.model import CouncilSettings, Finding, State
from quorate.protocols.council.rules.taxonomy import BY_CODE, NINE, SEVEN, Gate
from quorate.protocols.council.world.gates.twins import Text, twins
from tests.support.council_words import (
    DIFF,
    FIX,
    NO_FIX,
    QUOTED,
    Values,
    answer,
    artifact,
    ballot,
    gate_runs,
    judgement,
    proven,
    raised,
    rfc,
    spread,
    told,
    use,
)
from tests.support.filling import fill
from tests.support.under_way import UnderWay

SESSION = "council-20260101-120000-abcd"
BEGAN = 1_767_268_800_000
"""2026-01-01 12:00:00 UTC; every event is a second later than the one before."""
SEATS = ("SA-1", "SA-2", "SA-3")


@cache
def briefs() -> dict[str, str]:
    """The council's prompt files by name."""
    return catalog.briefs(DEFINITION)


def council(seed: int = 7, **settings: Any) -> Protocol[State]:
    """Build a council from plain settings."""
    return build(read_settings(CouncilSettings, settings), briefs(), seed)


class Sitting(UnderWay):
    """A council under way. Every step takes plain values and returns the sitting; `record` is what it came to."""

    narrow: tuple[str, ...] = ()
    """The seats whose own window cuts the RFC from now on."""

    def __init__(self, *, seed: int = 7, about: Values | None = None, **settings: Any) -> None:
        self.protocol = council(seed, **settings)
        self.material = {"rfc": json.dumps(about if about is not None else rfc()), "gates": "{}"}
        self.opening = Opening(
            protocol="council",
            version=self.protocol.version,
            digest=protocol_digest(self.protocol),
            title="RFC-0042 Readers go on where they stopped",
            seed=seed,
            settings=plain(read_settings(CouncilSettings, settings)),
            panel={str(seat): f"test:{seat}" for seat in self.protocol.seats},
            material={name: digest_text(text) for name, text in self.material.items()},
            session=SESSION,
        )
        body = encode_opening(self.opening, Envelope(at=BEGAN))
        self.entries = [Entry(0, body, chain(GENESIS, body))]
        self.record = Record(self.protocol, self.opening, self.material)
        self.spent = {"tokens_in": 900, "tokens_out": 100}
        """What every reply of a seat costs from now on."""

    # Steps

    def gates(
        self,
        *findings: str | Values,
        runs: Mapping[str, tuple[str, str]] | None = None,
        unread: Sequence[str] = (),
        **more: Any,
    ) -> Sitting:
        """Let the gates report these findings; `runs` overrides status and reason by gate, `more` the receipt.

        The gates named in `unread` say that they could read nothing.
        """
        found = [proven(each) for each in findings]
        tickets = len(json.loads(self.material["rfc"])["tickets"])
        ran = gate_runs(found, self._nine, **(runs or {}))
        ran = [{**run, "read": 0 if Gate(run["gate"]).name in unread else run["read"]} for run in ran]
        report = {"receipt": json.dumps(told(**more)), "gates": ran}
        return self._step("examine", {"gates": {**report, "findings": found, "tickets": tickets}})

    def review(
        self, findings: Mapping[str, Any] | None = None, *, bound: bool = True, parents: Sequence[int] = ()
    ) -> Sitting:
        """Let every seat make its artifact and raise findings, by seat; `bound=False` leaves the drawn lenses.

        `parents` are those of the claims of SA-3.
        """
        given = self._by_seat(findings).items()
        said = {seat: own if own == "absent" else artifact(seat, own, bound, parents) for seat, own in given}
        return self._step("score mock-run assure", said)

    def match(self, *pairs: tuple[str, str]) -> Sitting:
        """Let the matcher name pairs of (kept, merged)."""
        return self._step("match", {"matcher": {"pairs": [{"kept": kept, "merged": gone} for kept, gone in pairs]}})

    def assess(
        self,
        findings: Mapping[str, Any] | None = None,
        *,
        low: Sequence[str] = (),
        failed: Mapping[str, Sequence[str]] | None = None,
        abstain: Sequence[str] = (),
    ) -> Sitting:
        """Let every seat assess the gates and raise findings; `low` are unsure, `failed` names gates by seat.

        Who is to `abstain` judges no gate.
        """
        said: dict[str, Any] = {}
        for seat, given in self._by_seat(findings).items():
            if given == "absent":
                said[seat] = given
                continue
            gates = () if seat in abstain else self._judged
            judged = [judgement(gate, gate.name in (failed or {}).get(seat, ())) for gate in gates]
            level = "LOW" if seat in low else "HIGH"
            said[seat] = {"gates": judged, "findings": [raised(each) for each in given], "confidence": level}
        return self._step("assess", said)

    def respond(self, answers: str | Mapping[str, Any] = "CONFIRM") -> Sitting:
        """Let every seat answer: one text for all, by seat, or by seat and finding (`*` for the others).

        A text is `CONFIRM`, `DISPUTE`, `SEVERITY MINOR` or `ABSTAIN`, `fix` where a remediation goes with it, and at
        its end `same F1` with the findings that are the same; a finding that is not named has no answer.
        """
        return self._keyed("respond", "answers", answers, "CONFIRM", answer)

    def cover(self, *unshown: str, refused: int = 0) -> Sitting:
        """Let code say that nobody was shown these, and how many findings of seats were refused."""
        return self._step("cover", {"gates": {"unshown": list(unshown), "refused": refused}})

    def bind(self, *lenses: str) -> Sitting:
        """Let every seat that is asked bind these lenses, all that it lacks by default."""
        self.reach("bind")
        for ask in self._open("bind"):
            self._reply(ask, {"uses": [use(lens) for lens in lenses]} if lenses else self._quiet(ask))
        return self

    def remediate(self, proposals: str | Mapping[str, Any] = "fix") -> Sitting:
        """Make the final attempt: `fix` or `none`, for all, by seat, or by seat and finding."""
        return self._keyed("remediate", "proposals", proposals, "none", lambda text: FIX if "fix" in text else NO_FIX)

    def vote(self, votes: str | Mapping[str, Any] = "SUPPORT") -> Sitting:
        """Vote: `SUPPORT`, `OPPOSE`, `ABSTAIN` or `REFUTE` (oppose with a quotation), for all, by seat, or by item.

        By item `*` stands for the others; an item that is not named gets no vote. Stops where the vote is settled.
        """
        return self._keyed("vote", "votes", votes, "SUPPORT", ballot)

    def patch(self, *findings: str) -> Sitting:
        """Let every seat that is asked edit T1 for these of its findings, for all of them by default."""
        self.reach("patch")
        for ask in self._open("patch"):
            keys = [key for key in ask.keys if key.startswith("F") and (key in findings or not findings)]
            edits = [{"finding": key, "place": "T1", "find": QUOTED, "replacement": "Store it."} for key in keys]
            self._reply(ask, {"edits": edits})
        return self

    def apply(self, results: str | Mapping[str, str] = "APPLIED", diff: str = DIFF) -> Sitting:
        """Let the gates say what became of the edits, by the names of the results."""
        self.reach("apply")
        (ask,) = self._open("apply")
        given = dict.fromkeys(ask.keys, results) if isinstance(results, str) else results
        self._reply(ask, {"diff": diff, "results": {key: Applied[each] for key, each in given.items()}})
        return self

    def absent(self, seat: str, reason: AbsentReason = AbsentReason.TIMED_OUT) -> Sitting:
        """Let a seat be absent when it is asked next."""
        while not any(ask.seat == seat for ask in self.open):
            assert self.open, f"{seat} is not asked any more: {self.outcomes}"
            self._reply(self.open[0], self._quiet(self.open[0]))
        self._reply(self.ask(seat), Absent(reason))
        return self

    def interrupt(self, reason: Reason, why: str = "") -> Sitting:
        self.take(Interrupted(reason), detail=why)
        return self

    def rule(self, verdict: str, by: str = "Ann", reason: str = "The risk is known.") -> Sitting:
        self.take(Ruled(verdict, by, reason), model="person")
        return self

    def finish(self) -> Sitting:
        """Answer quietly to the end."""
        while self.open:
            self.take_quietly()
        return self

    def take_quietly(self) -> None:
        """Answer quietly whatever is asked first."""
        self._reply(self.open[0], self._quiet(self.open[0]))

    # What comes out

    @property
    def state(self) -> State:
        state: State = self.record.session.state
        return state

    @property
    def head(self) -> str:
        return self.entries[-1].hash

    def finding(self, key: str) -> Finding:
        return next(each for each in self.state.findings if each.key == key)

    def facts(self, name: str) -> list[dict[str, Any]]:
        return [dict(fact.values) for move in self.moves for fact in move.facts if fact.name == name]

    def asked(self) -> list[str]:
        """Who is asked now, as `seat brief`."""
        return [f"{ask.seat} {ask.brief}" for ask in self.open]

    def ask(self, seat: str) -> Ask:
        return next(ask for ask in self.open if ask.seat == seat)

    def view(self, seat: str) -> View:
        return self.protocol.view(self.record, self.ask(seat))

    # How replies are made

    def take(self, event: Event, **envelope: Any) -> None:
        seq = len(self.entries)
        stamped = Envelope(seq=seq, at=BEGAN + 1000 * seq, **envelope)
        self.record.take(event, stamped)
        body = encode_entry(event, stamped)
        self.entries.append(Entry(seq, body, chain(self.entries[-1].hash, body)))

    def reply(self, seat: str, values: Values | None = None) -> Sitting:
        """Let a seat answer what it is asked with plain values of the form; what is not said is filled in."""
        self._reply(self.ask(seat), values or {})
        return self

    def _reply(self, ask: Ask, values: Values | Absent) -> None:
        said = (
            values
            if isinstance(values, Absent)
            else self.record.marked(ask, fill(ask, values), whole=ask.seat not in self.narrow)
        )
        spent = self.spent if ask.seat in SEATS else {}
        self.take(Replied(ask.id, said), model=f"test:{ask.seat}", **spent)

    def _open(self, briefs: str) -> list[Ask]:
        return [ask for ask in self.open if ask.brief in briefs.split()]

    def reach(self, briefs: str) -> Sitting:
        """Answer quietly until one of these briefs is asked."""
        while not self._open(briefs):
            assert self.open, f"{briefs} is not asked any more: {self.outcomes}"
            self._reply(self.open[0], self._quiet(self.open[0]))
        return self

    def _step(self, briefs: str, said: Mapping[str, Any]) -> Sitting:
        self.reach(briefs)
        for ask in self._open(briefs):
            if ask not in self.open:
                break  # the step was settled without it
            given = said.get(ask.seat, self._quiet(ask))
            self._reply(ask, Absent(AbsentReason.TIMED_OUT) if given == "absent" else given)
        return self

    def _by_seat(self, given: Mapping[str, Any] | None) -> dict[str, Any]:
        return {seat: (given or {}).get(seat, ()) for seat in SEATS}

    def _keyed(self, brief: str, field: str, given: str | Mapping[str, Any], quiet: str, make: Any) -> Sitting:
        self.reach(brief)
        said: dict[str, Any] = {}
        for ask in self._open(brief):
            own = given if isinstance(given, str) else given.get(ask.seat, quiet)
            if own == "absent":
                said[ask.seat] = own
                continue
            texts = dict.fromkeys(ask.keys, own) if isinstance(own, str) else spread(own, ask)
            said[ask.seat] = {field: {key: make(text) for key, text in texts.items()}}
        return self._step(brief, said)

    def _quiet(self, ask: Ask) -> dict[str, Any]:
        """What a seat says that has nothing to say."""
        match ask.brief:
            case "examine":
                tickets = len(json.loads(self.material["rfc"])["tickets"])
                return {
                    "receipt": json.dumps(told()),
                    "gates": gate_runs((), self._nine),
                    "findings": [],
                    "tickets": tickets,
                }
            case "match":
                rows = described(self.record, ask.keys)
                found = twins(
                    Text(key, (row["subcategory"], row["place"], row["field"]), row["origin"] == "gate", *_texts(row))
                    for key, row in rows.items()
                )
                return {"pairs": [{"kept": kept, "merged": gone} for kept, gone in found]}
            case "cover":
                return {"unshown": [], "refused": 0}
            case "score" | "mock-run" | "assure":
                return artifact(ask.seat, (), True)
            case "assess":
                return {"gates": [judgement(gate, False) for gate in self._judged], "confidence": "HIGH"}
            case "respond":
                return {"answers": {key: answer("CONFIRM") for key in ask.keys}}
            case "bind":
                lacking = next(each.unbound for each in self.state.seats if each.seat == ask.seat)
                return {"uses": [use(lens.value) for lens in lacking]}
            case "remediate":
                return {"proposals": dict.fromkeys(ask.keys, NO_FIX)}
            case "vote":
                return {"votes": {key: ballot("SUPPORT") for key in ask.keys}}
            case _:
                return {}

    @property
    def _judged(self) -> tuple[Gate, ...]:
        """The gates that seats assess."""
        return tuple(gate for gate in (NINE if self._nine else SEVEN) if gate not in BY_CODE)

    @property
    def _nine(self) -> bool:
        return bool(self.protocol.settings["gates"] == "nine")


def _texts(row: Mapping[str, str]) -> tuple[str, str]:
    return row["description"], row["evidence"]
