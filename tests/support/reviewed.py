"""Reviews at hand: the real protocol with the real briefs and journal entries, driven reply by reply."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from quorate import catalog
from quorate.codec import digest_text, encode_entry, encode_opening, protocol_digest
from quorate.codec.chain import GENESIS, Entry, chain
from quorate.core.forms import Reply
from quorate.core.record import Envelope, Opening, Record
from quorate.core.types import Absent, AbsentReason, Ask, Event, Interrupted, Reason, Replied, Ruled
from quorate.protocols.review.rules.model import Checked, State
from tests.support.filling import fill

SESSION = "review-20260101-120000-abcd"
TWO = ("engineering-architect", "operations-sre")
FOUR = ("engineering-architect", "knowledge-manager", "business-driver", "operations-sre")
APP = """\
diff --git a/src/app.py b/src/app.py
--- a/src/app.py
+++ b/src/app.py
@@ -1,3 +1,4 @@
 import os
-def read(path):
+def read(path, retries):
+    return open(path).read()
 # end
@@ -20,2 +21,3 @@ def run():
     start()
+    os.system(command)
     stop()
"""
DOCS = """\
diff --git a/docs/guide.md b/docs/guide.md
new file mode 100644
--- /dev/null
+++ b/docs/guide.md
@@ -0,0 +1,2 @@
+# The guide
+Call read with a path.
"""
CLAIMS = [
    {"id": "AC-1", "scope": "src", "claim": "read retries", "observable": "a loop", "expected": "three attempts"},
    {"id": "AC-2", "scope": "docs", "claim": "the guide tells", "observable": "a section", "expected": "one example"},
]
HOLE = {
    "check": "python",
    "rule": "bandit/B605",
    "severity": "critical",
    "path": "src/app.py",
    "line": 22,
    "message": "a shell command that is not constant",
    "evidence": "os.system(command)",
    "veto": "security hole",
    "occurrence": 0,
    "fingerprint": "",
    "consequence": "",
    "action": "",
    "file": 1,
    "subject": "security",
}


def reported(rule: str = "ruff/F401", severity: str = "low", **more: Any) -> dict[str, Any]:
    """One finding of a check, as plain values."""
    found = {"check": "lint", "rule": rule, "severity": severity, "path": "src/app.py", "line": 1, "veto": "none"}
    found |= {"occurrence": 0, "fingerprint": "", "consequence": "", "action": "", "file": 1, "subject": "style"}
    return {**found, "message": f"about {rule}", "evidence": "import os", **more}


def receipt(**more: Any) -> dict[str, Any]:
    """What the checks say of the change."""
    election = {"complexity": "MEDIUM", "basis": "2 files in 2 modules, no interface changed", "pairs": []}
    ran = [
        {"check": "secrets", "status": "pass", "reason": "2 files were searched", "findings": 0},
        {"check": "lint", "status": "fail", "reason": "1 Python file", "findings": 1},
        {"check": "cycles", "status": "skip", "reason": "no imports were changed", "findings": 0},
    ]
    files = [
        {"key": "F1", "path": "src/app.py", "status": "modified", "added": 3, "removed": 1},
        {"key": "F2", "path": "docs/guide.md", "status": "added", "added": 2, "removed": 0},
    ]
    left_out = [{"path": "logo.png", "why": "binary", "detail": ""}]
    told = {"title": "feature against main", "base": "b" * 40, "head": "c" * 40, "election": election, "checks": ran}
    return {**told, "files": files, "left_out": left_out, "dismissed": [], **more}


def whole(files: int) -> dict[str, Any]:
    """What the checks report of how a change is read that fits into one view."""
    spans = [{"file": number, "first": number, "last": number} for number in range(1, files + 1)]
    parts = [{"number": 1, "sensitive": False, "spans": spans}] if files else []
    return {"divided": False, "hunks": files, "parts": parts, "beyond": 0}


class Reviewed:
    """A review under way. Every method takes plain values; what was not said is filled in."""

    def __init__(
        self,
        members: Sequence[str] = FOUR,
        findings: Sequence[dict[str, Any]] = (),
        claims: Sequence[dict[str, Any]] = (),
        told: dict[str, Any] | None = None,
        change: str = APP + DOCS,
        **settings: Any,
    ) -> None:
        self.protocol = catalog.build("review", {"members": list(members), **settings}, seed=7)
        self.examination = {
            "receipt": json.dumps(told or receipt()),
            "change": "",
            "findings": list(findings),
            "files": len((told or receipt())["files"]),
            "claims": len(claims),
            "applied": True,
            "passed": [],
            "kept": [],
            **whole(len((told or receipt())["files"])),
        }
        self.material = {"change": change, "checks": json.dumps(self.examination), "claims": json.dumps(list(claims))}
        opening = Opening(
            protocol="review",
            version=self.protocol.version,
            digest=protocol_digest(self.protocol),
            title="feature against main",
            seed=7,
            settings=dict(self.protocol.settings),
            panel={str(seat): f"test:{seat}" for seat in self.protocol.seats},
            material={name: digest_text(text) for name, text in self.material.items()},
        )
        body = encode_opening(opening, Envelope(at=1_767_268_800_000))
        self.entries = [Entry(0, body, chain(GENESIS, body))]
        self.record = Record(self.protocol, opening, self.material)

    # What goes in

    def take(self, event: Event, **envelope: Any) -> None:
        seq = len(self.entries)
        stamped = Envelope(seq=seq, at=1_767_268_800_000 + 1000 * seq, **envelope)
        self.record.take(event, stamped)
        body = encode_entry(event, stamped)
        self.entries.append(Entry(seq, body, chain(self.entries[-1].hash, body)))

    def say(self, seat: str, values: dict[str, Any] | None = None, /, **more: Any) -> Reviewed:
        ask = self.ask(seat)
        reply = self.record.marked(ask, fill(ask, values, **more))
        self._answer(ask, reply)
        return self

    def absent(self, seat: str, reason: AbsentReason = AbsentReason.TIMED_OUT) -> Reviewed:
        self._answer(self.ask(seat), Absent(reason))
        return self

    def _answer(self, ask: Ask, reply: Reply | Absent) -> None:
        spent = {"model": f"test:{ask.seat}", "tokens_in": 100, "tokens_out": 20, "cost": 1200, "elapsed": 1500}
        self.take(Replied(ask.id, reply), **spent)

    def table(self) -> Reviewed:
        """Let the checks examine the change and the chair table it."""
        self.say("checks", self.examination)
        if self.record.session.state.checked is Checked.VETOED:
            return self  # a proof is tabled by code (R14)
        return self.say("chair", summary="It adds retries.", questions=["Is the shell call safe?"])

    def vote(self, seat: str, stance: str = "synthesis", **more: Any) -> Reviewed:
        """Let a member vote and judge every claim, if it is asked to."""
        judgements = more.pop("claims", "pass")
        plain = {"opinion": f"{seat} looked at both files.", "veto_class": "none", "veto_evidence": "", "items": []}
        self.say(seat, {"stance": stance, "confidence": 80, **plain, **more})
        if any(ask.seat == seat for ask in self.open):
            given = {key: judgements for key in self.ask(seat).keys} if isinstance(judgements, str) else judgements
            self.say(seat, claims={key: {"observed": "as quoted", "judgement": each} for key, each in given.items()})
        return self

    def rest(self, stance: str = "synthesis", **more: Any) -> Reviewed:
        """Let every member vote that has not."""
        for seat in dict.fromkeys(ask.seat for ask in self.open):
            self.vote(seat, stance, **more)
        return self

    def agree(self, **more: Any) -> Reviewed:
        return self.say("chair", {"agreement": "The change may go in.", "next_steps": ["Release it."], **more})

    def interrupt(self, reason: Reason, why: str = "") -> Reviewed:
        self.take(Interrupted(reason), detail=why)
        return self

    def rule(self, verdict: str, by: str, reason: str) -> Reviewed:
        self.take(Ruled(verdict, by, reason), model="person")
        return self

    # What comes out

    @property
    def open(self) -> tuple[Ask, ...]:
        return self.record.session.open

    @property
    def state(self) -> State:
        state: State = self.record.session.state
        return state

    @property
    def verdict(self) -> str | None:
        conclusion = self.record.session.conclusion
        return conclusion.verdict.name if conclusion else None

    @property
    def head(self) -> str:
        return self.entries[-1].hash

    def ask(self, seat: str) -> Ask:
        found = [ask for ask in self.open if ask.seat == seat]
        assert found, f"{seat} is not asked, but {[f'{ask.seat} {ask.brief}' for ask in self.open]} are"
        return found[0]


def item(path: str = "F1", rule: str = "security", severity: str = "high", **more: Any) -> dict[str, Any]:
    """One fix item of a member, as plain values."""
    told = {"evidence": "os.system(command)", "consequence": "Anybody can run a command.", "action": "Use a list."}
    return {"path": path, "rule": rule, "severity": severity, **told, **more}


def approved() -> Reviewed:
    """All four agree, with one note."""
    review = Reviewed(findings=[reported()]).table()
    review.vote("knowledge-manager", items=[item("F2", "style", "low", evidence="# The guide")])
    return review.rest().agree()


def compromised() -> Reviewed:
    """A veto, a compromise that its member takes, items of which one is refuted, and an absent member."""
    review = Reviewed(findings=[reported("complexity/long", "medium")], claims=CLAIMS).table()
    review.vote(
        "knowledge-manager", "veto", veto_class="undocumented public contract", veto_evidence="def read(path, retries)"
    )
    review.vote("engineering-architect", "oppose", items=[item()])
    review.rest(claims={"C1": "fail", "C2": "insufficient-evidence"})
    review.absent("proposer", AbsentReason.SILENT)
    offer = {
        "cod_evidence": "Two customers wait, 4,000 a day.",
        "acceptance_criteria": "The guide documents retries.",
        "debt_owner": "team docs",
        "timeline_days": 14,
        "proposed_action": "defer-as-debt",
    }
    review.say("business-driver", reason="The delay costs more.", offers={"V1": offer})
    review.say("chair", positions="One side wants documents first.", questions="What would be enough?")
    review.vote("knowledge-manager", items=[item("F2", "documentation", "medium", evidence="Call read with a path.")])
    review.vote(
        "engineering-architect",
        items=[item(), item("F1", "performance", "medium", evidence="open(path).read()")],
        taken_back=["I1"],
    )
    review.vote("operations-sre", items=[item(severity="critical")])
    review.absent("business-driver")
    doubts = {
        "I2": {"reason": "The command is a parameter.", "quotation": "", "standing": "confirmed"},
        "I3": {"reason": "The file is small.", "quotation": "return open(path).read()", "standing": "refuted"},
        "I4": {"reason": "It tells enough.", "quotation": "nothing of the kind", "standing": "refuted"},
        "I5": {"reason": "The command is a parameter.", "quotation": "", "standing": "confirmed"},
    }
    review.say("skeptic", doubts=doubts)
    return review.agree()


def vetoed() -> Reviewed:
    """A member vetoes, with a note of the checks beside; nobody amends."""
    review = Reviewed(TWO, findings=[reported()]).table()
    review.vote("operations-sre", "veto", veto_class="security hole", veto_evidence="os.system(command)")
    review.rest()
    return review.absent("proposer", AbsentReason.SILENT)


def proven() -> Reviewed:
    """A check has proven a hole; nobody is asked but the proposer, and nobody amends."""
    return Reviewed(TWO, findings=[HOLE, reported()]).table().absent("proposer", AbsentReason.SILENT)


def withheld() -> Reviewed:
    """All but one agree; the veto of that one is withheld for low confidence, and the skeptic cannot settle it."""
    review = Reviewed().table()
    told = {"veto_class": "security hole", "veto_evidence": "os.system(command)", "confidence": 49}
    review.vote("operations-sre", "veto", **told)
    review.rest().say("skeptic", doubts={"I1": {"reason": "Who knows.", "quotation": "", "standing": "plausible"}})
    return review.agree()


def inconclusive() -> Reviewed:
    """Two of four oppose in the only round."""
    review = Reviewed(rounds=1).table()
    review.vote("engineering-architect", "oppose", items=[item(severity="medium")])
    review.vote("operations-sre", "oppose")
    return review.rest()
