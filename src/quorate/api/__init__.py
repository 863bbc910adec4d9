"""The use cases, one function each. Every interface translates to these and decides nothing itself."""

from quorate.api.protocols import SCHEMAS, graph, protocols, schema, verify
from quorate.api.results import Replayed, bundle, check, explain, replay, report, solution, summary
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

__all__ = [
    "SCHEMAS",
    "Checkup",
    "ModelKind",
    "Replayed",
    "Result",
    "answer",
    "bundle",
    "check",
    "decline",
    "doctor",
    "explain",
    "find_session",
    "follow",
    "graph",
    "init",
    "interrupt",
    "list_sessions",
    "load",
    "models",
    "open_session",
    "protocols",
    "pull_model",
    "questions",
    "replay",
    "report",
    "run",
    "schema",
    "solution",
    "summary",
    "verify",
]
