"""The use cases, one function each. Every interface translates to these and decides nothing itself."""

from quorate.api.answering import answer, decline, offer_of, questions
from quorate.api.beginning import open_session
from quorate.api.checking import Checked, check_file, is_session_file
from quorate.api.costs import Cost, with_costs, worst_costs
from quorate.api.council import Convened, open_council
from quorate.api.documents import Written, export_session_file, leave, write_documents
from quorate.api.examining import Examined, NothingToReview, examine
from quorate.api.finishing import Left, finish, finish_ended
from quorate.api.forking import fork
from quorate.api.gating import Gated, Sources, pass_gates
from quorate.api.ledger import Dismissed, dismiss, dismissed_keys, findings, ledger_path, settle
from quorate.api.opening import speaks_to_us
from quorate.api.protocols import SCHEMAS, graph, proof_data, protocols, schema, verify
from quorate.api.results import Replayed, bundle, check, explain, replay, report, solution, summary
from quorate.api.review import Opened, open_review, settle_review
from quorate.api.roundtable import Elaborating, open_roundtable
from quorate.api.rulings import adjudicate, possible_rulings
from quorate.api.sessions import (
    Result,
    find_session,
    follow,
    interrupt,
    list_sessions,
    load,
    run,
)
from quorate.api.setup import Checkup, ModelKind, doctor, init, models, pull_model
from quorate.api.signature import signature
from quorate.api.workshop import Held, open_workshop

__all__ = [
    "SCHEMAS",
    "Checked",
    "Checkup",
    "Convened",
    "Cost",
    "Dismissed",
    "Elaborating",
    "Examined",
    "Gated",
    "Held",
    "Left",
    "ModelKind",
    "NothingToReview",
    "Opened",
    "Replayed",
    "Result",
    "Sources",
    "Written",
    "adjudicate",
    "answer",
    "bundle",
    "check",
    "check_file",
    "decline",
    "dismiss",
    "dismissed_keys",
    "doctor",
    "examine",
    "explain",
    "export_session_file",
    "find_session",
    "findings",
    "finish",
    "finish_ended",
    "follow",
    "fork",
    "graph",
    "init",
    "interrupt",
    "is_session_file",
    "leave",
    "ledger_path",
    "list_sessions",
    "load",
    "models",
    "offer_of",
    "open_council",
    "open_review",
    "open_roundtable",
    "open_session",
    "open_workshop",
    "pass_gates",
    "possible_rulings",
    "proof_data",
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
    "speaks_to_us",
    "summary",
    "verify",
    "with_costs",
    "worst_costs",
    "write_documents",
]
