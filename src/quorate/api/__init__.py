"""Use cases, one function each. Every interface (CLI, HTTP, MCP, Python) calls these and decides nothing itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazy_names import lazily

if TYPE_CHECKING:
    from quorate.api.answers import (
        answer as answer,
    )
    from quorate.api.answers import (
        decline as decline,
    )
    from quorate.api.answers import (
        offer_of as offer_of,
    )
    from quorate.api.answers import (
        questions as questions,
    )
    from quorate.api.comparison import (
        compare as compare,
    )
    from quorate.api.costs import (
        Cost as Cost,
    )
    from quorate.api.costs import (
        with_costs as with_costs,
    )
    from quorate.api.costs import (
        worst_costs as worst_costs,
    )
    from quorate.api.creation import (
        open_session as open_session,
    )
    from quorate.api.forks import (
        fork as fork,
    )
    from quorate.api.label_records import (
        label as label,
    )
    from quorate.api.label_records import (
        labels as labels,
    )
    from quorate.api.ledger import (
        Dismissed as Dismissed,
    )
    from quorate.api.ledger import (
        dismiss as dismiss,
    )
    from quorate.api.ledger import (
        dismissed_keys as dismissed_keys,
    )
    from quorate.api.ledger import (
        findings as findings,
    )
    from quorate.api.ledger import (
        ledger_path as ledger_path,
    )
    from quorate.api.ledger import (
        settle as settle,
    )
    from quorate.api.model_list import (
        ModelKind as ModelKind,
    )
    from quorate.api.model_list import (
        PullNotice as PullNotice,
    )
    from quorate.api.model_list import (
        models as models,
    )
    from quorate.api.model_list import (
        pull_model as pull_model,
    )
    from quorate.api.model_list import (
        pull_notice as pull_notice,
    )
    from quorate.api.model_list import (
        remove_model as remove_model,
    )
    from quorate.api.model_list import (
        served_models as served_models,
    )
    from quorate.api.opening import (
        speaks_to_us as speaks_to_us,
    )
    from quorate.api.protocol_catalog import (
        graph as graph,
    )
    from quorate.api.protocol_catalog import (
        proof_data as proof_data,
    )
    from quorate.api.protocol_catalog import (
        protocols as protocols,
    )
    from quorate.api.protocol_catalog import (
        schema as schema,
    )
    from quorate.api.protocol_catalog import (
        schemas as schemas,
    )
    from quorate.api.protocol_catalog import (
        verify as verify,
    )
    from quorate.api.redecision import (
        redecide as redecide,
    )
    from quorate.api.results import (
        Replayed as Replayed,
    )
    from quorate.api.results import (
        bundle as bundle,
    )
    from quorate.api.results import (
        check as check,
    )
    from quorate.api.results import (
        explain as explain,
    )
    from quorate.api.results import (
        replay as replay,
    )
    from quorate.api.results import (
        report as report,
    )
    from quorate.api.results import (
        solution as solution,
    )
    from quorate.api.results import (
        summary as summary,
    )
    from quorate.api.rulings import (
        adjudicate as adjudicate,
    )
    from quorate.api.rulings import (
        possible_rulings as possible_rulings,
    )
    from quorate.api.session_end import (
        Left as Left,
    )
    from quorate.api.session_end import (
        Written as Written,
    )
    from quorate.api.session_end import (
        finish as finish,
    )
    from quorate.api.session_end import (
        finish_ended as finish_ended,
    )
    from quorate.api.session_list import (
        Row as Row,
    )
    from quorate.api.session_list import (
        list_sessions as list_sessions,
    )
    from quorate.api.sessions import (
        Result as Result,
    )
    from quorate.api.sessions import (
        find_session as find_session,
    )
    from quorate.api.sessions import (
        follow as follow,
    )
    from quorate.api.sessions import (
        interrupt as interrupt,
    )
    from quorate.api.sessions import (
        load as load,
    )
    from quorate.api.sessions import (
        outdated as outdated,
    )
    from quorate.api.sessions import (
        run as run,
    )
    from quorate.api.setup import (
        Checkup as Checkup,
    )
    from quorate.api.setup import (
        doctor as doctor,
    )
    from quorate.api.setup import (
        init as init,
    )
    from quorate.api.signer import (
        signature as signature,
    )
    from quorate.api.track_record import (
        Calibrated as Calibrated,
    )
    from quorate.api.track_record import (
        calibration as calibration,
    )

_NAMES = {
    "answers": "answer decline offer_of questions",
    "creation": "open_session",
    "track_record": "Calibrated calibration",
    "comparison": "compare",
    "costs": "Cost with_costs worst_costs",
    "session_end": "Left Written finish finish_ended",
    "forks": "fork",
    "protocol_catalog": "graph proof_data protocols schema schemas verify",
    "label_records": "label labels",
    "ledger": "Dismissed dismiss dismissed_keys findings ledger_path settle",
    "session_list": "Row list_sessions",
    "model_list": "ModelKind PullNotice models pull_model pull_notice remove_model served_models",
    "opening": "speaks_to_us",
    "redecision": "redecide",
    "results": "Replayed bundle check explain replay report solution summary",
    "rulings": "adjudicate possible_rulings",
    "sessions": "Result find_session follow interrupt load outdated run",
    "setup": "Checkup doctor init",
    "signer": "signature",
}
"""Public names by module, imported on first use."""
__getattr__ = lazily(__name__, {name: module for module, names in _NAMES.items() for name in names.split()})

__all__ = [
    "Calibrated",
    "Checkup",
    "Cost",
    "Dismissed",
    "Left",
    "ModelKind",
    "PullNotice",
    "Replayed",
    "Result",
    "Row",
    "Written",
    "adjudicate",
    "answer",
    "bundle",
    "calibration",
    "check",
    "compare",
    "decline",
    "dismiss",
    "dismissed_keys",
    "doctor",
    "explain",
    "find_session",
    "findings",
    "finish",
    "finish_ended",
    "follow",
    "fork",
    "graph",
    "init",
    "interrupt",
    "label",
    "labels",
    "ledger_path",
    "list_sessions",
    "load",
    "models",
    "offer_of",
    "open_session",
    "possible_rulings",
    "proof_data",
    "protocols",
    "pull_model",
    "pull_notice",
    "questions",
    "redecide",
    "remove_model",
    "replay",
    "report",
    "run",
    "schema",
    "schemas",
    "served_models",
    "settle",
    "signature",
    "solution",
    "speaks_to_us",
    "summary",
    "verify",
    "with_costs",
    "worst_costs",
]
