"""A committee at hand: the real review with the real briefs, driven reply by reply, and its forms made short."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.core.record import Envelope, Moved, Opening, Record, read
from quorate.core.session import Cause, Conclusion, Move, Step
from quorate.core.types import Absent, AbsentReason, Ask, Event, Interrupted, Reason, Replied
from quorate.core.view import View
from quorate.kit.settings import plain, read_settings
from quorate.protocols.review import DEFINITION, build
from quorate.protocols.review.rules.model import PERSONAS, Checked, Phase, ReviewSettings, State
from tests.support.filling import fill

SOLO = ["adjudicator"]
TWO = ["engineering-architect", "operations-sre"]
FOUR = ["engineering-architect", "knowledge-manager", "business-driver", "operations-sre"]
SIX = list(PERSONAS)
PATHS = ("shop/orders.py", "shop/prices.py")
QUOTED = "return total * rate"
"""A line of the change."""
CHANGE = "".join(
    f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,2 +1,3 @@\n def price(total, rate):\n"
    f"-    return total\n+    {QUOTED}\n+    # {path}\n"
    for path in PATHS
)
CLAIMS = [
    {"id": "price-1", "scope": "shop/", "claim": "prices are rounded", "observable": "a test", "expected": "green"},
    {"id": "price-2", "scope": "shop/", "claim": "no price is negative", "observable": "a test", "expected": "green"},
]
Values = Mapping[str, Any]


@cache
def briefs() -> dict[str, str]:
    """The review's prompt files by name."""
    return catalog.briefs(DEFINITION)


def review(seed: int = 7, **settings: Any) -> Protocol[State]:
    """Build a review from plain settings."""
    return build(read_settings(ReviewSettings, settings), briefs(), seed)


# Forms made short: plain values, as `fill` takes them


def fix(text: str = "F1 tests medium", **more: Any) -> dict[str, Any]:
    """A fix item from `FILE RULE SEVERITY`."""
    path, rule, severity = text.split()
    given = {"evidence": QUOTED, "consequence": "A customer pays too much.", "action": "Round the price."}
    return {"path": path, "rule": rule, "severity": severity, **given, **more}


def ballot(text: str | Values = "synthesis", *items: str | Values, **more: Any) -> dict[str, Any]:
    """A ballot from `STANCE [CLASS OF VETO] [CONFIDENCE]`, or from a mapping with such a `stance`, and fix items."""
    values = {"stance": text} if isinstance(text, str) else dict(text)
    stance, _, rest = str(values.pop("stance", "synthesis")).partition(" ")
    words = rest.split()
    confidence = int(words.pop()) if words and words[-1].isdecimal() else 90
    made = {"stance": stance, "confidence": confidence, "veto_class": " ".join(words) or "none"}
    made["veto_evidence"] = QUOTED if words else ""
    raised = (*values.pop("items", ()), *items)
    return {**made, "items": [fix(each) if isinstance(each, str) else each for each in raised], **values, **more}


def finding(text: str = "low", **more: Any) -> dict[str, Any]:
    """A finding of a check from `SEVERITY [CLASS OF VETO]`."""
    severity, _, veto = text.partition(" ")
    given = {"check": "secrets", "rule": "no-secrets", "path": PATHS[0], "line": 2, "message": "", "evidence": ""}
    given |= {"occurrence": 0, "fingerprint": "", "consequence": "", "action": "", "file": 1, "subject": "secret"}
    return {**given, "severity": severity, "veto": veto or "none", **more}


def examination(*findings: str | Values, paths: Sequence[str] = PATHS, **more: Any) -> dict[str, Any]:
    """What the checks report, from the severities of what they found."""
    files = [
        {"key": f"F{n}", "path": path, "status": "modified", "added": 2, "removed": 1}
        for n, path in enumerate(paths, 1)
    ]
    given = {"receipt": json.dumps({"files": files, "checks": [], "left_out": []}), "change": "", "claims": 0}
    found = [finding(each) if isinstance(each, str) else each for each in findings]
    count = len(paths) if more.get("applied", True) else 0  # where nothing was examined there are no files (R4)
    given |= {"passed": [], "kept": [], "files": count, "hunks": count, "applied": True, "divided": False, "beyond": 0}
    return {**given, "findings": found, "parts": parts(range(1, count + 1)) if count else [], **more}


def parts(*files: Iterable[int], sensitive: Collection[int] = ()) -> list[dict[str, Any]]:
    """The parts in which a change is read, from the numbers of their files, each of one hunk."""
    return [
        {
            "number": number,
            "sensitive": number in sensitive,
            "spans": [{"file": file, "first": file, "last": file} for file in group],
        }
        for number, group in enumerate(files, 1)
    ]


def large(
    *groups: Sequence[int], sensitive: Collection[int] = (), found: Sequence[str | Values] = (), **more: Any
) -> dict[str, Any]:
    """What the checks report of a change that is read in these parts; by default each of its two files is one."""
    made = parts(*(groups or ([1], [2])), sensitive=sensitive)
    return examination(*found, **{"divided": True, "parts": made, **more})


def offer(**more: Any) -> dict[str, Any]:
    """A complete offer of a compromise."""
    given = {"cod_evidence": "1,000 a day", "acceptance_criteria": "the test is green", "debt_owner": "payments"}
    return {**given, "timeline_days": 14, "proposed_action": "defer-as-debt", **more}


def doubt(standing: str = "refuted", quotation: str = QUOTED) -> dict[str, Any]:
    """What the skeptic makes of an item; QUOTED occurs in the change."""
    return {"reason": "I looked.", "quotation": quotation, "standing": standing}


