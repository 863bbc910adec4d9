"""The embedded model through whole reviews: real prompts, real forms, real verdicts. Its opinion is not asserted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from quorate import catalog
from quorate.codec import digest_text, encode_opening, parse_reply, protocol_digest, read_record
from quorate.core.forms import Reply
from quorate.core.protocol import Moment
from quorate.core.record import Envelope, Moved, Opening, Record, Said
from quorate.core.types import Absent, AbsentReason, Replies, Seat
from quorate.participants.check import Check
from quorate.participants.local import LocalModel
from quorate.participants.port import Participant, Request
from quorate.protocols.review.rules.model import Verdict
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor
from quorate.store.memory import MemoryJournal
from tests.protocols.review.oracle import with_oracle
from tests.support.reviewed import whole

PATHS = ("src/slug.py", "src/links.py", "tests/test_slug.py", "docs/slug.md")
CHANGE = '''\
diff --git a/src/slug.py b/src/slug.py
--- a/src/slug.py
+++ b/src/slug.py
@@ -1,2 +1,9 @@
+import re
+
+
 def slug(title):
-    return title.lower().replace(" ", "-")
+    """Return the title as a part of an address: small letters, digits and hyphens."""
+    words = re.findall(r"[a-z0-9]+", title.lower())
+    if not words:
+        raise ValueError("the title has no letter or digit; give one that has")
+    return "-".join(words)
diff --git a/src/links.py b/src/links.py
--- a/src/links.py
+++ b/src/links.py
@@ -1,4 +1,5 @@
 from slug import slug
+KEY = "[masked secret 1]"

 def link(page):
     return "/" + slug(page.title)
diff --git a/tests/test_slug.py b/tests/test_slug.py
--- a/tests/test_slug.py
+++ b/tests/test_slug.py
@@ -1,2 +1,6 @@
 def test_slug():
     assert slug("A b") == "a-b"
+
+def test_a_title_without_letters_is_refused():
+    with pytest.raises(ValueError):
+        slug("?")
diff --git a/docs/slug.md b/docs/slug.md
--- a/docs/slug.md
+++ b/docs/slug.md
@@ -1 +1,2 @@
 A slug is the title in small letters.
+A title without letters and digits raises ValueError.
'''
CLAIM = {
    "id": "AC-1",
    "scope": "src",
    "claim": "A title without letters is refused.",
    "observable": "slug('?')",
    "expected": "ValueError is raised",
}
SECRET = {
    "check": "secrets",
    "rule": "secrets/key",
    "severity": "critical",
    "path": "src/links.py",
    "line": 2,
    "message": "a hard-coded secret",
    "evidence": 'KEY = "[masked secret 1]"',
    "occurrence": 0,
    "fingerprint": "ab",
    "consequence": "",
    "action": "",
    "veto": "hard-coded secret",
    "file": 2,
    "subject": "security",
}


def examination(findings: Sequence[dict[str, Any]], claims: int) -> str:
    """What the checks hand in, as JSON."""
    files = [
        {"key": f"F{number}", "path": path, "status": "modified", "added": 2, "removed": 1}
        for number, path in enumerate(PATHS, start=1)
    ]
    receipt = {"title": "", "base": "", "head": "", "election": {}, "checks": [], "left_out": [], "dismissed": []}
    found = {"receipt": json.dumps({**receipt, "files": files}), "change": "", "findings": list(findings)}
    return json.dumps({**found, "files": len(PATHS), "claims": claims, "applied": True, **whole(len(PATHS))})


def hand_in(request: Request) -> Reply | Absent:
    return parse_reply(request.ask, request.view.sections[0].text)


async def review(
    members: Sequence[str], findings: Sequence[dict[str, Any]] = (), claims: Sequence[dict[str, Any]] = (), **more: Any
) -> Record:
    """Hold a review with the embedded model on every seat but the checks' and the proposer's; read it back."""
    protocol = catalog.build("review", {"members": list(members), **more}, seed=7)
    texts = {"change": CHANGE, "checks": examination(findings, len(claims)), "claims": json.dumps(list(claims))}
    model = LocalModel("smollm2", timeout=900)  # a busy machine is not what is tested
    panel: dict[Seat, Participant] = dict.fromkeys(protocol.seats, model)
    panel[Seat("checks")] = Check(hand_in, name="checks")
    panel[Seat("proposer")] = Check(lambda _: Absent(AbsentReason.SILENT), name="nobody")
    digests = {name: digest_text(text) for name, text in texts.items()}
    seated = {str(seat): each.name for seat, each in panel.items()}
    digest, settings = protocol_digest(protocol), dict(protocol.settings)
    opening = Opening("review", protocol.version, digest, "slugs", 7, settings, seated, digests)
    journal = MemoryJournal()
    stored = {digests[name]: text for name, text in texts.items()}
    await journal.create("s", "review", "slugs", 0, encode_opening(opening, Envelope()), stored)
    record = Record(protocol, opening, texts)
    await Executor("s", record, journal, panel, Purse(Budget()), "me").drive()
    again = read_record(protocol, await journal.entries("s"), texts)
    assert again.session.conclusion == record.session.conclusion
    assert [move.move.outcome for move in moves(again)] == [move.move.outcome for move in moves(record)]
    return again


def moves(record: Record) -> list[Moved]:
    return [line for line in record.log if isinstance(line, Moved)]


def said(record: Record) -> list[Said]:
    return [line for line in record.log if isinstance(line, Said)]


def moments(record: Record) -> Iterator[Moment[Any]]:
    """Go through the moves as an invariant sees them."""
    last, conclusion = len(moves(record)) - 1, record.session.conclusion
    for number, moved in enumerate(moves(record)):
        move, end = moved.move, conclusion if number == last else None
        asked = tuple(line for line in said(record) if line.ask.id.partition(".")[0] == str(move.entry))
        yield Moment(
            move.phase,
            move.before,
            tuple(line.ask for line in asked),
            Replies(tuple((line.ask, line.reply) for line in asked)),
            move.outcome,
            move.to,
            move.after,
            end.verdict if end else None,
            facts=move.facts,
            degradation=end.degradation if end else None,
        )


def check(record: Record) -> None:
    """It ended, every form was valid, what was shown fits the window, and every promise of the protocol held."""
    assert record.session.conclusion is not None
    of_model = [line for line in said(record) if line.envelope.model == "local:smollm2"]
    assert of_model
    assert [(line.ask.seat, line.ask.brief) for line in of_model if isinstance(line.reply, Absent)] == []
    assert all(line.envelope.tokens_out > 0 for line in of_model)
    seats = {str(line.ask.seat) for line in said(record)} - {str(line.ask.seat) for line in of_model}
    assert seats <= {"checks", "proposer"}
    for moment in moments(record):
        broken = [each.name for each in with_oracle(record.protocol).invariants if not each.holds(moment)]
        assert broken == [], moment.outcome


@pytest.mark.long
@pytest.mark.model
async def test_an_adjudicator_on_four_files_with_a_claim() -> None:
    """R6, R24, R36."""
    record = await review(["adjudicator"], claims=[CLAIM], rounds=1)
    check(record)
    assert {line.ask.brief for line in said(record)} >= {"examine", "table", "ballot", "judge"}
    assert record.session.conclusion is not None
    assert record.session.conclusion.verdict in (Verdict.APPROVED, Verdict.REQUEST_CHANGES, Verdict.INCONCLUSIVE)


async def test_a_proven_secret_is_refused_and_no_model_is_asked() -> None:
    """R14, R16: with two rounds the proposer is asked; nobody sits there."""
    record = await review(["engineering-architect", "operations-sre"], findings=[SECRET], rounds=2)
    asked = [(line.ask.brief, line.envelope.model) for line in said(record)]
    assert asked == [("examine", "checks"), ("amend", "nobody")]
    assert [moved.move.outcome.name for moved in moves(record)] == [
        "EXAMINED",
        "TABLED",
        "CRITICAL_FLAW",
        "IRRECONCILABLE",
    ]
    assert record.session.conclusion is not None
    assert record.session.conclusion.verdict is Verdict.REQUEST_CHANGES
