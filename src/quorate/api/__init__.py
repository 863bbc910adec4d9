"""The use cases, one function each. Every interface translates to these and decides nothing itself."""

from quorate.api.council import Convened, open_council
from quorate.api.examining import Examined, NothingToReview, examine
from quorate.api.gating import Gated, Sources, pass_gates
from quorate.api.ledger import Dismissed, dismiss, dismissed_keys, findings, ledger_path, settle
from quorate.api.protocols import SCHEMAS, graph, protocols, schema, verify
from quorate.api.results import Replayed, bundle, check, explain, replay, report, solution, summary
from quorate.api.review import Opened, open_review, settle_review
from quorate.api.rulings import adjudicate, possible_rulings
from quorate.api.sessions import (
    Result,
    answer,
    decline,
    find_session,
    follow,
    interrupt,
    list_sessions,
    load,
    open_session,
    questions,
    run,
)
from quorate.api.setup import Checkup, ModelKind, doctor, init, models, pull_model
from quorate.api.signature import signature

__all__ = [
    "SCHEMAS",
    "Checkup",
    "Convened",
    "Dismissed",
    "Examined",
    "Gated",
    "ModelKind",
    "NothingToReview",
    "Opened",
    "Replayed",
    "Result",
    "Sources",
    "adjudicate",
    "answer",
    "bundle",
    "check",
    "decline",
    "dismiss",
    "dismissed_keys",
    "doctor",
    "examine",
    "explain",
    "find_session",
    "findings",
    "follow",
    "graph",
    "init",
    "interrupt",
    "ledger_path",
    "list_sessions",
    "load",
    "models",
    "open_council",
    "open_review",
    "open_session",
    "pass_gates",
    "possible_rulings",
    "protocols",
    "pull_model",
    "questions",
    "replay",
    "report",
    "run",
    "schema",
    "settle",
    "settle_review",
    "signature",
    "solution",
    "summary",
    "verify",
]