class Committee:
    """A review under way. Every method takes plain values; what was not said is filled in."""

    def __init__(self, *members: str, seed: int = 7, material: Mapping[str, str] | None = None, **more: Any) -> None:
        settings = {"members": list(members) or FOUR, **more}
        self.protocol = review(seed, **settings)
        made = plain(read_settings(ReviewSettings, settings))
        self.opening = Opening("review", self.protocol.version, "", "A review", seed, made, {}, {})
        self.material = {"change": CHANGE, "checks": "{}", "claims": json.dumps(CLAIMS), **(material or {})}
        self.record = Record(self.protocol, self.opening, self.material)
        self.events: list[Event] = []

    # What goes in

    def take(self, event: Event) -> Step[State]:
        step = self.record.take(event, Envelope(seq=len(self.events) + 1))
        self.events.append(event)
        return step

    def reply(self, ask: Ask, values: Values | Absent | None = None) -> Step[State]:
        """Answer an ask, its quotations looked up in what its seat is shown; `whole: false` where that was cut."""
        if isinstance(values, Absent):
            return self.take(Replied(ask.id, values))
        given = dict(values or {})
        whole = bool(given.pop("whole", True))
        said = self.record.marked(ask, fill(ask, given), whole=whole)
        return self.take(Replied(ask.id, said))

    def say(self, seat: str, values: Values | None = None, /, **more: Any) -> Committee:
        self.reply(self.ask(seat), {**(values or {}), **more})
        return self

    def absent(self, seat: str, reason: AbsentReason = AbsentReason.FAILED) -> Committee:
        self.reply(self.ask(seat), Absent(reason))
        return self

    def tabled(self, *findings: str, **more: Any) -> Committee:
        """Let the checks report and the chair table the change."""
        self.say("checks", examination(*findings, **more))
        return self if self.state.checked is Checked.VETOED else self.say("chair")

    def vote(self, ballots: Mapping[str, str | Values] | str) -> Committee:
        """Hold a ballot: by seat, or the same for all; who is not named, or says `absent`, is absent."""
        for ask in self.open:
            said = ballots if isinstance(ballots, str) else ballots.get(ask.seat, "absent")
            if ask.brief == "ballot":
                self.reply(ask, Absent(AbsentReason.SILENT) if said == "absent" else ballot(said))
        return self

    def interrupt(self, reason: Reason) -> Committee:
        self.take(Interrupted(reason))
        return self

    def finish(self, **by_brief: Values) -> Committee:
        """Let everybody reply until the end: by brief where given; nobody amends or offers unless it is."""
        quiet: dict[str, Values] = {"amend": {"patch": ""}, "compromise": {"offers": {}}, "examine": examination()}
        while self.conclusion is None:
            for ask in self.open:
                self.reply(ask, by_brief.get(ask.brief, quiet.get(ask.brief)))
        return self

    # What comes out

    @property
    def open(self) -> tuple[Ask, ...]:
        return self.record.session.open

    @property
    def phase(self) -> Any:
        return self.record.session.phase

    @property
    def state(self) -> State:
        state: State = self.record.session.state
        return state

    @property
    def conclusion(self) -> Conclusion | None:
        return self.record.session.conclusion

    @property
    def verdict(self) -> str:
        assert self.conclusion is not None, f"the review is still in {self.phase.name}"
        return self.conclusion.verdict.name

    @property
    def degradation(self) -> str:
        assert self.conclusion is not None, f"the review is still in {self.phase.name}"
        return self.conclusion.degradation.value

    def ask(self, seat: str) -> Ask:
        found = [ask for ask in self.open if ask.seat == seat]
        assert found, f"{seat} is not asked in {self.phase.name}, but {self.asked()} are"
        return found[0]

    def asked(self) -> list[str]:
        """Who is asked now, as `seat brief`."""
        return [f"{ask.seat} {ask.brief}" for ask in self.open]

    def view(self, seat: str) -> View:
        return self.protocol.view(self.record, self.ask(seat))

    @property
    def moves(self) -> list[Move]:
        return [line.move for line in self.record.log if isinstance(line, Moved)]

    @property
    def rows(self) -> list[tuple[Any, Any]]:
        """The rows of the table taken so far, as (phase, outcome)."""
        return [(move.phase, move.outcome) for move in self.moves if move.cause is not Cause.INTERRUPTED]

    @property
    def outcomes(self) -> list[str]:
        return [move.outcome.name for move in self.moves]

    def facts(self, name: str) -> list[dict[str, Any]]:
        return [dict(fact.values) for move in self.moves for fact in move.facts if fact.name == name]

    def again(self) -> Record:
        """The same journal, folded anew."""
        journal = [(event, Envelope(seq=n)) for n, event in enumerate(self.events, start=1)]
        return read(self.protocol, self.opening, self.material, journal)


def held(*rounds: Mapping[str, str | Values], found: Sequence[str] = (), **settings: Any) -> Committee:
    """A review in which these ballots were held, one mapping by seat to a round.

    Between ballots the chair mediates, nobody amends, and the business driver offers a compromise on every veto. The
    members are those of the first round unless `members` names them.
    """
    members = settings.pop("members", None) or list(rounds[0])
    committee = Committee(*members, **settings).tabled(*found)
    for number, ballots in enumerate(rounds, start=1):
        while committee.phase is not Phase.DEBATE or committee.state.round < number:
            assert committee.open, f"there is no ballot {number}: {committee.outcomes}"
            for ask in committee.open:
                offers: Values = {"offers": {key: offer() for key in ask.keys}}
                unmoved: dict[str, Values] = {"amend": {"patch": ""}, "compromise": offers}
                committee.reply(ask, unmoved.get(ask.brief))
        committee.vote(ballots)
    return committee
